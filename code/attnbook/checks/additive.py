"""Check of additive attention.

Dimension letters:
    B batch, T queries, S keys, Q width of a query, K width of a key,
    A width of the score's hidden layer.
"""

import torch

from attnbook.attention import additive_attention
from attnbook.checks.additive_errors import (
    ONE_ROW,
    ZERO_SCORE,
    explain_nan,
    is_averaged,
    judge_shapes,
    result_of,
)
from attnbook.checks.additive_mistakes import wrong_contexts, wrong_weights
from attnbook.checks.engine.calling import (
    LOST,
    call,
    check_tensor,
    close,
    first_match,
    why_backward_fails,
)
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.scaling import gradients, pair_of

SAME_WIDTH = (3, 4, 7, 5, 5, 6)  # B, T, S, Q, K, A: w_q and w_k both fit
SIZES = (2, 3, 5, 7, 11, 13)  # all different
SQUARE = (4, 4, 4, 4, 4, 4)  # a wrong axis must not hide, nor be right here
ONE_QUERY = (3, 1, 5, 4, 2, 6)
ONE = (1, 1, 1, 1, 1, 1)
LETTERS = "B, T, S, Q, K, A"


def example(sizes=SIZES, factor=1.0, dtype=torch.float32, padded=True):
    """Draw the six inputs; queries and keys are not contiguous."""
    b, t, s, q, k, a = sizes
    generator = torch.Generator().manual_seed(2)

    def draw(*shape):
        return torch.randn(*shape, generator=generator).to(dtype)

    query, keys = draw(t, b, q).transpose(0, 1), draw(s, b, k).transpose(0, 1)
    w_q, w_k, v = draw(q, a) / q**0.5, draw(k, a) / k**0.5, factor * draw(a)
    words = (s - 1 - torch.arange(b)).clamp(min=1)  # every one has a pad
    mask = torch.arange(s) < (words if padded else words * 0 + s)[:, None]
    return query, keys, w_q, w_k, v, mask[:, None]  # mask: (B, 1, S)


STAGES = (
    ("", example(SAME_WIDTH), 1e-5),
    (
        "right when queries are as wide as keys, but not for "
        f"{LETTERS} = {SIZES}: ",
        example(),
        1e-5,
    ),
    (
        "right while the sizes differ, but not when all are 4 (do the same "
        "at every size): ",
        example(SQUARE),
        1e-5,
    ),
    ("right for several queries, but not for one: ", example(ONE_QUERY), 1e-5),
    (
        "right with pads, but not in a batch that has none: ",
        example(padded=False),
        1e-5,
    ),
    (
        "right, but not when v is 0, and with it every score: ",
        example(factor=0.0),
        1e-5,
    ),
    (
        "right for small scores, but not for scores of several hundred: ",
        example(factor=200.0),
        1e-3,
    ),
    (
        "right for float32, but not for float64: ",
        example(dtype=torch.float64),
        1e-9,
    ),
    (
        "right, but not when every size is 1: ",
        example(ONE, padded=False),
        1e-5,
    ),
)


def wrong_sum(weights):
    """Return the hint for weights that sum to 1 elsewhere, or None."""
    for axes, name in (
        ((0,), "batch"),
        ((1,), "queries"),
        ((1, 2), "whole matrix"),
        ((0, 1, 2), "whole batch of matrices"),
    ):
        sums = weights.detach().double().sum(axes)
        sums = sums[sums > 0]  # what is hidden everywhere sums to 0
        if len(sums) and close(sums, torch.ones_like(sums), 1e-4):
            return (
                f"the weights sum to 1 over the {name}, not over the keys; "
                "normalise the last axis"
            )
    return None


