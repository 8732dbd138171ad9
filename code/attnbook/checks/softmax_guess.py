"""What wrong weights have in common when the mistake is not known."""

import torch

from attnbook.checks.engine.calling import close

VANISHED = (
    "a row far below the others comes out as zeros; what you add, clamp or "
    "replace only hides that all its powers have vanished: subtract from "
    "every row its own largest score"
)
EVEN = (
    "a row far from the others comes out even: its scores or its powers are "
    "cut off (clamp?); subtract from every row its own largest score instead"
)
CUT_OFF = (
    "something is cut off or replaced where e to a large number is "
    "infinite; subtract the largest score of every row instead"
)
TOO_WARM = (
    "scores and temperature both a thousand times as small give the same "
    "weights; is the temperature kept from getting small (max, clamp)?"
)


def lost_row(result, extreme):
    """Return a hint for wrong weights, over axis -1, at extreme scores."""
    if extreme == "large":
        return CUT_OFF
    if extreme == "small":
        return TOO_WARM
    if extreme != "far":
        return None
    if (result.sum(-1) < 0.5).any():
        return VANISHED
    even = result.amax(-1) - result.amin(-1) < 1e-4
    return EVEN if even.any() else None


def unknown_softmax(result, right, x, dim):
    """Return a hint for a result that no mistake in the list explains.

    Args:
        result: what the answer returned.
        right: the right weights, of the same shape.
        x: the scores.
        dim: the axis that was asked for.

    Returns:
        A sentence.
    """
    sums = result.sum(dim)
    if (x.isneginf() & (result > 1e-6)).any():
        return "a score of -inf must get the weight 0"
    if not close(sums, torch.ones_like(sums), 1e-3):
        return (
            "the sums over the axis dim are not 1; divide every exponential "
            "by the sum over exactly that axis, with keepdim=True"
        )
    if close(result, right, 1e-2):
        return (
            "nearly right: something small is added, cut off or rounded on "
            "the way"
        )
    return (
        "the sums over the axis dim are 1, but the weights are wrong; "
        "recompute one row by hand: divide by the temperature, raise e to "
        "each number, divide by the sum"
    )
