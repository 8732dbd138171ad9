"""Check of the soft look-up of vectors, kernel regression.

Dimension letters:
    T queries, S keys, D width of a query or key, d_v width of a value.
"""

import math

import torch
import torch.nn.functional as F

from attnbook.checks.engine.calling import close
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table


def soft_look_up(query, keys, values, bandwidth):
    """Return the mean of the values, weighted by closeness.

    Args:
        query: queries, float, (T, D).
        keys: keys, float, (S, D).
        values: values, float, (S, d_v).
        bandwidth: a number above 0.

    Returns:
        The answers, (T, d_v).
    """
    difference = query[:, None] - keys  # (T, S, D)
    squared = difference.square().sum(-1)  # (T, S)
    below = 2 * bandwidth**2
    scores = -squared / below
    weights = scores.softmax(-1)
    result = weights @ values  # (T, d_v)
    return result


def shares(powers, least=0.0):
    """Divide by the sum over the keys, or by a least number."""
    return powers / powers.sum(-1, keepdim=True).clamp(min=least)


def best(scores):
    """Give the whole weight to the largest score."""
    return F.one_hot(scores.argmax(-1), scores.size(-1)).to(scores.dtype)


def without(scores, place):
    """Hide one key."""
    hidden = torch.zeros_like(scores, dtype=torch.bool)
    hidden[:, place] = True
    return scores.masked_fill(hidden, -math.inf)


def once(scores, keys):
    """Hide every key that equals a later one, as in a dict."""
    same = (keys[:, None] == keys).all(-1)  # (S, S)
    return scores.masked_fill(same.triu(1).any(-1), -math.inf)


def or_nearest(scores):
    """Return the weights, or the nearest key where they would be 0/0."""
    return shares(scores.exp()).where(scores.exp().any(-1, True), best(scores))


