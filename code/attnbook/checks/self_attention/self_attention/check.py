"""Check of self-attention.

Dimension letters:
    B batch, T words, D = d_model, d_k width of a query or key, d_v width of a
    value; "..." is (B) or nothing.
"""

import torch

from attnbook.checks.engine.calling import close, lost_axis, show_inputs
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import (
    Hint,
    Mistake,
    describe,
    hint_of,
)
from attnbook.checks.engine.weights import unknown_weights
from attnbook.checks.self_attention.self_attention.refused import refusal


def self_attention(x, w_q, w_k, w_v):
    """Let every word read all words of its sentence.

    Args:
        x: words, float, (T, D), or (B, T, D) for a batch.
        w_q: the matrix that makes queries, float, (D, d_k).
        w_k: the matrix that makes keys, float, (D, d_k).
        w_v: the matrix that makes values, float, (D, d_v).

    Returns:
        The context, (..., T, d_v), and the weights, (..., T, T).
    """
    words = x
    q = words @ w_q  # (..., T, d_k)
    k = words @ w_k  # (..., T, d_k)
    v = words @ w_v  # (..., T, d_v)
    d_k = w_q.size(-1)
    raw = q @ k.mT  # (..., T, T)
    scaled = raw / d_k**0.5
    weights = scaled.softmax(-1)
    mixing = weights
    context = mixing @ v
    return context, weights


def hide(scores, hidden):
    """Return weights with scores hidden where a mask (T, T) is not 0."""
    return scores.masked_fill(hidden != 0, -torch.inf).softmax(-1)


def turned(w):
    """Return the transpose of a matrix where it fits, at equal sizes."""
    return w.T if w.size(0) == w.size(1) else w


def among_all(q, k):
    """Return the weights of all words for all words of the batch."""
    q, k = q.flatten(0, -2), k.flatten(0, -2)  # (B * T, d_k)
    return (q @ k.mT / q.size(-1) ** 0.5).softmax(-1)


def by_sentence(weights, x):
    """Return such weights with an axis of sentences, (B, T, B, T)."""
    b, t, _ = x.shape
    return weights.view(b, t, b, t)


def own(weights, x):
    """Return the part of such weights within each sentence, (B, T, T)."""
    return by_sentence(weights, x).diagonal(0, 0, 2).permute(2, 0, 1)


