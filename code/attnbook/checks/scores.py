"""Check of dot-product scores.

Dimension letters:
    B batch, H heads, T queries, S keys, K = d_k width of a query or key.
"""

import math

import torch
import torch.nn.functional as F

from attnbook.checks.engine.calling import (
    LOST,
    call,
    check_tensor,
    close,
    first_match,
    require_gradient,
)
from attnbook.checks.engine.verdict import Mistake, checker

HELP = (
    "all pairs are needed, with any axes in front: turn the last two axes of "
    "the keys round, k.transpose(-2, -1); k.T turns all of them"
)
TURN = "the keys are not turned round: k @ needs rows with columns, so use "
TURN += "k.transpose(-2, -1)"


def example(*shape, factor=1.0, dtype=torch.float32):
    """Draw queries (..., T, K) and keys (..., S, K), none contiguous."""
    *front, t, s, k = shape
    generator = torch.Generator().manual_seed(3)
    return [
        (factor * torch.randn(*front, k, n, generator=generator))
        .to(dtype)
        .transpose(-2, -1)
        for n in (t, s)
    ]


STAGES = (
    ("", example(4, 7, 5)),
    ("right for one sentence, but not for a batch: ", example(3, 4, 7, 5)),
    (
        "right while all sizes differ, but not when there are as many keys "
        "as numbers in a key: ",
        example(6, 6, 6),
    ),
    (
        "right, but not for a batch of square matrices: ",
        example(5, 5, 5, 5),
    ),
    (
        "right for (T, K) and (B, T, K), but not for (B, H, T, K): ",
        example(2, 3, 4, 7, 5),
    ),
    (
        "right for up to two axes in front, but not for three: ",
        example(2, 2, 3, 4, 7, 5),
    ),
    (
        "right for small numbers, but not for large ones: ",
        example(4, 7, 5, factor=100.0),
    ),
    (
        "right for float32, but not for float64: ",
        example(4, 7, 5, dtype=torch.float64),
    ),
    ("right, but not for a single query and key: ", example(1, 1, 5)),
)


def wrong_scores(q, k):
    """Return pairs of a hint and the scores that the mistake gives."""
    right = q @ k.transpose(-2, -1)  # (..., T, S)
    root = math.sqrt(q.size(-1))
    torn = q @ k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))
    unit_q, unit_k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
    difference = q.unsqueeze(-2) - k.unsqueeze(-3)  # (..., T, S, K)
    distance = difference.square().sum(-1)  # (..., T, S)
    far = "you return {}; a score is the sum of the products"
    pairs = [
        (
            "you divide by sqrt(d_k), which chapter 4 does; here return the "
            "plain dot products",
            right / root,
        ),
        (
            "you divide by d_k, or take a mean; add the products up",
            right / q.size(-1),
        ),
        (
            "you take a softmax already; return the scores before it",
            right.softmax(-1),
        ),
        (
            "you scale and take a softmax already; return the plain dot "
            "products",
            (right / root).softmax(-1),
        ),
        (
            "you divide by the lengths of both rows, which is the cosine; "
            "leave the lengths in",
            unit_q @ unit_k.transpose(-2, -1),
        ),
        (
            "you divide by the length of the query; leave it in",
            unit_q @ k.transpose(-2, -1),
        ),
        (
            "you divide by the length of the key; leave it in",
            q @ unit_k.transpose(-2, -1),
        ),
        (
            "you reshape the keys, which tears their rows apart; transpose "
            "the last two axes",
            torn,
        ),
        (far.format("squared distances"), distance),
        (far.format("distances"), distance.sqrt()),
        (far.format("negative squared distances"), -distance),
        ("the sign is wrong: a good match has a large score", -right),
        ("you take the absolute value; a score may be negative", right.abs()),
        ("you cut negative scores off; a score may be negative", right.relu()),
    ]
    if q.size(-1) == k.size(-2):
        pairs.insert(0, (TURN, q @ k))  # what a reshape gives here, too
    return pairs


def judge_shape(result, q, k):
    """Raise a mistake that can be seen from the shape."""
    want = (*q.shape[:-1], k.size(-2))
    turned = (*q.shape[:-2], k.size(-2), q.size(-2))
    if result.shape == turned != want:
        raise Mistake(
            "the result is transposed: rows must be queries, columns keys"
        )
    if result.shape == (q.size(-2), q.size(-2)) != want:
        raise Mistake("you score the queries with themselves; use k too")
    if result.shape == (*q.shape[:-1], k.size(-2), q.size(-1)):
        raise Mistake(
            "the products of each pair are there, but not added up; sum "
            "over the last axis"
        )
    if q.dim() > 2 and result.dim() == q.dim() + 1:
        raise Mistake(
            "the result has an axis too many: queries meet keys of other "
            "sentences; multiply sentence by sentence"
        )
    if result.shape != want:
        raise Mistake(
            f"one number per query and key has the shape {want}; yours has "
            f"{tuple(result.shape)}"
        )


def judge(answer, q, k):
    """Raise a mistake in the scores of these queries and keys."""
    result = call(answer, q, k, help=HELP)
    check_tensor(result, q, "the result")
    judge_shape(result, q, k)
    right = q @ k.transpose(-2, -1)  # (..., T, S)
    if close(result, right, 1e-9 if q.dtype == torch.float64 else 1e-4):
        return
    if close(result, right, 1e-4):
        raise Mistake(LOST)
    if close(result, right.transpose(-2, -1), 1e-4):
        raise Mistake(
            "the result is transposed, which a square shape hides: rows "
            "must be queries, columns keys"
        )
    if not close(result, call(answer, q, k), 1e-4):
        raise Mistake("two calls with the same inputs differ")
    hint = first_match(result, wrong_scores(q, k))
    raise Mistake(
        hint
        or "cell (i, j) must be the dot product of query i and key j; try "
        "your function on two rows that you can multiply by hand"
    )


@checker
def check_scores(answer):
    """Check exercise ``scores(q, k)``.

    Args:
        answer: a function of queries (..., T, K) and keys (..., S, K) that
            returns their dot products, (..., T, S).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, inputs in STAGES:
        try:
            judge(answer, *inputs)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    require_gradient(answer, *example(4, 7, 5))
