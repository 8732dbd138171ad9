"""`transformer.Transformer` for training, in fewer operations.

Each weight is cast at most once a step, the layers are those of `layers`,
and random numbers come from a generator of its own, so that two threads can
run it side by side (`halves`).  Padding must stand at the ends of sentences.

Dimension letters:
    B batch, H heads, T target length, S source length, D = d_model.
"""

from functools import partial

import torch

from attnbook.dropout import keep_factors
from attnbook.fast.layers import (
    FastLayer,
    as_bias,
    attend,
    is_original,
    norm,
    source_pairs,
)
from attnbook.layers import LayerNorm


def is_fast(model, asked):
    """Say whether `Forward` and `halves` can train a model.

    They can if it is a pre-norm `Transformer` with one matrix for both
    embeddings and the output, in float32 on a CPU, no part of which has been
    replaced.  If fp32 is asked for by name they do not: that is the loop of
    chapter 12, whose numbers the book shows.

    Args:
        model: any model.
        asked: the precision asked for, "auto", "fp32", "bf16" or "fp16".
    """
    return (
        is_original(model)
        and asked in ("auto", "bf16")
        and model.output.weight.device.type == "cpu"
        and model.output.weight.dtype == torch.float32
        and model.config.shared_embeddings
        and model.config.pre_norm
        and model.config.positions in ("sinusoidal", "none")
        and all(p.requires_grad for p in model.parameters())
    )


def leaves_of(model, dtype):
    """Return what gradients are taken of: parameter -> tensor.

    Args:
        model: a `Transformer`.
        dtype: in which products are computed.

    Returns:
        A dict with every weight and bias of the linear layers in that type,
        and with the gains and biases of the norms as they are.  The table
        of embeddings is not among them.
    """
    norms = {
        p
        for part in model.modules()
        if isinstance(part, LayerNorm)
        for p in part.parameters()
    }
    return {
        p: p.detach().to(p.dtype if p in norms else dtype).requires_grad_()
        for p in model.parameters()
        if p is not model.output.weight
    }


class Forward:
    """One forward pass of a model, with given weights and random numbers.

    Args:
        model: a model that `is_fast`; its sizes and parts matter.
        leaves: see `leaves_of`.
        generator: a `torch.Generator`, for dropout.
    """

    def __init__(self, model, leaves, generator):
        self.model, self.leaves, self.generator = model, leaves, generator
        self.share = model.config.dropout if model.training else 0.0

    def drop(self, x):
        """Set a random share to 0 and scale up the rest; see `Dropout`."""
        if not self.share:
            return x
        return x * keep_factors(x, self.share, self.generator)

    def layers(self, stack):
        """Return the layers of a stack, with this pass's weights, a list."""
        return [
            FastLayer(layer, self.leaves, self.drop) for layer in stack.layers
        ]

    def states(self, source, target, source_mask):
        """Return what the output layer reads.

        Args:
            source: the encoder's first vectors, float, (B, S, D).
            target: the decoder's, float, (B, T, D).
            source_mask: bool, (B, 1, 1, S).  Of the target no mask is
                needed but the causal one: padding stands at its end, and
                what is computed there does not count.

        Returns:
            float, (B, T, D).
        """
        encoder, decoder = self.model.encoder, self.model.decoder
        layers = self.layers(encoder)
        dtype = layers[0].dtype
        hidden = as_bias(source_mask, dtype)  # (B, 1, 1, S)
        x = self.drop(source)  # (B, S, D)
        for layer in layers:
            x = layer.feed(layer.attend_self(x, partial(attend, bias=hidden)))
        memory = norm(self.leaves, encoder.norm, x).to(dtype)
        pairs = source_pairs(decoder, memory, self.leaves)
        length = target.size(1)
        ones = torch.ones(length, length, dtype=torch.bool)
        future = as_bias(ones.tril(), dtype)  # (T, T)
        x = self.drop(target)  # (B, T, D)
        for layer, pair in zip(self.layers(decoder), pairs, strict=True):
            x = layer.attend_self(x, partial(attend, bias=future))
            x = layer.feed(layer.attend_source(x, *pair, hidden))
        return norm(self.leaves, decoder.norm, x)