MISTAKES = table("""
    scaled = raw
        the scores are not scaled; divide them by sqrt(d_k)
    scaled = raw / d_k
        you divide by d_k; divide by its root, sqrt(d_k)
    scaled = raw * d_k**0.5
        you multiply by sqrt(d_k); divide by it
    d_k = x.size(-1)
        you divide by sqrt(D), the width of x; a score adds up d_k products,
        after the projection
    d_k = x.size(-2)
        you divide by sqrt(T), the number of words; a score adds up d_k
        products, however many words there are
    d_k = len(x)
        you divide by sqrt(B), the number of sentences; a score adds up d_k
        products, however many sentences there are
    d_k = w_v.size(-1)
        you divide by sqrt(d_v), the width of a value; the values play no part
        in the scores
    scaled = raw / d_k**0.25
        you take the root of d_k twice; once is right
    d_k = 64
        you divide by 8, the root of the paper's d_k = 64; take d_k from the
        last axis of the queries
    scaled = raw / (d_k ** 1 / 2)
    scaled = raw / d_k ** 1 / 2
        d_k ** 1 / 2 is d_k / 2; write d_k ** 0.5
    scaled = raw // d_k**0.5
        // rounds the scores; divide with /
    weights = (scaled - scaled.amax(-2, keepdim=True)).softmax(-1)
        you subtract the largest score of a key's column, which changes the
        weights; subtract the largest score of the query's row
    scaled = raw / raw.std()
    scaled = raw / raw.std(-1, keepdim=True)
        you divide by the spread of these very scores; divide by sqrt(d_k),
        whatever the scores are
    scaled = raw / d_k**0.5 * math.log(2)
        you raise 2 to the scores; raise e to them
    scaled = -raw / d_k**0.5
        the sign of the scores is wrong: the best key gets the least
    scaled = raw * 0
        all keys get the same weight; the scores are not used
    raw = k @ q.mT
        queries and keys are exchanged: a row of the weights belongs to a
        query, so the scores are q @ k.transpose(-2, -1)
    k = words @ w_q
        you score queries against queries, so the scores are symmetric; the
        keys are x @ w_k
    q = words @ w_k
        you score keys against keys, so the scores are symmetric; the queries
        are x @ w_q
    q = words; k = words
        you score x against x, without projections; project first
    q = words; k = words; d_k = x.size(-1)
        you score x against x, without projections, and scale by the root of
        its width; project first
    raw = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT; scaled = raw
    raw = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT
        you divide queries and keys by their lengths (cosine); divide the dot
        products by sqrt(d_k) and by nothing else
    raw = q @ (k if k.size(-2) == q.size(-1) else k.mT)
        you multiply by the keys as they are; exchange their last two axes,
        whatever the sizes
    raw = q @ k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))
        you reshape the keys, which tears them apart; transpose the last two
        axes
    q = words @ turned(w_q); k = words @ turned(w_k)
    q = words @ turned(w_q); k = words @ turned(w_k); v = words @ turned(w_v)
        you transpose the projections; the queries are x @ w_q, not x @ w_q.T
    k = (words @ w_k)[:1]
    k = (words @ w_k)[:1]; v = (words @ w_v)[:1]
        all sentences are scored against the keys of the first; every sentence
        attends within itself
    words = x.transpose(0, 1); context = (mixing @ v).transpose(0, 1)
    words = x.flatten(0, -2); context = (mixing @ v).view(*x.shape[:-1], -1)
        words attend across the batch, to words of other sentences; every
        sentence attends within itself, so the weights are (B, T, T)
    weights = own(among_all(q, k), x)
    weights = by_sentence(among_all(q, k), x)[:, :, 0]
    weights = by_sentence(among_all(q, k), x).mean(2)
    weights = own(among_all(q, k), x); \
context = (among_all(q, k) @ v.flatten(0, -2)).view_as(v)
    weights = by_sentence(among_all(q, k), x)[:, :, 0]; \
context = (among_all(q, k) @ v.flatten(0, -2)).view_as(v)
    weights = by_sentence(among_all(q, k), x).mean(2); \
context = (among_all(q, k) @ v.flatten(0, -2)).view_as(v)
        the words of all sentences are among the keys, so the rows of one
        sentence do not sum to 1; every sentence attends within itself
    weights = by_sentence(among_all(q, k), x).sum(2)
    weights = by_sentence(among_all(q, k), x).sum(2); \
context = (among_all(q, k) @ v.flatten(0, -2)).view_as(v)
        the words of all sentences are among the keys, and you add up what
        the sentences get; every sentence attends within itself
    words = x.mean(-2)
        whole sentences attend to each other; words should
    weights = scaled.softmax(-2)
        the weights sum to 1 over the queries, not over the keys; normalise the
        last axis of q @ k.transpose(-2, -1), and do not exchange q and k and
        turn the weights afterwards
    weights = scaled.softmax(0)
        the weights sum to 1 over the batch, not over the keys; normalise the
        last axis
    weights = scaled.flatten(-2).softmax(-1).view_as(raw)
        the weights sum to 1 over a whole sentence; every query has its own sum
        of 1
    weights = scaled.flatten().softmax(0).view_as(raw)
        the weights sum to 1 over the whole batch; every query has its own sum
        of 1
    weights = scaled.softmax(-1).mT; mixing = weights.mT
    weights = scaled.softmax(-1).mT
        the weights are transposed; rows are queries, columns are keys
    weights = scaled
    weights = scaled; mixing = scaled.softmax(-1)
        you return the scaled scores in place of the weights
    weights = raw
    weights = raw; mixing = scaled.softmax(-1)
        you return the raw scores in place of the weights
    weights = scaled.log_softmax(-1)
    weights = scaled.log_softmax(-1); mixing = weights.exp()
        you return the logarithm of the weights; use softmax, not log_softmax
    weights = scaled.softmax(-1).softmax(-1)
        you take the softmax twice; once is right
    weights = scaled.sigmoid()
        you use a sigmoid, which judges every key alone; a softmax lets the
        keys compete for a sum of 1
    weights = scaled.exp()
        you take the exponential, but do not divide by its sum
    weights = scaled / scaled.sum(-1, keepdim=True)
        you divide the scores by their sum; take the exponential first, which
        is a softmax
    weights = raw.softmax(-1) / d_k**0.5
        you scale after the softmax; scale the scores before it
    weights = (scaled == scaled.amax(-1, True)).to(x.dtype)
        you give the whole weight to the best key; a softmax spreads it
    weights = hide(scaled, torch.ones_like(raw).triu(1))
        you hide the later words; this task has no mask
    weights = hide(scaled, torch.eye(x.size(-2)))
        a word may attend to itself; hide nothing
    weights = scaled[:1].softmax(-1).expand_as(raw)
        every sentence has the weights of the first one
    weights = scaled.softmax(-1).mean(0, True).expand_as(raw)
    weights = scaled.softmax(-1).mean(0, True).expand_as(raw); \
mixing = scaled.softmax(-1)
        you average the weights over the batch; every sentence has its own
    context = mixing @ k
        you mix the keys, by which words are found; mix the values, weights @ v
    context = mixing @ q
        you mix the queries; mix the values, weights @ v
    v = words
        you leave out w_v: you mix the words x themselves; mix the values
        x @ w_v
    v = words @ turned(w_v)
        you transpose w_v; the values are x @ w_v, not x @ w_v.T
    mixing = weights.mT
        you mix with the weights transposed, so that a word gives where it
        should get; the context is weights @ v
    mixing = scaled
        you mix with the scores; mix with the weights
    mixing = raw.softmax(-1)
        your weights are right, but you mix with unscaled ones; use the weights
        that you return
    mixing = (raw / d_k).softmax(-1)
        your weights are right, but you mix with ones that are scaled twice
        (PyTorch's attention scales by itself); use the weights that you return
    context = v
        you return the values unmixed; the context is weights @ v
    mixing = torch.ones_like(raw) / x.size(-2)
        you average the values without looking at the weights; compute
        weights @ v
    context = mixing @ v / d_k**0.5
    context = mixing @ v / v.size(-1) ** 0.5
        you scale the context too; leave it as it is
    context = mixing @ v + v
        you add the values to the context; mix only
    context = mixing @ v + (x if x.shape == v.shape else 0)
        you add x to the context; mix only
    context = (mixing @ v).mean(-2)
        you average the context over the words; each word has its own
    context = (mixing @ v).sum(-2)
        you add the context up over the words; each word has its own
    context = mixing @ v[:1]
        you mix the values of the first sentence in all sentences
""")
SIZES = (3, 5, 13, 7, 11)  # B, T, D, d_k, d_v: all different
OTHER_SIZES = (4, 11, 3, 8, 2)
ROUND = (3, 5, 13, 4, 11)  # the root of 4 loses no digits in float32
SQUARE = (6, 6, 6, 6, 6)  # a wrong axis must not hide, nor be right here
ONE = (1, 1, 1, 1, 1)


