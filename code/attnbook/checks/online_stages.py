"""What the check of the running softmax is tried on.

Dimension letters:
    T queries, S keys, E width of a value; "..." stands for leading axes.
"""

import math
from dataclasses import dataclass

import torch

NAN = {  # what NaN means where it appears first
    "": "NaN or infinity for small scores: before the first block the "
    "maximum is -inf, and the factor e^(old - new) is 0 there; is yours the "
    "other way round, or a sum still 0?",
    "large": "no maximum is subtracted: e to several hundred overflows; "
    "subtract the running maximum before the exponential",
    "wide": "you do not subtract the largest score: e to the rest overflows, "
    "or every power is 0; take amax, not the mean, the minimum or the largest "
    "absolute value",
    "rising": "the maximum of the first block is kept; a later block brings a "
    "larger one, and its powers overflow",
    "falling": "you subtract each block's own maximum; when it is far below "
    "the one before, e^(old - new) overflows. Take the larger of the two, the "
    "running maximum",
    "far": "you take one maximum for all queries; every query needs its own "
    "(dim=-1, keepdim=True)",
    "far apart": "you take one maximum for all sentences or heads; every "
    "query of each needs its own (dim=-1, keepdim=True)",
    "zeros": "a score of 0 is a score like any other; only -inf hides a key",
    "hidden": "a hidden key still has a weight; e^-inf is 0, so put no finite "
    "number in the place of -inf",
    "low": "the running maximum must not start at 0 or another number that "
    "scores may lie below; start at -inf",
    "later": "a block whose scores are all -inf adds nothing; yours gives NaN",
    "first": "the first block is hidden from one query, all its scores are "
    "-inf, and -inf minus -inf is NaN; subtract 0 where the maximum is still "
    "-inf",
}


@dataclass(frozen=True)
class Stage:
    """One set of inputs, and what the stages before have shown."""

    shown: str
    shape: tuple  # leading axes, T, S, E
    block: int
    kind: str = ""
    dtype: torch.dtype = torch.float32
    factor: float = 1.0

    def inputs(self):
        """Draw scores and values, neither contiguous, and the block."""
        *lead, t, s, e = self.shape
        generator = torch.Generator().manual_seed(16)
        scores = torch.randn(*lead, s, t, generator=generator).double()
        values = torch.randn(*lead, e, s, generator=generator).double()
        scores = self.factor * scores.transpose(-2, -1)  # (..., T, S)
        ramp = torch.arange(s) // self.block * 300.0  # (S,)
        at = {
            "large": 400.0,
            "rising": ramp,
            "falling": -ramp,
            "far": torch.arange(t).double()[:, None] * -900.0,
            "low": -30000.0,
        }
        scores = scores + at.get(self.kind, 0.0)
        if self.kind == "wide":
            scores = scores - scores.amax(-1, keepdim=True) + 50.0
        if self.kind == "far apart":
            scores = scores - 900.0 * torch.arange(len(scores))[:, None, None]
        if self.kind == "hidden":
            scores = scores - 30000.0
            scores[..., 1], values[..., 1] = -math.inf, 1e200  # (..., E, S)
        if self.kind == "later":
            scores[..., 1, self.block :] = -math.inf
        if self.kind == "first":
            scores[..., 1, : self.block] = -math.inf
            scores[..., 2, : 2 * self.block] = -math.inf
        scores = strided(scores.to(self.dtype))
        values = strided(values.transpose(-2, -1).to(self.dtype))
        return scores, values, self.block


def strided(x):
    """Return the same numbers with the axes in another order in memory."""
    turned = x.transpose(0, 1) if x.dim() == 4 else x
    turned = turned.mT.contiguous().mT
    return turned.transpose(0, 1) if x.dim() == 4 else turned


STAGES = (
    Stage("", (5, 12, 3), 4, factor=2.0),
    Stage(
        "right if the blocks divide the keys, but not if the last is "
        "shorter: ",
        (5, 11, 3),
        4,
        factor=2.0,
    ),
    Stage("right for some blocks, but not for many: ", (3, 29, 4), 2),
    Stage("right, but not for blocks of one key: ", (4, 7, 3), 1),
    Stage("right, but not for a block as long as the row: ", (4, 6, 3), 6),
    Stage("right, but not for a block longer than the row: ", (4, 5, 3), 8),
    Stage("right while all sizes differ, not if T = S = E: ", (6, 6, 6), 2),
    Stage("right for small scores: ", (4, 10, 3), 5, "large"),
    Stage("right for small scores: ", (4, 4, 3), 4, "wide", factor=400.0),
    Stage("right for small scores: ", (4, 11, 3), 4, "rising"),
    Stage("right for small scores: ", (4, 11, 3), 4, "falling"),
    Stage(
        "right for float32, but not for float64: ",
        (5, 11, 3),
        4,
        dtype=torch.float64,
        factor=3.0,
    ),
    Stage(
        "right for scores around 0: ",
        (4, 11, 3),
        4,
        "low",
        dtype=torch.float64,
    ),
    Stage("right for rows alike: ", (4, 11, 3), 4, "far"),
    Stage("right for one sentence, not for a batch: ", (2, 3, 5, 11, 4), 3),
    Stage("right for a single sentence: ", (3, 4, 11, 5), 4, "far apart"),
    Stage("right, but not for scores of 0: ", (3, 7, 2), 3, "zeros", factor=0),
    Stage("right if no key is hidden: ", (5, 11, 3), 3, "later"),
    Stage("right if no key is hidden: ", (5, 11, 3), 3, "first"),
    Stage(
        "right if no key is hidden: ",
        (5, 11, 3),
        3,
        "hidden",
        dtype=torch.float64,
    ),
    Stage("right, but not for one query and one key: ", (1, 1, 2), 3),
    Stage("right, but not for values of one number: ", (1, 1, 5, 1), 2),
)
