"""Recurrent encoders and decoders, without and with attention.

The recurrences themselves are PyTorch's: `nn.RNN`, `nn.LSTM`, `nn.GRU`.  Each
part takes its sizes and variants from a `RecurrentConfig`.

Dimension letters:
    B batch, T target length, S source length, D = d_model, N layers,
    C tensors in a state (LSTM 2, others 1).
"""

import math

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnbook.attention import AdditiveAttention
from attnbook.dropout import Dropout

NETWORKS = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}
CELLS = {"rnn": nn.RNNCell, "lstm": nn.LSTMCell, "gru": nn.GRUCell}


def network_of(config, **changes):
    """Return an `nn.RNN`, `nn.LSTM` or `nn.GRU`, batch first.

    Args:
        config: a `RecurrentConfig`, which names the kind.
        **changes: arguments of the network that differ from it.
    """
    settings = {
        "input_size": config.d_model,
        "hidden_size": config.d_model,
        "num_layers": config.num_layers,
        "dropout": config.dropout if config.num_layers > 1 else 0.0,
        "batch_first": True,
    }
    return NETWORKS[config.cell](**{**settings, **changes})


def pack_state(state):
    """Lay all vectors of a state side by side, (B, C * N * D).

    Args:
        state: of a GRU or RNN, (N, B, D); of an LSTM, two of them.
    """
    if isinstance(state, tuple):  # LSTM: hidden state and cell state
        state = torch.cat(state)  # 2 x (N, B, D) -> (2 * N, B, D)
    return state.transpose(0, 1).flatten(1)  # (B, C * N * D)


def unpack_state(packed, config):
    """Undo `pack_state`.

    Args:
        packed: float, (B, C * N * D).
        config: a `RecurrentConfig`.

    Returns:
        Of a GRU or RNN, (N, B, D); of an LSTM, two of them.
    """
    state = packed.unflatten(1, (-1, config.d_model))  # (B, C * N, D)
    state = state.transpose(0, 1).contiguous()  # (C * N, B, D)
    if config.cell == "lstm":
        return tuple(state.chunk(2))  # 2 x (N, B, D)
    return state  # (N, B, D)


def hidden_state(state):
    """Return the hidden state, without the cell state of an LSTM."""
    return state[0] if isinstance(state, tuple) else state


def additive_context(query, projected, memory, v, mask=None):
    """Look at the memory once: additive attention with projected keys.

    Bahdanau et al. (2015), sec. A.1.2: the keys do not change from word to
    word, so they are projected once for all words.  Otherwise the same
    function as `attnbook.attention.additive_attention`, unchecked.

    Args:
        query: projected state of the decoder, float, (B, A).
        projected: projected memory, float, (B, S, A).
        memory: states of the encoder, float, (B, S, D).
        v: weights of the score, (A,).
        mask: bool, (B, S), True = may attend; or None.

    Returns:
        The context, (B, D), and the weights, (B, S).
    """
    scores = (query[:, None] + projected).tanh() @ v  # (B, S)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)  # (B, S)
    weights = scores.softmax(dim=-1)  # (B, S)
    return (weights[:, None] @ memory)[:, 0], weights  # (B, D), (B, S)


class StateEncoder(nn.Module):
    """Read a sentence into one state.

    Sutskever et al. (2014), sec. 2; Cho et al. (2014), sec. 2.2.
    """

    def __init__(self, config):
        super().__init__()
        self.network = network_of(config)

    def forward(self, x, lengths):
        """Return the state after the last word.

        Args:
            x: embedded source, float, (B, S, D), padded at the end.
            lengths: numbers of words, int64 on the CPU, (B,).

        Returns:
            The memory, (B, 1, C * N * D).
        """
        words = pack_padded_sequence(x, lengths, True, enforce_sorted=False)
        _, state = self.network(words)
        return pack_state(state)[:, None]  # (B, 1, C * N * D)


