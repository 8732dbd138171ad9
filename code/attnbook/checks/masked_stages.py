"""What the check of masked attention calls the answer with.

Dimension letters:
    B batch, H heads, T queries, S keys.
"""

import torch

from attnbook.checks.scaling import SIZES, SQUARE, example

ONE = (1, 1, 1, 1, 1, 1)


def mask_of(kind, sizes):
    """Return a mask with at least one True in every row."""
    b, h, t, s, _, _ = sizes
    if kind == "padding":  # (B, 1, 1, S)
        words = (s - 1 - torch.arange(b)).clamp(min=1)
        return (torch.arange(s) < words[:, None])[:, None, None]
    if kind == "causal":  # (T, S)
        return torch.ones(t, s, dtype=torch.bool).tril()
    if kind == "open":  # (1, 1, T, S)
        return torch.ones(1, 1, t, s, dtype=torch.bool)
    generator = torch.Generator().manual_seed(7 if kind == "other" else 6)
    if kind == "by head":  # (1, H, 1, S)
        lengths = torch.arange(h).view(1, h, 1, 1) % (s - 1) + 1
        return torch.arange(s) < lengths
    if kind == "three axes":  # (H, T, S)
        return mask_of("every", (1, *sizes[1:]))[0]
    mask = torch.rand(b, h, t, s, generator=generator) < 0.5
    return mask.scatter(
        -1,
        torch.arange(t).view(-1, 1).expand(b, h, t, 1) % s,
        torch.ones((), dtype=torch.bool).expand(b, h, t, 1),
    )


def inputs_of(kind, sizes=SIZES, **how):
    """Return queries, keys, values and a mask."""
    return (*example(sizes, **how), mask_of(kind, sizes))


def decisive():
    """Return inputs whose hidden keys would win by thousands."""
    q, k, v, mask = inputs_of("padding")
    q = q.abs() + 1
    k = torch.where(mask.transpose(-2, -1), -2e3, 20.0) * (k.abs() + 1)
    return q, k, v, mask


def lowest(score, dtype):
    """Return inputs whose visible keys all have the same very low score."""
    q, k, v, mask = inputs_of("padding", dtype=dtype)
    visible = torch.tensor(score, dtype=dtype)
    k = torch.where(mask.transpose(-2, -1), visible, k)
    return torch.ones_like(q), k, v, mask


def far_apart():
    """Return inputs whose visible scores differ by thousands."""
    q, k, v, mask = inputs_of("every")
    place = torch.arange(k.size(2)).view(-1, 1) - 3.0  # (S, 1)
    return torch.ones_like(q), 1e4 * place.expand_as(k), v, mask


def with_zeros():
    """Return inputs in which all scores of one visible key are 0."""
    q, k, v, mask = inputs_of("every")
    k = torch.where(torch.arange(k.size(2)).view(-1, 1) == 2, 0.0, k)
    return q, k, v, mask


STAGES = (
    ("", inputs_of("every"), 1e-5),
    ("right for a mask of shape (B, H, T, S), but not for a padding mask, "
     "(B, 1, 1, S): ", inputs_of("padding"), 1e-5),
    ("right for masks with four axes, but not for a causal one, (T, S): ",
     inputs_of("causal", SQUARE), 1e-5),
    ("right while all sizes differ, but not when T = S (do the same at every "
     "size): ", inputs_of("every", SQUARE), 1e-5),
    ("right, but not for another mask of the same shape (is something kept "
     "between calls?): ", inputs_of("other"), 1e-5),
    ("right for masks with two and four axes, but not with three, "
     "(H, T, S): ", inputs_of("three axes"), 1e-5),
    ("right, but not for a mask of shape (1, H, 1, S): ",
     inputs_of("by head"), 1e-5),
    ("right, but not when a visible key has the score 0: ", with_zeros(),
     1e-5),
    ("right when something is hidden, but not when nothing is: ",
     inputs_of("open"), 1e-5),
    ("right for small scores, but not when a hidden key has a score far "
     "above the others: ", decisive(), 1e-3),
    ("right for small scores, but not for visible ones that lie thousands "
     "apart: ", far_apart(), 1e-5),
    ("right for float32, but not for float64: ",
     inputs_of("every", dtype=torch.float64), 1e-5),
    ("right for float32, but not for float16: ",
     inputs_of("every", dtype=torch.float16), 1e-2),
    ("right for small scores, but not when all visible scores are very low: ",
     lowest(-(2.0**33), torch.float64), 1e-3),
    ("right, but not when every size is 1: ", inputs_of("open", ONE), 1e-5),
)  # fmt: skip
