"""Check of the soft look-up of vectors, kernel regression.

Dimension letters:
    T queries, S keys, D width of a query or key, E width of a value.
"""

import torch

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
    "query[:, None] - keys has all differences, (T, S, D); the sum over the "
    "last axis leaves one number per query and key, (T, S)"
)


def example(t, s, d, e, bandwidth, factor=1.0, dtype=torch.float32):
    """Draw queries, keys and values, none contiguous, and a bandwidth."""
    generator = torch.Generator().manual_seed(5)
    query, keys, values = (
        (size * torch.randn(width, rows, generator=generator)).to(dtype).T
        for rows, width, size in ((t, d, factor), (s, d, factor), (s, e, 1))
    )
    return query, keys, values, bandwidth


STAGES = (
    ("", example(4, 7, 3, 2, 0.8)),
    (
        "right for a bandwidth of 0.8, but not for 2.5: ",
        example(3, 5, 4, 6, 2.5),
    ),
    (
        "right while all sizes differ, but not when there are as many keys "
        "as queries and numbers: ",
        example(4, 4, 4, 4, 0.8),
    ),
    (
        "right for float32, but not for float64: ",
        example(4, 7, 3, 2, 0.8, dtype=torch.float64),
    ),
    (
        "right for queries near the keys, but not when every exponential is "
        "0: ",
        example(4, 7, 3, 2, 0.8, factor=100.0),
    ),
    ("right, but not for a single key: ", example(4, 1, 3, 2, 0.8)),
    ("right, but not for a single query: ", example(1, 5, 3, 2, 0.8)),
    (
        "right, but not for values of a single number: ",
        example(4, 5, 3, 1, 0.8),
    ),
)


def wrong_answers(query, keys, values, bandwidth):
    """Return pairs of a hint and the answer that the mistake gives."""
    difference = query[:, None] - keys  # (T, S, D)
    squared = difference.square().sum(-1)  # (T, S)
    b = bandwidth
    scores = -squared / (2 * b**2)  # (T, S)
    weights = scores.softmax(-1)  # (T, S)
    dots = query @ keys.T  # (T, S)
    nearest = squared.argmin(-1)  # (T,)
    mean = values.mean(0).expand(len(query), -1)  # (T, E)

    def with_scores(other):
        return other.softmax(-1) @ values

    return [
        ("the sign is wrong: the farthest key wins", with_scores(-scores)),
        ("the bandwidth must be squared", with_scores(-squared / (2 * b))),
        (
            "the factor 2 below the fraction is missing",
            with_scores(-squared / b**2),
        ),
        ("the bandwidth plays no part, nor does the 2", with_scores(-squared)),
        ("the bandwidth plays no part", with_scores(-squared / 2)),
        (
            "you multiply by the squared bandwidth; divide by it",
            with_scores(-squared * b**2 / 2),
        ),
        (
            "the distance must be squared",
            with_scores(-squared.sqrt() / (2 * b**2)),
        ),
        (
            "you take the mean of the squared differences over D; add them up",
            with_scores(scores / query.size(-1)),
        ),
        (
            "you add up absolute differences; square them first",
            with_scores(-difference.abs().sum(-1) / (2 * b**2)),
        ),
        (
            "you score by the dot product; this task wants the distance",
            with_scores(dots),
        ),
        (
            "you score by the dot product; this task wants the distance",
            with_scores(dots / b**2),
        ),
        (
            "the exponentials are not divided by their sum, so the weights "
            "do not sum to 1",
            scores.exp() @ values,
        ),
        (
            "you divide the scores by their sum; take the exponential first",
            scores / scores.sum(-1, keepdim=True) @ values,
        ),
        ("you mix with the scores; mix with the weights", scores @ values),
        (
            "you add the differences up before you square them; square each "
            "one first",
            with_scores(-difference.sum(-1).square() / (2 * b**2)),
        ),
        (
            "you use the first number of each row only; add up over D",
            with_scores(-difference[..., 0].square() / (2 * b**2)),
        ),
        (
            "your weights sum to 1 over all queries and keys together; for "
            "every query they must sum to 1 over the keys",
            scores.exp() / scores.exp().sum() @ values,
        ),
        (
            "your weights sum to 1 over the queries; for every query they "
            "must sum to 1 over the keys",
            scores.softmax(0) @ values,
        ),
        (
            "you take the softmax twice; once is right",
            weights.softmax(-1) @ values,
        ),
        (
            "you return the value of the nearest key; mix all values",
            values[nearest],
        ),
        ("you return the mean of all values, whatever the query", mean),
    ]


def judge_shape(result, query, keys, values):
    """Raise a mistake that can be seen without comparing numbers."""
    if isinstance(result, (tuple, list)):
        raise Mistake("return the answers alone, one tensor, (T, E)")
    if isinstance(result, torch.Tensor) and result.isnan().any():
        raise Mistake(
            "the result holds NaN: 0 is divided by 0 where every exponential "
            "is 0; subtract each row's largest score first, or use softmax"
        )
    check_tensor(result, query, "the result")
    want = (len(query), values.size(1))
    if result.shape == (len(query), len(keys)) != want:
        raise Mistake("you return the weights; mix the values with them")
    if result.shape == want[::-1] != want:
        raise Mistake("the result is transposed: one row per query, (T, E)")
    if result.shape != want:
        raise Mistake(
            f"the answers to {want[0]} queries have the shape {want}; yours "
            f"have {tuple(result.shape)}"
        )


def judge_far(result, values):
    """Raise a mistake where every exponential is 0 in the plain formula."""
    end = "subtract each row's largest score first, or use softmax"
    if not result.any(dim=-1).all():
        raise Mistake(
            "every exponential is 0, and your guard against 0/0 makes all "
            f"weights 0; {end}"
        )
    if close(result, values.mean(0).expand_as(result)):
        raise Mistake(
            "every exponential is 0, and your way out mixes all values "
            f"alike; {end}"
        )


def judge(answer, *inputs):
    """Raise a mistake in the answers to these queries."""
    query, keys, values, bandwidth = inputs
    result = call(answer, *inputs, help=HELP)
    judge_shape(result, query, keys, values)
    scores = -(query[:, None] - keys).square().sum(-1) / (2 * bandwidth**2)
    right = scores.softmax(-1) @ values  # (T, E)
    if close(result, right, 1e-9 if query.dtype == torch.float64 else 1e-4):
        return
    if close(result, right, 1e-4):
        raise Mistake(LOST)
    if not scores.exp().any():
        judge_far(result, values)
    if not close(result, call(answer, *inputs), 1e-4):
        raise Mistake("two calls with the same inputs differ")
    hint = first_match(result, wrong_answers(*inputs))
    raise Mistake(
        hint
        or "the numbers differ from those of the formula; compute one query "
        "and two keys by hand and compare scores, weights and mean in turn"
    )


@checker
def check_soft_look_up(answer):
    """Check exercise ``soft_look_up(query, keys, values, bandwidth)``.

    Args:
        answer: a function of queries (T, D), keys (S, D), values (S, E) and
            a bandwidth above 0 that returns the answers, (T, E).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, inputs in STAGES:
        try:
            judge(answer, *inputs)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    require_gradient(answer, *example(4, 7, 3, 2, 0.8))
