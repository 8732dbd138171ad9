"""Check of the softmax with an axis and a temperature."""

import torch

from attnbook.checks.engine.calling import (
    OVERWRITTEN,
    call,
    check_tensor,
    close,
    first_match,
)
from attnbook.checks.engine.verdict import Mistake, checker, describe
from attnbook.checks.softmax_guess import lost_row, unknown_softmax
from attnbook.checks.softmax_mistakes import (
    COLD,
    FAR_APART,
    HIDDEN,
    NOT_LARGEST,
    OVERFLOW,
    POWERS,
    wrong_softmaxes,
)
from attnbook.checks.softmax_stages import STAGES, draw, hidden

HELP = "if a sum or a maximum has lost its axis: keepdim=True"
TWO_THINGS = "(max with dim returns two things; use amax or .values)"
NAN_BACKWARDS = (
    "the weights are right beside scores of -inf, but their gradient is NaN: "
    "neither a logarithm nor a root has a slope at a weight of 0"
)


def weights_of(answer, x, dim, temperature):
    """Call the answer, and explain what ``max`` with an axis returns."""
    try:
        return call(answer, x, dim, temperature, help=HELP)
    except Mistake as mistake:
        if "torch.return_types.max" in str(mistake):
            raise Mistake(f"{mistake} {TWO_THINGS}") from None
        raise


def has_nan(answer, x, temperature):
    """Say whether weights over the last axis hold NaN."""
    result = weights_of(answer, x, -1, temperature)
    return bool(torch.as_tensor(result).isnan().any())


def why_nan(answer, stage):
    """Return a hint for NaN at extreme scores, from one more call."""
    low = stage.x - stage.x.amax(-1, keepdim=True)  # every row's largest is 0
    if stage.extreme == "far":
        alike = has_nan(answer, low - 80, stage.temperature)
        return NOT_LARGEST if alike else FAR_APART
    if stage.extreme == "cold":
        return POWERS if has_nan(answer, low, stage.temperature) else COLD
    return OVERFLOW if stage.extreme == "large" else HIDDEN


def judge_softmax(answer, stage):
    """Raise a mistake in shape or numbers for these inputs."""
    x, dim, temperature = stage.x, stage.dim, stage.temperature
    result = weights_of(answer, x, dim, temperature)
    right = (x / temperature).softmax(dim)
    if isinstance(result, torch.Tensor):
        if result.shape != x.shape:
            if result.squeeze().shape == x.squeeze().shape:
                raise Mistake(
                    "an axis of size 1 is gone or new; leave squeeze and "
                    "unsqueeze out"
                )
            raise Mistake(
                f"the result must have the shape of x, {tuple(x.shape)}; "
                f"yours has {tuple(result.shape)}"
            )
        if stage.extreme and result.isnan().any():
            raise Mistake(why_nan(answer, stage))
    check_tensor(result, x, "the result")
    if not close(result, right, stage.tolerance):
        again = call(answer, x, dim, temperature)
        if not close(result, again):
            raise Mistake("two calls with the same inputs differ")
        known = wrong_softmaxes(x, dim, temperature)
        hint = lost_row(result, stage.extreme) or first_match(result, known)
        raise Mistake(hint or unknown_softmax(result, right, x, dim))


def gradient_of(result, mixture, x):
    """Return what flows back from a mixture of the weights, or say why not."""
    try:
        (got,) = torch.autograd.grad(
            (result * mixture).sum(), x, allow_unused=True
        )
    except RuntimeError as error:
        if "inplace" in str(error):
            raise Mistake(OVERWRITTEN) from None
        raise Mistake(
            f"the numbers are right, but backward() fails: {describe(error)}"
        ) from None
    return got


def judge_gradient(answer, x):
    """Raise a mistake in what flows back to the scores, (T, S)."""
    x = x.clone().requires_grad_()
    mixture = draw(*reversed(x.shape)).T
    seen = []

    def remember(scores, dim, temperature):
        seen.append(scores)
        return answer(scores, dim, temperature)

    result = call(remember, x, -1, 2.0)
    if not result.requires_grad:
        raise Mistake(
            "no gradient flows through your result; avoid detach, .data, "
            "NumPy and copies by torch.tensor"
        )
    want = gradient_of((x / 2).softmax(-1), mixture, x)
    got = gradient_of(result, mixture, seen)
    if got is not None and x.isinf().any() and got.isnan().any():
        raise Mistake(NAN_BACKWARDS)
    if got is None or not close(got, want, 1e-4):
        raise Mistake(
            "the numbers are right, but the gradient is not; something on "
            "the way is detached"
        )


@checker
def check_softmax(answer):
    """Check exercise ``softmax(x, dim, temperature)``.

    Args:
        answer: a function of scores x, any shape, an axis and a positive
            temperature; it returns the weights, of the same shape, which
            sum to 1 over that axis.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for stage in STAGES:
        try:
            judge_softmax(answer, stage)
        except Mistake as mistake:
            raise Mistake(f"{stage.shown}{mistake}") from None
    for x in (draw(3, 5), hidden()):
        judge_gradient(answer, x)
