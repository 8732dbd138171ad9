"""Check of the softmax with an axis and a temperature."""

import math

import torch

from attnbook.checks.calling import call, check_tensor, close, first_match
from attnbook.checks.softmax_mistakes import unknown_softmax, wrong_softmaxes
from attnbook.checks.verdict import Mistake, checker

HELP = "if this is a division by sums: keep the summed axis, keepdim=True"
OVERFLOW = (
    "NaN: e to a large number is infinite, and infinite / infinite is not a "
    "number; subtract the largest score first"
)
FAR_APART = (
    "NaN: you subtract one number from all rows, and 0 / 0 is left of the "
    "others; every row has its own largest score"
)
HIDDEN = (
    "NaN, although one score is finite: -inf minus -inf is not a number; "
    "subtract the largest score of the row, not its mean or its least"
)


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


STAGES = (  # what to say first, of NaN; scores, axis, temperature, tolerance
    ("", "", draw(3, 4, 5), 1, 3.0, 1e-5),
    ("right for dim=1, but not for dim=-1: ", "", draw(3, 4), -1, 0.7, 1e-5),
    (
        "right for other axes, but not for dim=0: ",
        "",
        draw(4, 3),
        0,
        3.0,
        1e-5,
    ),
    (
        "right while the sizes differ, but not for a square: ",
        "",
        draw(5, 5),
        -1,
        1.5,
        1e-5,
    ),
    ("right for more axes, but not for one row: ", "", draw(7), 0, 2.0, 1e-5),
    (
        "right, but not for rows whose scores lie far apart: ",
        FAR_APART,
        far_apart(),
        -1,
        1.0,
        1e-4,
    ),
    (
        "right for small scores, but not for scores of a thousand: ",
        OVERFLOW,
        draw(3, 5, factor=1000.0),
        -1,
        1.0,
        1e-4,
    ),
    (
        "right, but not at a temperature of 0.001: ",
        OVERFLOW,
        draw(3, 5),
        -1,
        0.001,
        1e-3,
    ),
    (
        "right, but not for rows with scores of -inf: ",
        HIDDEN,
        hidden(),
        -1,
        2.0,
        1e-5,
    ),
    (
        "right for float32, but not for float64: ",
        "",
        draw(3, 5, dtype=torch.float64),
        -1,
        2.0,
        1e-9,
    ),
    ("right, but not for a single score: ", "", draw(1, 1), -1, 2.0, 1e-5),
)


def judge_softmax(answer, not_a_number, x, dim, temperature, tolerance):
    """Raise a mistake in shape or numbers for these inputs."""
    result = call(answer, x, dim, temperature, help=HELP)
    right = (x / temperature).softmax(dim)
    if isinstance(result, torch.Tensor):
        if result.shape != x.shape:
            raise Mistake(
                f"the result must have the shape of x, {tuple(x.shape)}; "
                f"yours has {tuple(result.shape)}"
            )
        if not_a_number and result.isnan().any():
            raise Mistake(not_a_number)
    check_tensor(result, x, "the result")
    if not close(result, right, tolerance):
        again = call(answer, x, dim, temperature)
        if not close(result, again):
            raise Mistake("two calls with the same inputs differ")
        hint = first_match(result, wrong_softmaxes(x, dim, temperature))
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
    for prefix, *stage in STAGES:
        try:
            judge_softmax(answer, *stage)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    judge_gradient(answer)
