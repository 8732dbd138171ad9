"""The running sentence of the course, with numbers small enough to read.

Six of its eleven words get four numbers each, made up by hand so that every
number means something.  A trained model finds its own, and nobody can read
them.  Chapters 1, 3, 5, 6 and 7 use these: what one chapter scores, the next
one normalises and mixes.

Dimension letters:
    T words, D = d_model numbers per word, d_k per query or key, d_v per value.
"""

import torch

SENTENCE = "The animal didn't cross the street because it was too tired"
WIDE = "The animal didn't cross the street because it was too wide"
WORDS = ("animal", "cross", "street", "it", "too", "tired")
FEATURES = ("living", "place", "property", "pointing")

EMBEDDINGS = (
    (2, 0, 0, 0),  # animal: a living thing
    (0, 1, 0, 1),  # cross: goes with places, points to who does it
    (0, 2, 0, 0),  # street: a place
    (0, 0, 0, 2),  # it: points to something, nothing else
    (0, 0, 1, 0),  # too: goes with properties
    (1, 0, 2, 0),  # tired: a property of living things
)
# Row i says what a word with feature i looks for, offers, hands over.
W_Q = (
    (0, 0, 1, 0),  # a living thing looks for a property,
    (0, 0, 0, 1),  # a place for words that point,
    (1, 0, 0, 0),  # a property for a living thing,
    (1, 1, 0, 0),  # a pointing word for a living thing or a place
)
W_K = (
    (1, 0, 0, 0),
    (0, 1, 0, 0),
    (0, 0, 1, 0),
    (-1, 0, 0, 1),  # a pointing word is no living thing itself
)
W_V = (
    (1, 0, 0, 0),
    (0, 1, 0, 0),
    (0, 0, 1, 0),
    (0, 0, 0, 0),  # pointing is not handed over
)


def embeddings():
    """Return one row per word of `WORDS`, float, (T, D) = (6, 4)."""
    return torch.tensor(EMBEDDINGS, dtype=torch.float)


def projections():
    """Return W_Q and W_K, (D, d_k), and W_V, (D, d_v), float; all 4 x 4."""
    return tuple(
        torch.tensor(rows, dtype=torch.float) for rows in (W_Q, W_K, W_V)
    )


def views():
    """Return queries (T, d_k), keys (T, d_k) and values (T, d_v) of the words.

    Vaswani et al. (2017), sec. 3.2.1: Q = X W_Q, K = X W_K, V = X W_V.
    """
    x = embeddings()  # (T, D)
    return tuple(x @ w for w in projections())


def two_maps():
    """Return maps A and B of the words, (T, T) each, for readers to compare.

    A has the weights of the running sentence at temperature 100, B those at
    1.5, except for one row, "too", which gives all to a single key.
    """
    q, k, _ = views()  # (T, d_k), (S, d_k)
    scores = q @ k.T / 2  # (T, S), d_k = 4
    sharper = (scores / 1.5).softmax(-1)
    sharper[WORDS.index("too")] = torch.eye(len(WORDS))[0]
    return {"A": (scores / 100).softmax(-1), "B": sharper}
