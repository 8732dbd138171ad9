"""Relations between words: which of them can attention learn to point at?

Every word is its kind and its position, nothing else.  Attention must put
its weight where the relation says, whatever the kinds are.

Dimension letters:
    B batch, T words, D width of a word, d_k width of a query or key.
"""

import math
from dataclasses import dataclass, field

import torch
from torch import nn

KINDS, B = 6, 64
RELATIONS = ("line", "ring", "partner", "kind")


def find_targets(relation, kinds):
    """Return where the weight of every word should lie.

    Args:
        relation: "line", the word before me (the first word has none);
            "ring", the same, and the first word points to the last;
            "partner", 1 and 2 point to each other, 3 and 4, and so on;
            "kind", all words of my kind, me included, in equal shares.
        kinds: the kind of each word, int, (B, T).

    Returns:
        (B, T, T), float; a row sums to 1, or to 0 if it has no target.

    Raises:
        ValueError: an unknown relation, or partners of an odd number.
    """
    batch, length = kinds.shape
    eye = torch.eye(length)  # (T, T)
    if relation == "kind":
        same = (kinds.unsqueeze(2) == kinds.unsqueeze(1)).float()
        return same / same.sum(-1, keepdim=True)  # (B, T, T)
    if relation == "partner" and length % 2 == 0:
        rows = eye[torch.arange(length) ^ 1]  # (T, T)
    elif relation in ("line", "ring"):
        rows = eye.roll(-1, dims=1)  # (T, T)
        rows = rows.tril() if relation == "line" else rows  # (T, T)
    else:
        raise ValueError(
            f"expected a relation out of {RELATIONS}, partners in an even "
            f"number, got {relation!r} of {length} words"
        )
    return rows.expand(batch, length, length)  # (B, T, T)


class Pointer(nn.Module):
    """Attention weights from learned W_Q and W_K, or from one for both.

    Args:
        d_k: width of queries and keys.
        shared: whether W_Q and W_K are one matrix.
        seed: fixes the first numbers and all batches.
        length: number of words T.
        hide_self: whether a word may not attend to itself.
    """

    def __init__(self, d_k, shared, seed, length=12, hide_self=False):
        super().__init__()
        self.draw = torch.Generator().manual_seed(seed)
        self.length, self.hide_self = length, hide_self
        shape = 2, KINDS + length, d_k
        start = torch.randn(shape, generator=self.draw) / math.sqrt(2)
        self.w_q = nn.Parameter(start[0])
        self.w_k = self.w_q if shared else nn.Parameter(start[1])

    def batch(self):
        """Return kinds, (B, T), and words, (B, T, D)."""
        shape = B, self.length
        kinds = torch.randint(KINDS, shape, generator=self.draw)  # (B, T)
        place = torch.eye(self.length).expand(*shape, self.length)
        one_hot = nn.functional.one_hot(kinds, KINDS)  # (B, T, KINDS)
        return kinds, torch.cat([one_hot, place], dim=-1)  # (B, T, D)

    def forward(self, x):
        """Return the scaled scores of words x, (B, T, D), as (B, T, T)."""
        q, k = x @ self.w_q, x @ self.w_k  # (B, T, d_k)
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))  # (B, T, T)
        if self.hide_self:
            me = torch.eye(self.length, dtype=torch.bool)  # (T, T)
            scores = scores.masked_fill(me, -1e4)  # (B, T, T)
        return scores


@dataclass
class History:
    """What was measured at every step, before the update."""

    loss: list = field(default_factory=list)  # 0 where all is in place
    share: list = field(default_factory=list)  # of weight in the right place


def train(model, relation, rate=0.03, steps=1000):
    """Train by Adam on the cross-entropy of the weights to their targets.

    The loss has the entropy of the targets taken off, so that 0 is the
    best for every relation.

    Args:
        model: a `Pointer`; changed in place.
        relation: see `find_targets`.
        rate: the learning rate.
        steps: number of steps, each on a new batch.

    Returns:
        A `History`.
    """
    history = History()
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for _ in range(steps):
        kinds, x = model.batch()
        target = find_targets(relation, kinds)  # (B, T, T)
        logs = model(x).log_softmax(-1)  # (B, T, T)
        rows = target.sum()
        loss = nn.functional.kl_div(logs, target, reduction="sum") / rows
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        share = torch.minimum(logs.detach().exp(), target).sum() / rows
        history.loss.append(loss.item())
        history.share.append(share.item())
    return history
