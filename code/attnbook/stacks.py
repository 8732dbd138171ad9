"""Encoder and decoder: layers around attention, one above the other.

Each part takes its sizes and variants from a `TransformerConfig`.

Dimension letters:
    B batch, H heads, T target length, S source length, D = d_model,
    N layers.
"""

from torch import nn

from attnbook.attention import scaled_dot_product_attention
from attnbook.layers import FeedForward, LayerNorm, PostNorm, PreNorm
from attnbook.multihead import MultiHeadAttention
from attnbook.positions import RotaryPositions, rotary_attention


def residual(config):
    """Return the residual part of the kind that the config names."""
    part = PreNorm if config.pre_norm else PostNorm
    return part(config.d_model, config.dropout)


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward: Vaswani et al. (2017), sec. 3.1."""

    def __init__(self, config):
        super().__init__()
        d_model = config.d_model
        self.self_attention = MultiHeadAttention(d_model, config.num_heads)
        self.feed_forward = FeedForward(d_model, config.d_ff)
        self.around_self = residual(config)
        self.around_feed = residual(config)

    def forward(self, x, mask, attend=scaled_dot_product_attention):
        """Update every token from all tokens of its sentence.

        Args:
            x: the stream, float, (B, S, D).
            mask: bool, broadcastable to (B, H, S, S).
            attend: the attention function, called in every head.

        Returns:
            The stream, (B, S, D), and the weights, (B, H, S, S).
        """
        y = self.around_self.before(x)  # (B, S, D)
        y, weights = self.self_attention(y, y, y, mask, attend)
        x = self.around_self.after(x, y)  # (B, S, D)
        y = self.feed_forward(self.around_feed.before(x))  # (B, S, D)
        return self.around_feed.after(x, y), weights


class DecoderLayer(nn.Module):
    """Self-attention, cross-attention, feed-forward: sec. 3.1."""

    def __init__(self, config):
        super().__init__()
        d_model = config.d_model
        self.self_attention = MultiHeadAttention(d_model, config.num_heads)
        self.cross_attention = MultiHeadAttention(d_model, config.num_heads)
        self.feed_forward = FeedForward(d_model, config.d_ff)
        self.around_self = residual(config)
        self.around_cross = residual(config)
        self.around_feed = residual(config)

    def forward(
        self, x, memory, masks, attends=(scaled_dot_product_attention,) * 2
    ):
        """Update every token from its past and from the source.

        Args:
            x: the stream, float, (B, T, D).
            memory: output of the encoder, float, (B, S, D).
            masks: of self-attention, broadcastable to (B, H, T, T), and
                of cross-attention, to (B, H, T, S); bool or None.
            attends: the attention functions of the two.

        Returns:
            The stream, (B, T, D), the weights of self-attention,
            (B, H, T, T), and those of cross-attention, (B, H, T, S).
        """
        y = self.around_self.before(x)  # (B, T, D)
        y, own = self.self_attention(y, y, y, masks[0], attends[0])
        x = self.around_self.after(x, y)  # (B, T, D)
        y = self.around_cross.before(x)  # (B, T, D)
        y, cross = self.cross_attention(
            y, memory, memory, masks[1], attends[1]
        )
        x = self.around_cross.after(x, y)  # (B, T, D)
        y = self.feed_forward(self.around_feed.before(x))  # (B, T, D)
        return self.around_feed.after(x, y), own, cross


class Stack(nn.Module):
    """N equal layers, one after the other.

    A pre-norm stack ends with a norm of its own; the paper's post-norm
    stack needs none (`nn.Transformer` adds one all the same).
    """

    def __init__(self, layers, config):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        d_model = config.d_model
        self.norm = LayerNorm(d_model) if config.pre_norm else nn.Identity()
        self.rotary = None
        if config.positions == "rotary":
            d_k = d_model // config.num_heads
            self.rotary = RotaryPositions(d_k, config.max_length)

    def own(self, attend, start=0):
        """Return the attention function for self-attention.

        Args:
            attend: an attention function.
            start: position of the first word, for rotary positions.
        """
        if self.rotary is None:
            return attend
        return rotary_attention(attend, self.rotary, start)


class Encoder(Stack):
    """The stack that reads the source."""

    def forward(self, x, mask, attend):
        """Return the memory, (B, S, D), and the weights of each layer."""
        maps = []
        for layer in self.layers:
            x, weights = layer(x, mask, self.own(attend))
            maps.append(weights)
        return self.norm(x), maps


class Decoder(Stack):
    """The stack that writes the target."""

    def forward(self, x, memory, masks, attend):
        """Return the states, (B, T, D), and both weights of each layer."""
        maps = []
        for layer in self.layers:
            attends = self.own(attend), attend
            x, *weights = layer(x, memory, masks, attends)
            maps.append(weights)
        return self.norm(x), maps
