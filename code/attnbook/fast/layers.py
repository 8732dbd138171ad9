"""`stacks.EncoderLayer` and `stacks.DecoderLayer`, in fewer operations.

The same numbers with less around the products: one product where several
read the same input, no check of what a caller has checked, and no weights
of attention that nobody looks at.  Training (`forward`) and decoding
(`stepper`) compute with these layers; they differ in the weights that they
give them, in dropout, and in what attends.

Dimension letters:
    B batch, H heads, T query length, S key length, D = d_model,
    d_k = D / H width of one head, N layers, n products in one.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

from attnbook import compat
from attnbook.attention import is_plain_faster
from attnbook.dropout import Dropout
from attnbook.layers import FeedForward, LayerNorm, PostNorm, PreNorm
from attnbook.multihead import MultiHeadAttention, merge_heads
from attnbook.positions import (
    LearnedPositions,
    NoPositions,
    RotaryPositions,
    SinusoidalPositions,
)
from attnbook.stacks import Decoder, DecoderLayer, Encoder, EncoderLayer
from attnbook.transformer import Embedding, Transformer

PARTS = {  # of a model that is computed as its classes say
    *(Transformer, Embedding, Encoder, EncoderLayer, Decoder, DecoderLayer),
    *(MultiHeadAttention, FeedForward, PreNorm, PostNorm, LayerNorm, Dropout),
    *(SinusoidalPositions, LearnedPositions, RotaryPositions, NoPositions),
    *(nn.Linear, nn.Embedding, nn.ModuleList, nn.Identity),
}


def is_original(model):
    """Say whether a model is a `Transformer` no part of which is replaced.

    Args:
        model: any model.
    """

    def is_as_written(part):
        changed = {"forward", "states"} & set(vars(part))
        other = type(part) is Dropout and part.p != model.config.dropout
        kept = type(part) in PARTS and not (changed or other)
        return kept and not compat.has_hooks(part)

    return type(model) is Transformer and all(
        map(is_as_written, model.modules())
    )


def as_bias(mask, dtype):
    """Return what is added to scores: 0 where a mask is True, else -inf."""
    bias = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
    return bias.masked_fill_(~mask, -math.inf)


def attend(q, k, v, bias):
    """Return the context, (B, H, T, d_k), as `attention.fast_attention` does.

    Args:
        q: queries, (B, H, T, d_k).
        k: keys, (B, H, S, d_k).
        v: values, (B, H, S, d_k).
        bias: see `as_bias`; None where all keys are seen.
    """
    if not is_plain_faster(q, k):
        return F.scaled_dot_product_attention(q, k, v, bias)
    q = q * (1 / math.sqrt(q.size(-1)))  # exact where d_k is 4, 16, 64
    scores = q @ k.transpose(-2, -1)  # (B, H, T, S)
    scores = scores if bias is None else scores + bias
    return scores.softmax(dim=-1) @ v


def join(weights, *linears):
    """Return weight and bias of linear layers that read the same input.

    Args:
        weights: parameter -> the tensor that is computed with.
        linears: n linear layers of D inputs.

    Returns:
        Their weights and biases one below the other, (n * D, D) and (n * D,).
    """
    if len(linears) == 1:
        return weights[linears[0].weight], weights[linears[0].bias]
    return (
        torch.cat([weights[linear.weight] for linear in linears]),
        torch.cat([weights[linear.bias] for linear in linears]),
    )


def split(x, count, num_heads):
    """Cut (B, T, n * D) into n tensors of heads, (B, H, T, d_k) each."""
    x = x.unflatten(-1, (count, num_heads, -1))  # (B, T, n, H, d_k)
    return x.permute(2, 0, 3, 1, 4).unbind(0)


def norm(weights, part, x):
    """Normalise every vector of the stream, (B, T, D); nothing may be left."""
    if type(part) is nn.Identity:  # at the end of a post-norm stack
        return x
    gain, bias = weights[part.gain], weights[part.bias]
    return F.layer_norm(x, gain.shape, gain, bias, part.eps)


def source_pairs(decoder, memory, weights):
    """Return keys and values of the source, for every layer of a decoder.

    Args:
        decoder: a `Decoder` of N layers.
        memory: output of the encoder, (B, S, D), of the weights' type.
        weights: see `join`.

    Returns:
        A list of N pairs of (B, H, S, d_k).
    """
    parts = [layer.cross_attention for layer in decoder.layers]
    linears = [linear for part in parts for linear in (part.w_k, part.w_v)]
    joint = F.linear(memory, *join(weights, *linears))  # (B, S, 2 N D)
    found = split(joint, len(linears), parts[0].num_heads)
    return list(zip(found[::2], found[1::2], strict=True))


def keep_all(x):
    """Drop nothing."""
    return x


class FastLayer:
    """A layer of an encoder or a decoder, with given weights.

    Args:
        layer: an `EncoderLayer` or a `DecoderLayer`.
        weights: see `join`.
        drop: a function of a tensor that drops some of its numbers.
    """

    def __init__(self, layer, weights, drop=keep_all):
        self.layer, self.weights, self.drop = layer, weights, drop
        part = layer.self_attention
        self.joint = join(weights, part.w_q, part.w_k, part.w_v)  # (3 D, D)
        self.dtype = self.joint[0].dtype

    def linear(self, linear, x):
        """Send vectors through a linear layer."""
        return F.linear(x, *join(self.weights, linear))

    def sublayer(self, around, x, compute):
        """Return the stream after a sublayer, (B, T, D).

        Args:
            around: the residual, a `PreNorm` or a `PostNorm`.
            x: the stream, (B, T, D).
            compute: the sublayer, a function of (B, T, D).
        """
        if type(around) is PreNorm:
            y = norm(self.weights, around.norm, x).to(self.dtype)
            return x + self.drop(compute(y))
        return norm(self.weights, around.norm, x + self.drop(compute(x)))

    def attend_self(self, x, attend):
        """Return the stream after self-attention, (B, T, D).

        Args:
            x: the stream, (B, T, D).
            attend: a function of queries, keys and values, (B, H, T, d_k)
                each, that returns the context.
        """
        part = self.layer.self_attention

        def compute(y):
            joint = F.linear(y, *self.joint)  # (B, T, 3 D)
            context = attend(*split(joint, 3, part.num_heads))
            return self.linear(part.w_o, merge_heads(context))

        return self.sublayer(self.layer.around_self, x, compute)

    def attend_source(self, x, keys, values, bias):
        """Return the stream after cross-attention, (B, T, D).

        Args:
            x: the stream, (B, T, D).
            keys: see `source_pairs`, (B, H, S, d_k).
            values: the same.
            bias: see `attend`.
        """
        part = self.layer.cross_attention

        def compute(y):
            (q,) = split(self.linear(part.w_q, y), 1, part.num_heads)
            context = attend(q, keys, values, bias)
            return self.linear(part.w_o, merge_heads(context))

        return self.sublayer(self.layer.around_cross, x, compute)

    def feed(self, x):
        """Return the stream after the feed-forward part, (B, T, D)."""
        part = self.layer.feed_forward

        def compute(y):
            return self.linear(part.outer, self.linear(part.inner, y).relu())

        return self.sublayer(self.layer.around_feed, x, compute)
