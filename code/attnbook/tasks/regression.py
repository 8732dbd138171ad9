"""Soft look-up of numbers: which score finds the keys that matter?

A noisy wave is looked up by position; further numbers beside the position
say nothing.  Kernel regression (Nadaraya 1964, Watson 1964) weights all
known values by closeness; here the scores can also be learned.

Dimension letters:
    T queries, S keys, N known points, D numbers per point, d_k learned width.
"""

import math
from functools import partial

import torch
from torch import nn

WIDTH = 16  # d_k


def wave(position):
    """Return the values without noise.

    Args:
        position: (N,).

    Returns:
        The sine of 4 times the position, (N,).
    """
    return torch.sin(4 * position)


def draw(count, useless, seed, noise=0.1):
    """Draw points whose first number alone decides the value.

    Args:
        count: N, number of points.
        useless: how many numbers beside the first, which say nothing.
        seed: fixes the points.
        noise: standard deviation of what is added to the values.

    Returns:
        Points, (N, D) with D = 1 + useless, numbers from -1 to 1, and
        values, (N,).
    """
    generator = torch.Generator().manual_seed(seed)
    x = 2 * torch.rand(count, 1 + useless, generator=generator) - 1  # (N, D)
    error = torch.randn(count, generator=generator)  # (N,)
    return x, wave(x[:, 0]) + noise * error


def append_one(x):
    """Return the points with a constant 1 beside them.

    Args:
        x: points, (N, D).

    Returns:
        Rows, (N, D + 1).
    """
    return torch.cat([x, torch.ones(len(x), 1)], dim=1)


def append_squares(x):
    """Return the points with all their squares and a constant 1.

    A product of two such rows can be any minus a squared distance, but for
    what is the same for all keys: -(q - k)^2 = 2 q k - k^2 - q^2.

    Args:
        x: points, (N, D).

    Returns:
        Rows, (N, 2 D + 1).
    """
    return torch.cat([x, x.square(), torch.ones(len(x), 1)], dim=1)


class FixedDistance(nn.Module):
    """Score = -(distance / bandwidth)^2 / 2; nothing is learned."""

    def __init__(self, bandwidth):
        super().__init__()
        self.bandwidth = bandwidth

    def forward(self, q, k):
        """Return the scores, (T, S)."""
        return -(torch.cdist(q, k) / self.bandwidth).square() / 2  # (T, S)


class Learned(nn.Module):
    """Two learned projections, or one shared by queries and keys."""

    def __init__(self, width, generator, shared=False):
        super().__init__()
        self.w_q = draw_matrix(width, WIDTH, generator)
        self.w_k = self.w_q if shared else draw_matrix(width, WIDTH, generator)


class LearnedDistance(Learned):
    """Score = -distance^2 / 2 after the projections."""

    def forward(self, q, k):
        """Return the scores, (T, S)."""
        q, k = q @ self.w_q, k @ self.w_k  # (T, d_k), (S, d_k)
        return -(q[:, None] - k).square().sum(-1) / 2  # (T, S)


class LearnedDot(Learned):
    """Score = q . k / sqrt(d_k) after the projections."""

    def forward(self, q, k):
        """Return the scores, (T, S)."""
        q, k = q @ self.w_q, k @ self.w_k  # (T, d_k), (S, d_k)
        return q @ k.T / math.sqrt(WIDTH)  # (T, S)


class LearnedAdditive(Learned):
    """Score = v . tanh(q + k) after the projections."""

    def __init__(self, width, generator):
        super().__init__(width, generator)
        self.v = draw_matrix(WIDTH, 1, generator)

    def forward(self, q, k):
        """Return the scores, (T, S)."""
        q, k = q @ self.w_q, k @ self.w_k  # (T, d_k), (S, d_k)
        return (torch.tanh(q[:, None] + k) @ self.v).squeeze(-1)  # (T, S)


def draw_matrix(rows, columns, generator):
    """Draw a parameter, (rows, columns), of size 1 / sqrt(rows)."""
    start = torch.randn(rows, columns, generator=generator)
    return nn.Parameter(start / math.sqrt(rows))


# name -> how points become vectors, and which score compares them
LEARNED = {
    "distance, one matrix": (
        append_one,
        partial(LearnedDistance, shared=True),
    ),
    "distance, two matrices": (append_one, LearnedDistance),
    "dot product": (append_one, LearnedDot),
    "dot product, squares too": (append_squares, LearnedDot),
    "squares, one matrix": (append_squares, partial(LearnedDot, shared=True)),
    "additive": (append_one, LearnedAdditive),
}


def leave_one_out(scores, values):
    """Estimate every known value from all others, (N,).

    Args:
        scores: (N, N), every point against every point.
        values: (N,).

    Returns:
        Estimates, (N,).
    """
    alone = torch.eye(len(values), dtype=torch.bool)  # (N, N)
    return scores.masked_fill(alone, -math.inf).softmax(-1) @ values


def learn(name, x, values, seed, steps=300, rate=0.03):
    """Learn a score on known points, each estimated from the others.

    Args:
        name: one of `LEARNED`.
        x: points, (N, D).
        values: (N,).
        seed: fixes the first parameters.
        steps: number of steps of Adam, each on all points.
        rate: the learning rate.

    Returns:
        A function of queries (T, D) and keys (S, D): the scores, (T, S).

    Raises:
        ValueError: an unknown name.
    """
    if name not in LEARNED:
        raise ValueError(f"expected one of {list(LEARNED)}, got {name!r}")
    prepare, kind = LEARNED[name]
    rows = prepare(x)
    model = kind(rows.size(1), torch.Generator().manual_seed(seed))
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for _ in range(steps):
        estimate = leave_one_out(model(rows, rows), values)  # (N,)
        loss = (estimate - values).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return lambda q, k: model(prepare(q), prepare(k))


BANDWIDTHS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0)


def find_bandwidth(x, values):
    """Return the bandwidth with the smallest leave-one-out error.

    Args:
        x: points, (N, D).
        values: (N,).

    Returns:
        One of `BANDWIDTHS`.
    """

    def loss(bandwidth):
        estimate = leave_one_out(FixedDistance(bandwidth)(x, x), values)
        return (estimate - values).square().mean().item()

    return min(BANDWIDTHS, key=loss)


@torch.no_grad()
def error_on_new(score, x, values, seed, count=512):
    """Return the root mean square error on new points without noise.

    Args:
        score: function of queries (T, D) and keys (N, D).
        x: known points, (N, D).
        values: (N,).
        seed: fixes the new points.
        count: T, number of new points.

    Returns:
        The error, a float.
    """
    new, truth = draw(count, x.size(1) - 1, seed, noise=0.0)
    estimate = score(new, x).softmax(-1) @ values  # (T,)
    return (estimate - truth).square().mean().sqrt().item()
