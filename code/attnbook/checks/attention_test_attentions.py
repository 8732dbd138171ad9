"""Right and wrong attentions, on which a learner's test is tried."""

import math

from attnbook.attention import scaled_dot_product_attention


def attention_with(factor=None, dim=-1, after=False):
    """Return an attention function with a planted mistake.

    Args:
        factor: a function of q, k, v that gives the scale; None is right.
        dim: the axis of the softmax.
        after: whether the scale comes after the softmax.

    Returns:
        A function of q, k, v that returns context and weights.
    """

    def attend(q, k, v):
        scale = factor(q, k, v) if factor else q.size(-1) ** -0.5
        scores = q @ k.transpose(-2, -1)  # (B, H, T, S)
        if after:
            weights = scores.softmax(dim) * scale  # (B, H, T, S)
        else:
            weights = (scores * scale).softmax(dim)  # (B, H, T, S)
        return weights @ v, weights

    return attend


def context_of_other_weights(q, k, v):
    """Return right weights and the context of unscaled ones."""
    right = scaled_dot_product_attention(q, k, v)[1]
    return (q @ k.transpose(-2, -1)).softmax(-1) @ v, right


def weights_of_another_context(q, k, v):
    """Return the right context and unscaled weights."""
    right = scaled_dot_product_attention(q, k, v)[0]
    return right, (q @ k.transpose(-2, -1)).softmax(-1)


def one_for_all(axis, place=0):
    """Return an attention that hands out one part's result to all.

    Args:
        axis: 0 for a batch entry, 1 for a head, 2 for a query.
        place: which one.
    """

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


def axes_from_the_front(q, k, v):
    """Return the right result, its axes counted as in (B, H, T, K)."""
    weights = (q @ k.transpose(2, 3) / q.size(3) ** 0.5).softmax(3)
    return weights @ v, weights


def summed_by_hand(q, k, v):
    """Return the right result, computed in another order."""
    scores = (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1)  # (..., T, S)
    powers = (scores / q.size(-1) ** 0.5).softmax(-1)
    return (powers.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2), powers


RIGHT = (
    scaled_dot_product_attention,
    attention_with(),
    summed_by_hand,
    axes_from_the_front,
)
WRONG = (
    (
        "no scale at all; compare numbers to about 1e-5, not shapes or sums "
        "of rows, and keep the scores small, so that the scale matters",
        attention_with(lambda q, k, v: 1),
    ),
    (
        "a scale that is half a percent too large; compare numbers to about "
        "1e-5, in allclose by atol=1e-5",
        attention_with(lambda q, k, v: 1.005 * q.size(-1) ** -0.5),
    ),
    (
        "1 / d_k in the place of its root; compare numbers",
        attention_with(lambda q, k, v: 1 / q.size(-1)),
    ),
    (
        "the root of the number of keys; choose a number of keys other than "
        "d_k",
        attention_with(lambda q, k, v: k.size(-2) ** -0.5),
    ),
    (
        "the root of the number of queries; choose a number of queries other "
        "than d_k",
        attention_with(lambda q, k, v: q.size(-2) ** -0.5),
    ),
    (
        "the root of d_v; give the values another width than the keys",
        attention_with(lambda q, k, v: v.size(-1) ** -0.5),
    ),
    (
        "the root of d_model, all heads together; draw more than one head",
        attention_with(lambda q, k, v: (q.size(-3) * q.size(-1)) ** -0.5),
    ),
    (
        "the root of the number of heads; choose a number of heads other "
        "than d_k",
        attention_with(lambda q, k, v: q.size(-3) ** -0.5),
    ),
    (
        "the root of the batch size; choose a batch size other than d_k",
        attention_with(lambda q, k, v: q.size(0) ** -0.5),
    ),
    (
        "the root of 64 for every width; choose another d_k than the paper's",
        attention_with(lambda q, k, v: 1 / 8),
    ),
    (
        "the scale after the softmax; compare numbers",
        attention_with(after=True),
    ),
    (
        "a softmax over the queries; compare numbers",
        attention_with(dim=-2),
    ),
    (
        "right weights with a context that was mixed by others; compare the "
        "context too",
        context_of_other_weights,
    ),
    (
        "a right context with weights that did not make it; compare the "
        "weights too",
        weights_of_another_context,
    ),
    (
        "an attention that gives all heads the result of the first; draw "
        "more than one head, and compare all of it",
        one_for_all(1),
    ),
    (
        "an attention that gives all heads the result of the last; compare "
        "all heads",
        one_for_all(1, -1),
    ),
    (
        "an attention that gives the whole batch the result of its first "
        "entry; draw a batch of two or more, and compare all of it",
        one_for_all(0),
    ),
    (
        "an attention that gives all queries the result of the first; draw "
        "more than one query, and compare all of it",
        one_for_all(2),
    ),
    (
        "an attention that gives the whole batch the result of its last "
        "entry; compare the whole batch",
        one_for_all(0, -1),
    ),
    (
        "an attention that gives all queries the result of the last; compare "
        "all queries",
        one_for_all(2, -1),
    ),
    (
        "an attention that returns NaN everywhere; a comparison with NaN is "
        "never true, so ask whether all numbers agree, not whether one does "
        "not",
        changed(
            lambda context, weights: (context * math.nan, weights * math.nan)
        ),
    ),
    (
        "a right context with weights half as large; take .abs() of the "
        "differences",
        changed(lambda context, weights: (context, weights / 2)),
    ),
    (
        "a right context with weights twice as large; take .abs() of the "
        "differences",
        changed(lambda context, weights: (context, weights * 2)),
    ),
    (
        "right weights with a context whose heads come in another order; "
        "compare every number of the context, and no mean or sum",
        changed(lambda context, weights: (context.roll(1, 1), weights)),
    ),
    (
        "a right context with weights whose keys come in reverse order; "
        "compare every weight with the one in its place",
        changed(lambda context, weights: (context, weights.flip(-1))),
    ),
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
