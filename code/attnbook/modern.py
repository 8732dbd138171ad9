"""What changed since 2017: RMS norm, grouped queries, one stack alone.

Pre-norm is in `layers` and rotary positions are in `positions`.

Dimension letters:
    B batch, H heads, G groups, T queries, S keys or source length, D =
    d_model, d_k = D / H width of one head.
"""

import torch
from torch import nn

from attnbook.attention import fast_attention, scaled_dot_product_attention
from attnbook.data.vocabulary import PAD
from attnbook.inputs import check_tokens
from attnbook.layers import LayerNorm
from attnbook.masks import causal_mask, padding_mask
from attnbook.multihead import (
    MultiHeadAttention,
    check_inputs,
    merge_heads,
    split_heads,
)
from attnbook.stacks import Encoder, EncoderLayer
from attnbook.transformer import Embedding, Transformer, initialise


def rms_norm(x, gain, eps=1e-5):
    """Divide every vector by its typical size, then rescale it.

    Zhang and Sennrich (2019), eq. (4): gain * x / sqrt(mean of x^2 + eps).

    Args:
        x: vectors, float, (..., D).
        gain: scale of each feature, (D,).
        eps: keeps the root away from 0.

    Returns:
        (..., D).
    """
    squares = x.square().mean(dim=-1, keepdim=True)  # (..., 1)
    return gain * x * (squares + eps).rsqrt()  # (..., D)


class RMSNorm(nn.Module):
    """RMS norm of width d_model, with a learned gain; see `rms_norm`."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        """Normalise every vector, (..., D); PyTorch's form of `rms_norm`."""
        return nn.functional.rms_norm(x, self.gain.shape, self.gain, self.eps)


class GroupedQueryAttention(MultiHeadAttention):
    """Multi-head attention in which several heads share keys and values.

    Ainslie et al. (2023), sec. 2.2.  With as many groups as heads it is
    `MultiHeadAttention`.  Raises ValueError unless the number of groups G
    divides num_heads.
    """

    def __init__(self, d_model, num_heads, num_groups):
        super().__init__(d_model, num_heads)
        if num_groups < 1 or num_heads % num_groups:
            raise ValueError(
                "expected num_heads divisible by num_groups, both at least "
                f"1, got {num_heads} and {num_groups}"
            )
        self.num_groups = num_groups
        width = d_model // num_heads * num_groups  # G * d_k
        self.w_k = nn.Linear(d_model, width)
        self.w_v = nn.Linear(d_model, width)

    def forward(self, q, k, v, mask=None, attend=scaled_dot_product_attention):
        """Attend with G keys and values.

        Arguments as in `MultiHeadAttention`, what it returns and refuses.
        """
        check_inputs(self.w_q.weight, q, k, v)
        q = split_heads(self.w_q(q), self.num_heads)  # (B, H, T, d_k)
        k = split_heads(self.w_k(k), self.num_groups)  # (B, G, S, d_k)
        v = split_heads(self.w_v(v), self.num_groups)  # (B, G, S, d_k)
        share = self.num_heads // self.num_groups
        k = k.repeat_interleave(share, dim=1)  # (B, H, S, d_k)
        v = v.repeat_interleave(share, dim=1)  # (B, H, S, d_k)
        context, weights = attend(q, k, v, mask)
        return self.w_o(merge_heads(context)), weights


class DecoderOnly(nn.Module):
    """One stack that reads source and target as one row of words.

    The layers are those of the encoder; a causal mask makes them a
    decoder.  Source words and target words have vectors of their own.

    Args:
        config: a `TransformerConfig`; its decoder layers are the stack,
            its encoder layers are not used.

    Raises:
        ValueError: positions that are not rotary; padding in front would
            shift them.
    """

    def __init__(self, config):
        super().__init__()
        if config.positions != "rotary":
            raise ValueError(
                f"expected rotary positions, got {config.positions!r}"
            )
        self.config = config
        both = config.source_vocab + config.target_vocab
        self.embedding = Embedding(nn.Embedding(both, config.d_model), config)
        layers = range(config.num_decoder_layers)
        self.stack = Encoder([EncoderLayer(config) for _ in layers], config)
        self.output = nn.Linear(
            config.d_model, config.target_vocab, bias=False
        )
        self.apply(initialise)

    def forward(self, source, target):
        """Score every possible next word after every target word.

        Args:
            source: source ids, int, (B, S), padded at the end.
            target: decoder input ids, int, (B, T), padded at the end.

        Returns:
            The logits, (B, T, vocab).

        Raises:
            ValueError: ids that the model cannot look up, an empty
                sentence, or a row longer than max_length.
        """
        return self.output(self.states(source, target))  # (B, T, vocab)

    def states(self, source, target):
        """Return what the output layer reads, (B, T, D); see `forward`."""
        c = self.config
        check_tokens(source, c.source_vocab, c.max_length, "source")
        check_tokens(target, c.target_vocab, c.max_length, "target")
        source = pad_in_front(source, PAD)  # (B, S)
        words = padding_mask(torch.cat([source, target], dim=1), PAD)
        row = torch.cat([source, target + c.source_vocab], dim=1)  # (B, S + T)
        seen = causal_mask(row.size(1), row.device) & words
        alone = torch.eye(row.size(1), dtype=torch.bool, device=row.device)
        mask = seen | alone  # (B, 1, S + T, S + T): padding sees itself
        x, _ = self.stack(self.embedding(row), mask, fast_attention)
        return x[:, source.size(1) :]  # (B, S + T, D) -> (B, T, D)


def pad_in_front(source, pad_id):
    """Move the padding of every row to its front.

    The words then stand next to those of the target, however much
    padding there is.

    Args:
        source: ids, int, (B, S), padded at the end.
        pad_id: id of the padding.

    Returns:
        int, (B, S).
    """
    pads = (source == pad_id).sum(dim=1, keepdim=True)  # (B, 1)
    places = torch.arange(source.size(1), device=source.device)  # (S,)
    return source.gather(1, (places - pads) % source.size(1))  # (B, S)


def make_model(config, rms=False, num_groups=None, alone=False):
    """Return an untrained model with the chosen parts of after 2017.

    Args:
        config: a `TransformerConfig`.
        rms: whether every layer norm becomes an RMS norm.
        num_groups: groups of every attention; None for one per head.
        alone: whether the model is a `DecoderOnly`.

    Returns:
        A `Transformer` or a `DecoderOnly`.
    """
    model = (DecoderOnly if alone else Transformer)(config)
    for parent in list(model.modules()):
        for name, part in list(parent.named_children()):
            if rms and type(part) is LayerNorm:
                setattr(parent, name, RMSNorm(config.d_model))
            elif num_groups and type(part) is MultiHeadAttention:
                sizes = config.d_model, config.num_heads, num_groups
                setattr(parent, name, GroupedQueryAttention(*sizes))
                getattr(parent, name).apply(initialise)
    return model
