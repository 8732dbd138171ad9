"""Check of a test: does the learner's own test catch wrong attentions?"""

from attnbook.attention import scaled_dot_product_attention
from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.verdict import (
    NOT_ANSWERED,
    Mistake,
    checker,
    describe,
)


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


def summed_by_hand(q, k, v):
    """Return the right result, computed in another order."""
    scores = (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1)  # (..., T, S)
    powers = (scores / q.size(-1) ** 0.5).softmax(-1)
    return (powers.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2), powers


RIGHT = (
    scaled_dot_product_attention,
    attention_with(),
    summed_by_hand,
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
)


def opinion(answer, attend):
    """Return what the learner's test says of an attention, as a bool."""
    try:
        said = answer(attend)
    except NotImplementedError:
        raise Mistake(NOT_ANSWERED) from None
    except AssertionError:
        raise Mistake(
            "your test fails an assert; return True or False instead, so "
            "that the caller can decide"
        ) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise Mistake(
            "your test raised an error; give it 4-D q, k and v, and take the "
            f"result apart as (context, weights): {describe(error)}"
        ) from None
    if unanswered(said):
        raise Mistake(NOT_ANSWERED)
    if str(said) not in ("True", "False", "tensor(True)", "tensor(False)"):
        raise Mistake(
            f"your test returns a {type(said).__name__}; return True or False"
        )
    return bool(said)


@checker
def check_attention_test(answer):
    """Check exercise ``attention_test(attend) -> bool``.

    Args:
        answer: a function that takes an attention function, calls it on
            q (B, H, T, K), k (B, H, S, K) and v (B, H, S, E) of its own,
            and returns True if the result, (context, weights), is right.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    wrong = [opinion(answer, attend) for _, attend in WRONG]
    right = [opinion(answer, attend) for attend in RIGHT]
    if all(wrong) and not any(right):
        raise Mistake(
            "your test says True of wrong attentions and False of right ones; "
            "turn it round"
        )
    if not any(right):
        raise Mistake(
            "your test refuses every attention, right ones too; compare with "
            "F.scaled_dot_product_attention by torch.allclose, which allows "
            "for rounding"
        )
    if not all(right):
        raise Mistake(
            "your test refuses a right attention that adds up in another "
            "order; compare with torch.allclose, not with =="
        )
    for (mistake, _), passes in zip(WRONG, wrong, strict=True):
        if passes:
            raise Mistake(f"your test accepts {mistake}")