MISTAKES = table("""
    scores = squared / below
        the sign is wrong: the farthest key wins
    below = 2 * bandwidth
    below = bandwidth
        below the fraction stands 2 times the squared bandwidth; yours is not
        squared
    below = bandwidth**2
        the factor 2 below the fraction is missing
    below = (2 * bandwidth) ** 2
        you square the 2 as well; only the bandwidth is squared
    below = 1
        the bandwidth plays no part, nor does the 2
    below = 2
        the bandwidth plays no part
    below = 2 / bandwidth**2
    scores = -squared * below
        you multiply by the squared bandwidth; divide by it
    below = 2 * max(bandwidth, 1) ** 2
        a bandwidth below 1 is replaced by 1; use it as it is
    below = 2 * min(bandwidth, 1) ** 2
    below = 2 * min(bandwidth, 2) ** 2
    below = 2 * min(bandwidth, 10) ** 2
        a large bandwidth is replaced by a smaller one; use it as it is
    scores = -squared.sqrt() / below
    scores = -squared.sqrt() / bandwidth
    scores = -difference.abs().sum(-1) / bandwidth
        the distance must be squared
    squared = difference.square().mean(-1)
        you take the mean of the squared differences over D; add them up
    squared = difference.abs().sum(-1)
        you add up absolute differences; square them first
    scores = query @ keys.T
    scores = query @ keys.T / bandwidth**2
    scores = query @ keys.T / below
    scores = query @ keys.T / query.size(-1) ** 0.5
        you score by the dot product; this task wants the distance
    scores = F.normalize(query) @ F.normalize(keys).T
    scores = F.normalize(query) @ F.normalize(keys).T / bandwidth**2
        you score by the cosine; this task wants the distance
    weights = scores.exp()
        the exponentials are not divided by their sum, so the weights do not
        sum to 1
    weights = scores / scores.sum(-1, keepdim=True)
        you divide the scores by their sum; take the exponential first
    weights = scores
        you mix with the scores; mix with the weights
    weights = scores.log_softmax(-1)
    weights = scores.softmax(-1).log()
        you mix with logarithms of the weights; use softmax alone
    squared = difference.sum(-1).square()
        you add the differences up before you square them; square each one
        first
    squared = difference[..., 0].square()
        you use the first number of each row only; add up over D
    weights = scores.exp() / scores.exp().sum()
        your weights sum to 1 over all queries and keys together; for every
        query they must sum to 1 over the keys
    weights = scores.softmax(0)
        your weights sum to 1 over the queries; for every query they must sum
        to 1 over the keys
    weights = without(scores, 0).softmax(-1)
        the first key is left out; all S keys count
    weights = without(scores, -1).softmax(-1)
        the last key is left out; all S keys count
    weights = once(scores, keys).softmax(-1)
        of keys that are equal, only one counts; each of the S keys counts,
        with its own value
    weights = scores.softmax(-1).softmax(-1)
        you take the softmax twice; once is right
    below = 2 * int(bandwidth) ** 2
    below = 2 * max(int(bandwidth), 1) ** 2
    below = 2 * max(int(bandwidth) ** 2, 1e-9)
        you make the bandwidth a whole number; use it as it is
    weights = (-squared[0] / below).softmax(-1).expand_as(scores)
        every query has the weights of the first one
    below = 2 * max(bandwidth, 0.1) ** 2
    below = 2 * max(bandwidth, 0.5) ** 2
        a small bandwidth is replaced by a larger one; use it as it is
    scores = (-squared / below).masked_fill(squared == 0, -math.inf)
        a key that equals the query is left out; it counts most
    squared = difference.square().sum(-1).clamp(min=1e-2)
        you cut small distances off; leave clamp out
    weights = best(scores)
        you return the value of the nearest key; mix all values
    weights = torch.ones_like(scores) / scores.size(1)
        you return the mean of all values, whatever the query
    result = weights
        you return the weights; mix the values with them
    result = (weights @ values).T
        the result is transposed: one row per query, (T, d_v)
    weights = shares(scores.exp())
    weights = shares((scores - scores.max()).exp())
    weights = shares((scores - scores.amax(0)).exp())
        the result holds NaN: 0 is divided by 0 where every exponential is 0;
        subtract each row's largest score first, or use softmax
    weights = shares(scores.exp(), 1e-6)
    weights = shares(scores.exp()).nan_to_num()
        every exponential is 0, and your guard against 0/0 makes all weights 0;
        subtract each row's largest score first, or use softmax
    weights = scores.clamp(min=-80).softmax(-1)
    weights = scores.clamp(min=-1e3).softmax(-1)
    weights = scores.clamp(min=-1e4).softmax(-1)
    weights = shares(scores.exp() + 1e-30)
        every exponential is 0, and your way out mixes all values alike;
        subtract each row's largest score first, or use softmax
    weights = or_nearest(scores)
        every exponential is 0, and your way out takes the nearest key alone,
        where another is nearly as close; subtract each row's largest score
        first, or use softmax
""")


def example(
    draws, t, s, d, e, bandwidth, factor=1.0, dtype=torch.float32, shift=0
):
    """Draw queries, keys and values, none contiguous, and a bandwidth."""
    generator = draws.seeded(5)
    query, keys, values = (
        (size * torch.randn(width, rows, generator=generator)).to(dtype).T
        for rows, width, size in ((t, d, factor), (s, d, factor), (s, e, 1))
    )
    return query + shift, keys + shift, values, bandwidth


def at_the_keys(draws, bandwidth):
    """Draw queries of which the first equals the first key."""
    query, keys, *rest, _ = example(draws, 4, 7, 3, 2, bandwidth)
    keys[0] = query[0]
    return query, keys, *rest, bandwidth


def equal_keys(draws):
    """Draw keys of which two are equal and have different values."""
    query, keys, *rest = example(draws, 4, 7, 3, 2, 0.8)
    keys[4] = keys[1]
    return query, keys, *rest


def one_far_query(draws):
    """Draw queries near the keys, and one far away, where one key wins."""
    query, keys, values, _ = example(draws, 4, 7, 3, 2, 0.1, factor=0.1)
    query[0] = torch.tensor([65536.0, 0, 0])
    keys[:, 0] = torch.arange(7) / 8  # as float32 can hold it
    return query, keys, values, 0.1


