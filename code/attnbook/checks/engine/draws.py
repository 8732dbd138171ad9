"""Where the inputs of all checks come from: the page's, or other ones.

What a check hands to an answer is drawn, or changed, by the functions of this
module.  Without a key they give what every reader gets.  `held_out` imports a
check once more, together with a copy of this module that has a key; then they
give other numbers, words and orders of the same character.
"""

import contextlib
import hashlib
import importlib
import importlib.util
import random
import re
import sys
from string import ascii_lowercase

import torch

KEY = None  # bytes, in the copies that `held_out` makes
DRAWER = "attnbook.checks"
KEPT = tuple(f"{DRAWER}.{name}" for name in ("engine", "rules"))
MARKS = r"<[^<>]*>|\b(?:pad|bos|eos|unk|mask)\b|[A-Za-z]"


def digest(key, *names):
    """Return 32 bytes of a key and what they are for."""
    text = "\0".join(map(str, names)).encode()
    return hashlib.blake2b(text, key=key, digest_size=32).digest()


def dice(*names):
    """Return a `random.Random`; without a key, its seed is the first name."""
    return random.Random(names[0] if KEY is None else digest(KEY, *names))


def seeded(seed):
    """Return a generator of PyTorch; without a key, with this seed."""
    if KEY is not None:
        seed = int.from_bytes(digest(KEY, "seeded", seed)[:7])
    return torch.Generator().manual_seed(seed)


def number(usual, low, high):
    """Return the usual whole number, or one from `low` to `high`."""
    if KEY is None:
        return usual
    return dice("number", usual, low, high).randint(low, high)


def share(usual, low, high):
    """Return the usual number, or one between two others."""
    if KEY is None:
        return usual
    return dice("share", usual, low, high).uniform(low, high)


def shuffled(items):
    """Return the items of a list or tuple, or all of them in another order."""
    if KEY is None or not items:
        return items
    found = list(items)
    draw = dice("shuffled", len(items), items if named(items) else "")
    draw.shuffle(found)
    return type(items)(found)


def named(items):
    """Say whether items are written the same in every run of Python."""
    return all(isinstance(x, str | int | float | tuple) for x in items)


def shaken(x, size=0.1, *names):
    """Return a tensor, or another one close by; other names, another one."""
    if KEY is None:
        return x
    noise = torch.randn(x.shape, generator=seeded((tuple(x.shape), *names)))
    return x + size * noise.to(x.dtype)


def ciphered(text, sorted_as=""):
    """Return a text, or one whose letters stand for others.

    Words that are equal, or begin or end alike, still do; capitals stay
    capitals.  What stands in < and > and the names of special tokens stay.

    Args:
        text: a str.
        sorted_as: letters that come in the same order afterwards; "" if the
            order of none is kept.
    """
    if KEY is None:
        return text
    letters = "".join(sorted(set(sorted_as.lower()) & {*ascii_lowercase}))
    letters = letters or ascii_lowercase
    others = dice("ciphered", letters).sample(ascii_lowercase, len(letters))
    others = sorted(others) if sorted_as else others
    code = dict(zip(letters, others, strict=True))
    code |= {a.upper(): b.upper() for a, b in code.items()}
    return re.sub(MARKS, lambda found: code.get(found[0], found[0]), text)


def is_fresh(name):
    """Say whether a module is imported once more for another key."""
    within = name.startswith(f"{DRAWER}.") and not name.startswith(KEPT)
    return within or name == __name__


@contextlib.contextmanager
def imported_afresh(key):
    """Let the block import the checks once more, with draws that have a key.

    What was imported before is untouched, and found again afterwards.
    """
    before = {n: m for n, m in sys.modules.items() if is_fresh(n)}
    drawer = vars(sys.modules[DRAWER])
    names = dict(drawer)
    spec = importlib.util.find_spec(__name__)
    draws = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draws)
    draws.KEY = key
    for name in before:
        del sys.modules[name]
    sys.modules[__name__] = draws
    try:
        yield
    finally:
        for name in [*filter(is_fresh, sys.modules)]:
            del sys.modules[name]
        sys.modules.update(before)
        drawer.update(names)


def drawn(task, key):
    """Return the check of a task with inputs of a key, good or bad ones."""
    with imported_afresh(key):
        module = importlib.import_module(f"{DRAWER}.{task}")
    return getattr(module, f"check_{task}")
