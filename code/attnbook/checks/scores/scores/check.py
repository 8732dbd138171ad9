"""Check of dot-product scores.

Dimension letters:
    B batch, H heads, T queries, S keys, d_k width of a query or key; "..."
    stands for any leading axes.
"""

import torch

from attnbook.checks.engine.calling import close
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table


def scores(q, k):
    """Return the dot product of every query with every key.

    Args:
        q: queries, float, (..., T, d_k).
        k: keys, float, (..., S, d_k).

    Returns:
        The dot products, (..., T, S).
    """
    left = q
    right = k
    turned = right.mT  # (..., d_k, S)
    result = left @ turned
    return result


def products(q, k):
    """Multiply the numbers of every pair, (..., T, S, d_k)."""
    return q.unsqueeze(-2) * k.unsqueeze(-3)


def distance(q, k):
    """Return the squared distances of all pairs, (..., T, S)."""
    return (q.unsqueeze(-2) - k.unsqueeze(-3)).square().sum(-1)


def every_sentence(q, k):
    """Multiply with the keys of all sentences, (B, B, ..., T, S)."""
    if q.dim() == 2:
        return q @ k.mT
    return torch.einsum("b...tk,c...sk->bc...ts", q, k)


MISTAKES = table("""
    result = left @ turned / q.size(-1) ** 0.5
        you divide by sqrt(d_k), which chapter 4 does; here return the plain
        dot products
    result = left @ turned / q.size(-1)
        you divide by d_k, or take a mean; add the products up
    result = (left @ turned).softmax(-1)
        you take a softmax already; return the scores before it
    result = (left @ turned / q.size(-1) ** 0.5).softmax(-1)
        you scale and take a softmax already; return the plain dot products
    left = F.normalize(q, dim=-1); right = F.normalize(k, dim=-1)
        you divide by the lengths of both rows, which is the cosine; leave the
        lengths in
    left = F.normalize(q, dim=-1)
        you divide by the length of the query; leave it in
    right = F.normalize(k, dim=-1)
        you divide by the length of the key; leave it in
    turned = k if k.size(-2) == k.size(-1) else k.mT
        the keys are not turned round where they are square; use
        k.transpose(-2, -1) at every size
    turned = k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))
        you reshape the keys, which tears their rows apart; transpose the last
        two axes
    result = distance(q, k)
        you return squared distances; a score is the sum of the products
    result = distance(q, k).sqrt()
        you return distances; a score is the sum of the products
    result = -distance(q, k)
        you return negative squared distances; a score is the sum of the
        products
    result = products(q, k)
        the products of each pair are there, but not added up; sum over the
        last axis
    result = -left @ turned
        the sign is wrong: a good match has a large score
    result = (left @ turned).abs()
        you take the absolute value; a score may be negative
    result = (left @ turned).relu()
        you cut negative scores off; a score may be negative
    result = left @ turned - (left @ turned).amax(-1, keepdim=True)
        you subtract the largest score of each row, which belongs into a
        softmax; return the plain dot products
    result = (left @ turned).tril()
    result = (left @ turned).triu()
        you cut a triangle of the scores off; this task has no mask
    result = (left @ turned).mT
        the result is transposed: rows must be queries, columns keys
    right = q
        you score the queries with themselves; use k too
    left = k
        you score the keys with themselves; use q too
    right = k[..., : q.size(-2), :]
        you count the keys by the number of queries, T; there are S of them
    left = q[..., :-1]; right = k[..., :-1]
        you leave the last number of each row out
    turned = (k if k.dim() == 2 else k[0]).mT
        you use the keys of the first sentence for all sentences
    result = every_sentence(q, k)
        the result has an axis too many: queries meet keys of other sentences;
        multiply sentence by sentence
""")


def example(draws, *shape, factor=1.0, dtype=torch.float32):
    """Draw queries (..., T, d_k) and keys (..., S, d_k), none contiguous."""
    *front, t, s, k = shape
    generator = draws.seeded(3)
    return tuple(
        (factor * torch.randn(*front, k, n, generator=generator))
        .to(dtype)
        .transpose(-2, -1)
        for n in (t, s)
    )


def same_rows(draws):
    """Draw rows that are queries and keys, one tensor."""
    rows, _ = example(draws, 6, 6, 4)
    return rows, rows


def as_one(answer, q, k):
    """Call an answer; queries and keys that are equal are one tensor."""
    return answer(q, q if torch.equal(q, k) else k)


def guess(results, rights, inputs):
    """Return a hint for scores that no row explains, or None."""
    if close(*results, *rights, 1e-2):
        return None  # the engine says that digits are lost
    return (
        "cell (i, j) must be the dot product of query i and key j; try your "
        "function on two rows that you can multiply by hand"
    )


def cases(draws):
    """Yield all cases."""
    yield Case("", example(draws, 4, 7, 5))
    yield Case(
        "right for one sentence, but not for a batch: ",
        example(draws, 3, 4, 7, 5),
    )
    yield Case(
        "right while all sizes differ, but not when there are as many keys "
        "as numbers in a key: ",
        example(draws, 6, 6, 6),
    )
    yield Case(
        "right, but not for a batch of square matrices: ",
        example(draws, 5, 5, 5, 5),
    )
    yield Case(
        "right for (T, d_k) and (B, T, d_k), but not for (B, H, T, d_k): ",
        example(draws, 2, 3, 4, 7, 5),
    )
    yield Case(
        "right for up to two axes in front, but not for three: ",
        example(draws, 2, 2, 3, 4, 7, 5),
    )
    yield Case(
        "right for small numbers, but not for large ones: ",
        example(draws, 4, 7, 5, factor=100.0),
        1e-4,
    )
    yield Case(
        "right, but not where queries and keys are the same: ",
        same_rows(draws),
    )
    yield Case(
        "right for float32, but not for float64: ",
        example(draws, 4, 7, 5, dtype=torch.float64),
        1e-9,
    )
    yield Case(
        "right, but not for a single query and key: ", example(draws, 1, 1, 5)
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=scores,
        returns={"the result": "... ... ... T S"},
        takes=("... ... ... T d_k", "... ... ... S d_k"),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        errors={
            "view size is not compatible": "view tears the rows of the keys "
            "apart, as reshape would; k.transpose(-2, -1) turns them round"
        },
        help="all pairs are needed, with any axes in front: turn the last two "
        "axes of the keys round, k.transpose(-2, -1); k.T turns all of them",
        guess=guess,
        through=as_one,
        trains=(("", example(draws, 4, 7, 5)),),
    )


check_scores = check(exercise)
