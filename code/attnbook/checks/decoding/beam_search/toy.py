"""A small deterministic language for beam search, and what is asked of it.

Dimension letters:
    R beginnings, vocab words of the vocabulary.
"""

import functools
import math
import numbers
from typing import NamedTuple
from zlib import crc32

import numpy as np
import torch

from attnbook.checks.engine.draws import Draws
from attnbook.checks.engine.verdict import Mistake


class Language(NamedTuple):
    """What `Words` says.

    Attributes:
        draws: where words and numbers come from.
        salt: another number, another language.
        vocabulary: number of words.
        bos: id of the start.
        eos: id of the end.
        ending: added to the logit of <eos>.
        sharp: multiplies the logits.
        gaps: whether all words but three have probability 0.
    """

    draws: Draws
    salt: int
    vocabulary: int
    bos: int
    eos: int
    ending: float
    sharp: float
    gaps: bool = False

    def __repr__(self):
        """Stand in a hint for the step that is made of it."""
        return "a step"


def names_of(language):
    """Return the id of every word; <bos> and <eos> keep theirs."""
    ids = [*range(language.vocabulary)]
    words = [i for i in ids if i not in (language.bos, language.eos)]
    new = dict(zip(words, language.draws.shuffled(words), strict=True))
    return [new.get(i, i) for i in ids]


@functools.lru_cache(maxsize=20_000)
def next_word(language, prefix):
    """Return ln p of the next word after a beginning, (vocab,)."""
    names = names_of(language)
    prefix = tuple(names[i] for i in prefix)
    seed = crc32(repr((language.salt, prefix)).encode())
    generator = torch.Generator().manual_seed(seed)
    float32 = {"dtype": torch.float32}  # whatever the answer's default is
    size = language.vocabulary
    logits = torch.randn(size, generator=generator, **float32) * language.sharp
    logits = language.draws.shaken(logits, 0.002 * language.sharp, seed)
    logits[language.eos] += language.ending
    if language.gaps:
        logits[logits.argsort()[:-3]] = -math.inf
    logits[language.bos] = -math.inf
    logits = logits[names]
    return logits.double().log_softmax(-1).float()  # (vocab,)


class Words:
    """Score the next word after each beginning, by a checksum of it.

    Attributes:
        calls: number of calls.
        deepest: length of the longest beginning.
        twice: whether a beginning stood twice in a call.
        extended: whether a beginning had ended.
    """

    def __init__(self, language):
        self.language = language
        self.calls = self.deepest = 0
        self.twice = self.extended = False

    def __call__(self, prefixes):
        """Return ln p of the next words, (R, vocab), of R lists of ids."""
        self.calls += 1
        if self.calls > 600:
            raise Mistake(
                "the loop does not end; stop after longest rounds, or when "
                "width hypotheses have ended"
            )
        if isinstance(prefixes, (list, tuple)) and not prefixes:
            raise Mistake(
                "step was called with no beginning at all; stop before the "
                "list of open ones is empty"
            )
        if not isinstance(prefixes, (list, tuple)) or any(
            isinstance(p, (int, torch.Tensor)) for p in prefixes
        ):
            raise Mistake(
                "step takes a list of beginnings, each a list of ids; the "
                "first call is step([[bos]])"
            )
        rows = [tuple(int(i) for i in prefix) for prefix in prefixes]
        if any(row[:1] != (self.language.bos,) for row in rows):
            raise Mistake(
                "a beginning handed to step does not start with <bos>; the "
                "first one is [bos]"
            )
        self.extended |= any(self.language.eos in row for row in rows)
        self.twice |= len(set(rows)) < len(rows)
        self.deepest = max(self.deepest, *(len(row) for row in rows))
        return torch.stack([next_word(self.language, row) for row in rows])

    def why(self, longest):
        """Return what the calls say of a wrong result, or None."""
        if self.deepest > self.calls:
            return (
                "a beginning grows by more than one word per round: one list "
                "is appended to again and again; make new ones, [*ids, word]"
            )
        if self.twice and self.deepest == 2 < longest:
            return "step gets the newest words alone; hand it whole beginnings"
        if self.extended:
            return "a hypothesis is extended behind its <eos>; it has ended"
        if self.twice:
            return (
                "the same beginning is kept twice, several copies of <bos> "
                "at the start, say; begin with one"
            )
        return None


def pair_of(result):
    """Return ids and score of a result, or say why it is none."""
    whole = isinstance(result, (tuple, list)) and len(result) == 2
    if not whole or all(isinstance(x, int) for x in result):
        raise Mistake("return two things, the ids and their score")
    ids, score = result
    if isinstance(ids, (torch.Tensor, np.ndarray)) and ids.ndim == 1:
        ids = ids.tolist()
    if isinstance(ids, (float, int)) and isinstance(score, (list, tuple)):
        raise Mistake("first the ids, then the score")
    if not isinstance(ids, (list, tuple)):
        raise Mistake("the ids must be a list, not {}", type(ids).__name__)
    ids = [i.item() if isinstance(i, torch.Tensor) else i for i in ids]
    if not all(isinstance(i, numbers.Integral) for i in ids):
        raise Mistake("the ids must be one flat list of whole numbers")
    if isinstance(score, (torch.Tensor, np.ndarray)) and score.ndim == 0:
        score = score.item()
    if not isinstance(score, numbers.Real) or isinstance(score, bool):
        shape = getattr(score, "shape", None)
        what = type(score).__name__ if shape is None else tuple(shape)
        raise Mistake("the score must be a number, not {}", what)
    return [int(i) for i in ids], float(score)
