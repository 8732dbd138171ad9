"""Deep stacks of encoder layers, with and without residual and warm-up.

Dimension letters:
    B batch, T length, D = d_model, F = d_ff, vocab words of the vocabulary, N
    layers.
"""

import torch
import torch.nn.functional as F
from torch import nn

from attnbook.attention import scaled_dot_product_attention
from attnbook.config import TransformerConfig
from attnbook.layers import PostNorm, PreNorm
from attnbook.positions import sinusoids
from attnbook.stacks import Encoder, EncoderLayer
from attnbook.transformer import initialise

VOCAB, T, D, B = 20, 8, 64, 32
STARTS = ("glorot", "pytorch", "quiet")


class PreNormAlone(PreNorm):
    """The norm before the sublayer, without the residual."""

    def after(self, x, output):
        """Return the sublayer's output alone, (..., T, D)."""
        return self.dropout(output)


class PostNormAlone(PostNorm):
    """The norm after the sublayer, without the residual."""

    def after(self, x, output):
        """Return the norm of the sublayer's output alone, (..., T, D)."""
        return self.norm(self.dropout(output))


ALONE = {True: PreNormAlone, False: PostNormAlone}


def shrink_output(module):
    """Divide the last matrix of a sublayer by 3, in place."""
    for name in ("w_o", "outer"):
        if hasattr(module, name):
            getattr(module, name).weight.data /= 3


class Deep(nn.Module):
    """A stack that reads T tokens and names one token at every place.

    Width 64, inner width 128, 4 heads, no dropout.

    Args:
        pre_norm: whether the norms stand before the sublayers; if not,
            after them, as in the paper.
        residual: whether the stream is added to what a sublayer returns.
        start: "glorot", as the course starts its matrices, biases 0;
            "pytorch", as `nn.Linear` starts both; "quiet", Glorot, and the
            last matrix of every sublayer divided by 3.
        num_layers: number of layers N.
        seed: fixes the first parameters.

    Raises:
        ValueError: an unknown start.
    """

    def __init__(
        self, pre_norm, residual=True, start="glorot", num_layers=12, seed=0
    ):
        super().__init__()
        if start not in STARTS:
            raise ValueError(f"expected one of {STARTS}, got {start!r}")
        config = TransformerConfig(
            source_vocab=VOCAB,
            target_vocab=VOCAB,
            d_model=D,
            num_heads=4,
            d_ff=2 * D,
            dropout=0.0,
            pre_norm=pre_norm,
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.table = nn.Embedding(VOCAB, D)
            layers = [EncoderLayer(config) for _ in range(num_layers)]
            self.stack = Encoder(layers, config)
            self.answer = nn.Linear(D, VOCAB)
            nn.init.normal_(self.table.weight, std=D**-0.5)
            if start != "pytorch":
                self.apply(initialise)
            if start == "quiet":
                self.apply(shrink_output)
        if not residual:
            for layer in layers:
                layer.around_self = ALONE[pre_norm](D, 0.0)
                layer.around_feed = ALONE[pre_norm](D, 0.0)
        self.register_buffer("places", sinusoids(T, D))

    def enter(self, tokens):
        """Return the stream before the first layer, (B, T, D), of ids."""
        return self.table(tokens) * D**0.5 + self.places  # (B, T, D)

    def forward(self, tokens):
        """Return the logits, (B, T, vocab), of ids (B, T)."""
        x = self.enter(tokens)  # (B, T, D)
        x, _ = self.stack(x, None, scaled_dot_product_attention)
        return self.answer(x)  # (B, T, vocab)


def draw_batch(generator, size=B):
    """Draw rows of tokens; the target is the row from right to left.

    Args:
        generator: where the random numbers come from.
        size: number of rows.

    Returns:
        Tokens and targets, int, (size, T) each.
    """
    tokens = torch.randint(VOCAB, (size, T), generator=generator)
    return tokens, tokens.flip(1)


def compute_loss(model, tokens, target):
    """Return the mean cross-entropy in nats; guessing costs ln vocab."""
    return F.cross_entropy(model(tokens).flatten(0, 1), target.flatten())


def gradient_by_layer(model, seed=0, only=()):
    """Measure the gradient of the loss in every layer, for one batch.

    Args:
        model: a `Deep`.
        seed: fixes the batch.
        only: names of the parts of a layer that count, such as "w_q"; () for
            all.

    Returns:
        The norm of the gradient of these parameters of a layer, a list of N
        floats, the first layer first.
    """
    generator = torch.Generator().manual_seed(seed)
    model.zero_grad()
    compute_loss(model, *draw_batch(generator)).backward()
    norms = []
    for layer in model.stack.layers:
        squares = [
            p.grad.square().sum()
            for name, p in layer.named_parameters()
            if not only or not set(only).isdisjoint(name.split("."))
        ]
        norms.append(sum(squares).sqrt().item())
    model.zero_grad()
    return norms


@torch.no_grad()
def likeness_by_layer(model, seed=0):
    """Measure how alike the places of a row are, layer by layer.

    Args:
        model: a `Deep`.
        seed: fixes the batch.

    Returns:
        The mean cosine of two different places of a row, before the first
        layer and after every layer, a list of N + 1 floats.
    """
    generator = torch.Generator().manual_seed(seed)
    x = model.enter(draw_batch(generator)[0])  # (B, T, D)
    means = []
    for layer in [None, *model.stack.layers]:
        if layer is not None:
            x, _ = layer(x, None)  # (B, T, D)
        unit = F.normalize(x, dim=-1)  # (B, T, D)
        cosine = unit @ unit.transpose(-2, -1)  # (B, T, T)
        means.append(((cosine.sum((1, 2)) - T) / (T * (T - 1))).mean().item())
    return means


def train(model, rate, warmup, steps, seed=0):
    """Train with Adam on new rows at every step.

    Args:
        model: a `Deep`; changed in place.
        rate: the learning rate after the warm-up.
        warmup: number of steps in which the rate rises in a line; 0 for
            the full rate from the first step on.
        steps: number of steps, those of the warm-up included.
        seed: fixes the rows.

    Returns:
        The loss of every step before its update, a list of floats.
    """
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    losses = []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1.0, step / max(1, warmup))
        loss = compute_loss(model, *draw_batch(generator))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
