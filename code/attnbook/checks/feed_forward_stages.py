"""The vectors and matrices that the feed-forward part is checked with.

Dimension letters:
    B batch, T tokens, D = d_model, F = d_ff; "..." any leading axes.
"""

import torch

KEPT = (
    "use the matrices and biases that you are given, and keep nothing of an "
    "earlier call"
)
CUT = "ReLU cuts off nothing above 0, however large"
SHARP = "ReLU keeps even a tiny number above 0, and makes all below exactly 0"


def example(*shape, d_ff, factor=1.0, dtype=torch.float32, seed=9):
    """Draw x, two matrices and two biases; x and matrices not contiguous."""
    generator = torch.Generator().manual_seed(seed)
    d_model = shape[-1]
    x = factor * torch.randn(*reversed(shape), generator=generator)
    x = x.permute(*reversed(range(len(shape))))  # (..., D)
    w_1 = torch.randn(d_ff, d_model, generator=generator).T / d_model**0.5
    w_2 = torch.randn(d_model, d_ff, generator=generator).T / d_ff**0.5
    b_1 = torch.randn(d_ff, generator=generator)
    b_2 = torch.randn(d_model, generator=generator)
    return tuple(y.to(dtype) for y in (x, w_1, b_1, w_2, b_2))


def tiny():
    """Return inputs whose inner numbers are around 0.001; b_2 is 0."""
    x, w_1, b_1, w_2, b_2 = example(2, 3, 4, d_ff=7, factor=1e-3)
    return x, w_1, 1e-3 * b_1, w_2, 0 * b_2


def silent():
    """Return inputs with a token whose inner numbers are all exactly 0."""
    x, w_1, b_1, w_2, b_2 = example(2, 3, 4, d_ff=7)
    x = x.clone()
    x[0, 1] = 0
    return x, w_1, 0 * b_1, w_2, b_2


STAGES = (  # what is right so far, inputs, tolerance, hint if none has a name
    ("", example(2, 3, 4, d_ff=7), 1e-5, ""),
    (
        "right at the first call, but not with other numbers of the same "
        "sizes: ",
        example(2, 3, 4, d_ff=7, seed=8),
        1e-5,
        KEPT,
    ),
    (
        "right for (B, T, D, F) = (2, 3, 4, 7), but not for (3, 5, 6, 2): ",
        example(3, 5, 6, d_ff=2),
        1e-5,
        "",
    ),
    (
        "right while all sizes differ, but not when B = T = D = F (do the "
        "same at every size): ",
        example(4, 4, 4, d_ff=4),
        1e-5,
        "",
    ),
    (
        "right for (B, T, D), but not for one token (the last axis is all "
        "that matters): ",
        example(5, d_ff=3),
        1e-5,
        "",
    ),
    (
        "right for (B, T, D), but not for (T, D) (the last axis is all that "
        "matters): ",
        example(3, 5, d_ff=4),
        1e-5,
        "",
    ),
    (
        "right for three axes, but not for (B, H, T, D): ",
        example(2, 3, 4, 5, d_ff=7),
        1e-5,
        "",
    ),
    (
        "right for four axes, but not for five: ",
        example(2, 3, 2, 4, 5, d_ff=7),
        1e-5,
        "",
    ),
    (
        "right for small numbers, but not for numbers in the thousands: ",
        example(2, 3, 4, d_ff=7, factor=3e3),
        1e-4,
        CUT,
    ),
    (
        "right for numbers around 1, but not for numbers around 0.001: ",
        tiny(),
        2e-9,
        SHARP,
    ),
    (
        "right for float32, but not for float64: ",
        example(2, 3, 4, d_ff=7, dtype=torch.float64),
        1e-9,
        "",
    ),
    (
        "right, but not when every size is 1: ",
        example(1, 1, 1, d_ff=1),
        1e-5,
        "",
    ),
)
