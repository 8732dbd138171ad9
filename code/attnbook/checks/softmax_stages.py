"""The scores, axes and temperatures that the softmax is checked with."""

import math
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Stage:
    """One set of inputs, and what the stages before have shown."""

    shown: str
    x: torch.Tensor
    dim: int
    temperature: float
    tolerance: float = 1e-5
    extreme: str = ""  # far, large, cold, small or hidden


def draw(*shape, factor=1.0, dtype=torch.float32):
    """Draw scores; with two axes or more they are not contiguous."""
    generator = torch.Generator().manual_seed(5)
    x = factor * torch.randn(*reversed(shape), generator=generator)
    return x.to(dtype).permute(*reversed(range(len(shape))))


def hidden():
    """Return scores with rows in which all but one or two are -inf."""
    x = draw(4, 6).clone()
    x[1, [0, 1, 2, 4, 5]] = -math.inf
    x[1] -= 20000  # a large negative number in place of -inf shows
    x[3, :4] = -math.inf
    return x


def far_apart():
    """Return rows of scores that lie far apart: exp(80) is still a float32."""
    return draw(3, 5) + torch.tensor([[0.0], [80.0], [-80.0]])


STAGES = (
    Stage("", draw(3, 4, 5), 1, 3.0),
    Stage("right for dim=1, but not for dim=-1: ", draw(3, 4), -1, 0.7),
    Stage("right for other axes, but not for dim=0: ", draw(4, 3), 0, 3.0),
    *(
        Stage(
            f"right for other axes, but not for dim={dim} of three: ",
            draw(3, 4, 5),
            dim,
            3.0,
        )
        for dim in (0, 2, -2, -3)
    ),
    Stage(
        "right for three axes, but not for dim=-3 of four: ",
        draw(3, 2, 4, 5),
        -3,
        1.5,
    ),
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
        "right, but not for scores of 0.001 at a temperature of 0.001: ",
        draw(3, 5, factor=0.001),
        -1,
        0.001,
        1e-4,
        "small",
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