def unknown_weights(weights, right, mask):
    """Return a hint for weights that no mistake in the list explains."""
    hint = wrong_sum(weights)
    if hint:
        return hint
    if (weights.masked_fill(mask, 0) > 1e-6).any():
        return "pads are attended; every weight where the mask is False is 0"
    if ((weights == 0) & (right > 1e-6)).any():
        return "some words get weight 0; only pads are to be hidden"
    sums = weights.sum(-1)
    if not close(sums, torch.ones_like(sums), 1e-3):
        return (
            "the rows of the weights do not sum to 1; take the softmax of "
            "the masked scores over the keys, and add nothing to it"
        )
    for axis, name in ((0, "sentence"), (1, "query")):
        first = weights.narrow(axis, 0, 1).expand_as(weights)
        if weights.size(axis) > 1 and close(weights, first):
            return f"every {name} has the weights of the first one"
    if close(weights, right, 1e-2):
        return "nearly right: you lose digits on the way (rounding, float16?)"
    return (
        "the rows sum to 1, but the weights are wrong; recompute one score "
        "by hand: query @ w_q plus key @ w_k, tanh, product with v"
    )


def why_wrong(answer, weights, right, inputs):
    """Return the hint for wrong weights."""
    again = pair_of(call(answer, *inputs))[1]
    if not close(weights, again):
        return (
            "two calls with the same inputs differ; leave out dropout and "
            "randomness"
        )
    if not inputs[4].any():
        return ZERO_SCORE
    hint = first_match(weights, wrong_weights(*inputs))
    return hint or unknown_weights(weights, right, inputs[5])


def why_mixed_wrong(context, weights, inputs):
    """Return the hint for a wrong context beside right weights."""
    if is_averaged(context, weights, inputs[1]):
        return ONE_ROW + " context, weights @ keys"
    return first_match(context, wrong_contexts(*inputs)) or (
        "the weights are right, but the context is not; it is weights @ keys "
        "and nothing more"
    )


def judge_values(answer, inputs, tolerance):
    """Raise a mistake in shapes or numbers for these inputs."""
    query, keys, *_, mask = inputs
    context, weights = result_of(answer, inputs, example(SQUARE))
    judge_shapes(context, weights, query, keys, mask)
    explain_nan(weights, inputs)
    check_tensor(weights, query, "the tensor of weights")
    right_context, right_weights = additive_attention(*inputs)
    if not close(weights, right_weights, tolerance):
        if tolerance < 1e-5 and close(weights, right_weights):
            raise Mistake(LOST)
        raise Mistake(why_wrong(answer, weights, right_weights, inputs))
    check_tensor(context, query, "the context")
    if not close(context, right_context, tolerance):
        if tolerance < 1e-5 and close(context, right_context):
            raise Mistake(LOST)
        raise Mistake(why_mixed_wrong(context, weights, inputs))


def judge_gradients(answer):
    """Raise a mistake in what flows back to the five inputs."""
    *numbers, mask = example()
    numbers = [x.requires_grad_() for x in numbers]
    seen = []

    def remember(*given):
        seen.extend(given[:5])
        return answer(*given)

    context, weights = pair_of(call(remember, *numbers, mask))
    if not (context.requires_grad or weights.requires_grad):
        raise Mistake(
            "no gradient flows through your result; avoid detach, .data, "
            "NumPy and copies by torch.tensor"
        )
    for result, name in ((context, "context"), (weights, "weights")):
        if not result.requires_grad:
            raise Mistake(
                f"the numbers are right, but no gradient flows through the "
                f"{name} that you return; return them without detach"
            )
    want = gradients(*additive_attention(*numbers, mask), numbers)
    try:
        got = gradients(context, weights, seen)
    except RuntimeError as error:
        raise Mistake(why_backward_fails(error)) from None
    names = "query", "keys", "w_q", "w_k", "v"
    for name, a, b in zip(names, got, want, strict=True):
        if a is None or not close(a, b, 1e-3):
            raise Mistake(
                f"the numbers are right, but the gradient of {name} is not; "
                "something on the way is detached"
            )


@checker
def check_additive_attention(answer):
    """Check ``additive_attention(query, keys, w_q, w_k, v, mask)``.

    Args:
        answer: a function of query (B, T, Q), keys (B, S, K), w_q (Q, A),
            w_k (K, A), v (A,) and a bool mask (B, 1, S) that returns the
            context, (B, T, K), and the weights, (B, T, S).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, inputs, tolerance in STAGES:
        try:
            judge_values(answer, inputs, tolerance)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    judge_gradients(answer)
