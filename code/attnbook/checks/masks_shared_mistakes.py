"""Mistakes that several masks share.

Dimension letters:
    B batch, S length.
"""

import torch


def ones(length):
    """Return a square of True, (length, length)."""
    return torch.ones(length, length, dtype=torch.bool)


def same(a, b):
    """Say whether two masks are equal in shape and value."""
    return a.shape == b.shape and torch.equal(a, b)


def over_the_batch(keys):
    """Return pairs of a hint and a mask that mixes the sentences."""
    return [
        (
            "every sentence has the mask of the first one",
            keys[:1].expand_as(keys),
        ),
        (
            "a place is hidden in every sentence as soon as it is hidden in "
            "one; each sentence has a mask of its own",
            keys.all(0, keepdim=True).expand_as(keys),
        ),
    ]


def coarse(tokens, pad):
    """Return pairs of a hint and a mask of ids in a type too small."""
    hint = (
        "it compares the ids in a type that cannot tell large ones apart "
        "(float16, float32, int8, ...); compare them as they come"
    )
    small = (torch.float32, torch.float16, torch.int16, torch.int8)
    return [
        (hint, (tokens.to(kind) != torch.tensor(pad).to(kind))[:, None, None])
        for kind in small
    ]


def ids_confused(tokens, own, other, side, other_side):
    """Return pairs of a hint and a mask that hides words by their ids."""
    words = tokens != own  # (B, S)
    return [
        (
            f"both padding ids are hidden, but {other_side}_pad may be a "
            f"word of the {side}; hide {side}_pad alone",
            (words & (tokens != other))[:, None, None],
        ),
        (
            f"it hides what is not above {side}_pad; words may have smaller "
            "ids than the padding",
            (tokens > own)[:, None, None],
        ),
    ]
