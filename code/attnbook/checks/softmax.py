"""Check of the softmax with an axis and a temperature."""

import math
from dataclasses import dataclass

import torch

from attnbook.checks.calling import call, check_tensor, close, first_match
from attnbook.checks.softmax_mistakes import (
    COLD,
    FAR_APART,
    HIDDEN,
    NOT_LARGEST,
    OVERFLOW,
    POWERS,
    lost_row,
    unknown_softmax,
    wrong_softmaxes,
)
from attnbook.checks.verdict import Mistake, checker

HELP = "if a sum or a maximum has lost its axis: keepdim=True"
TWO_THINGS = "(max with dim returns two things; use amax or .values)"


@dataclass(frozen=True)
class Stage:
    """One set of inputs, and what the stages before have shown."""

    shown: str
    x: torch.Tensor
    dim: int
    temperature: float
    tolerance: float = 1e-5
    extreme: str = ""  # far, large, cold or hidden


def draw(*shape, factor=1.0, dtype=torch.float32):
    """Draw scores; with two axes or more they are not contiguous."""
    generator = torch.Generator().manual_seed(5)
    x = factor * torch.randn(*reversed(shape), generator=generator)
    return x.to(dtype).permute(*reversed(range(len(shape))))


def hidden():
    """Return scores with rows in which all but one or two are -inf."""
    x = draw(4, 6).clone()
    x[1, [0, 1, 2, 4, 5]] = -math.inf
    x[3, :4] = -math.inf
    return x


def far_apart():
    """Return rows of scores that lie far apart: exp(80) is still a float32."""
    return draw(3, 5) + torch.tensor([[0.0], [80.0], [-80.0]])


STAGES = (
    Stage("", draw(3, 4, 5), 1, 3.0),
    Stage("right for dim=1, but not for dim=-1: ", draw(3, 4), -1, 0.7),
    Stage("right for other axes, but not for dim=0: ", draw(4, 3), 0, 3.0),
    Stage(
        "right while the sizes differ, but not for a square: ",
        draw(5, 5),
        -1,
        1.5,
    ),
    Stage("right for more axes, but not for one row: ", draw(7), 0, 2.0),
    Stage(
        "right, but not for rows whose scores lie far apart: ",
        far_apart(),
        -1,
        1.0,
        1e-4,
        "far",
    ),
    Stage(
        "right for small scores, but not for scores of a thousand: ",
        draw(3, 5, factor=1000.0),
        -1,
        1.0,
        1e-4,
        "large",
    ),
    Stage(
        "right, but not at a temperature of 0.001: ",
        draw(3, 5),
        -1,
        0.001,
        1e-3,
        "cold",
    ),
    Stage(
        "right, but not for rows with scores of -inf: ",
        hidden(),
        -1,
        2.0,
        extreme="hidden",
    ),
    Stage(
        "right for float32, but not for float64: ",
        draw(3, 5, dtype=torch.float64),
        -1,
        2.0,
        1e-9,
    ),
    Stage("right, but not for a single score: ", draw(1, 1), -1, 2.0),
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


def judge_gradient(answer):
    """Raise a mistake in what flows back to the scores."""
    x = draw(3, 5).requires_grad_()
    mixture = draw(5, 3).T
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
    want = torch.autograd.grad(((x / 2).softmax(-1) * mixture).sum(), x)[0]
    try:
        (got,) = torch.autograd.grad((result * mixture).sum(), seen)
    except RuntimeError:
        return  # a loop that writes into a tensor: right, not trainable
    if not close(got, want, 1e-4):
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
    judge_gradient(answer)
