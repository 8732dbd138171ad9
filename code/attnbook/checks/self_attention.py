"""Check of self-attention.

Dimension letters:
    B batch, T words, D = d_model, K = d_k width of a query or key,
    E = d_v width of a value; "..." is (B) or nothing.
"""

import torch

from attnbook.attention import scaled_dot_product_attention
from attnbook.checks.engine.calling import (
    call,
    check_tensor,
    close,
    first_match,
)
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.refused import refusal
from attnbook.checks.scaling import gradients, pair_of
from attnbook.checks.self_attention_guess import (
    judge_weights_shape,
    refuse_lost_digits,
    refuse_overflow,
    refuse_squeeze,
    unknown_weights,
)
from attnbook.checks.self_attention_mistakes import (
    wrong_contexts,
    wrong_weights,
)

SIZES = (3, 5, 13, 7, 11)  # B, T, D, K, E: all different
OTHER_SIZES = (4, 6, 3, 8, 2)
ROUND = (3, 5, 13, 4, 11)  # the root of 4 loses no digits in float32
SQUARE = (6, 6, 6, 6, 6)  # a wrong axis must not hide, nor be right here
ONE = (1, 1, 1, 1, 1)
LETTERS = "B, T, D, d_k, d_v"


def example(sizes=SIZES, factor=1.0, dtype=torch.float32):
    """Draw words and three matrices; none of them is contiguous."""
    b, t, d, k, e = sizes
    generator = torch.Generator().manual_seed(6)

    def draw(*shape):
        x = torch.randn(shape, generator=generator).to(dtype)
        return x.transpose(0, -1) if len(shape) == 2 else x.transpose(0, 1)

    x = factor * draw(t, b, d)  # (B, T, D)
    return x, draw(k, d) / d**0.25, draw(k, d) / d**0.25, draw(e, d)


def one_sentence():
    """Draw a sentence without a batch, and three matrices."""
    x, *matrices = example(OTHER_SIZES)
    return x[1], *matrices


def right_answer(x, w_q, w_k, w_v):
    """Return the right context and weights."""
    return scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)


STAGES = (
    ("", example(), 1e-5),
    (
        f"right for {LETTERS} = {SIZES}, but not for {OTHER_SIZES}: ",
        example(OTHER_SIZES),
        1e-5,
    ),
    (
        "right for a batch (B, T, D), but not for one sentence (T, D); count "
        "axes from the end: ",
        one_sentence(),
        1e-5,
    ),
    (
        "right while all sizes differ, but not when they are all equal (do "
        "the same at every size): ",
        example(SQUARE),
        1e-5,
    ),
    (
        "right for small scores, but not for scores of several hundred: ",
        example(factor=12.0),
        1e-3,
    ),
    (
        "right for float32, but not for float64: ",
        example(ROUND, dtype=torch.float64),
        1e-9,
    ),
    ("right, but not when every size is 1: ", example(ONE), 1e-5),
)


def judge_context(context, right, inputs, tolerance):
    """Raise a mistake in shape or numbers of the context."""
    if close(context, right, tolerance):
        return
    refuse_squeeze(context, tuple(right.shape), "context")
    refuse_lost_digits(context, right, tolerance)
    hint = first_match(context, wrong_contexts(*inputs))
    if hint is None and context.shape != right.shape:
        hint = (
            "the context must have one vector as wide as a value for every "
            f"word, {tuple(right.shape)}; yours has shape "
            f"{tuple(context.shape)}"
        )
    raise Mistake(
        hint
        or "the weights are right, but the context is not; it is weights @ v "
        "with v = x @ w_v, and nothing more"
    )


def called(answer, inputs):
    """Return what the answer gives, or say which operation was refused."""
    try:
        return pair_of(call(answer, *inputs))
    except Mistake as mistake:
        if "raised an error" not in str(mistake):
            raise
        more = refusal(answer, inputs)
        raise Mistake(f"{mistake} ({more})" if more else mistake) from None


def judge_values(answer, inputs, tolerance):
    """Raise a mistake in shapes or numbers for these inputs."""
    x = inputs[0]
    context, weights = called(answer, inputs)
    right_context, right_weights = right_answer(*inputs)
    shapes = context.shape, weights.shape
    expected = right_context.shape, right_weights.shape
    if shapes == expected[::-1] != expected:
        raise Mistake(
            "you return the weights first; return (context, weights)"
        )
    judge_weights_shape(weights, x)
    refuse_overflow(weights, *inputs)
    check_tensor(weights, x, "the tensor of weights")
    check_tensor(context, x, "the context")
    if not close(weights, right_weights, tolerance):
        refuse_lost_digits(weights, right_weights, tolerance)
        again = pair_of(call(answer, *inputs))[1]
        if not close(weights, again):
            raise Mistake(
                "two calls with the same inputs differ; leave out dropout "
                "and randomness"
            )
        hint = first_match(weights, wrong_weights(*inputs))
        raise Mistake(
            hint or unknown_weights(weights, right_weights, *inputs[:3])
        )
    judge_context(context, right_context, inputs, tolerance)


def judge_gradients(answer):
    """Raise a mistake in what flows back to x and the matrices."""
    inputs = [x.requires_grad_() for x in example()]
    seen = []

    def remember(*given):
        seen.extend(given)
        return answer(*given)

    result = pair_of(call(remember, *inputs))
    if not any(x.requires_grad for x in result):
        raise Mistake(
            "no gradient flows through your result; avoid detach, .data, "
            "NumPy and copies by torch.tensor"
        )
    want = gradients(*right_answer(*inputs), inputs)
    try:
        got = gradients(*result, seen)
    except RuntimeError:
        raise Mistake(
            "the numbers are right, but backward() fails: something on the "
            "way is overwritten in place (/=, mul_, o[i] = ...); make a new "
            "tensor"
        ) from None
    for name, a, b in zip(("x", "w_q", "w_k", "w_v"), got, want, strict=True):
        if a is None or not close(a, b, 1e-3):
            raise Mistake(
                f"the numbers are right, but the gradient of {name} is not; "
                "something on the way is detached"
            )


@checker
def check_self_attention(answer):
    """Check exercise ``self_attention(x, w_q, w_k, w_v)``.

    Args:
        answer: a function of words x, (T, D) or (B, T, D), and matrices
            w_q (D, K), w_k (D, K) and w_v (D, E) that returns the context,
            (..., T, E), and the weights, (..., T, T).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, inputs, tolerance in STAGES:
        try:
            judge_values(answer, inputs, tolerance)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    judge_gradients(answer)
