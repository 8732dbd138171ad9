"""Find out what is wrong with weights that no list explains.

Dimension letters:
    B batch, T words, D = d_model, K = d_k width of a query or key,
    E = d_v width of a value; "..." is (B) or nothing.
"""

import torch

from attnbook.checks.engine.calling import LOST, close
from attnbook.checks.engine.verdict import Mistake
from attnbook.checks.scaling_guess import constant_factor, wrong_constant


def refuse_squeeze(result, full, name):
    """Raise a mistake if axes of size 1, and no others, are missing."""
    got = tuple(result.shape)
    left, wanted = ([n for n in size if n != 1] for size in (got, full))
    if len(got) < len(full) and left == wanted:
        raise Mistake(
            f"an axis of size 1 is gone from the {name}, {got} in place of "
            f"{full}; leave squeeze out"
        )


def refuse_lost_digits(result, right, tolerance):
    """Raise a mistake if a result is right only in its first digits."""
    if tolerance < 1e-6 and close(result, right, 1e-4):
        raise Mistake(LOST)


def judge_weights_shape(weights, x):
    """Raise a mistake that can be seen from the shape of the weights."""
    *batch, t, _ = x.shape
    full, b = (*batch, t, t), batch[0] if batch else None
    got = tuple(weights.shape)
    if got == full:
        return
    refuse_squeeze(weights, full, "weights")
    if got in ((t, b, b), (b * t if b else None,) * 2):
        raise Mistake(
            "words attend across the batch, to words of other sentences; "
            "every sentence attends within itself, so the weights are "
            f"{full}, not {got}"
        )
    if got == (b, b):
        raise Mistake("whole sentences attend to each other; words should")
    raise Mistake(
        "the weights must have one number per query and key of each "
        f"sentence, {full}; yours have shape {got}"
    )


def refuse_overflow(weights, x, w_q, w_k, w_v):
    """Raise a mistake if an exponential is too large for its type."""
    raw = (x @ w_q) @ (x @ w_k).mT  # (..., T, T)
    if weights.isnan().any() and raw.exp().isinf().any():
        raise Mistake(
            "the weights hold NaN, because e to such a power overflows; use "
            "softmax, or subtract the largest score of a row first"
        )


def unknown_weights(weights, right, x, w_q, w_k):
    """Return a hint for weights that no mistake in the list explains."""
    if close(weights, right, 1e-2):
        return "nearly right: you lose digits on the way (rounding, float16?)"
    sums = weights.sum(-1)  # (..., T)
    if not close(sums, torch.ones_like(sums), 1e-3):
        return (
            "the rows of the weights do not sum to 1; take the softmax of "
            "the scaled scores over the keys"
        )
    if ((weights == 0) & (right > 1e-6)).any():
        return (
            "some words get weight 0; this task has no mask, and a loop must "
            "fill every row"
        )
    c = constant_factor(weights, (x @ w_q) @ (x @ w_k).mT)
    if c is not None:
        return wrong_constant(c, w_q.size(-1))
    if x.dim() == 3 and close(weights, weights[:1].expand_as(weights)):
        return "every sentence has the weights of the first one"
    return (
        "the rows sum to 1, but the weights are wrong; check with one row: "
        "project the word by w_q and all words by w_k, then one dot product "
        "each, divided by sqrt(d_k), then a softmax"
    )
