"""Check of the feed-forward part.

Dimension letters:
    B batch, T tokens, D = d_model, F = d_ff; "..." any leading axes.
"""

import contextlib

import torch

from attnbook.checks.calling import (
    call,
    check_tensor,
    close,
    compare_gradients,
)
from attnbook.checks.feed_forward_mistakes import (
    compute,
    known_mistake,
    mixes_tokens,
)
from attnbook.checks.verdict import Mistake, checker

HELP = (
    "x is (..., D), w_1 (D, F), w_2 (F, D): x @ w_1 has F numbers per token, "
    "so b_1 fits there, and the product with w_2 has D, where b_2 fits; "
    "nothing is transposed"
)
RELU = "; max(0, .) is .relu() or .clamp(min=0) here"
NOT_RELU = {  # words of an error, what to say of it
    "Boolean value of Tensor": "Python's max and if want one number" + RELU,
    "max()": "torch.max does not take the number 0" + RELU,
    "return_types.max": "torch.max with an axis returns two things" + RELU,
    "maximum()": "torch.maximum wants two tensors, not the number 0" + RELU,
    "__array_wrap__": "NumPy's functions know no gradients" + RELU,
    "call numpy()": "NumPy's functions know no gradients" + RELU,
}


def example(*shape, d_ff, factor=1.0, dtype=torch.float32):
    """Draw x, two matrices and two biases; x and matrices not contiguous."""
    generator = torch.Generator().manual_seed(9)
    d_model = shape[-1]
    x = factor * torch.randn(*reversed(shape), generator=generator)
    x = x.permute(*reversed(range(len(shape))))  # (..., D)
    w_1 = torch.randn(d_ff, d_model, generator=generator).T / d_model**0.5
    w_2 = torch.randn(d_model, d_ff, generator=generator).T / d_ff**0.5
    b_1 = torch.randn(d_ff, generator=generator)
    b_2 = torch.randn(d_model, generator=generator)
    return tuple(y.to(dtype) for y in (x, w_1, b_1, w_2, b_2))


STAGES = (
    ("", example(2, 3, 4, d_ff=7), 1e-5),
    (
        "right for (B, T, D, F) = (2, 3, 4, 7), but not for (3, 5, 6, 2): ",
        example(3, 5, 6, d_ff=2),
        1e-5,
    ),
    (
        "right while all sizes differ, but not when B = T = D = F (do the "
        "same at every size): ",
        example(4, 4, 4, d_ff=4),
        1e-5,
    ),
    (
        "right for (B, T, D), but not for one token (the last axis is all "
        "that matters): ",
        example(5, d_ff=3),
        1e-5,
    ),
    (
        "right for three axes, but not for (B, H, T, D): ",
        example(2, 3, 4, 5, d_ff=7),
        1e-5,
    ),
    (
        "right for small numbers, but not for numbers in the thousands: ",
        example(2, 3, 4, d_ff=7, factor=3e3),
        1e-4,
    ),
    (
        "right for float32, but not for float64: ",
        example(2, 3, 4, d_ff=7, dtype=torch.float64),
        1e-9,
    ),
    ("right, but not when every size is 1: ", example(1, 1, 1, d_ff=1), 1e-5),
)


def judge_shape(result, x, w_1):
    """Raise a mistake that can be seen without comparing numbers."""
    if isinstance(result, (tuple, list)):
        raise Mistake(
            "return one tensor (torch.max with an axis returns two; use "
            "relu or clamp(min=0))"
        )
    check_tensor(result, x, "the result")
    inner = (*x.shape[:-1], w_1.size(1))
    if result.shape == inner != x.shape:
        raise Mistake(
            "you return the inner vectors, F numbers per token; multiply by "
            "w_2 and add b_2"
        )
    if result.shape != x.shape:
        raise Mistake(
            f"the result must have the shape of x, {tuple(x.shape)}; yours "
            f"has {tuple(result.shape)}"
        )


@contextlib.contextmanager
def naming_relu():
    """Say in the place of an error which function is not ReLU."""
    try:
        yield
    except Mistake as mistake:
        for words, hint in NOT_RELU.items():
            if words in str(mistake):
                raise Mistake(hint) from None
        raise


def judge(answer, inputs, tolerance):
    """Raise a mistake in shape or numbers for these inputs."""
    x, w_1, *_ = inputs
    with naming_relu():
        result = call(answer, *inputs, help=HELP)
    judge_shape(result, x, w_1)
    if close(result, compute(*inputs), tolerance):
        return
    if not close(result, call(answer, *inputs)):
        raise Mistake(
            "two calls with the same inputs differ; leave out dropout, and "
            "use the matrices that you are given"
        )
    hint = known_mistake(result, *inputs)
    if hint is None and x.dim() > 1 and mixes_tokens(answer, *inputs):
        hint = (
            "the output of one token moves when other tokens change; every "
            "token goes through alone"
        )
    raise Mistake(
        hint
        or "each token goes through alone, but the numbers differ; compute "
        "one token by hand: product, bias, ReLU, product, bias"
    )


@checker
def check_feed_forward(answer):
    """Check exercise ``feed_forward(x, w_1, b_1, w_2, b_2)``.

    Args:
        answer: a function of vectors x, (..., D), matrices (D, F) and
            (F, D) with their biases that returns (..., D).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, inputs, tolerance in STAGES:
        try:
            judge(answer, inputs, tolerance)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    with naming_relu():
        compare_gradients(answer, compute, *example(2, 3, 4, d_ff=7))
