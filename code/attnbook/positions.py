"""Positions: attention alone cannot tell first from last.

Dimension letters:
    T length, D = d_model, d_k width of a head; "..." stands for any leading
    axes.
"""

import math

import torch
from torch import nn

BASE = 10000.0


def frequencies(width):
    """Return the angle per step of every pair of numbers, in radians.

    Vaswani et al. (2017), sec. 3.5: pair i turns by 10000^(-2i/width)
    radians per position.

    Args:
        width: size of the vector that the pairs fill.

    Returns:
        float64, (ceil(width / 2),), from 1 downwards.
    """
    even = torch.arange(0, width, 2, dtype=torch.float64)
    return torch.exp(-even / width * math.log(BASE))


def sinusoids(length, d_model):
    """Write every position as sines and cosines of many wavelengths.

    Vaswani et al. (2017), sec. 3.5: PE(pos, 2i) = sin(pos /
    10000^(2i/d_model)), PE(pos, 2i+1) = cos of the same angle.

    Args:
        length: number of positions T; the first is position 0.
        d_model: width D; may be odd, then the last sine has no cosine.

    Returns:
        float32, (T, D), from -1 to 1.

    Raises:
        ValueError: length or d_model below 1.
    """
    if length < 1 or d_model < 1:
        raise ValueError(
            "expected a length and a d_model of at least 1, got "
            f"{length} and {d_model}"
        )
    position = torch.arange(length, dtype=torch.float64)
    angle = position[:, None] * frequencies(d_model)  # (T, ceil(D / 2))
    table = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
    return table[:, :d_model].float()  # (T, D)


def check_length(end, max_length, start=0):
    """Refuse positions beyond the last or before the first.

    Args:
        end: one past the last position asked for.
        max_length: number of positions there are.
        start: the first position asked for.

    Raises:
        ValueError: end above max_length, or start below 0.
    """
    if start < 0:
        raise ValueError(f"expected a first position >= 0, got {start}")
    if end > max_length:
        raise ValueError(f"expected at most {max_length} positions, got {end}")


def check_positions(x, start, max_length, width):
    """Refuse vectors to which the positions do not belong.

    Args:
        x: vectors, float, (..., T, width).
        start: position of the first vector, an int.
        max_length: number of positions there are.
        width: the width that they are made for.

    Raises:
        ValueError: another shape or type, or see `check_length`.
    """
    fits = x.dim() >= 2 and x.size(-1) == width
    if not fits or not x.is_floating_point():
        raise ValueError(
            f"expected floating-point vectors of shape (..., T, {width}), got "
            f"{x.dtype} of shape {tuple(x.shape)}"
        )
    if not isinstance(start, int):
        raise ValueError(f"expected a first position as int, got {start!r}")
    check_length(start + x.size(-2), max_length, start)


class NoPositions(nn.Module):
    """Add nothing: for models whose attention knows the order itself."""

    def forward(self, x, start=0):
        """Return x, (..., T, D), as it came."""
        return x


class SinusoidalPositions(nn.Module):
    """Add the fixed sinusoids of max_length positions to vectors.

    Vaswani et al. (2017), sec. 3.5.
    """

    def __init__(self, d_model, max_length):
        super().__init__()
        table = sinusoids(max_length, d_model)  # (max_length, D)
        self.register_buffer("table", table, persistent=False)

    def forward(self, x, start=0):
        """Add the position to each vector.

        Args:
            x: vectors, float, (..., T, D).
            start: position of the first vector.

        Returns:
            (..., T, D).

        Raises:
            ValueError: another width or type, or a position beyond max_length.
        """
        check_positions(x, start, *self.table.shape)
        end = start + x.size(-2)
        return x + self.table[start:end].to(x.dtype)  # (..., T, D)


class LearnedPositions(nn.Module):
    """Add one learned vector per position, of max_length.

    Vaswani et al. (2017), sec. 3.5 and table 3, row (E).  Raises ValueError
    if the width d_model or max_length is below 1.
    """

    def __init__(self, d_model, max_length):
        super().__init__()
        if d_model < 1 or max_length < 1:
            raise ValueError(
                "expected d_model and max_length of at least 1, got "
                f"{d_model} and {max_length}"
            )
        self.table = nn.Parameter(torch.empty(max_length, d_model))
        nn.init.normal_(self.table, std=0.02)

    def forward(self, x, start=0):
        """Add the position; arguments as in `SinusoidalPositions`."""
        check_positions(x, start, *self.table.shape)
        end = start + x.size(-2)
        return x + self.table[start:end]  # (..., T, D)


class RotaryPositions(nn.Module):
    """Turn each pair of numbers of a query or key by its position.

    Su et al. (2021), sec. 3.2.2: the product of a turned query and a
    turned key depends on the distance of the two alone.  Raises
    ValueError if the width d_k of a head is odd, or d_k or max_length is
    below 1.
    """

    def __init__(self, d_k, max_length):
        super().__init__()
        if d_k % 2 or d_k < 1 or max_length < 1:
            raise ValueError(
                "expected an even d_k and a max_length of at least 1, got "
                f"{d_k} and {max_length}"
            )
        position = torch.arange(max_length, dtype=torch.float64)
        angle = position[:, None] * frequencies(d_k)  # (max_length, d_k / 2)
        self.register_buffer("cos", angle.cos().float(), persistent=False)
        self.register_buffer("sin", angle.sin().float(), persistent=False)

    def forward(self, x, start=0):
        """Turn every vector by its position; its length stays.

        Args:
            x: queries or keys, float, (..., T, d_k).
            start: position of the first vector.

        Returns:
            (..., T, d_k).

        Raises:
            ValueError: another width or type, or a position beyond max_length.
        """
        check_positions(x, start, len(self.cos), 2 * self.cos.size(-1))
        end = start + x.size(-2)
        cos = self.cos[start:end].to(x.dtype)  # (T, d_k / 2)
        sin = self.sin[start:end].to(x.dtype)  # (T, d_k / 2)
        a, b = x[..., 0::2], x[..., 1::2]  # (..., T, d_k / 2) each
        turned = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1)
        return turned.flatten(-2)  # (..., T, d_k / 2, 2) -> (..., T, d_k)


def rotary_attention(attend, rotary, start=0):
    """Return an attention function that turns queries and keys first.

    Args:
        attend: an attention function of (q, k, v, mask).
        rotary: a `RotaryPositions`.
        start: position of the first query and of the first key.
    """

    def turned(q, k, v, mask=None):
        return attend(rotary(q, start), rotary(k, start), v, mask)

    return turned
