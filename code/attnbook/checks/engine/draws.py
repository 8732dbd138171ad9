"""Where the inputs of all checks come from: the page's, or other ones.

What a check hands to an answer is drawn, or changed, by `Draws`.  Those of the
page give what every reader gets; those with a key give other numbers, words
and orders of the same character.
"""

import functools
import hashlib
import random
import re
from dataclasses import dataclass, field
from string import ascii_lowercase

import torch

from attnbook.checks.engine.verdict import checker

MARKS = r"<[^<>]*>|\b(?:pad|bos|eos|unk|mask)\b|[A-Za-z]"


def digest(key, *names):
    """Return 32 bytes of a key and what they are for."""
    text = "\0".join(map(str, names)).encode()
    return hashlib.blake2b(text, key=key, digest_size=32).digest()


def named(items):
    """Say whether items are written the same in every run of Python."""
    return all(isinstance(x, str | int | float | tuple) for x in items)


@dataclass(frozen=True)
class Draws:
    """Numbers, words and orders for a check's inputs.

    Attributes:
        key: bytes; None for what every reader gets.
    """

    key: bytes | None = field(default=None, repr=False)

    def rng(self, *names):
        """Return a `random.Random`; without a key, its seed is the first."""
        seed = names[0] if self.key is None else digest(self.key, *names)
        return random.Random(seed)

    def seeded(self, seed):
        """Return a generator of PyTorch; without a key, with this seed."""
        if self.key is not None:
            seed = int.from_bytes(digest(self.key, "seeded", seed)[:7])
        return torch.Generator().manual_seed(seed)

    def number(self, usual, low, high):
        """Return the usual whole number, or one from `low` to `high`."""
        if self.key is None:
            return usual
        return self.rng("number", usual, low, high).randint(low, high)

    def share(self, usual, low, high):
        """Return the usual number, or one between two others."""
        if self.key is None:
            return usual
        return self.rng("share", usual, low, high).uniform(low, high)

    def shuffled(self, items):
        """Return the items of a list or tuple, or all in another order."""
        if self.key is None or not items:
            return items
        found = list(items)
        names = len(items), items if named(items) else ""
        self.rng("shuffled", *names).shuffle(found)
        return type(items)(found)

    def shaken(self, x, size=0.1, *names):
        """Return a tensor, or one close by; other names, another one."""
        if self.key is None:
            return x
        generator = self.seeded((tuple(x.shape), *names))
        return x + size * torch.randn(x.shape, generator=generator).to(x.dtype)

    def ciphered(self, text, sorted_as=""):
        """Return a text, or one whose letters stand for others.

        Words that are equal, or begin or end alike, still do; capitals stay
        capitals.  What stands in < and > and the names of special tokens stay.

        Args:
            text: a str.
            sorted_as: letters that come in the same order afterwards; "" if
                the order of none is kept.
        """
        if self.key is None:
            return text
        letters = "".join(sorted(set(sorted_as.lower()) & {*ascii_lowercase}))
        letters = letters or ascii_lowercase
        rng = self.rng("ciphered", letters)
        others = rng.sample(ascii_lowercase, len(letters))
        others = sorted(others) if sorted_as else others
        code = dict(zip(letters, others, strict=True))
        code |= {a.upper(): b.upper() for a, b in code.items()}
        return re.sub(MARKS, lambda found: code.get(found[0], found[0]), text)


PAGE = Draws()


def make_check(body, draws=PAGE):
    """Make a check that draws its inputs; see `verdict.checker`.

    Args:
        body: a function of the answer and of `Draws`, named ``check_TASK``.
        draws: where the inputs come from, the page or a key.

    Returns:
        A function of the answer.  Its attribute `with_draws` makes the check
        with other inputs.
    """

    def judge(answer):
        body(answer, draws)

    judge.__name__, judge.__doc__ = body.__name__, body.__doc__
    judge.__qualname__, judge.__module__ = body.__qualname__, body.__module__
    made = checker(judge)
    made.with_draws = functools.partial(make_check, body)
    return made
