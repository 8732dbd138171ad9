"""Check of scaled attention.

Dimension letters:
    B batch, H heads, T queries, S keys, d_k width of a query or key, d_v width
    of a value.
"""

import torch

from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint
from attnbook.checks.engine.weights import unknown_weights

SIZES = (3, 5, 4, 7, 11, 13)  # B, H, T, S, d_k, d_v: all different
OTHER_SIZES = (2, 4, 6, 9, 5, 3)
SQUARE = (2, 3, 6, 6, 6, 6)  # a wrong axis must not hide, nor be right here
ONE = (1, 1, 1, 1, 1, 1)


def scaled_attention(q, k, v):
    """Mix values by the softmax of scaled scores.

    Args:
        q: queries, float, (B, H, T, d_k).
        k: keys, float, (B, H, S, d_k).
        v: values, float, (B, H, S, d_v).

    Returns:
        The context, (B, H, T, d_v), and the weights, (B, H, T, S).
    """
    d_k = q.size(-1)
    raw = q @ k.mT  # (B, H, T, S)
    scaled = raw / d_k**0.5
    weights = scaled.softmax(-1)
    mixing = weights
    context = mixing @ v  # (B, H, T, d_v)
    return context, weights


MISTAKES = table("""
    scaled = raw
        the scores are not scaled; divide them by sqrt(d_k)
    scaled = raw / d_k
        in all, you divide by d_k, which is the variance of a score; divide by
        its standard deviation, sqrt(d_k) (do you scale twice, or take a mean?)
    scaled = raw * d_k**0.5
        you multiply by sqrt(d_k); divide by it
    scaled = raw * d_k
        you multiply by d_k; divide by sqrt(d_k)
    scaled = raw / k.size(2)**0.5
        you divide by sqrt(S), the number of keys; a score adds up d_k
        products, however many keys there are
    scaled = raw / k.size(2)
        you divide by S, the number of keys; a score adds up d_k products,
        however many keys there are
    scaled = raw / q.size(2)**0.5
        you divide by sqrt(T), the number of queries; what counts is d_k, the
        width of one query
    scaled = raw / v.size(3)**0.5
        you divide by sqrt(d_v), the width of a value; the values play no part
        in the scores
    scaled = raw / (q.size(1) * d_k)**0.5
        you divide by sqrt(d_model), the width of all heads together; the
        scores of one head add up d_k products only
    scaled = raw / q.size(1)**0.5
        you divide by sqrt(H), the number of heads; d_k is the last axis of q,
        not the second
    scaled = raw / q.size(0)**0.5
        you divide by sqrt(B), the batch size; d_k is the last axis of q, not
        the first
    scaled = raw // d_k**0.5
        // rounds the scores; divide with /
    scaled = raw / raw.std()
    scaled = raw / raw.std(-1, keepdim=True)
        you divide by the spread of these very scores; divide by sqrt(d_k),
        whatever the scores are
    scaled = raw / d_k**0.25
        you take the root of d_k twice; once is right
    scaled = raw / 8
        you divide by 8, the root of the paper's d_k = 64; take d_k from the
        last axis of q
    scaled = raw / (d_k ** 1 / 2)
    scaled = raw / d_k ** 1 / 2
        d_k ** 1 / 2 is d_k / 2; write d_k ** 0.5
    scaled = raw / d_k**0.5 * math.log(2)
        you raise 2 to the scores; raise e to them
    scaled = -raw / d_k**0.5
        the sign of the scores is wrong: the best key gets the least
    scaled = raw * 0
        all keys get the same weight; the scores are not used
    scaled = raw; weights = scaled.softmax(-1) / d_k**0.5
        you scale after the softmax; scale the scores before it
    weights = scaled
    weights = scaled; mixing = scaled.softmax(-1)
        you return the scaled scores in the place of the weights; normalise
        them with a softmax over the keys
    weights = raw
    weights = raw; mixing = scaled.softmax(-1)
        you return the raw scores in the place of the weights; normalise them
        with a softmax over the keys
    weights = scaled / scaled.sum(-1, keepdim=True)
        you divide the scores by their sum, so weights can be negative; take
        the exponential first, which is a softmax
    weights = scaled.sigmoid()
        you use a sigmoid, which judges every key alone; a softmax lets the
        keys compete for a sum of 1
    weights = scaled.log_softmax(-1)
        you return the logarithm of the weights; use softmax, not log_softmax
    weights = scaled.softmax(-1).softmax(-1)
        you take the softmax twice; once is right
    weights = scaled.exp()
        you take the exponential, but do not divide by its sum
    weights = (scaled == scaled.amax(-1, True)).to(q.dtype)
        you give the whole weight to the best key; a softmax spreads it
    weights = scaled.exp() / (1 + scaled.exp().sum(-1, True))
        the rows of the weights do not sum to 1; take the softmax of the scaled
        scores over the keys, and add nothing to it
    weights = scaled.softmax(2)
        the weights sum to 1 over the queries, not over the keys; normalise the
        last axis
    weights = scaled.softmax(1)
        the weights sum to 1 over the heads, not over the keys; normalise the
        last axis
    weights = scaled.softmax(0)
        the weights sum to 1 over the batch, not over the keys; normalise the
        last axis
    weights = scaled.flatten(2).softmax(-1).view_as(raw)
        the weights sum to 1 over the whole matrix; every query has its own sum
        of 1
    weights = scaled.flatten().softmax(0).view_as(raw)
        the weights sum to 1 over the whole batch; every query has its own sum
        of 1
    raw = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT
    raw = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT; scaled = raw
        you divide q and k by their lengths (cosine); divide the dot products
        by sqrt(d_k) and by nothing else
    raw = q[:1] @ k.mT
        the queries of the first batch entry score in all of them
    raw = q @ (k if k.size(2) == q.size(3) else k.mT)
        you multiply by the keys as they are; exchange their last two axes,
        whatever the sizes
    raw = q @ k.reshape(*k.shape[:2], k.size(3), k.size(2))
        you reshape the keys, which tears them apart; transpose the last two
        axes
    weights = (scaled + torch.full_like(raw, -math.inf).triu(1)).softmax(-1)
        you hide the later keys; this task has no mask
    weights = scaled[:, :1].softmax(-1).expand_as(raw)
        every head has the weights of the first one
    weights = scaled.softmax(-1).mT; mixing = weights.mT
        the weights are transposed; rows are queries, columns are keys
    mixing = raw.softmax(-1)
        your weights are right, but you mix the values with unscaled ones; use
        the weights that you return
    mixing = (raw / d_k).softmax(-1)
        your weights are right, but you mix with ones that are scaled twice
        (PyTorch's attention scales by itself); use the weights that you return
    mixing = scaled
        you mix the values with the scores; mix them with the weights
    mixing = weights / d_k**0.5
        you scale the context too; the scores are the only place
    mixing = (weights == weights.amax(-1, True)).to(q.dtype)
        you take the value of the best key alone; mix all of them
    mixing = torch.ones_like(weights)
        you add the values up without weights; compute weights @ v
    mixing = torch.ones_like(weights) / k.size(2)
        you average the values without looking at the weights; compute
        weights @ v
    context = mixing @ v[:, :1]
        you mix the values of the first head in all heads
    context = mixing @ v[:1]
        you mix the values of the first batch entry in all of them
    context = mixing @ k
        your context is as wide as a key; mix the values, not the keys
    context = (mixing @ v).transpose(1, 2)
        you exchanged heads and queries in the context
    context = (mixing @ v).transpose(1, 2).flatten(2)
        you merged the heads; leave them apart in this task
""")


