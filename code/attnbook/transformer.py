"""The Transformer: an encoder-decoder made of attention.

Dimension letters:
    B batch, H heads, T target length, S source length, D = d_model, vocab
    target words, N layers.
"""

import math

import torch
from torch import nn

from attnbook.attention import fast_attention, scaled_dot_product_attention
from attnbook.data.vocabulary import PAD
from attnbook.dropout import Dropout
from attnbook.inputs import check_memory, check_tokens
from attnbook.masks import decoder_mask, padding_mask
from attnbook.positions import (
    LearnedPositions,
    NoPositions,
    SinusoidalPositions,
)
from attnbook.stacks import Decoder, DecoderLayer, Encoder, EncoderLayer


class Embedding(nn.Module):
    """Look up a vector per token, scale it, add the position.

    Vaswani et al. (2017), sec. 3.4 and 3.5.  The table is an
    `nn.Embedding`, (vocabulary, D), and may be shared.
    """

    def __init__(self, table, config):
        super().__init__()
        self.table = table
        self.scale = math.sqrt(config.d_model)
        self.dropout = Dropout(config.dropout)
        if config.positions == "sinusoidal":
            self.add = SinusoidalPositions(config.d_model, config.max_length)
        elif config.positions == "learned":
            self.add = LearnedPositions(config.d_model, config.max_length)
        else:  # rotary positions act inside attention
            self.add = NoPositions()

    def forward(self, tokens, start=0):
        """Return the stream's first vectors, (B, T, D), of ids (B, T).

        Args:
            tokens: ids, int, (B, T).
            start: position of the first of them.
        """
        x = self.table(tokens) * self.scale  # (B, T) -> (B, T, D)
        return self.dropout(self.add(x, start))  # (B, T, D)


def initialise(module):
    """Start a part of the model: matrices by Glorot, biases at 0.

    Embeddings start at N(0, 1 / d_model): times sqrt(d_model), as in sec.
    3.4, their numbers have variance 1.  The paper does not say how it
    starts.

    Args:
        module: any part of the model; changed in place.
    """
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Embedding):
        nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)


class Transformer(nn.Module):
    """The encoder-decoder Transformer: Vaswani et al. (2017), sec. 3.

    Its sizes and variants are those of a `TransformerConfig`.
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        source = nn.Embedding(config.source_vocab, config.d_model)
        target = nn.Embedding(config.target_vocab, config.d_model)
        self.output = nn.Linear(
            config.d_model, config.target_vocab, bias=False
        )
        if config.shared_embeddings:
            target = source
        self.source_embedding = Embedding(source, config)
        self.target_embedding = Embedding(target, config)
        layers = range(config.num_encoder_layers)
        self.encoder = Encoder([EncoderLayer(config) for _ in layers], config)
        layers = range(config.num_decoder_layers)
        self.decoder = Decoder([DecoderLayer(config) for _ in layers], config)
        self.apply(initialise)
        if config.shared_embeddings:
            self.output.weight = source.weight

    def forward(self, source, target):
        """Score every possible next word after every target word.

        Args:
            source: source ids, int, (B, S), padded with `PAD`.
            target: decoder input ids, int, (B, T), padded at the end.

        Returns:
            The logits, (B, T, vocab).

        Raises:
            ValueError: ids that the model cannot look up, an empty sentence,
                or a sentence longer than max_length.
        """
        return self.output(self.states(source, target))  # (B, T, vocab)

    def states(self, source, target):
        """Return what the output layer reads, (B, T, D); see `forward`."""
        memory, mask, _ = self.encode(source)
        states, _ = self.decode(target, memory, mask)
        return states

    def encode(self, source, attend=fast_attention):
        """Read the source.

        Args:
            source: source ids, int, (B, S), padded with `PAD`.
            attend: the attention function, called in every layer.

        Returns:
            The memory, (B, S, D), the mask of its padding, (B, 1, 1, S),
            and the weights of each layer, as `attend` returns them.

        Raises:
            ValueError: see `forward`.
        """
        c = self.config
        check_tokens(source, c.source_vocab, c.max_length, "source")
        x = self.source_embedding(source)  # (B, S, D)
        mask = self.source_mask(source)  # (B, 1, 1, S)
        memory, maps = self.encoder(x, mask, attend)
        return memory, mask, maps

    def decode(self, target, memory, memory_mask, attend=fast_attention):
        """Read the target's words and the memory; `output` scores them.

        Args:
            target: decoder input ids, int, (B, T), padded at the end.
            memory: the memory from `encode`, (B, S, D).
            memory_mask: its mask, (B, 1, 1, S); None hides nothing.
            attend: the attention function, called in every layer.

        Returns:
            The states, (B, T, D), which the output layer reads, and both
            weights of each layer, as `attend` returns them.

        Raises:
            ValueError: see `forward`.
        """
        c = self.config
        check_tokens(target, c.target_vocab, c.max_length, "target")
        check_memory(target, memory, memory_mask)
        x = self.target_embedding(target)  # (B, T, D)
        masks = self.target_mask(target), memory_mask
        return self.decoder(x, memory, masks, attend)

    def attention_maps(self, source, target):
        """Return all attention weights; nothing is kept in the model.

        Args:
            source: source ids, int, (B, S).
            target: decoder input ids, int, (B, T).

        Returns:
            A dict of "encoder", (N, B, H, S, S), "decoder",
            (N, B, H, T, T), and "cross", (N, B, H, T, S): one map for
            each layer, sentence and head, float; every row sums to 1.

        Raises:
            ValueError: see `forward`.
        """
        attend = scaled_dot_product_attention
        memory, mask, encoder = self.encode(source, attend)
        _, decoder = self.decode(target, memory, mask, attend)
        own, cross = zip(*decoder, strict=True)
        maps = {"encoder": encoder, "decoder": own, "cross": cross}
        return {name: torch.stack(tuple(w)) for name, w in maps.items()}

    def source_mask(self, source):
        """Return the mask that hides the padding of a source, (B, S)."""
        return padding_mask(source, PAD)  # (B, 1, 1, S)

    def target_mask(self, target):
        """Return the mask that hides padding and the future, of (B, T)."""
        return decoder_mask(target, PAD)  # (B, 1, T, T)
