"""Check of splitting into heads.

Dimension letters:
    B batch, H heads, T length, D = d_model, d_k = D / H width of one head.
"""

import math

import torch

from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint

SIZES = (3, 4, 7, 5)  # B, H, T, d_k: all different
OTHER_SIZES = (2, 6, 5, 3)


def split_heads(x, num_heads):
    """Cut every token into heads.

    Args:
        x: float, (B, T, D).
        num_heads: H, which divides D.

    Returns:
        The heads, (B, H, T, d_k).
    """
    b, t, d = x.shape
    h = num_heads
    k = d // h
    parts = x.reshape(b, t, h, k)
    heads = parts.transpose(1, 2)
    return heads


MISTAKES = table("""
    heads = x.reshape(b, h, t, k)
        you pour the numbers into (B, H, T, d_k) in reading order, so head 0
        gets the first tokens whole instead of a part of each token; cut the
        width first, (B, T, H, d_k), then exchange two axes
    parts = x.reshape(b, t, k, h).mT
        the heads are interleaved: yours takes every H-th number; a head is a
        block of d_k neighbouring numbers, so cut D into (H, d_k), not (d_k, H)
    parts = x.reshape(b, t, k, h)
        num_heads is the number of pieces, not their width: yours has d_k heads
        of width H
    heads = parts
        you cut the width, but left the heads behind the tokens, (B, T, H,
        d_k); exchange these two axes
    heads = parts.permute(2, 0, 1, 3)
        the heads stand before the batch, (H, B, T, d_k); the batch comes first
    heads = torch.cat(x.chunk(h, -1)).reshape(b, h, t, k)
        you lay the heads below each other, those of all sentences, and cut
        again, so that sentences are mixed; stack them on a new axis, 1
    heads = parts.permute(1, 2, 0, 3)
    heads = parts.transpose(0, 1)
        tokens and batch are exchanged; the batch comes first, (B, H, T, d_k)
    heads = parts.transpose(2, 3)
        the heads stand last, (B, T, d_k, H); the stacked axis belongs behind
        the batch
    heads = parts.permute(0, 2, 3, 1)
        you exchanged tokens and width inside each head, (B, H, d_k, T)
    heads = x.reshape(b, h, k, t).transpose(2, 3)
        the shape is right, but inside a head tokens and width are mixed: you
        gave the last two axes each other's sizes
    heads = x.mT.reshape(b, h, t, k)
        you exchange tokens and width before you cut, so that tokens are torn
        apart; cut the width first, (B, T, H, d_k), then exchange two axes
    heads = parts.transpose(1, 2).flip(1)
        the heads come in the wrong order: head 0 is the first block
    heads = parts.transpose(1, 2).flip(2)
        the tokens come in the wrong order
    heads = parts.transpose(1, 2)[:, :1].expand(-1, h, -1, -1)
        every head gets the first block; head h gets the numbers from h d_k to
        (h + 1) d_k
    heads = torch.stack([x[..., i : i + k] for i in range(h)], 1)
        the slice of head h starts at number h; it goes from h d_k to (h + 1)
        d_k
    heads = parts.transpose(1, 2).flatten(0, 1)
        you folded the heads into the batch, (B H, T, d_k); this task wants
        them as an axis of their own
    heads = x.unsqueeze(1).expand(-1, h, -1, -1)
        every head gets the whole width; a head gets d_k = D / H numbers of
        each token
    heads = torch.stack(x.chunk(h), 1)
    heads = torch.stack(x.split(h), 1)
        you cut the batch, not the width: chunk and split cut the first axis
        unless you name another; write dim=-1
    heads = parts.transpose(1, 2) / k**0.5
        you divide the numbers by sqrt(d_k); a split only moves them
    heads = x
        you return the input as it came, (B, T, D)
""")


SAME = "(do the same at every size): "
SQUARE = "right while all sizes differ, but not when "
SHOWN = {
    SIZES: "",
    OTHER_SIZES: Hint(
        "right for (B, H, T, d_k) = {}, but not for {}: ", SIZES, OTHER_SIZES
    ),
    (2, 4, 4, 3): f"{SQUARE}there are as many heads as tokens {SAME}",
    (2, 3, 5, 3): f"{SQUARE}a head is as wide as there are heads {SAME}",
    (4, 4, 4, 4): f"right, but not when all sizes are the same {SAME}",
    (2, 1, 3, 5): "right, but not for one head: ",
    (2, 3, 1, 5): "right, but not for one token: ",
    (1, 3, 2, 5): "right, but not for one sentence: ",
    (1, 1, 1, 1): "right, but not when every size is 1: ",
}
TRANSPOSED = "right, but not when the input is itself a transposed tensor: "
FLOAT64 = "right for float32, but not for float64: "


def numbers(draws, sizes, dtype=torch.float32):
    """Return numbers that are all different and not whole, (B, H, T, d_k)."""
    generator = draws.seeded(3)
    order = torch.randperm(math.prod(sizes), generator=generator)
    return order.to(dtype).view(sizes) + 4 / 3


def scattered(x):
    """Return the same numbers, lying in memory in another order."""
    last = x.dim() - 1
    return x.transpose(1, last).contiguous().transpose(1, last)


def cases(draws, make):
    """Return all cases of splitting or of merging.

    Args:
        draws: where the numbers come from.
        make: a function of heads, (B, H, T, d_k), that returns the inputs.
    """
    plain = [
        Case(SHOWN[sizes], make(numbers(draws, sizes))) for sizes in SHOWN
    ]
    x, *others = make(numbers(draws, SIZES))
    y, *_ = make(numbers(draws, SIZES, torch.float64))
    return (
        *plain,
        Case(TRANSPOSED, (scattered(x), *others)),
        Case(FLOAT64, (scattered(y), *others), 1e-9),
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    given = cases(draws, lambda x: (x.transpose(1, 2).flatten(2), x.size(1)))
    return Exercise(
        right=split_heads,
        returns={"the result": "B H T d_k"},
        takes=("B T D", ""),
        cases=given,
        mistakes=MISTAKES,
        errors={
            "equal size": "if you cut with chunk or split: you cut the "
            "tokens, not the width (write dim=-1), or not into num_heads "
            "pieces, so that they differ in length"
        },
        trains=(("", given[0].inputs),),
    )


check_split_heads = check(exercise)
