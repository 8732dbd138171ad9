"""A look-up task: does attention learn to find the one right key?

Dimension letters:
    B batch, S keys, D width of a key, d_k width after projection.
"""

from dataclasses import dataclass, field

import torch
from torch import nn

D, S, B = 16, 16, 128


class Lookup(nn.Module):
    """One query against S keys, with learned W_Q and W_K.

    The query is one of the keys, turned by a rotation that the model has
    to learn.  The values are the names of the keys, one-hot, so that the
    context is the row of weights.

    Args:
        d_k: width of projected queries and keys.
        scaled: whether the scores are divided by sqrt(d_k).
        seed: fixes the first weights, the rotation and all batches.
        start: factor on the first W_Q and W_K.  With d_k ** -0.25 and raw
            scores, training at rate r is that of a scaled model with a
            start of 1 at rate r * sqrt(d_k).
        num_keys: number of keys.
    """

    def __init__(self, d_k, scaled, seed, start=1.0, num_keys=S):
        super().__init__()
        self.draw = torch.Generator().manual_seed(seed)
        self.factor = d_k**-0.5 if scaled else 1.0
        self.num_keys = num_keys
        first = torch.randn(2, D, d_k, generator=self.draw) / D**0.5 * start
        self.w_q, self.w_k = nn.Parameter(first[0]), nn.Parameter(first[1])
        square = torch.randn(D, D, generator=self.draw)
        self.rotation = torch.linalg.qr(square).Q  # (D, D)

    def batch(self):
        """Return queries, (B, 1, D), keys, (B, S, D), and answers, (B,)."""
        shape = B, self.num_keys, D
        keys = torch.randn(shape, generator=self.draw)  # (B, S, D)
        answer = torch.randint(self.num_keys, (B,), generator=self.draw)
        found = keys[torch.arange(B), answer]  # (B, D)
        return (found @ self.rotation).unsqueeze(1), keys, answer

    def forward(self, query, keys):
        """Return the scores, (B, S)."""
        # (x W_Q) (y W_K)^T = (x W_Q W_K^T) y^T: the same and far cheaper
        q = query @ self.w_q @ self.w_k.T  # (B, 1, d_k) -> (B, 1, D)
        return (q @ keys.transpose(-2, -1)).squeeze(1) * self.factor  # (B, S)


@dataclass
class History:
    """What was measured after every step, before the update."""

    accuracy: list = field(default_factory=list)  # share of right keys
    variance: list = field(default_factory=list)  # of the scores

    def last(self, steps=20):
        """Return the mean accuracy of the last steps."""
        last = self.accuracy[-steps:]
        return sum(last) / len(last)


def train(model, rate, steps):
    """Train by plain gradient descent on the squared error of the context.

    Args:
        model: a `Lookup`; changed in place.
        rate: the learning rate.
        steps: number of steps, each on a new batch.

    Returns:
        A `History`.
    """
    history = History()
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    for _ in range(steps):
        query, keys, answer = model.batch()
        scores = model(query, keys)  # (B, S)
        right = nn.functional.one_hot(answer, model.num_keys)
        loss = (scores.softmax(-1) - right).square().sum(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        hit = (scores.argmax(-1) == answer).float().mean()
        history.accuracy.append(hit.item())
        history.variance.append(scores.detach().var().item())
    return history
