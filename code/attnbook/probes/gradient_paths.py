"""Which gradient reaches the encoder: cut its ways, and train; see chapter 11.

Dimension letters:
    B batch, T target length, S source length, D = d_model, vocab words of the
    vocabulary.
"""

import torch

from attnbook.data.batches import make_batch
from attnbook.data.vocabulary import PAD
from attnbook.multihead import MultiHeadAttention
from attnbook.tasks import digits
from attnbook.training.loss import sequence_loss
from attnbook.training.repro import seed_everything
from attnbook.transformer import Transformer

WAYS = {  # whether the gradient passes through keys, and through values
    "both": (True, True),
    "keys": (True, False),
    "values": (False, True),
    "none": (False, False),
}


class OneWay(MultiHeadAttention):
    """Attention that stops the gradient at its keys, values, or both.

    The numbers are those of `MultiHeadAttention`; the projections of the
    attention itself are trained whatever is stopped.

    Args:
        d_model: width D.
        num_heads: number of heads.
        keys: whether the gradient passes to what the keys are made of.
        values: whether it passes to what the values are made of.
    """

    def __init__(self, d_model, num_heads, keys=True, values=True):
        super().__init__(d_model, num_heads)
        self.keys, self.values = keys, values

    def forward(self, q, k, v, *rest):
        """Attend as `MultiHeadAttention` does."""
        k = k if self.keys else k.detach()  # (B, S, D)
        v = v if self.values else v.detach()  # (B, S, D)
        return super().forward(q, k, v, *rest)


def make_model(way="both", seed=0):
    """Return an untrained Transformer for rows of digits.

    Args:
        way: a key of `WAYS`: how the gradient gets from the decoder into
            the encoder.  The first weights are the same for all ways.
        seed: of the first weights.

    Returns:
        A `Transformer` of width 32 with two layers on each side.

    Raises:
        ValueError: an unknown way.
    """
    if way not in WAYS:
        raise ValueError(f"expected a way of {list(WAYS)}, got {way!r}")
    seed_everything(seed)
    config = digits.make_model_config(2, d_model=32, num_heads=2, d_ff=64)
    model = Transformer(config)
    for layer in model.decoder.layers:
        cross = OneWay(config.d_model, config.num_heads, *WAYS[way])
        cross.load_state_dict(layer.cross_attention.state_dict())
        layer.cross_attention = cross
    return model


def fit(model, task, steps, seed=0, hidden=False):
    """Train a model in place on 20,000 rows.

    Args:
        model: see `make_model`.
        task: "copy", "reverse" or "sort".
        steps: number of updates.
        seed: of the rows and their order.
        hidden: see `digits.draw_rows`.

    Returns:
        The model, in eval mode.
    """
    rows = digits.draw_rows(task, 20_000, seed, hidden=hidden)
    digits.fit(model, rows, digits.make_train_config(steps, seed))
    return model


def judge(model, task, seed=999, hidden=False):
    """Judge a model on 500 rows that it was not trained on.

    Args:
        model: a trained model.
        task: "copy", "reverse" or "sort".
        seed: of the rows.
        hidden: see `digits.draw_rows`.

    Returns:
        The share of right labels and the loss in nats per label,
        floats; see `digits.judge`.
    """
    rows = digits.draw_rows(task, 500, seed, hidden=hidden)
    found = digits.judge(model, rows)
    return found["labels"], found["loss"]


def encoder_gradient(model, pairs):
    """Return the norm of the loss's gradient by the encoder's stack.

    Args:
        model: see `make_model`.
        pairs: rows, see `digits.draw_rows`.

    Returns:
        A float; 0 where no gradient arrives.
    """
    batch = make_batch(pairs)
    logits = model(batch.source, batch.target)  # (B, T, vocab)
    loss = sequence_loss(logits, batch.labels, PAD)
    parameters = list(model.encoder.parameters())
    grads = torch.autograd.grad(loss, parameters, allow_unused=True)
    squares = [g.square().sum() for g in grads if g is not None]
    return sum(squares, torch.tensor(0.0)).sqrt().item()
