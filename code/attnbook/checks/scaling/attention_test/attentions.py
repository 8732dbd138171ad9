"""Right and wrong attentions, on which a learner's test is tried."""

import math

import torch

from attnbook.attention import scaled_dot_product_attention


def scaled_by(factor):
    """Return an attention with a scale of its own, a function of q, k, v."""

    def attend(q, k, v):
        scores = q @ k.transpose(-2, -1) * factor(q, k, v)  # (B, H, T, S)
        weights = scores.softmax(-1)
        return weights @ v, weights

    return attend


def context_of_other_weights(q, k, v):
    """Return right weights and the context of unscaled ones."""
    right = scaled_dot_product_attention(q, k, v)[1]
    return scaled_by(lambda *_: 1)(q, k, v)[0], right


def weights_of_another_context(q, k, v):
    """Return the right context and unscaled weights."""
    right = scaled_dot_product_attention(q, k, v)[0]
    return right, scaled_by(lambda *_: 1)(q, k, v)[1]


def one_for_all(axis, place=0):
    """Return an attention that hands out one part's result to all."""

    def attend(q, k, v):
        results = scaled_dot_product_attention(q, k, v)
        return tuple(
            x.narrow(axis, place, 1).expand_as(x).clone() for x in results
        )

    return attend


def changed(change):
    """Return an attention with a change of both results, a function."""

    def attend(q, k, v):
        return change(*scaled_dot_product_attention(q, k, v))

    return attend


def last_query_turned(context, weights):
    """Return the results, the weights of the last query turned round."""
    last = weights[..., -1:, :].flip(-1)
    return context, torch.cat((weights[..., :-1, :], last), -2)


def axes_from_the_front(q, k, v):
    """Return the right result, its axes counted as in (B, H, T, d_k)."""
    weights = (q @ k.transpose(2, 3) / q.size(3) ** 0.5).softmax(3)
    return weights @ v, weights


def summed_by_hand(q, k, v):
    """Return the right result, computed in another order."""
    scores = (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1)  # (..., T, S)
    powers = (scores / q.size(-1) ** 0.5).softmax(-1)
    return (powers.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2), powers


RIGHT = (
    scaled_dot_product_attention,
    scaled_by(lambda q, k, v: q.size(-1) ** -0.5),
    summed_by_hand,
    axes_from_the_front,
)


def wrong_attentions(draws):
    """Yield pairs of what is wrong, and an attention."""
    more, twice = draws.share(1.005, 1.004, 1.009), draws.share(2, 1.7, 2.3)
    yield (
        "no scale at all; compare numbers to about 1e-5, not shapes or sums "
        "of rows, and keep the scores small, so that the scale matters",
        scaled_by(lambda q, k, v: 1),
    )
    yield (
        "a scale that is half a percent too large; compare numbers to about "
        "1e-5, in allclose by atol=1e-5",
        scaled_by(lambda q, k, v: more * q.size(-1) ** -0.5),
    )
    yield (
        "the root of the number of keys; choose a number of keys other than "
        "d_k",
        scaled_by(lambda q, k, v: k.size(-2) ** -0.5),
    )
    yield (
        "the root of the number of queries; choose a number of queries other "
        "than d_k",
        scaled_by(lambda q, k, v: q.size(-2) ** -0.5),
    )
    yield (
        "the root of d_v; give the values another width than the keys",
        scaled_by(lambda q, k, v: v.size(-1) ** -0.5),
    )
    yield (
        "the root of d_model, all heads together; draw more than one head",
        scaled_by(lambda q, k, v: (q.size(-3) * q.size(-1)) ** -0.5),
    )
    yield (
        "the root of the number of heads; choose a number of heads other "
        "than d_k",
        scaled_by(lambda q, k, v: q.size(-3) ** -0.5),
    )
    yield (
        "the root of the batch size; choose a batch size other than d_k",
        scaled_by(lambda q, k, v: q.size(0) ** -0.5),
    )
    yield (
        "the root of 64 for every width; choose another d_k than the paper's",
        scaled_by(lambda q, k, v: 1 / 8),
    )
    yield (
        "right weights with a context that was mixed by others; compare the "
        "context too",
        context_of_other_weights,
    )
    yield (
        "a right context with weights that did not make it; compare the "
        "weights too",
        weights_of_another_context,
    )
    yield (
        "an attention that gives all heads the result of the first; draw "
        "heads that differ, and compare all of it",
        one_for_all(1),
    )
    yield (
        "an attention that gives all heads the result of the last; compare "
        "all heads",
        one_for_all(1, -1),
    )
    yield (
        "an attention that gives the whole batch the result of its first "
        "entry; draw two entries or more that differ, and compare all of it",
        one_for_all(0),
    )
    yield (
        "an attention that gives all queries the result of the first; draw "
        "more than one query, and compare all of it",
        one_for_all(2),
    )
    yield (
        "an attention that gives the whole batch the result of its last "
        "entry; compare the whole batch",
        one_for_all(0, -1),
    )
    yield (
        "an attention that gives all queries the result of the last; compare "
        "all queries",
        one_for_all(2, -1),
    )
    yield (
        "an attention that returns NaN everywhere; a comparison with NaN is "
        "never true, so ask whether all numbers agree, not whether one does "
        "not",
        changed(
            lambda context, weights: (context * math.nan, weights * math.nan)
        ),
    )
    yield (
        "a right context with weights half as large; take .abs() of the "
        "differences",
        changed(lambda context, weights: (context, weights / twice)),
    )
    yield (
        "a right context with weights twice as large; take .abs() of the "
        "differences",
        changed(lambda context, weights: (context, weights * twice)),
    )
    yield (
        "right weights with a context whose heads come in another order; "
        "compare every number of the context, and no mean or sum",
        changed(lambda context, weights: (context.roll(1, 1), weights)),
    )
    yield (
        "a right context with weights whose keys come in reverse order, for "
        "the last query alone; compare every weight with the one in its place",
        changed(last_query_turned),
    )


def all_but_one_wrong(q, k, v):
    """Return results of which a single number is right."""
    results = scaled_dot_product_attention(q, k, v)
    for x in results:
        first = x.flatten()[0].item()
        x += 100
        x.view(-1)[1::2] -= 200
        x.view(-1)[0] = first
    return results


PROBES = (  # what a test does that accepts them, and refuses other wrong ones
    (
        "your test says True as soon as one number agrees (any); all must: "
        "use torch.allclose, or .all()",
        all_but_one_wrong,
    ),
    (
        "your test compares means or sums, in which errors cancel; compare "
        "every number, with torch.allclose",
        changed(
            lambda context, weights: (context.flip(2, 3), weights.flip(2, 3))
        ),
    ),
)
