"""Gradients of a layer and of a stack, and where one of them is lost."""

import torch

from attnbook.checks.encoder_decoder.layer_sources import WHAT
from attnbook.checks.engine.gradients import compare_gradients
from attnbook.checks.engine.verdict import Hint

READ_ALREADY = (
    "the numbers are right, but backward() fails: something that a part has "
    "read is overwritten in place (x += ..., add_, o[i] = ...); make a new "
    "tensor, x = x + ..."
)


def judge_gradients(answer, right, log, *tensors):
    """Refuse an answer whose numbers are right and whose gradient is not.

    Args:
        answer: the learner's function, right otherwise; returns a tensor.
        right: the function that it should equal.
        log: what the parts write down that both of them call.
        tensors: what both are called with.

    Raises:
        Mistake: no gradient, or another one than that of `right`.
    """
    compare_gradients(
        answer,
        right,
        *tensors,
        overwritten=READ_ALREADY,
        why=lambda: cut(log),
    )


def cut(log):
    """Return a hint that names the first input without gradient, or None."""
    for entry in log:
        for what, value in zip(WHAT, entry.inputs, strict=False):
            if not isinstance(value, torch.Tensor) or value.requires_grad:
                continue
            text = f"what {entry.name} gets is"
            if len(entry.inputs) > 1:
                text = f"the {what} of {entry.name} are"
            return Hint(
                "the numbers are right, but the gradient is not: {} cut off "
                "from the inputs (detached)",
                text,
            )
    return None
