"""Does a decoder peek?  Train it on random tokens, which nobody can predict.

Dimension letters:
    B batch, T length, vocab kinds of tokens.
"""

import copy
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from attnbook.probes.leaks import check_ids


@dataclass(frozen=True)
class NoiseTest:
    """What a decoder made of tokens that nobody can predict.

    Attributes:
        loss: nats per token on new random tokens, after training.
        honest: ln vocab, the least that an honest decoder can reach.
        margin: how far below it the loss must be to count.
        losses: the loss of every training step, a list of floats.
    """

    loss: float
    honest: float
    margin: float
    losses: list

    @property
    def peeks(self):
        """Say whether the loss is below ln vocab by the margin, or NaN."""
        return not self.loss >= self.honest - self.margin

    def __str__(self):
        numbers = f"loss {self.loss:.3f}, ln vocab {self.honest:.3f}"
        if math.isnan(self.loss):
            return f"{numbers}: not a number"
        said = "reads what it must predict" if self.peeks else "no leak found"
        return f"{numbers}: {said}"


def loss_on_noise(model, ids, shape, generator):
    """Return the loss of a decoder on new random tokens, a scalar.

    Args:
        model: from token ids, (B, T), to logits, (B, T, at least vocab).
        ids: the ids to draw from, int64, (vocab,).
        shape: B and T.
        generator: where the random numbers come from.

    Raises:
        ValueError: logits that are not one row per token, or too narrow.
    """
    count, length = shape
    drawn = torch.randint(len(ids), (count, length + 1), generator=generator)
    tokens = ids[drawn.to(ids.device)]  # (B, T + 1)
    logits = model(tokens[:, :-1])  # (B, T, vocab)
    got = tuple(getattr(logits, "shape", ()))
    if got[:-1] != (count, length) or got[-1] <= int(ids.max()):
        raise ValueError(
            f"expected logits of shape ({count}, {length}, more than "
            f"{int(ids.max())}), got {got or type(logits).__name__}"
        )
    return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def noise_test(
    model, ids, length=12, steps=300, rate=3e-3, margin=0.05, seed=0
):
    """Train a copy of a decoder to predict random tokens.

    Every token is drawn anew and on its own, so the past says nothing
    about the next one, and the best honest loss is ln vocab.  A loss below it
    by more than the margin is a leak.  A loss at ln vocab is no proof: a leak
    that training did not find in so many steps is not seen.

    Args:
        model: an `nn.Module` from token ids, int, (B, T), to logits of
            the next token, (B, T, at least vocab); it is not changed.
        ids: ids to draw from: a number n for 0 to n - 1, or a list.
        length: number of tokens T that the decoder reads.
        steps: number of training steps, 64 new rows each.
        rate: learning rate of Adam.
        margin: see `NoiseTest`.
        seed: fixes the tokens.

    Returns:
        A `NoiseTest`.

    Raises:
        ValueError: ids, logits or numbers that do not fit.
    """
    if length < 1 or steps < 1 or margin <= 0:
        raise ValueError(
            "expected length and steps of at least 1 and a margin above 0, "
            f"got {length}, {steps} and {margin}"
        )
    model = copy.deepcopy(model).train()
    parameters = [p for p in model.parameters() if p.requires_grad]
    if not parameters:
        raise ValueError("expected a model with parameters to train")
    ids = check_ids(ids).to(parameters[0].device)
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(parameters, lr=rate)
    losses = []
    for _ in range(steps):
        loss = loss_on_noise(model, ids, (64, length), generator)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        model.eval()
        loss = loss_on_noise(model, ids, (1000, length), generator).item()
    return NoiseTest(loss, math.log(len(ids)), margin, losses)
