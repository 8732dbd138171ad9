"""Position tables with right angles that are laid out or treated wrongly.

Dimension letters:
    T positions, D = d_model.
"""

import torch


def angles(length, d):
    """Return the angle of every number of the table, float64, (T, D)."""
    number = torch.arange(d, dtype=torch.float64)
    position = torch.arange(length, dtype=torch.float64)[:, None]
    return position / 10000.0 ** (2 * (number // 2) / d)


def wrong_layouts(length, d):
    """Return pairs of a hint and a table with right angles."""
    number = torch.arange(d)
    angle = angles(length, d)
    sine, cosine = angle.sin().float(), angle.cos().float()
    right = torch.where(number % 2 == 0, sine, cosine)
    halves = torch.cat([right[:, 0::2], right[:, 1::2]], dim=1)
    blocks = torch.cat([right[:, 0::2].ravel(), right[:, 1::2].ravel()])
    by_row = torch.where(torch.arange(length)[:, None] % 2 == 0, sine, cosine)
    return [
        (
            "all sines stand in the first half and all cosines in the second; "
            "interleave them: sine, cosine, sine, cosine",
            halves,
        ),
        (
            "all cosines stand in the first half and all sines in the second; "
            "interleave them, the sine first",
            torch.cat([right[:, 1::2], right[:, 0::2]], dim=1),
        ),
        (
            "the sines fill the first rows and the cosines the last ones; "
            "stack them on a new last axis, then flatten",
            blocks.reshape(length, d),
        ),
        (
            "sine and cosine take turns from row to row; they take turns from "
            "column to column",
            by_row,
        ),
        (
            "your table is transposed, (d, T); rows are positions",
            right.T,
        ),
        (
            "the numbers are right, but reshape has mixed them up: it does "
            "not turn (d, T) into (T, d); transpose with .T",
            right.T.reshape(length, d),
        ),
        (
            "sine and cosine are exchanged; the sine comes first",
            torch.where(number % 2 == 0, cosine, sine),
        ),
        ("every number is a sine; the odd ones are cosines", sine),
        ("every number is a cosine; the even ones are sines", cosine),
        ("you return the angles; take their sine and cosine", angle.float()),
        (
            "the pairs run backwards; the fastest pair comes first",
            right.flip(1).unflatten(1, (-1, 2)).flip(2).flatten(1)
            if d % 2 == 0
            else right.flip(1),
        ),
        (
            "the columns run backwards; the sine of the fastest pair comes "
            "first",
            right.flip(1),
        ),
    ]


def wrong_values(length, d):
    """Return pairs of a hint and a table with some numbers spoilt."""
    even = torch.arange(d) % 2 == 0  # (D,)
    angle = angles(length, d)
    sine, cosine = angle.sin().float(), angle.cos().float()
    zero = torch.zeros(())
    right = torch.where(even, sine, cosine)
    whole = angle.floor()
    share = torch.arange(length, dtype=torch.float64)[:, None] / 10000
    raised = share ** (2 * (torch.arange(d) // 2) / d)  # (T, D)
    return [
        (
            "the cosines are missing: the odd numbers are 0",
            torch.where(even, sine, zero),
        ),
        (
            "the sines are missing: the even numbers are 0",
            torch.where(even, zero, cosine),
        ),
        (
            "the sines have the wrong sign: is an angle negative?",
            torch.where(even, -sine, cosine),
        ),
        (
            "the cosines have the wrong sign: a sine that is shifted by pi / "
            "2 needs plus, not minus",
            torch.where(even, sine, -cosine),
        ),
        (
            "the cosines have lost their sign; a root is never negative, so "
            "take the cosine of the angle",
            torch.where(even, sine, cosine.abs()),
        ),
        (
            "every number is cut to a whole one: the table that you fill, or "
            "what you put into it, holds integers",
            right.trunc(),
        ),
        (
            "your angles are whole numbers: divide with /, not with //",
            torch.where(even, whole.sin(), whole.cos()).float(),
        ),
        (
            "you raise t / 10000 to the power; raise 10000 alone, then divide "
            "t by it",
            torch.where(even, raised.sin(), raised.cos()).float(),
        ),
    ]