def example(draws, sizes=SIZES, factor=1.0, dtype=torch.float32):
    """Draw queries, keys and values; none of them is contiguous."""
    b, h, t, s, k, e = sizes
    generator = draws.seeded(4)

    def draw(length, width):
        x = torch.randn(b, length, h, width, generator=generator)
        return (factor * x).to(dtype).transpose(1, 2)  # (B, H, length, width)

    return draw(t, k), draw(s, k), draw(s, e)


def guess(results, rights, inputs):
    """Return a hint for weights that no row explains, or None."""
    (_, weights), (_, right), (q, k, _) = results, rights, inputs
    return unknown_weights(weights, right, q @ k.mT)


def cases(draws):
    """Yield all cases."""
    yield Case("", example(draws))
    yield Case(
        Hint(
            "right for B, H, T, S, d_k, d_v = {}, but not for {}: ",
            SIZES,
            OTHER_SIZES,
        ),
        example(draws, OTHER_SIZES),
    )
    yield Case(
        "right while all sizes differ, but not when there are as many keys "
        "as numbers in a key (do the same at every size): ",
        example(draws, SQUARE),
    )
    yield Case(
        "right for small scores, but not for scores of several hundred: ",
        example(draws, factor=8.0),
        1e-3,
        nan="the tensor of weights holds NaN: e to such a power overflows, or "
        "all powers of a row vanish; use softmax, or first subtract from "
        "every row its own largest score",
        otherwise="something is cut off or replaced (clamp, nan_to_num?); "
        "use softmax on the scores as they are",
    )
    yield Case(
        "right for float32, but not for float64: ",
        example(draws, dtype=torch.float64),
    )
    yield Case("right, but not when every size is 1: ", example(draws, ONE))
    yield Case(
        "right for a d_k of 13 or less, but not for 128: ",
        example(draws, (1, 2, 3, 4, 128, 5)),
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=scaled_attention,
        returns={
            "the context": "B H T d_v",
            "the tensor of weights": "B H T S",
        },
        takes=("B H T d_k", "B H S d_k", "B H S d_v"),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        help="if this is the product of q and k: it needs "
        "k.transpose(-2, -1); k.T turns all four axes round",
        guess=guess,
        trains=(("", example(draws)),),
        must_train=False,
    )


check_scaled_attention = check(exercise)
