"""Say what is wrong with attention weights that no table explains.

Dimension letters:
    T queries, S keys; "..." stands for any leading axes.
"""

import torch

from attnbook.checks.engine.calling import close
from attnbook.checks.engine.verdict import Hint


def unknown_weights(weights, right, raw):
    """Return a hint for wrong weights, or None.

    Args:
        weights: what the answer returned, (..., T, S).
        right: the right weights, (..., T, S), a softmax of c times `raw`.
        raw: the scores before they are scaled, (..., T, S).

    Returns:
        A sentence, or None.
    """
    if weights.shape != right.shape or close(weights, right, 1e-2):
        return None
    zero = (weights == 0) & (right > 1e-6)  # (..., T, S)
    if zero.any() and right[zero].max() < 0.06:
        return Hint(
            "weights up to {} come out as 0; round or cut nothing off, "
            "and multiply the scores by nothing",
            f"{right[zero].max():.1g}",
        )
    if zero.any():
        return (
            "some keys get weight 0; this task has no mask, a loop must fill "
            "every row, and nothing may make the scores far too large"
        )
    sums = weights.sum(-1)  # (..., T)
    if not close(sums, torch.ones_like(sums), 1e-3):
        return (
            "the rows of the weights do not sum to 1; take the softmax of "
            "the scaled scores over the keys, and add nothing to it"
        )
    c = constant_factor(weights, raw)
    if c is None and (alike(weights) or turned(weights, right)):
        return None
    if c is None:
        return (
            "the rows sum to 1, but the weights are wrong; recompute one row "
            "by hand: one dot product per key, divided by sqrt(d_k), then a "
            "softmax"
        )
    if abs(c) < 1e-6:
        return "all keys get the same weight; the scores are not used"
    return Hint(
        "your weights are a softmax of the scores divided by {}; "
        "that number must be sqrt(d_k)",
        f"{1 / c:.3g}",
    )


def alike(weights):
    """Say whether weights repeat along an axis in front of the queries."""
    return any(
        close(weights, weights.narrow(axis, 0, 1).expand_as(weights))
        for axis in range(weights.dim() - 2)
        if weights.size(axis) > 1
    )


def turned(weights, right):
    """Say whether weights are the right ones, an axis in reverse order."""
    axes = range(weights.dim())
    return any(close(weights, right.flip(axis)) for axis in axes)


def constant_factor(weights, raw):
    """Return c if the weights are the softmax of c times raw, else None."""
    logs = weights.double().log()
    logs = logs - logs.mean(-1, keepdim=True)
    raw = raw.double() - raw.double().mean(-1, keepdim=True)
    if not logs.isfinite().all() or not raw.any():
        return None
    c = ((logs * raw).sum() / raw.square().sum()).item()
    return c if (logs - c * raw).abs().max() < 1e-3 else None
