"""A small deterministic "model" for greedy decoding, and lists of its words.

Dimension letters:
    B sentences, T words so far, vocab words of the vocabulary.
"""

import functools
import math
import numbers
from collections import Counter
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
import torch
from torch import nn

from attnbook.checks.engine.draws import Draws
from attnbook.checks.engine.verdict import Mistake


@dataclass(frozen=True)
class Language:
    """What a `Toy` says.

    Attributes:
        draws: where its logits come from.
        lengths: after how many words <eos> is the best, one per row.
        vocabulary: number of words.
        bos: id of the start.
        eos: id of the end.
        factor: multiplies the logits.
        shift: is added to them then.
        counted: whether the calls of the model are counted.
    """

    draws: Draws
    lengths: tuple
    vocabulary: int
    bos: int
    eos: int
    factor: float = 1.0
    shift: float = 0.0
    counted: bool = False

    def __repr__(self):
        """Stand in a hint for the model that is made of it."""
        return "a model"


@functools.lru_cache(maxsize=20_000)
def next_logits(source, words, length, modes, language):
    """Return the logits after these words, (vocab,); see `Toy`."""
    seed = crc32(repr((modes, source, words)).encode())
    generator = language.draws.seeded(seed)
    float32 = {"dtype": torch.float32}  # whatever the answer's default is
    v, bos, eos = language.vocabulary, language.bos, language.eos
    logits = torch.rand(v, generator=generator, **float32)  # (vocab,)
    if words[0] != bos:  # the newest word without those before
        length = length % 3 + 1
    behind = len(words) - 1 - length  # it ends again, and once more
    logits[bos] = logits[eos] = -1.0
    second = logits.max() - 0.01 if seed % 2 else -0.5  # or far below
    logits[eos] = 1.5 if behind in (0, 2, 3) else second
    if any(modes) and len(words) > 1:  # dropout changes the words
        logits[eos] = 1.5 if len(words) == length else -0.5
    return logits * language.factor + language.shift


@functools.lru_cache(maxsize=5_000)
def all_logits(source, words, lengths, modes, language):
    """Return the logits of all rows, (B, T, vocab); the rows are tuples."""
    rows = zip(source, words, lengths, strict=True)
    return torch.stack(
        [
            torch.stack(
                [
                    next_logits(s, t[: i + 1], length, modes, language)
                    for i in range(len(t))
                ]
            )
            for s, t, length in rows
        ]
    )


@dataclass
class Calls:
    """What a `Toy` was asked.

    Attributes:
        count: number of calls.
        asked: source -> how often it was asked about.
        growth: by how many words a call has gone on at most.
        width: number of words so far in the newest call.
        start: number of words in the first call.
        trained: whether a call met train mode.
        strange_start: whether a row did not begin with <bos>.
    """

    count: int = 0
    asked: Counter = field(default_factory=Counter)
    growth: float = 0
    width: float = math.inf
    start: int = 0
    trained: bool = False
    strange_start: bool = False


class Toy(nn.Module):
    """Score next words by a checksum of source and words so far.

    Args:
        source: the sources of the task, int, (B, S); equal rows share the
            last one's length.
        language: a `Language`.
        longest: the most words that shall be written.
    """

    def __init__(self, source, language, longest):
        super().__init__()
        self.dropout = nn.Dropout()  # eval() must reach the parts too
        rows = [tuple(row) for row in source.tolist()]
        self.lengths = dict(zip(rows, language.lengths, strict=True))
        self.language = language
        self.most = 4 * len(rows) * (longest + 2)
        self.calls = Calls()

    def forward(self, source, words):
        """Return the logits, (B, T, vocab)."""
        calls = self.calls
        calls.count += 1
        if calls.count > self.most:
            raise Mistake(
                "the loop does not end; stop after longest words, or when "
                "every row has its <eos>"
            )
        sources, rows = ids_of(source, words)
        calls.growth = max(calls.growth, len(rows[0]) - calls.width)
        calls.width = len(rows[0])
        calls.start = calls.start or calls.width
        calls.asked.update(sources)
        bos = self.language.bos
        calls.strange_start |= any(row[0] != bos for row in rows)
        lengths = tuple(self.lengths.get(row, 3) for row in sources)
        modes = self.training, self.dropout.training
        calls.trained |= any(modes)
        return all_logits(sources, rows, lengths, modes, self.language).clone()


def ids_of(source, words):
    """Return two tensors of ids as tuples, or say why they are none."""
    both = source, words
    if not all(isinstance(x, torch.Tensor) and x.dim() == 2 for x in both):
        raise Mistake(
            "the model takes two tensors of ids, source (B, S) and the words "
            "so far (B, T); start with torch.full((B, 1), bos)"
        )
    sources, rows = (tuple(tuple(row) for row in x.tolist()) for x in both)
    if len(sources) != len(rows) or not rows[0]:
        raise Mistake(
            "source and the words so far need the same number of rows; start "
            "with one <bos> per sentence"
        )
    if words.is_floating_point() or words.dtype == torch.bool:
        raise Mistake(
            "the words so far must be ids, int64; torch.full with an int "
            "gives them, torch.zeros gives floats"
        )
    return sources, rows


def lists_of(result, count):
    """Return the result as lists of ints, or say why it is none."""
    if isinstance(result, (torch.Tensor, np.ndarray)):
        raise Mistake(
            "return a list of lists; a tensor cannot hold rows of different "
            "lengths"
        )
    if not isinstance(result, (list, tuple)):
        raise Mistake(
            "return a list of lists of ids, not {}", type(result).__name__
        )
    rows = [list_of(row) for row in result]
    if len(rows) != count:
        raise Mistake(
            "{} sentences went in, {} rows came back", count, len(rows)
        )
    return rows


def list_of(row):
    """Return one row as a list of ints, or say why it is none."""
    if isinstance(row, numbers.Integral):
        raise Mistake("return one list of ids per sentence, B of them")
    if not isinstance(row, (list, tuple)):
        raise Mistake("each row is a list, not {}", type(row).__name__)
    if not all(isinstance(i, numbers.Integral) for i in row):
        raise Mistake("the rows must hold ids, whole numbers (tolist())")
    return [int(i) for i in row]
