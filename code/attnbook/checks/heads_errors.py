"""Mistakes that a refused call, a lost axis or backward() gives away."""

import re

from attnbook.checks.engine.calling import OVERWRITTEN, call
from attnbook.checks.engine.verdict import Mistake, describe

NO_GRADIENT = (
    "no gradient flows through your result; avoid detach, .data, NumPy and "
    "copies by torch.tensor"
)
NUMPY = (
    "call numpy",
    "NumPy lets no gradient through; use PyTorch operations throughout",
)
REFUSED = (
    (
        "view size",
        "an exchange of axes only relabels them, and view wants the numbers "
        "in order; use reshape or flatten, or call contiguous first",
    ),
    (
        "equal size",
        "if you cut with chunk or split: you cut the tokens, not the width, "
        "and the pieces differ in length; cut the last axis, dim=-1",
    ),
    NUMPY,
)


def explained(answer, inputs, refused=REFUSED):
    """Call the answer, and say what the mistake is where PyTorch refuses.

    Args:
        answer: the learner's function.
        inputs: what it gets.
        refused: pairs of a pattern of PyTorch's message and a hint.

    Returns:
        What the answer returns.

    Raises:
        Mistake: with the hint in the place of a message that is known.
    """
    try:
        return call(answer, *inputs)
    except Mistake as mistake:
        message = str(mistake).partition("RuntimeError: ")[2]
        for pattern, hint in refused:
            if re.search(pattern, message):
                raise Mistake(
                    f"your function raised an error: {hint}"
                ) from None
        raise


def refuse_squeezed(result, right):
    """Raise a mistake if a tensor lacks but axes of size 1.

    Args:
        result: what the answer returned.
        right: a tensor of the right shape.
    """
    few = result.dim() < right.dim()
    if few and result.squeeze().shape == right.squeeze().shape:
        raise Mistake(
            "an axis of size 1 is gone; leave squeeze out, and treat one "
            "like many"
        )


def backwards(compute, inputs):
    """Call backward, and say what the mistake is where it fails.

    Args:
        compute: a function that returns the gradients.
        inputs: what it gets.

    Returns:
        The gradients.

    Raises:
        Mistake: something that backward needs is overwritten.
    """
    try:
        return compute(*inputs)
    except RuntimeError as error:
        if "inplace" in str(error):
            raise Mistake(OVERWRITTEN) from None
        raise Mistake(
            f"the numbers are right, but backward() fails: {describe(error)}"
        ) from None
