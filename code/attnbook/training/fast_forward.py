"""The Transformer's forward pass for training, in fewer operations.

The same numbers as the model gives, where padding stands at the ends of
sentences, with less around the products: one product where several read the
same input, each weight cast at most once a step, and random numbers from a
generator of its own, so that two threads can run it side by side (`halves`).

Dimension letters:
    B batch, H heads, T query length, S key length, D = d_model,
    K = D / H width of one head, E any width, n products in one.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

from attnbook.attention import is_plain_faster
from attnbook.dropout import Dropout, keep_factors
from attnbook.layers import FeedForward, LayerNorm, PreNorm
from attnbook.multihead import MultiHeadAttention, merge_heads
from attnbook.positions import NoPositions, SinusoidalPositions
from attnbook.stacks import Decoder, DecoderLayer, Encoder, EncoderLayer
from attnbook.transformer import Embedding, Transformer

PARTS = {  # of a model that `Forward` computes as it is
    *(Transformer, Embedding, Encoder, EncoderLayer, Decoder, DecoderLayer),
    *(MultiHeadAttention, FeedForward, PreNorm, LayerNorm, Dropout),
    *(SinusoidalPositions, NoPositions),
    *(nn.Linear, nn.Embedding, nn.ModuleList),
}


def is_plain(part, dropout):
    """Say whether a part of a model computes what its class says."""
    changed = {"forward", "states"} & set(vars(part))
    other = type(part) is Dropout and part.p != dropout
    hooks = part._forward_hooks or part._forward_pre_hooks
    return type(part) in PARTS and not (changed or other or hooks)


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
        type(model) is Transformer
        and asked in ("auto", "bf16")
        and model.output.weight.device.type == "cpu"
        and model.output.weight.dtype == torch.float32
        and model.config.shared_embeddings
        and all(is_plain(m, model.config.dropout) for m in model.modules())
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


def as_bias(mask, dtype):
    """Return what is added to scores: 0 where a mask is True, else -inf."""
    bias = torch.zeros(mask.shape, dtype=dtype)
    return bias.masked_fill_(~mask, -math.inf)


class Forward:
    """One forward pass of a model, with given weights and dice.

    Args:
        model: a pre-norm `Transformer`; its sizes and parts matter.
        leaves: see `leaves_of`.
        generator: a `torch.Generator`, for dropout.
    """

    def __init__(self, model, leaves, generator):
        self.model, self.leaves, self.generator = model, leaves, generator
        self.dtype = leaves[
            model.encoder.layers[0].feed_forward.inner.weight
        ].dtype
        self.num_heads = model.config.num_heads
        self.share = model.config.dropout if model.training else 0.0

    def drop(self, x):
        """Set a random share to 0 and scale up the rest; see `Dropout`."""
        if not self.share:
            return x
        return x * keep_factors(x, self.share, self.generator)

    def norm(self, part, x):
        """Normalise every vector of the stream, (B, T, D)."""
        gain, bias = self.leaves[part.gain], self.leaves[part.bias]
        return F.layer_norm(x, gain.shape, gain, bias, part.eps)

    def read(self, part, x):
        """Return what a sublayer reads: the stream, normed and cast."""
        return self.norm(part, x).to(self.dtype)

    def linear(self, x, *layers):
        """Send vectors through one or several layers in one product.

        Args:
            x: (B, T, D), of the type of the weights.
            layers: linear layers of D inputs.

        Returns:
            Their outputs side by side, (B, T, n * E).
        """
        weights = [self.leaves[layer.weight] for layer in layers]
        biases = [self.leaves[layer.bias] for layer in layers]
        if len(layers) == 1:
            return F.linear(x, *weights, *biases)
        return F.linear(x, torch.cat(weights), torch.cat(biases))

    def heads(self, x, count):
        """Cut (B, T, n * D) into n tensors of heads, (B, H, T, K) each."""
        x = x.unflatten(-1, (count, self.num_heads, -1))  # (B, T, n, H, K)
        return x.permute(2, 0, 3, 1, 4).unbind(0)

    def attend(self, q, k, v, bias, out):
        """Attend in every head, merge and project, (B, T, D)."""
        if is_plain_faster(q, k):
            q = q * (1 / math.sqrt(q.size(-1)))  # exact where K is 4, 16, 64
            weights = (q @ k.transpose(-2, -1) + bias).softmax(dim=-1)
            context = weights @ v
        else:
            context = F.scaled_dot_product_attention(q, k, v, bias)
        return self.linear(merge_heads(context), out)

    def own(self, layer, x, bias):
        """Return the stream after self-attention."""
        y = self.read(layer.around_self.norm, x)
        part = layer.self_attention
        joint = self.linear(y, part.w_q, part.w_k, part.w_v)  # (B, T, 3 D)
        y = self.attend(*self.heads(joint, 3), bias, part.w_o)
        return x + self.drop(y)

    def cross(self, layer, x, keys, values, bias):
        """Return the stream after cross-attention."""
        y = self.read(layer.around_cross.norm, x)
        part = layer.cross_attention
        (q,) = self.heads(self.linear(y, part.w_q), 1)
        y = self.attend(q, keys, values, bias, part.w_o)
        return x + self.drop(y)

    def feed(self, layer, x):
        """Return the stream after the feed-forward part."""
        y = self.read(layer.around_feed.norm, x)
        part = layer.feed_forward
        y = self.linear(self.linear(y, part.inner).relu(), part.outer)
        return x + self.drop(y)

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
        hidden = as_bias(source_mask, self.dtype)  # (B, 1, 1, S)
        x = self.drop(source)  # (B, S, D)
        for layer in encoder.layers:
            x = self.feed(layer, self.own(layer, x, hidden))
        memory = self.read(encoder.norm, x)
        parts = [layer.cross_attention for layer in decoder.layers]
        both = [w for part in parts for w in (part.w_k, part.w_v)]
        joint = self.linear(memory, *both)  # (B, S, 2 N D)
        pairs = self.heads(joint, len(both))  # 2 N of (B, H, S, K)
        length = target.size(1)
        ones = torch.ones(length, length, dtype=torch.bool)
        future = as_bias(ones.tril(), self.dtype)  # (T, T)
        x = self.drop(target)  # (B, T, D)
        for layer, k, v in zip(
            decoder.layers, pairs[::2], pairs[1::2], strict=True
        ):
            x = self.own(layer, x, future)
            x = self.feed(layer, self.cross(layer, x, k, v, hidden))
        return self.norm(decoder.norm, x)