class AttentionEncoder(nn.Module):
    """Read a sentence from both ends, keep the state at every word.

    Bahdanau et al. (2015), sec. 3.2.  Each direction has half the width,
    so that the two together have D; in the paper they have 2 D.
    """

    def __init__(self, config):
        super().__init__()
        half = config.d_model // 2
        self.network = network_of(config, hidden_size=half, bidirectional=True)

    def forward(self, x, lengths):
        """Return the states: left to right, then right to left.

        Args:
            x: embedded source, float, (B, S, D), padded at the end.
            lengths: numbers of words, int64 on the CPU, (B,).

        Returns:
            The memory, (B, S, D); 0 at padding.
        """
        words = pack_padded_sequence(x, lengths, True, enforce_sorted=False)
        states, _ = self.network(words)
        return pad_packed_sequence(states, True, total_length=x.size(1))[0]


class StateDecoder(nn.Module):
    """Write from one state: Sutskever et al. (2014), sec. 2."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.network = network_of(config)
        self.dropout = Dropout(config.dropout)

    def forward(self, x, memory, memory_mask=None):
        """Run over the whole target at once.

        Args:
            x: embedded target, float, (B, T, D).
            memory: output of `StateEncoder`, (B, 1, C * N * D).
            memory_mask: not used; this memory has no padding.

        Returns:
            The states, (B, T, D), and None in the place of weights.
        """
        state = unpack_state(memory[:, 0], self.config)
        states, _ = self.network(x, state)  # (B, T, D)
        return self.dropout(states), None


class AttentionDecoder(nn.Module):
    """Write, and look at the whole memory before every word.

    Bahdanau et al. (2015), sec. 3.1 and A.2.2.  The paper reads the next
    word out of a maxout layer, this class out of a tanh layer.
    """

    def __init__(self, config):
        super().__init__()
        self.config, d, n = config, config.d_model, config.num_layers
        cell, c = CELLS[config.cell], 2 if config.cell == "lstm" else 1
        self.start = nn.Linear(d // 2, c * n * d)
        widths = [2 * d] + [d] * (n - 1)  # the first reads word and context
        self.cells = nn.ModuleList(cell(width, d) for width in widths)
        self.attention = AdditiveAttention(d, d, d)
        self.readout = nn.Linear(3 * d, d)
        self.dropout = Dropout(config.dropout)

    def forward(self, x, memory, memory_mask=None):
        """Run over the target word by word.

        Args:
            x: embedded target, float, (B, T, D).
            memory: output of `AttentionEncoder`, (B, S, D).
            memory_mask: bool, (B, 1, 1, S), True = may attend; or None.

        Returns:
            The states, (B, T, D), and the weights, (B, T, S).
        """
        mask = None if memory_mask is None else memory_mask[:, 0, 0]  # (B, S)
        keys = memory @ self.attention.w_k  # (B, S, D)
        layers, found, maps = self.first_state(memory), [], []
        for word in x.unbind(1):  # (B, D)
            query = hidden_state(layers[-1]) @ self.attention.w_q  # (B, D)
            context, weights = additive_context(
                query, keys, memory, self.attention.v, mask
            )
            y, layers = self.step(torch.cat([word, context], -1), layers)
            found.append(torch.cat([y, context, word], -1))  # (B, 3 * D)
            maps.append(weights)
        states = self.readout(torch.stack(found, 1)).tanh()  # (B, T, D)
        return self.dropout(states), torch.stack(maps, 1)

    def first_state(self, memory):
        """Return each layer's state before the first word."""
        end = memory[:, 0, self.config.d_model // 2 :]  # (B, D / 2)
        state = unpack_state(self.start(end).tanh(), self.config)
        if isinstance(state, tuple):  # LSTM: pairs of (B, D), one per layer
            return list(zip(*state, strict=True))
        return list(state)

    def step(self, x, layers):
        """Return the top layer's vector, (B, D), and each layer's state."""
        states = []
        for cell, state in zip(self.cells, layers, strict=True):
            states.append(cell(x, state))
            x = self.dropout(hidden_state(states[-1]))  # (B, D)
        return x, states
