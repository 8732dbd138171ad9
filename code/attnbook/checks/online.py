"""Check of the softmax that goes over the keys in blocks.

Dimension letters:
    T queries, S keys, E width of a value; "..." stands for leading axes.
"""

import math
from dataclasses import dataclass

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attnbook.checks.calling import (
    call,
    check_tensor,
    close,
    compare_gradients,
    first_match,
)
from attnbook.checks.online_mistakes import wrong_contexts
from attnbook.checks.verdict import Mistake, checker

HELP = "do T, S and E stand on the axes where you use them? keepdim=True?"
NAN = {  # what NaN means where it appears first
    "": "NaN or infinity for small scores: before the first block the "
    "maximum is -inf, and the factor e^(old - new) is 0 there; is yours the "
    "other way round, or a sum still 0?",
    "large": "no maximum is subtracted: e to several hundred overflows; "
    "subtract the running maximum before the exponential",
    "rising": "the maximum of the first block is kept; a later block brings a "
    "larger one, and its powers overflow",
    "falling": "you subtract each block's own maximum; when it is far below "
    "the one before, e^(old - new) overflows. Take the larger of the two, the "
    "running maximum",
    "far": "you take one maximum for all queries; every query needs its own "
    "(dim=-1, keepdim=True)",
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
        if self.kind == "later":
            scores[..., 1, self.block :] = -math.inf
        if self.kind == "first":
            scores[..., 1, : self.block] = -math.inf
            scores[..., 2, : 2 * self.block] = -math.inf
        scores = scores.mT.contiguous().mT.to(self.dtype)
        return scores, values.transpose(-2, -1).to(self.dtype), self.block


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
    Stage("right if no key is hidden: ", (5, 11, 3), 3, "later"),
    Stage("right if no key is hidden: ", (5, 11, 3), 3, "first"),
    Stage("right for one sentence, not for a batch: ", (2, 3, 5, 11, 4), 3),
    Stage("right, but not for one query and one key: ", (1, 1, 2), 3),
)


def right_context(scores, values):
    """Return the whole softmax's context, (..., T, E)."""
    return scores.softmax(-1) @ values


def check_shape(result, want):
    """Refuse a result of another shape than (..., T, E)."""
    if isinstance(result, (tuple, list)):
        raise Mistake("return the context alone, one tensor")
    if not isinstance(result, torch.Tensor) or result.shape == want.shape:
        return
    if result.shape == want.mT.shape:
        raise Mistake("the context is transposed; it must be (..., T, E)")
    if result.shape == (*want.shape[:-1], 1):
        raise Mistake(
            "you return one number per query; return mixture / sum, (..., T, "
            "E)"
        )
    raise Mistake(
        f"the context must have shape {tuple(want.shape)}; yours has "
        f"{tuple(result.shape)}"
    )


def judge_context(answer, stage):
    """Raise a mistake in the context of these inputs."""
    inputs = stage.inputs()
    result = call(answer, *inputs, help=HELP)
    want = right_context(*inputs[:2])
    check_shape(result, want)
    if isinstance(result, torch.Tensor) and not result.isfinite().all():
        raise Mistake(NAN[stage.kind])
    check_tensor(result, inputs[0], "the context")
    tolerance = 1e-10 if stage.dtype == torch.float64 else 1e-4
    if close(result, want, tolerance):
        return
    if stage.dtype == torch.float64 and close(result, want, 1e-4):
        raise Mistake("digits are lost; compute in the type of the inputs")
    if not close(result, call(answer, *inputs)):
        raise Mistake("two calls with the same inputs differ; keep no state")
    if stage.kind:
        raise Mistake(NAN[stage.kind])
    hint = first_match(result, wrong_contexts(*inputs))
    raise Mistake(
        hint
        or "the numbers are not those of softmax(scores) @ values; follow two "
        "blocks of two keys by hand"
    )


class Largest(TorchDispatchMode):
    """Note whether an operation computes with all scores of the rows."""

    MAY = (
        *("index", "select", "slice", "split", "chunk", "unbind", "gather"),
        *("clone", "copy", "view", "new_", "empty", "zeros", "ones", "full"),
    )

    def __init__(self, rows, keys):
        super().__init__()
        self.rows, self.keys, self.whole = rows, keys, False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Run an operation and look at its tensors."""
        out = func(*args, **(kwargs or {}))
        name = func.__name__
        if not func.is_view and not any(word in name for word in self.MAY):
            for x in tree_leaves((args, out)):
                if isinstance(x, torch.Tensor) and self.keys in x.shape:
                    self.whole |= x.numel() >= self.rows * self.keys
        return out


def judge_blocks(answer):
    """Raise a mistake if the answer computes with a whole row at once."""
    inputs = Stage("", (13, 53, 3), 8).inputs()
    spy = Largest(13, 53)

    def spied(*inputs):
        with spy:
            return answer(*inputs)

    call(spied, *inputs)
    if spy.whole:
        raise Mistake(
            "the numbers are right, but an operation takes all keys at once; "
            "cut the scores into blocks first, and compute with one block at "
            "a time"
        )


@checker
def check_online_softmax(answer):
    """Check exercise ``online_softmax(scores, values, block)``.

    Args:
        answer: a function of scaled scores, float, (..., T, S), in which
            -inf hides a key, of values, float, (..., S, E), and of the
            number of keys in a block; it returns the context, (..., T, E),
            and never computes with more than one block of a row.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for stage in STAGES:
        try:
            judge_context(answer, stage)
        except Mistake as mistake:
            raise Mistake(f"{stage.shown}{mistake}") from None
    judge_blocks(answer)
    scores, values, block = Stage("", (5, 11, 3), 4).inputs()
    compare_gradients(
        lambda s, v: answer(s, v, block), right_context, scores, values
    )
