"""The wrong answers that the checks of splitting and merging know by name.

Dimension letters:
    B batch, H heads, T length, D = d_model, K = D / H width of one head.
"""

import torch

from attnbook.checks.engine.calling import LOST

CUT_BATCH = (
    "you cut the batch, not the width: chunk and split cut the first axis "
    "unless you name another; write dim=-1"
)


def wrong_splits(x, num_heads):
    """Return pairs of a hint and the tensor that the mistake gives."""
    b, t, d = x.shape
    h, k = num_heads, d // num_heads
    parts = x.reshape(b, t, h, k)  # (B, T, H, K), right so far
    right = parts.transpose(1, 2)  # (B, H, T, K)
    first = right[:, :1].expand(-1, h, -1, -1)
    return [
        (
            "you pour the numbers into (B, H, T, K) in reading order, so a "
            "head gets whole tokens instead of a part of each; cut the width "
            "first, (B, T, H, K), then exchange two axes",
            x.reshape(b, h, t, k),
        ),
        (
            "the heads are interleaved: yours takes every H-th number; a head "
            "is a block of K neighbouring numbers, so cut D into (H, K), not "
            "(K, H)",
            x.reshape(b, t, k, h).permute(0, 3, 1, 2),
        ),
        (
            "you cut the width, but left the heads behind the tokens, "
            "(B, T, H, K); exchange these two axes",
            parts,
        ),
        (
            "the heads stand before the batch, (H, B, T, K); the batch comes "
            "first",
            parts.permute(2, 0, 1, 3),
        ),
        (
            "tokens and batch are exchanged, (T, H, B, K)",
            parts.permute(1, 2, 0, 3),
        ),
        (
            "the heads stand last, (B, T, K, H); the stacked axis belongs "
            "behind the batch",
            parts.transpose(2, 3),
        ),
        (
            "you exchanged tokens and width inside each head, (B, H, K, T)",
            parts.permute(0, 2, 3, 1),
        ),
        (
            "num_heads is the number of pieces, not their width: yours has "
            "K heads of width H",
            x.reshape(b, t, k, h).transpose(1, 2),
        ),
        (
            "the shape is right, but inside a head tokens and width are "
            "mixed: you gave the last two axes each other's sizes",
            x.reshape(b, h, k, t).transpose(2, 3),
        ),
        (
            "the heads come in the wrong order: head 0 is the first block",
            right.flip(1),
        ),
        ("the tokens come in the wrong order", right.flip(2)),
        (
            "every head gets the first block; head h gets the numbers from "
            "h K to (h + 1) K",
            first,
        ),
        (
            "you folded the heads into the batch, (B H, T, K); this task "
            "wants them as an axis of their own",
            right.reshape(b * h, t, k),
        ),
        (
            "every head gets the whole width; a head gets K = D / H numbers "
            "of each token",
            x.unsqueeze(1).expand(-1, h, -1, -1),
        ),
        (CUT_BATCH, x.unsqueeze(0)),  # of torch.stack(x.chunk(h), 1)
        (CUT_BATCH, x.unsqueeze(1)),  # of torch.stack(x.split(h), 1)
        (
            "you return the input as it came, (B, T, D)",
            x,
        ),
    ]


def wrong_merges(x):
    """Return pairs of a hint and the tensor that the mistake gives."""
    b, h, t, k = x.shape
    right = x.transpose(1, 2).reshape(b, t, h * k)  # (B, T, D)
    return [
        (
            "you flatten straight from (B, H, T, K), which puts several "
            "tokens of one head into one row; exchange heads and tokens first",
            x.reshape(b, t, h * k),
        ),
        (
            "the heads are interleaved: a row must hold all K numbers of head "
            "0, then all of head 1; yours takes one number of each in turn",
            x.permute(0, 2, 3, 1).reshape(b, t, h * k),
        ),
        (
            "you exchanged the wrong axes before flattening: tokens and "
            "width; it is heads and tokens, 1 and 2",
            x.transpose(2, 3).reshape(b, t, h * k),
        ),
        (
            "you exchanged heads and width before flattening; it is heads "
            "and tokens, axes 1 and 2",
            x.transpose(1, 3).reshape(b, t, h * k),
        ),
        (
            "you exchanged batch and heads, which mixes sentences; it is "
            "heads and tokens, axes 1 and 2",
            x.transpose(0, 1).reshape(b, t, h * k),
        ),
        (
            "a loop over x, or list(x), walks over the batch, so that you "
            "lay sentences side by side; walk over the heads, x.unbind(1)",
            x.permute(1, 2, 0, 3).flatten(2),
        ),
        (
            "heads and tokens are exchanged, but not flattened: (B, T, H, K) "
            "still has four axes",
            x.transpose(1, 2),
        ),
        (
            "you laid the heads below each other, (B, H T, K); they belong "
            "side by side, along the last axis",
            x.reshape(b, h * t, k),
        ),
        (
            "you laid the heads below each other, token by token, "
            "(B, T H, K); they belong side by side in one row",
            x.transpose(1, 2).reshape(b, h * t, k),
        ),
        (
            "the result is transposed, (B, D, T); rows are tokens",
            right.transpose(1, 2),
        ),
        (
            "the axes are (T, B, D); the batch comes first",
            right.transpose(0, 1),
        ),
        (
            "you merged the batch into the tokens, (B T, D); keep it apart",
            right.reshape(b * t, h * k),
        ),
        (
            "you put a whole sentence into one row, (B, T D); flatten heads "
            "and width alone",
            right.reshape(b, t * h * k),
        ),
        (
            "you add the heads up; each keeps its own place, side by side",
            x.sum(1),
        ),
        (
            "you average the heads; each keeps its own place, side by side",
            x.mean(1),
        ),
        ("you keep the first head alone; lay all side by side", x[:, 0]),
        ("you keep the last head alone; lay all side by side", x[:, -1]),
        (
            "the heads come in the wrong order: head 0 first",
            x.flip(1).transpose(1, 2).reshape(b, t, h * k),
        ),
        (
            "every block holds the first head",
            x[:, 0].repeat(1, 1, h),
        ),
        ("you return the input as it came, (B, H, T, K)", x),
    ]


def mixed(result, right, axes):
    """Say where a result of the right shape goes wrong first.

    Args:
        result: the result; right ones hold the numbers from 1/3 on.
        right: the right result, of the same shape.
        axes: names of its axes.

    Returns:
        A hint.
    """
    first = torch.nonzero(result != right)[0].tolist()
    named = zip(axes, first, strict=True)
    place = ", ".join(f"{name} {index}" for name, index in named)
    moved = result.flatten().sort().values
    if not torch.equal(moved, right.flatten().sort().values):
        if torch.allclose(result, right, rtol=1e-2, atol=0):
            return LOST
        return (
            f"some numbers are lost, changed or used twice, first at {place}; "
            "splitting and merging only move them"
        )
    return f"all numbers are there, but not in place, first at {place}"
