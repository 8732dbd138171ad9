"""Recurrent encoder-decoders, without and with attention.

A recurrent network reads word by word and keeps a state, to which every
word adds something.  The methods are those of the Transformer, so that
both are trained, used and measured by the same code.

Dimension letters:
    B batch, T target length, S source length, D = d_model, vocab target words,
    N layers, C tensors in a state (LSTM 2, others 1).
"""

import torch
from torch import nn

from attnbook.data.vocabulary import PAD
from attnbook.dropout import Dropout
from attnbook.inputs import check_tokens
from attnbook.masks import padding_mask
from attnbook.recurrent_layers import (
    AttentionDecoder,
    AttentionEncoder,
    StateDecoder,
    StateEncoder,
)


def lengths_of(tokens, pad_id):
    """Count the words of each sentence.

    Args:
        tokens: token ids, int, (B, S), padded at the end.
        pad_id: the id that means "no word here".

    Returns:
        int64 on the CPU, (B,), from 1 to S.

    Raises:
        ValueError: a sentence without a single word, or with a word after
            padding: a recurrent network would have to read the padding.
    """
    not_pad = padding_mask(tokens, pad_id)[:, 0, 0]  # (B, S)
    gaps = (not_pad[:, 1:] > not_pad[:, :-1]).any(dim=-1)  # (B,)
    if gaps.any():
        raise ValueError(
            f"expected padding (id {pad_id}) only after the last word, got "
            f"a word after it in sentence(s) {gaps.nonzero()[:, 0].tolist()}"
        )
    return not_pad.sum(dim=-1).cpu()  # (B,)


def check_first_word(target, pad_id):
    """Refuse a target that starts with padding.

    Args:
        target: decoder input ids, int, (B, T).
        pad_id: padding id of the target.

    Raises:
        ValueError: padding at the first position.
    """
    if torch.compiler.is_compiling():  # looking at values would cut the graph
        return
    empty = (target[:, 0] == pad_id).nonzero()[:, 0].tolist()
    if empty:
        raise ValueError(
            "expected a target that starts with a word, got padding (id "
            f"{pad_id}) first in sentence(s) {empty}"
        )


class Recurrent(nn.Module):
    """A recurrent encoder-decoder, built from a `RecurrentConfig`.

    Without attention, Sutskever et al. (2014), sec. 2, and Cho et al.
    (2014), sec. 2.2: all that the decoder knows of the source is one state.
    With attention, Bahdanau et al. (2015), sec. 3.
    """

    def __init__(self, config):
        super().__init__()
        self.config, d_model = config, config.d_model
        self.source_embedding = nn.Embedding(config.source_vocab, d_model)
        self.target_embedding = nn.Embedding(config.target_vocab, d_model)
        self.dropout = Dropout(config.dropout)
        parts = StateEncoder, StateDecoder
        if config.attention:
            parts = AttentionEncoder, AttentionDecoder
        self.encoder, self.decoder = (part(config) for part in parts)
        self.output = nn.Linear(d_model, config.target_vocab, bias=False)

    def forward(self, source, target):
        """Score every possible next word after every target word.

        Args:
            source: source ids, int, (B, S), padded with `PAD` at the end.
            target: decoder input ids, int, (B, T), padded at the end.

        Returns:
            The logits, (B, T, vocab).

        Raises:
            ValueError: ids that the model cannot look up, an empty sentence,
                a sentence longer than max_length, or padding before a word
                of the source or at the target's start.
        """
        return self.output(self.states(source, target))  # (B, T, vocab)

    def states(self, source, target):
        """Return what the output layer reads, (B, T, D); see `forward`."""
        memory, mask, _ = self.encode(source)
        states, _ = self.decode(target, memory, mask)
        return states

    def encode(self, source):
        """Read the source.

        Args:
            source: source ids, int, (B, S), padded with `PAD`.

        Returns:
            The memory: with attention the states at all words, (B, S, D),
            without it the state after the last word, (B, 1, C * N * D).
            The mask of its padding, (B, 1, 1, S).  An empty list, because
            nothing attends here.

        Raises:
            ValueError: see `forward`.
        """
        c = self.config
        check_tokens(source, c.source_vocab, c.max_length, "source")
        x = self.dropout(self.source_embedding(source))  # (B, S, D)
        memory = self.encoder(x, lengths_of(source, PAD))
        return memory, self.source_mask(source), []

    def decode(self, target, memory, memory_mask):
        """Read the target's words and the memory; `output` scores them.

        Args:
            target: decoder input ids, int, (B, T), padded at the end.
            memory: the memory from `encode`; sentences first.
            memory_mask: its mask, (B, 1, 1, S); None hides nothing.  Not
                used without attention.

        Returns:
            The states, (B, T, D), which the output layer reads, and the
            weights, (B, T, S), or None without attention.

        Raises:
            ValueError: see `forward`.
        """
        c = self.config
        check_tokens(target, c.target_vocab, c.max_length, "target")
        check_first_word(target, PAD)
        x = self.dropout(self.target_embedding(target))  # (B, T, D)
        return self.decoder(x, memory, memory_mask)

    def attention_maps(self, source, target):
        """Return the attention weights; nothing is kept in the model.

        Args:
            source: source ids, int, (B, S).
            target: decoder input ids, int, (B, T).

        Returns:
            A dict of "cross", (1, B, 1, T, S), float: one layer, one head;
            every row sums to 1.

        Raises:
            ValueError: a model without attention; else see `forward`.
        """
        if not self.config.attention:
            raise ValueError(
                "expected a model with attention, got attention=False"
            )
        memory, mask, _ = self.encode(source)
        _, maps = self.decode(target, memory, mask)
        return {"cross": maps[None, :, None]}  # (1, B, 1, T, S)

    def source_mask(self, source):
        """Return the mask that hides the padding of a source, (B, S)."""
        return padding_mask(source, PAD)  # (B, 1, 1, S)
