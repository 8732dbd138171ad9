"""Next words with probabilities to multiply by hand; see chapter 14.

Dimension letters:
    R rows, t words so far, vocab words of the vocabulary.
"""

from types import SimpleNamespace

import torch
from torch import nn

from attnbook.data.vocabulary import BOS, EOS, SPECIALS

WORDS = (*SPECIALS, "it", "is", "rain", "rains", "raining", "wet", "hard")
NEXT = {  # the word read last: what may come next, and how probably
    "<bos>": {"it": 0.5, "rain": 0.3, "wet": 0.2},
    "it": {"is": 0.4, "rains": 0.35, "<eos>": 0.25},
    "is": {"raining": 0.6, "wet": 0.4},
    "rain": {"<eos>": 0.6, "rains": 0.4},
    "wet": {"<eos>": 0.6, "rain": 0.4},
    "rains": {"<eos>": 0.9, "hard": 0.1},
    "raining": {"<eos>": 0.9, "hard": 0.1},
    "hard": {"<eos>": 1.0},
}
SOURCE = torch.tensor([[EOS]])  # the lattice does not read its source


def make_log_table():
    """Return ln p of the next word, (vocab, vocab); row i: i was read last."""
    table = torch.zeros(len(WORDS), len(WORDS))
    for word, follow in NEXT.items():
        for other, p in follow.items():
            table[WORDS.index(word), WORDS.index(other)] = p
    table[:, EOS] += table.sum(-1) == 0  # after the end: the end
    return table.log()


class Lattice(nn.Module):
    """The table with the interface that `greedy` and `beam_search` need."""

    def __init__(self):
        super().__init__()
        self.config = SimpleNamespace(max_length=16)
        self.register_buffer("table", make_log_table())

    def encode(self, source):
        """Return a memory that says nothing, (B, 1), its mask, no weights."""
        mask = torch.ones(len(source), 1, 1, 1, dtype=torch.bool)
        return torch.zeros(len(source), 1), mask, []

    def decode(self, target, memory, memory_mask):
        """Return the words so far, (R, t): all that the next depends on."""
        return target, []

    def output(self, states):
        """Return the logits after each word, (R, t, vocab)."""
        return self.table[states]  # (R, t) -> (R, t, vocab)


def step(prefixes):
    """Return ln p of the next word after each prefix, (R, vocab).

    Args:
        prefixes: R lists of ids, each beginning with <bos>.
    """
    last = torch.tensor([prefix[-1] for prefix in prefixes])  # (R,)
    return make_log_table()[last]  # (R, vocab)


def write(ids):
    """Return ids as words, without <bos> and <eos>."""
    return " ".join(WORDS[i] for i in ids if i not in (BOS, EOS))
