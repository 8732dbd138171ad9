"""Check of layer norm.

Dimension letters:
    B batch, T tokens, D = d_model; "..." stands for any leading axes.
"""

import torch

from attnbook.checks.calling import (
    call,
    check_tensor,
    close,
    compare_gradients,
)
from attnbook.checks.layer_norm_mistakes import compute, known_mistake
from attnbook.checks.layer_norm_place_mistakes import misplaced
from attnbook.checks.verdict import Mistake, checker

HELP = (
    "mean and variance keep their axis with keepdim=True; gain and bias, "
    "(D,), meet the last axis as they are"
)
NOT_A_NUMBER = (
    "the result holds NaN for a vector whose numbers are all equal: its "
    "variance is 0, and 0/0 is left; add eps inside the root"
)
CANCELS = (
    "the mean of the squares less the square of the mean is a difference of "
    "two huge numbers here; subtract the mean first, then square"
)


def example(*shape, eps=1e-5, dtype=torch.float32, shift=0.0):
    """Draw x, gain and bias; x is not contiguous, its rows differ in size."""
    generator = torch.Generator().manual_seed(9)
    x = torch.randn(*reversed(shape), generator=generator)
    x = x.permute(*reversed(range(len(shape))))  # (..., D)
    if len(shape) > 1:
        sizes = torch.tensor([1.0, 1e-3, 3.0, 1e-6]).repeat(shape[-2])[
            : shape[-2]
        ]
        x = x * sizes[:, None] if not shift else x + shift
    gain, bias = 1 + torch.rand(2, shape[-1], generator=generator)
    return x.to(dtype), gain.to(dtype), -bias.to(dtype), eps


def all_equal():
    """Return vectors of equal numbers, whose variance is 0."""
    x, gain, bias, eps = example(3, 4, 5)
    return x[..., :1].expand(3, 4, 5).clone(), gain, bias, eps


STAGES = (  # prefix, what to say of NaN, what to say of the rest, inputs
    ("", "", "", example(2, 4, 5), 1e-4),
    (
        "right for (B, T, D) = (2, 4, 5), but not for (3, 7, 4): ",
        "",
        "",
        example(3, 7, 4),
        1e-4,
    ),
    (
        "right for eps = 1e-5, but not for eps = 0.3: ",
        "",
        "",
        example(2, 4, 5, eps=0.3),
        1e-4,
    ),
    (
        "right while all sizes differ, but not when B = T = D: ",
        "",
        "",
        example(4, 4, 4),
        1e-4,
    ),
    (
        "right for (B, T, D), but not for one vector (write dim=-1): ",
        "",
        "",
        example(6),
        1e-4,
    ),
    (
        "right for three axes, but not for (B, H, T, D): ",
        "",
        "",
        example(2, 3, 4, 5),
        1e-4,
    ),
    (
        "right for float32, but not for float64: ",
        "",
        "",
        example(2, 4, 5, dtype=torch.float64),
        1e-9,
    ),
    ("right, but: ", NOT_A_NUMBER, NOT_A_NUMBER, all_equal(), 1e-2),
    ("right, but not when D = 1: ", "", "", example(2, 4, 1), 1e-4),
    (
        "right for numbers around 0, but not for numbers around 3000: ",
        CANCELS,
        CANCELS,
        example(2, 4, 5, shift=3000.0),
        1e-2,
    ),
)


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


def judge(answer, not_a_number, otherwise, inputs, tolerance):
    """Raise a mistake in shape or numbers for these inputs."""
    x, gain, bias, _ = inputs
    result = call(answer, *inputs, help=HELP)
    if isinstance(result, tuple):
        raise Mistake("return one tensor, the normalised vectors")
    if isinstance(result, torch.Tensor):
        if result.shape != x.shape:
            raise Mistake(
                f"the result must have the shape of x, {tuple(x.shape)}; "
                f"yours has {tuple(result.shape)}"
            )
        if not_a_number and result.isnan().any():
            raise Mistake(not_a_number)
    check_tensor(result, x, "the result")
    right = compute(*inputs)
    if close(result, right, tolerance):
        return
    if not close(result, call(answer, *inputs)):
        raise Mistake("two calls with the same inputs differ")
    hint = misplaced(result, *inputs) or known_mistake(result, *inputs)
    hint = hint or otherwise
    raise Mistake(hint or unknown(result, x, gain, bias, right))


@checker
def check_layer_norm(answer):
    """Check exercise ``layer_norm(x, gain, bias, eps)``.

    Args:
        answer: a function of vectors x, (..., D), gain and bias, (D,), and
            a small number eps that returns (..., D).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, *stage in STAGES:
        try:
            judge(answer, *stage)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    compare_gradients(answer, compute, *example(2, 4, 5, shift=1.0))
