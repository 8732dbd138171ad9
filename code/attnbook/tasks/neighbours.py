"""A task with two questions at once: which tokens stand left and right?

Dimension letters:
    B batch, H heads, T length, D = d_model, vocab words of the vocabulary, d_k
    = D / H.
"""

import copy

import torch
import torch.nn.functional as F
from torch import nn

from attnbook.multihead import MultiHeadAttention

VOCAB, T, D, B = 8, 12, 32, 64


def draw_batch(generator, size=B, length=T):
    """Draw rows of tokens; each row is a ring, so every token has both.

    Args:
        generator: where the random numbers come from.
        size: number of rows.
        length: number of tokens in a ring, at most T.

    Returns:
        Tokens, (size, length), and their left and right neighbours,
        (size, length, 2).
    """
    tokens = torch.randint(VOCAB, (size, length), generator=generator)
    left, right = tokens.roll(1, dims=1), tokens.roll(-1, dims=1)
    return tokens, torch.stack([left, right], dim=-1)


class Neighbours(nn.Module):
    """One layer of attention that names both neighbours of every token.

    Args:
        num_heads: number of heads H; must divide D.
        hidden: width of a hidden layer between attention and answer; None
            for an answer that is linear in what attention returns.
        seed: fixes the first parameters.
    """

    def __init__(self, num_heads, hidden=None, seed=0):
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.token = nn.Embedding(VOCAB, D)
            self.position = nn.Embedding(T, D)
            self.attention = MultiHeadAttention(D, num_heads)
            self.answer = nn.Linear(D, 2 * VOCAB)
            if hidden is not None:
                self.answer = nn.Sequential(
                    nn.Linear(D, hidden),
                    nn.ReLU(),
                    nn.Linear(hidden, 2 * VOCAB),
                )

    def forward(self, tokens):
        """Return logits, (B, T, 2, vocab), and weights, (B, H, T, T)."""
        place = self.position.weight[: tokens.size(1)]  # (T, D)
        x = self.token(tokens) + place  # (B, T, D)
        x, weights = self.attention(x, x, x)  # (B, T, D), (B, H, T, T)
        return self.answer(x).unflatten(-1, (2, VOCAB)), weights


def compute_loss(logits, target):
    """Return the mean cross-entropy in nats over both neighbours."""
    return F.cross_entropy(logits.flatten(0, 2), target.flatten())


def train(model, steps, seed=0, rate=3e-3, lengths=(T,)):
    """Train with Adam on new rows at every step.

    Args:
        model: a `Neighbours`; changed in place.
        steps: number of steps.
        seed: fixes the rows.
        rate: the learning rate.
        lengths: the lengths of the rings, one for each batch, in turn.

    Returns:
        The loss of every step before its update, a list of floats.
    """
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    losses = []
    for step in range(steps):
        length = lengths[step % len(lengths)]
        tokens, target = draw_batch(generator, length=length)
        loss = compute_loss(model(tokens)[0], target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def judge(model, rows=1000, seed=12345, length=T):
    """Measure a model on rows that training has not drawn.

    Args:
        model: a `Neighbours`.
        rows: number of rows.
        seed: fixes them.
        length: number of tokens in a ring.

    Returns:
        The loss in nats, a float, and the share of right answers, left
        and right, two floats.
    """
    generator = torch.Generator().manual_seed(seed)
    tokens, target = draw_batch(generator, rows, length)
    logits, _ = model(tokens)
    hits = (logits.argmax(-1) == target).float().mean((0, 1))  # (2,)
    return compute_loss(logits, target).item(), hits.tolist()


@torch.no_grad()
def measure_looks(model, rows=200, seed=12345):
    """Measure where the heads look.

    Args:
        model: a `Neighbours`.
        rows: number of rows.
        seed: fixes them.

    Returns:
        Mean weight on the left and on the right neighbour, (H,) each.
    """
    generator = torch.Generator().manual_seed(seed)
    _, weights = model(draw_batch(generator, rows)[0])  # (B, H, T, T)
    here = torch.arange(T)
    return tuple(
        weights[:, :, here, (here + step) % T].mean((0, 2)) for step in (-1, 1)
    )


@torch.no_grad()
def zero_rows(model, rows):
    """Set rows of W_O to zero, in a copy.

    `nn.Linear` stores W_O transposed, so its rows are columns there.

    Args:
        model: a `Neighbours`.
        rows: numbers of the rows, out of D.

    Returns:
        The copy.
    """
    model = copy.deepcopy(model)
    model.attention.w_o.weight[:, list(rows)] = 0  # (D, number of rows)
    return model


def remove_heads(model, heads):
    """Remove heads: set their rows of W_O to zero, in a copy.

    Args:
        model: a `Neighbours`.
        heads: numbers of the heads to remove.

    Returns:
        The copy.
    """
    width = D // model.attention.num_heads
    rows = [head * width + i for head in heads for i in range(width)]
    return zero_rows(model, rows)
