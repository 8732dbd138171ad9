"""The tables of the closing page: the running sentence in numbers."""

import math

import torch

from attnbook.attention import scaled_dot_product_attention
from attnbook.layers import layer_norm
from attnbook.masks import causal_mask
from attnbook.multihead import merge_heads, split_heads
from attnbook.tasks import running_sentence
from blocks import block, table

WORDS = list(running_sentence.WORDS)
FEATURES = list(running_sentence.FEATURES)


def spell(
    rows: torch.Tensor, columns: list[str], places: int, kind: str = "word"
) -> str:
    """Return a table of numbers, one row per word or per feature."""
    names = WORDS if kind == "word" else FEATURES
    lines = []
    for name, numbers in zip(names, rows.tolist(), strict=True):
        rounded = [round(x, places) + 0.0 for x in numbers]  # no minus zero
        lines.append([f"*{name}*", *(f"{x:.{places}f}" for x in rounded)])
    return table([kind, *columns], lines)


def numbered(letter: str, count: int) -> list[str]:
    """Return the names of numbered columns."""
    return [f"{letter}{i}" for i in range(count)]


def heads(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return the contexts of two heads side by side, (T, D)."""
    split = (split_heads(x[None], 2) for x in (q, k, v))  # (1, H, T, d_k)
    return merge_heads(scaled_dot_product_attention(*split)[0])[0]


def tables() -> dict[str, str]:
    """Return name -> table, in the order of the page."""
    x = running_sentence.embeddings()  # (T, D)
    q, k, v = running_sentence.views()  # (T, d_k), (S, d_k), (S, d_v)
    scores = q @ k.T  # (T, S)
    context, weights = scaled_dot_product_attention(q, k, v)
    _, past = scaled_dot_product_attention(q, k, v, causal_mask(len(WORDS)))
    stream = x + context  # (T, D)
    normed = layer_norm(stream, torch.ones(4), torch.zeros(4))  # (T, D)
    ids = torch.arange(len(WORDS))[:, None]  # (T, 1)
    matrices = torch.cat(
        running_sentence.projections(), dim=1
    )  # (D, 2 d_k + d_v)
    columns = [name for letter in "qkv" for name in numbered(letter, 4)]
    return {
        "ids": spell(ids, ["id"], 0),
        "embeddings": spell(x, FEATURES, 0),
        "matrices": spell(matrices, columns, 0, "feature"),
        "queries": spell(q, numbered("q", 4), 0),
        "keys": spell(k, numbered("k", 4), 0),
        "values": spell(v, FEATURES, 0),
        "scores": spell(scores, WORDS, 0),
        "scaled": spell(scores / math.sqrt(4), WORDS, 1),
        "weights": spell(weights, WORDS, 2),
        "past": spell(past, WORDS, 2),
        "context": spell(context, FEATURES, 2),
        "heads": spell(heads(q, k, v), FEATURES, 2),
        "stream": spell(stream, FEATURES, 2),
        "normed": spell(normed, FEATURES, 2),
        "logits": spell(normed @ x.T, WORDS, 2),
        "next": spell((normed @ x.T).softmax(-1), WORDS, 2),
    }


for name, text in tables().items():
    block(f"running: {name}", text)(str)
