"""The vectors that layer norm is checked with.

Dimension letters:
    B batch, T tokens, D = d_model; "..." stands for any leading axes.
"""

from dataclasses import dataclass

import torch

NOT_A_NUMBER = (
    "the result holds NaN: 0/0, the root of a negative number, or a tensor "
    "that was never filled"
)
ALL_EQUAL = (
    "the result holds NaN for a vector whose numbers are all equal: its "
    "variance is 0, and 0/0 is left; add eps inside the root"
)
CANCELS = (
    "the mean of the squares less the square of the mean is a difference of "
    "two huge numbers here; subtract the mean first, then square"
)
KEPT = (
    "use gain and bias as they come at each call, without abs or relu, and "
    "keep nothing of an earlier call"
)
SMALL = "use eps as it comes, however small, and no number of your own"
CUT = "nothing may be cut off; a normalised number can be as large as 10"


@dataclass(frozen=True)
class Stage:
    """One set of inputs, and what the stages before have shown.

    Attributes:
        shown: what is right so far.
        inputs: x, gain, bias and eps.
        tolerance: how far the result may be off.
        nan: what to say of NaN.
        otherwise: what to say of a mistake that has no name.
    """

    shown: str
    inputs: tuple
    tolerance: float = 1e-4
    nan: str = NOT_A_NUMBER
    otherwise: str = ""


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


def other_parameters():
    """Return the first example with a gain and a bias of either sign."""
    x, _, _, eps = example(3, 4, 6)
    gain = torch.tensor([-0.5, 2.0, 0.0, 1.5, -3.0, 1.0])
    bias = torch.tensor([1.0, -2.0, 0.5, 0.0, 3.0, -1.0])
    return x, gain, bias, eps


def all_equal(exact=False):
    """Return vectors of equal numbers, whose variance is 0."""
    x, gain, bias, eps = example(3, 4, 5)
    if exact:  # without rounding: the variance is 0 to the last digit
        x = torch.arange(12.0).view(3, 4, 1)
    return x[..., :1].expand(3, 4, 5).clone(), gain, bias, eps


def one_large():
    """Return vectors of a hundred numbers, one of which is large."""
    x, *others = example(2, 3, 100, shift=1.0)
    x = x.clone()
    x[..., 7] = 60.0
    return x, *others


STAGES = (
    Stage("", example(3, 4, 6)),
    Stage(
        "right, but not with another gain and bias, of either sign and 0: ",
        other_parameters(),
        otherwise=KEPT,
    ),
    Stage(
        "right for (B, T, D) = (3, 4, 6), but not for (2, 7, 4): ",
        example(2, 7, 4),
    ),
    Stage(
        "right for eps = 1e-5, but not for eps = 0.3: ",
        example(2, 4, 5, eps=0.3),
    ),
    Stage(
        "right for eps = 1e-5, but not for eps = 1e-12: ",
        example(2, 4, 5, eps=1e-12),
        otherwise=SMALL,
    ),
    Stage(
        "right while all sizes differ, but not when B = T = D: ",
        example(4, 4, 4),
    ),
    Stage(
        "right for (B, T, D), but not for one vector (write dim=-1): ",
        example(6),
    ),
    Stage(
        "right for (B, T, D), but not for (T, D) (write dim=-1): ",
        example(3, 5),
    ),
    Stage("right for three axes, but not for four: ", example(2, 3, 4, 5)),
    Stage("right for four axes, but not for five: ", example(2, 3, 2, 4, 5)),
    Stage(
        "right for float32, but not for float64: ",
        example(2, 4, 5, dtype=torch.float64),
        1e-9,
    ),
    Stage("right, but: ", all_equal(), 1e-2, ALL_EQUAL, ALL_EQUAL),
    Stage("right, but not when D = 1: ", example(2, 4, 1)),
    Stage("right, but not when B = T = 1: ", example(1, 1, 6)),
    Stage(
        "right for few numbers per vector, but not for 100, one of them "
        "large: ",
        one_large(),
        otherwise=CUT,
    ),
    Stage(
        "right for numbers around 0, but not for numbers around 3000: ",
        example(2, 4, 5, shift=3000.0),
        1e-2,
        CANCELS,
        CANCELS,
    ),
)
