"""Check of merging heads.

Dimension letters:
    B batch, H heads, T length, D = d_model, d_k = D / H width of one head.
"""

from attnbook.checks.engine.exercise import Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.many_heads.split_heads.check import cases


def merge_heads(x):
    """Lay the heads side by side.

    Args:
        x: float, (B, H, T, d_k).

    Returns:
        One row per token, (B, T, D).
    """
    b, h, t, k = x.shape
    rows = x.transpose(1, 2)
    merged = rows.reshape(b, t, h * k)
    return merged


MISTAKES = table("""
    rows = x
        you flatten straight from (B, H, T, d_k), which puts several tokens of
        one head into one row; exchange heads and tokens first
    rows = x.permute(0, 2, 3, 1)
        the heads are interleaved: a row must hold all d_k numbers of head 0,
        then all of head 1; yours takes one number of each in turn
    rows = x.transpose(2, 3)
        you exchanged the wrong axes before flattening: tokens and width; it is
        heads and tokens, 1 and 2
    rows = x.transpose(1, 3)
    merged = x.transpose(1, 3).flatten(2)
        you exchanged heads and width before flattening; it is heads and
        tokens, axes 1 and 2
    rows = x.transpose(0, 1)
        you exchanged batch and heads, which mixes sentences; it is heads and
        tokens, axes 1 and 2
    merged = x.permute(1, 2, 0, 3).flatten(2)
        a loop over x, or list(x), walks over the batch, so that you lay
        sentences side by side; walk over the heads, x.unbind(1)
    merged = rows
        heads and tokens are exchanged, but not flattened: (B, T, H, d_k) still
        has four axes
    merged = x.reshape(b, h * t, k)
        you laid the heads below each other, (B, H T, d_k); they belong side by
        side, along the last axis
    merged = rows.reshape(b, h * t, k)
        you laid the heads below each other, token by token, (B, T H, d_k);
        they belong side by side in one row
    merged = rows.flatten(2).mT
        the result is transposed, (B, D, T); rows are tokens
    merged = rows.reshape(b, h * k, t).mT
    merged = x.reshape(b, h * k, t).mT
        you flatten to (B, D, T) and exchange the last two axes, which tears
        tokens apart; flatten (B, T, H, d_k) to (B, T, D) at once
    merged = rows.flatten(2).transpose(0, 1)
        the axes are (T, B, D); the batch comes first
    merged = rows.reshape(t, b, h * k).transpose(0, 1)
        you give batch and tokens each other's sizes when you flatten, which
        mixes sentences; flatten (B, T, H, d_k) to (B, T, D) at once
    merged = rows.reshape(b * t, h * k)
        you merged the batch into the tokens, (B T, D); keep it apart
    merged = rows.flatten(1)
        you put a whole sentence into one row, (B, T D); flatten heads and
        width alone
    merged = x.sum(1)
    merged = x.sum(1).repeat(1, 1, h)
        you add the heads up; each keeps its own place, side by side
    merged = x.mean(1)
    merged = x.mean(1).repeat(1, 1, h)
        you average the heads; each keeps its own place, side by side
    merged = x.amax(1)
        you keep the largest number of all heads; lay them side by side
    merged = x[:, 0]
        you keep the first head alone; lay all side by side
    merged = x[:, -1]
        you keep the last head alone; lay all side by side
    rows = x.transpose(1, 2).flip(2)
        the heads come in the wrong order: head 0 first
    merged = x[:, 0].repeat(1, 1, h)
        every block holds the first head
    merged = x
        you return the input as it came, (B, H, T, d_k)
""")


def exercise(draws):
    """Return the exercise with its inputs."""
    given = cases(draws, lambda x: (x,))
    return Exercise(
        right=merge_heads,
        returns={"the result": "B T D"},
        takes=("B H T d_k",),
        cases=given,
        mistakes=MISTAKES,
        trains=(("", given[0].inputs),),
    )


check_merge_heads = check(exercise)