def example(draws, sizes=SIZES, factor=1.0, dtype=torch.float32):
    """Draw words and three matrices; none of them is contiguous."""
    b, t, d, k, e = sizes
    generator = draws.seeded(6)

    def draw(*shape):
        x = torch.randn(shape, generator=generator).to(dtype)
        return x.transpose(0, -1) if len(shape) == 2 else x.transpose(0, 1)

    x = factor * draw(t, b, d)  # (B, T, D)
    return x, draw(k, d) / d**0.25, draw(k, d) / d**0.25, draw(e, d)


def with_zeros(draws):
    """Draw words, the first of which are zeros, and three matrices."""
    x, *matrices = example(draws, OTHER_SIZES)
    x[:, 0] = 0
    return x, *matrices


def one_sentence(draws):
    """Draw a sentence without a batch, and three matrices."""
    x, *matrices = example(draws, OTHER_SIZES)
    return x[1], *matrices


def through(answer, x, w_q, w_k, w_v):
    """Call the answer; explain an error, and axes of size 1 that are gone."""
    inputs = x, w_q, w_k, w_v
    try:
        results = answer(*inputs)
    except Exception as error:
        why = not isinstance(error, Mistake) and refusal(answer, inputs)
        if not why:
            raise
        raise Mistake(
            "your function raised an error for {}: {} ({})",
            show_inputs(inputs),
            describe(error),
            hint_of(why),
            kind="error",
        ) from None
    if isinstance(results, (tuple, list)) and len(results) == 2:
        widths = w_v.size(-1), x.size(-2)
        for result, width, name in zip(
            reversed(results),
            reversed(widths),
            ("weights", "context"),
            strict=True,
        ):
            full = *x.shape[:-1], width
            if isinstance(result, torch.Tensor) and lost_axis(result, full):
                raise Mistake(
                    "an axis of size 1 is gone from the {}, {} in place of "
                    "{}; leave squeeze out",
                    name,
                    tuple(result.shape),
                    full,
                )
    return results


def guess(results, rights, inputs):
    """Return a hint for results that no row explains, or None."""
    (_, weights), (_, right), (x, w_q, w_k, _) = results, rights, inputs
    if close(weights, right):
        return (
            "the weights are right, but the context is not; it is weights @ v "
            "with v = x @ w_v, and nothing more"
        )
    return unknown_weights(weights, right, (x @ w_q) @ (x @ w_k).mT)


def cases(draws):
    """Yield all cases."""
    yield Case("", example(draws))
    yield Case(
        Hint(
            "right for B, T, D, d_k, d_v = {}, but not for {}: ",
            SIZES,
            OTHER_SIZES,
        ),
        example(draws, OTHER_SIZES),
    )
    yield Case(
        "right for a batch (B, T, D), but not for one sentence (T, D); count "
        "axes from the end: ",
        one_sentence(draws),
    )
    yield Case(
        "right, but not for a word of zeros, whose scores are 0 (a score of 0 "
        "hides nothing): ",
        with_zeros(draws),
    )
    yield Case(
        "right while all sizes differ, but not when they are all equal (do "
        "the same at every size): ",
        example(draws, SQUARE),
    )
    yield Case(
        "right for small scores, but not for scores of several hundred: ",
        example(draws, factor=12.0),
        1e-3,
        nan="the weights hold NaN, because e to such a power overflows, or "
        "all powers of a row vanish; use softmax, or first subtract from "
        "every row its own largest score",
        otherwise="something is cut off or replaced (clamp, nan_to_num?); "
        "use softmax on the scores as they are",
    )
    yield Case(
        "right for float32, but not for float64: ",
        example(draws, ROUND, dtype=torch.float64),
        1e-9,
    )
    yield Case("right, but not when every size is 1: ", example(draws, ONE))


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=self_attention,
        returns={"the context": "B T d_v", "the tensor of weights": "B T T"},
        takes=("B T D", "D d_k", "D d_k", "D d_v"),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        guess=guess,
        through=through,
        trains=(("", example(draws)),),
    )


check_self_attention = check(exercise)
