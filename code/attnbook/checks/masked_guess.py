"""What the check of masked attention says of weights it does not know.

Dimension letters:
    B batch, H heads, T queries, S keys, K width of a query or key, E width
    of a value.
"""

import torch

from attnbook.checks.engine.calling import close
from attnbook.checks.scaling_guess import (
    unknown_weights,
    wrong_constant,
    wrong_sum,
)

AXES = ((2, "queries"), (1, "heads"), (0, "batch"))


def of_nan(weights, q, k, mask):
    """Return the hint for weights that hold NaN, or None.

    Args:
        weights: what the answer returned, (B, H, T, S).
        q: queries, (B, H, T, K).
        k: keys, (B, H, S, K).
        mask: bool, broadcastable to (B, H, T, S).
    """
    nan = weights.isnan()  # (B, H, T, S)
    if not nan.any():
        return None
    keep = mask.expand_as(weights)  # (B, H, T, S)
    for axis, name in AXES:
        blind = ~keep.any(axis, keepdim=True).expand_as(keep)
        if blind.any() and torch.equal(nan, blind):
            return (
                f"the softmax runs over the {name}, and where all of one "
                "column is hidden that is NaN; it runs over the keys, the "
                "last axis"
            )
    scores = q.double() @ k.double().transpose(-2, -1)
    late = (scores / q.size(-1) ** 0.5).softmax(-1) * keep
    gone = (late.sum(-1, keepdim=True) < 1e-300).expand_as(keep)
    if gone.any() and torch.equal(nan, gone):
        return (
            "all visible weights have become 0 beside a hidden key (or an "
            "exponential has overflowed), and 0 / 0 is NaN; mask the scores "
            "before the softmax"
        )
    seen = (scores / q.size(-1) ** 0.5).masked_fill(~keep, -torch.inf)
    below = seen.amax(-1, keepdim=True) - seen.max() < -80  # (B, H, T, 1)
    if (
        below.any()
        and not below.all()
        and not nan[~below.expand_as(nan)].any()
    ):
        return (
            "rows whose scores lie far below the largest of all are NaN; "
            "subtract the maximum of each row, not of the whole tensor"
        )
    if nan.all() and not keep.all():
        return (
            "every weight is NaN: 0 times infinity is NaN, as in (~mask) * "
            "-math.inf; use masked_fill or torch.where"
        )
    return None


def emptied(weights, mask):
    """Return the hint for rows in which nothing is left, or None."""
    masked = ~mask.expand_as(weights).all(dim=-1)  # (B, H, T)
    if not masked.any() or weights.sum(dim=-1)[masked].any():
        return None
    return (
        "rows with a hidden key have no weight left: the mask comes after "
        "the exponential, where a hidden key has made all others 0; mask "
        "the scores, then nothing has to be repaired by 1e-9 or nan_to_num"
    )


def factor_of(weights, raw, mask):
    """Return c if the weights are a masked softmax of c times raw."""
    keep = mask.expand_as(raw)  # (B, H, T, S)
    count = keep.sum(-1, keepdim=True)  # (B, H, T, 1)
    logs = weights.double().log().masked_fill(~keep, 0)
    raw = raw.masked_fill(~keep, 0)
    logs = (logs - logs.sum(-1, keepdim=True) / count).masked_fill(~keep, 0)
    raw = (raw - raw.sum(-1, keepdim=True) / count).masked_fill(~keep, 0)
    if not logs.isfinite().all() or not raw.any():
        return None
    c = ((logs * raw).sum() / raw.square().sum()).item()
    return c if (logs - c * raw).abs().max() < 1e-3 else None


def unknown(weights, right, q, k, v, mask):
    """Return a hint for weights that no mistake in the list explains."""
    hint = wrong_sum(weights)
    if hint:
        return hint
    hidden = weights.masked_fill(mask.expand_as(weights), 0)
    shares = hidden.sum(-1)[~mask.expand_as(weights).all(-1)]
    if len(shares) and close(shares, torch.ones_like(shares), 1e-3):
        return (
            "hidden keys take all the weight: you add a fixed number such as "
            "-1e4, and scores differ by more; fill with -inf"
        )
    if (hidden.abs() > 1e-6).any():
        return (
            "hidden keys get some weight; every weight where the mask is "
            "False must be 0"
        )
    if close(weights, right, 1e-3):
        return "nearly right: digits are lost on the way (rounding?)"
    raw = q @ k.transpose(-2, -1)  # (B, H, T, S)
    large = raw.masked_fill(~mask, 0).abs().max() > 500
    c = None if large else factor_of(weights, raw, mask)
    if c is not None:
        return wrong_constant(c, q.size(-1))
    sums = weights.double().sum(-1)  # (B, H, T)
    if close(sums, torch.ones_like(sums), 1e-3):
        if large:
            return (
                "the rows sum to 1 and hidden keys get 0, but large scores "
                "are changed; leave clamp and the like out"
            )
        return (
            "the rows sum to 1 and hidden keys get 0, but the weights are "
            "wrong: the scores are not q . k / sqrt(d_k)"
        )
    return unknown_weights(weights, right, q, k, v)
