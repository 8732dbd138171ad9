"""Judge one mask: its type, its shape, and which keys it keeps.

Dimension letters:
    B batch, H heads, T queries, S keys.
"""

import torch

from attnbook.checks.engine.calling import call, lost_axis
from attnbook.checks.engine.verdict import Mistake
from attnbook.checks.masks_shared_mistakes import same

TYPES = "join bool tensors by &: torch.ones needs dtype=torch.bool; no `and`"
SIDES = (
    "the decoder's mask is made of the target alone: its triangle is (T, T), "
    "its padding that of the target"
)


def call_for_three(answer, inputs):
    """Call the answer; help with what PyTorch refuses."""
    try:
        return call(answer, *inputs)
    except Mistake as mistake:
        said = str(mistake)
    if "not implemented for" in said or "ambiguous" in said:
        said += f" ({TYPES})"
    elif "must match" in said:
        said += f" ({SIDES})"
    raise Mistake(said)


def require_mask(mask, name, like):
    """Refuse what is no bool tensor on the device of the tokens."""
    if not isinstance(mask, torch.Tensor):
        raise Mistake(f"{name} must be a tensor, not {type(mask).__name__}")
    if mask.device != like.device or mask.layout != like.layout:
        raise Mistake(f"{name} must be a dense tensor where the tokens are")
    if mask.dtype != torch.bool:
        kind = str(mask.dtype).removeprefix("torch.")
        raise Mistake(
            f"{name} must be bool, True = may attend; yours is {kind}"
        )


def spread(mask, full):
    """Return the mask broadcast to the shape of all scores, or None."""
    try:
        return mask.expand(full) if mask.dim() <= 4 else None
    except RuntimeError:
        return None


def judge(mask, right, full, wrong, name, shape):
    """Raise a mistake in one mask.

    Args:
        mask: what the answer returned, bool.
        right: the right mask.
        full: the shape of all scores, (B, H, T, S).
        wrong: pairs of a hint and the mask that the mistake gives.
        name: what the mask is.
        shape: its shape in letters.
    """
    want = right.expand(full)
    for hint, other in wrong:  # by its own shape, before it is spread
        fits = spread(other, full)
        good = fits is not None and torch.equal(fits, want)
        if not good and same(mask, other):
            raise Mistake(f"{name}: {hint}")
    wide = spread(mask, full)
    if wide is None and lost_axis(mask, right.shape):
        raise Mistake(
            f"{name}: the shape {tuple(mask.shape)} lacks an axis of size 1 "
            f"(leave squeeze out, or insert it); make it {shape}"
        )
    if wide is None:
        raise Mistake(
            f"{name}: the shape {tuple(mask.shape)} does not broadcast to "
            f"the scores, {full}; make it {shape}"
        )
    if torch.equal(wide, want):
        return
    for hint, other in wrong:
        other = spread(other, full)
        if other is not None and torch.equal(wide, other):
            raise Mistake(f"{name}: {hint}")
    where = (wide != want).nonzero()[0].tolist()
    b, _, t, s = where
    verb = "hidden" if want[tuple(where)] else "open"
    raise Mistake(
        f"{name}: sentence {b}, query {t}, key {s} is {verb} and should not "
        "be (counted from 0); write the rule for one pair of query and key"
    )
