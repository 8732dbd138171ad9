"""Check of layer norm.

Dimension letters:
    B batch, T tokens, D = d_model; "..." stands for any leading axes.
"""

import torch

from attnbook.checks.engine.calling import (
    LOST,
    SQUEEZED,
    call,
    check_tensor,
    close,
    compare_gradients,
    lost_axis,
)
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.layer_errors import naming, require_finite_gradient
from attnbook.checks.layer_norm_mistakes import compute, known_mistake
from attnbook.checks.layer_norm_order_mistakes import misordered
from attnbook.checks.layer_norm_place_mistakes import misplaced
from attnbook.checks.layer_norm_stages import SMALL, STAGES, all_equal, example

HELP = (
    "mean and variance keep their axis with keepdim=True; gain and bias, "
    "(D,), meet the last axis as they are"
)
VAR = (
    "var and std take the axis first and the rest by name: correction=0, "
    "keepdim=True"
)
ERRORS = {"var() received": VAR, "std() received": VAR}
LARGE_EPS = example(3, 4, 6, eps=0.3)  # tells apart what a tiny eps hides
INFINITE = (
    "the numbers are right, but for a vector of equal numbers backward() "
    "gives NaN: the root of 0 has no slope; add eps to the variance before "
    "the first root"
)
SUBTRACTED = "you subtract eps from the variance; add it, inside the root"


def unknown(result, x, gain, bias, right):
    """Return a hint for a result that no mistake in the list explains."""
    plain = (result - bias) / gain  # (..., D)
    spread = right.sub(bias).div(gain).square().mean(-1).sqrt()  # (...)
    if close(result, right, 1e-2):
        return "nearly right: something small is added, cut off or rounded"
    if not close(plain.mean(-1), torch.zeros_like(plain.mean(-1)), 1e-3):
        return (
            "before gain and bias, the mean of every vector must be 0; is "
            "the mean taken over dim=-1, and subtracted, with brackets around "
            "(x - mean)?"
        )
    if not close(plain.square().mean(-1).sqrt(), spread, 1e-3):
        return (
            "the means are right, the sizes are not; divide by the root of "
            "(biased variance plus eps), taken over dim=-1"
        )
    return "the numbers differ; compute one vector of four numbers by hand"


def judge_shape(result, x):
    """Raise a mistake that can be seen without comparing numbers."""
    if isinstance(result, tuple):
        raise Mistake("return one tensor, the normalised vectors")
    if isinstance(result, torch.Tensor) and result.shape != x.shape:
        if lost_axis(result, x.shape):
            raise Mistake(SQUEEZED)
        raise Mistake(
            f"the result must have the shape of x, {tuple(x.shape)}; "
            f"yours has {tuple(result.shape)}"
        )


def judge_nan(result, stage):
    """Refuse a result that holds NaN."""
    if not isinstance(result, torch.Tensor) or not result.isnan().any():
        return
    x, gain, bias, eps = stage.inputs
    subtracted = compute(x, gain, bias, -eps).nan_to_num()
    if close(result.nan_to_num(), subtracted):
        raise Mistake(SUBTRACTED)
    raise Mistake(stage.nan)


def judge(answer, stage):
    """Raise a mistake in shape or numbers for these inputs."""
    x, gain, bias, _ = inputs = stage.inputs
    with naming(ERRORS):
        result = call(answer, *inputs, help=HELP)
    judge_shape(result, x)
    judge_nan(result, stage)
    check_tensor(result, x, "the result")
    right = compute(*inputs)
    if close(result, right, stage.tolerance):
        return
    if x.dtype == torch.float64 and close(result, right, 1e-5):
        raise Mistake(LOST)
    if not close(result, call(answer, *inputs)):
        raise Mistake("two calls with the same inputs differ")
    if stage.otherwise == SMALL:  # so small that where it stands is unseen
        raise Mistake(SMALL)
    hint = (
        misplaced(result, *inputs)
        or misordered(call(answer, *LARGE_EPS), *LARGE_EPS)
        or known_mistake(result, *inputs)
        or misordered(result, *inputs)
        or stage.otherwise
        or unknown(result, x, gain, bias, right)
    )
    raise Mistake(hint)


def judge_gradients(answer):
    """Refuse an answer whose numbers are right and whose gradient is not."""
    with naming(ERRORS):
        compare_gradients(answer, compute, *example(3, 4, 6, shift=1.0))
        try:
            compare_gradients(answer, compute, *example(6))
        except Mistake as mistake:
            raise Mistake(
                f"right, but not for one vector: {mistake}"
            ) from None
        require_finite_gradient(answer, INFINITE, *all_equal(exact=True))


@checker
def check_layer_norm(answer):
    """Check exercise ``layer_norm(x, gain, bias, eps)``.

    Args:
        answer: a function of vectors x, (..., D), gain and bias, (D,), and
            a small number eps that returns (..., D).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for stage in STAGES:
        try:
            judge(answer, stage)
        except Mistake as mistake:
            raise Mistake(f"{stage.shown}{mistake}") from None
    judge_gradients(answer)
