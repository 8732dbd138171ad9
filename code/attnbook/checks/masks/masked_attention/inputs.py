"""What the check of masked attention calls the answer with.

Dimension letters:
    B batch, H heads, T queries, S keys, d_k width of a query or key.
"""

import torch

from attnbook.checks.scaling.scaled_attention.check import SIZES, example

NARROW = (2, 3, 4, 5, 1, 3)  # d_k = 1: a score is one product, unscaled


def mask_of(draws, kind, sizes):
    """Return a mask with at least one True in every row."""
    b, h, t, s, _, _ = sizes
    if kind == "padding":  # (B, 1, 1, S)
        words = (s - 1 - torch.arange(b)).clamp(min=1)
        return (torch.arange(s) < words[:, None])[:, None, None]
    if kind == "causal":  # (T, S)
        return torch.ones(t, s, dtype=torch.bool).tril()
    if kind == "open":  # (1, 1, T, S)
        return torch.ones(1, 1, t, s, dtype=torch.bool)
    if kind == "by head":  # (1, H, 1, S)
        return torch.arange(s) < torch.arange(h).view(1, h, 1, 1) % s + 1
    if kind == "three axes":  # (H, T, S)
        return mask_of(draws, "every", (1, *sizes[1:]))[0]
    generator = draws.seeded(7 if kind == "other" else 6)
    mask = torch.rand(b, h, t, s, generator=generator) < 0.5
    place = torch.arange(t).view(-1, 1).expand(b, h, t, 1) % s
    return mask.scatter(-1, place, torch.ones_like(place, dtype=torch.bool))


def inputs_of(draws, kind, sizes=SIZES, **how):
    """Return queries, keys, values and a mask."""
    return (*example(draws, sizes, **how), mask_of(draws, kind, sizes))


def with_scores(draws, visible, hidden, dtype):
    """Return inputs with these scores, at most; one key a row is visible."""
    q, k, v, _ = inputs_of(draws, "padding", NARROW, dtype=dtype)
    place = torch.arange(k.size(2))
    mask = (place == torch.arange(len(k))[:, None])[:, None, None]
    keys = torch.where(mask, visible, hidden * (1 - place / 8)).mT
    return torch.ones_like(q), keys.to(dtype) + 0 * k, v, mask


def decisive(draws, dtype=torch.float32):
    """Return inputs whose hidden keys would win by hundreds."""
    q, k, v, mask = inputs_of(draws, "padding", dtype=dtype)
    k = torch.where(mask.mT, k, 100 * (k.abs() + 1))
    return q.abs() + 1, k, v, mask


def far_apart(draws):
    """Return inputs whose visible scores differ by thousands."""
    q, k, v, mask = inputs_of(draws, "every")
    place = torch.arange(k.size(2)).view(-1, 1) - 3.0  # (S, 1)
    return torch.ones_like(q), 1e4 * place.expand_as(k), v, mask


def with_zeros(draws):
    """Return inputs in which all scores of one visible key are 0."""
    q, k, v, mask = inputs_of(draws, "every")
    k = torch.where(torch.arange(k.size(2)).view(-1, 1) == 2, 0.0, k)
    return q, k, v, mask


def by_sentence(mask, raw):
    """Return a mask of three axes as (B, 1, T, S), where that fits."""
    fits = mask.dim() == 3 and len(mask) == len(raw)
    return mask[:, None] if fits else mask
