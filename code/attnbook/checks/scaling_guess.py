"""What the check of scaled attention says of weights it does not know.

Dimension letters:
    B batch, H heads, T queries, S keys, K = d_k width of a query or key,
    E = d_v width of a value.
"""

import math

import torch

from attnbook.checks.engine.calling import close


def constant_factor(weights, raw):
    """Return c if the weights are the softmax of c times raw, else None."""
    logs = weights.double().log()
    logs = logs - logs.mean(-1, keepdim=True)
    raw = raw.double() - raw.double().mean(-1, keepdim=True)
    if not logs.isfinite().all() or not raw.any():
        return None
    c = ((logs * raw).sum() / raw.square().sum()).item()
    return c if (logs - c * raw).abs().max() < 1e-3 else None


def wrong_constant(c, d_k):
    """Return the hint for weights that are the softmax of c times raw."""
    if abs(c) < 1e-6:
        return "all keys get the same weight; the scores are not used"
    if c < 0:
        return "the sign of the scores is wrong: the best key gets the least"
    if abs(c - d_k**-0.5 * math.log(2)) < 1e-4:
        return "you raise 2 to the scores; raise e to them"
    if abs(c - 2 / d_k) < 1e-4 or abs(c - d_k / 2) < 1e-3:
        return "d_k ** 1 / 2 is d_k / 2; write d_k ** 0.5"
    return (
        f"your weights are a softmax of the scores divided by {1 / c:.3g}; "
        "that number must be sqrt(d_k)"
    )


def wrong_sum(weights):
    """Return the hint for weights that sum to 1 elsewhere, or None."""
    one = torch.ones((), dtype=weights.dtype)
    for axis, name in ((2, "queries"), (1, "heads"), (0, "batch")):
        sums = weights.sum(axis)
        if weights.size(axis) > 1 and close(sums, one.expand_as(sums), 1e-4):
            return (
                f"the weights sum to 1 over the {name}, not over the keys; "
                "normalise the last axis"
            )
    if close(weights.sum((2, 3)), one.expand(weights.shape[:2]), 1e-4):
        return (
            "the weights sum to 1 over the whole matrix; every query has its "
            "own sum of 1"
        )
    if close(weights.sum(), one, 1e-4):
        return (
            "the weights sum to 1 over the whole batch; every query has its "
            "own sum of 1"
        )
    return None


def unknown_weights(weights, right, q, k, v):
    """Return a hint for weights that no mistake in the list explains.

    Args:
        weights: what the answer returned, (B, H, T, S).
        right: the right weights, (B, H, T, S).
        q: queries, (B, H, T, K).
        k: keys, (B, H, S, K).
        v: values, (B, H, S, E).

    Returns:
        A sentence.
    """
    hint = wrong_sum(weights)
    if hint:
        return hint
    if ((weights == 0) & (right > 1e-6)).any():
        return (
            "some keys get weight 0; this task has no mask, and a loop must "
            "fill every row"
        )
    sums = weights.sum(-1)  # (B, H, T)
    if not close(sums, torch.ones_like(sums), 1e-3):
        return (
            "the rows of the weights do not sum to 1; take the softmax of "
            "the scaled scores over the keys, and add nothing to it"
        )
    c = constant_factor(weights, q @ k.transpose(-2, -1))
    if c is not None:
        return wrong_constant(c, q.size(-1))
    for axis, name in ((1, "head"), (0, "batch entry")):
        first = weights.narrow(axis, 0, 1).expand_as(weights)
        if weights.size(axis) > 1 and close(weights, first):
            return f"every {name} has the weights of the first one"
    if close(weights, right, 1e-2):
        return "nearly right: you lose digits on the way (rounding, float16?)"
    return (
        "the rows sum to 1, but the weights are wrong; recompute one row by "
        "hand: one dot product per key, divided by sqrt(d_k), then a softmax"
    )