def far_from_close_keys(draws):
    """Draw queries far from keys that all have some weight, in float64."""
    query, keys, *rest = example(draws, 4, 7, 3, 2, 0.75, dtype=torch.float64)
    return 100 * query, keys / 100, *rest


def guess(results, rights, inputs):
    """Return a hint for answers that no row explains, or None."""
    if close(*results, *rights, 1e-2):
        return None  # the engine says that digits are lost
    return (
        "the numbers differ from those of the formula; compute one query "
        "and two keys by hand and compare scores, weights and mean in turn"
    )


HOLDS_NAN = (
    "the result holds NaN: the exponentials of a row are all 0, or one is "
    "infinite; subtract each row's largest score first, or use softmax"
)
ROOT = (
    "the numbers are right, but where a query equals a key, the gradient is "
    "NaN: a root has an infinite slope at 0; add up the squares and take no "
    "root"
)


def cases(draws):
    """Yield all cases."""
    yield Case("", example(draws, 4, 7, 3, 2, draws.share(0.8, 0.6, 0.9)))
    yield Case(
        "right for a bandwidth of 0.8, but not for 2.5: ",
        example(draws, 3, 5, 4, 6, 2.5),
    )
    yield Case(
        "right while all sizes differ, but not when there are as many keys "
        "as queries and numbers: ",
        example(draws, 4, 4, 4, 4, 0.8),
    )
    yield Case(
        "right for queries near the keys, but not when every exponential is "
        "0: ",
        example(draws, 4, 7, 3, 2, 0.8, factor=100.0),
        1e-4,
        nan=HOLDS_NAN,
    )
    yield Case(
        "right for queries and keys around 0, but not around 1,000: ",
        # from 26 rows on cdist multiplies
        example(draws, 4, 30, 3, 2, 0.8, shift=1000),
        1e-4,
        otherwise="digits are lost: do you take large numbers from each "
        "other, q q - 2 q k + k k, as torch.cdist does from 26 rows on? "
        "subtract the keys first, then square",
    )
    yield Case(
        "right for float32, but not for float64: ",
        # torch.tensor(0.75) is exact in float32, 0.8 is not
        example(draws, 4, 7, 3, 2, 0.75, dtype=torch.float64),
        1e-9,
    )
    yield Case(
        "right for queries near the keys, but not when every exponential is "
        "0 and the keys lie close together: ",
        far_from_close_keys(draws),
        nan=HOLDS_NAN,
    )
    yield Case(
        "right, but not where one query lies far from all others: ",
        one_far_query(draws),
        1e-4,
        otherwise="digits are lost: do you subtract a mean, or take large "
        "numbers from each other, q q - 2 q k + k k? Subtract each key from "
        "each query first, then square",
    )
    yield Case(
        "right for a bandwidth up to 2.5, but not for 25: ",
        example(draws, 4, 7, 3, 2, 25.0, factor=20.0),
        1e-4,
    )
    yield Case("right, but not where two keys are equal: ", equal_keys(draws))
    yield Case(
        "right, but not where a query equals a key: ", at_the_keys(draws, 0.8)
    )
    yield Case(
        "right, but not for a bandwidth of 0.02: ",
        at_the_keys(draws, 0.02),
        1e-4,
        nan=HOLDS_NAN,
    )
    yield Case(
        "right, but not for a single query: ", example(draws, 1, 5, 3, 2, 0.8)
    )
    yield Case(
        "right, but not for values of a single number: ",
        example(draws, 4, 5, 3, 1, 0.8),
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=soft_look_up,
        returns={"the result": "T d_v"},
        takes=("T D", "S D", "S d_v", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        help="query[:, None] - keys has all differences, (T, S, D); the sum "
        "over the last axis leaves one number per query and key, (T, S)",
        guess=guess,
        trains=(("", example(draws, 4, 7, 3, 2, 0.8)),),
        smooth=((ROOT, at_the_keys(draws, 0.8)),),
    )


check_soft_look_up = check(exercise)
