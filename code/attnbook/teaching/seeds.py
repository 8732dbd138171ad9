"""Everything that a seed decides, drawn in a way that nobody can undo.

A seed that a student can guess is a seed whose assignment a student can make
at home.  So the key is stretched: trying one seed costs a good part of a
second, and the key says nothing of the seed.
"""

import functools
import hashlib
import random


@functools.cache
def derive_key(seed):
    """Derive the key of a seed.

    Args:
        seed: a str of the teacher, any letters.

    Returns:
        32 bytes, the same on every machine (scrypt, RFC 7914).

    Raises:
        ValueError: an empty seed.
    """
    if not seed.strip():
        raise ValueError("expected a seed of at least one letter, got none")
    return hashlib.scrypt(
        seed.strip().encode(), salt=b"attnbook", n=2**15, r=8, p=1,
        maxmem=2**26, dklen=32,
    )  # fmt: skip


def make_rng(key, *names):
    """Make a generator of random numbers for one purpose.

    Args:
        key: bytes of `derive_key`.
        names: what is drawn, such as "10.5", "rules"; other names give other
            numbers.

    Returns:
        A `random.Random`, whose numbers are the same in all versions of
        Python from 3.11 on.
    """
    text = "\0".join(map(str, names)).encode()
    digest = hashlib.blake2b(text, key=key, digest_size=32).digest()
    return random.Random(digest)
