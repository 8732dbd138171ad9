"""Check of scaled attention.

Dimension letters:
    B batch, H heads, T queries, S keys, K = d_k width of a query or key,
    E = d_v width of a value.
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
from attnbook.checks.scaling_guess import unknown_weights
from attnbook.checks.scaling_mistakes import wrong_contexts, wrong_weights

SIZES = (3, 5, 4, 7, 11, 13)  # B, H, T, S, K, E: all different
OTHER_SIZES = (2, 4, 6, 9, 5, 3)
SQUARE = (2, 3, 6, 6, 6, 6)  # a wrong axis must not hide, nor be right here
ONE = (1, 1, 1, 1, 1, 1)
LETTERS = "B, H, T, S, d_k, d_v"
HELP = (
    "if this is the product of q and k: it needs k.transpose(-2, -1); k.T "
    "turns all four axes round"
)


def example(sizes=SIZES, factor=1.0, dtype=torch.float32):
    """Draw queries, keys and values; none of them is contiguous."""
    b, h, t, s, k, e = sizes
    generator = torch.Generator().manual_seed(4)

    def draw(length, width):
        x = torch.randn(b, length, h, width, generator=generator)
        return (factor * x).to(dtype).transpose(1, 2)  # (B, H, length, width)

    return draw(t, k), draw(s, k), draw(s, e)


STAGES = (
    ("", example(), 1e-5),
    (
        f"right for {LETTERS} = {SIZES}, but not for {OTHER_SIZES}: ",
        example(OTHER_SIZES),
        1e-5,
    ),
    (
        "right while all sizes differ, but not when there are as many keys "
        "as numbers in a key (do the same at every size): ",
        example(SQUARE),
        1e-5,
    ),
    (
        "right for small scores, but not for scores of several hundred: ",
        example(factor=8.0),
        1e-3,
    ),
    (
        "right for float32, but not for float64: ",
        example(dtype=torch.float64),
        1e-5,
    ),
    ("right, but not when every size is 1: ", example(ONE), 1e-5),
)


def pair_of(result):
    """Return context and weights, or say why the result is not a pair."""
    if isinstance(result, torch.Tensor) or not isinstance(
        result, (tuple, list)
    ):
        raise Mistake(
            f"you return one {type(result).__name__}; return two tensors, "
            "the context and the weights"
        )
    if len(result) != 2 or not all(
        isinstance(x, torch.Tensor) for x in result
    ):
        kinds = ", ".join(type(x).__name__ for x in result)
        raise Mistake(
            "return exactly two tensors, the context and the weights, not "
            f"({kinds})"
        )
    return result


def judge_shapes(context, weights, q, k, v):
    """Raise a mistake that can be seen from the shapes."""
    full = (*q.shape[:3], k.size(2))
    wide = (*q.shape[:3], v.size(3))
    b, h, t, _ = q.shape
    if (context.shape, weights.shape) == (full, wide) != (wide, full):
        raise Mistake(
            "you return the weights first; return (context, weights)"
        )
    if weights.shape == (b, h, k.size(2), t) != full:
        raise Mistake(
            "the weights are transposed; rows are queries, columns are keys"
        )
    if weights.shape != full:
        raise Mistake(
            "the weights must have one number per batch, head, query and "
            f"key, {full}; yours have shape {tuple(weights.shape)}"
        )
    if context.shape == (*q.shape[:3], k.size(3)) != wide:
        raise Mistake(
            "your context is as wide as a key; mix the values, not the keys"
        )
    if context.shape == (b, t, h, v.size(3)) != wide:
        raise Mistake("you exchanged heads and queries in the context")
    if context.shape == (b, t, h * v.size(3)) != wide:
        raise Mistake("you merged the heads; leave them apart in this task")
    if context.shape != wide:
        raise Mistake(
            "the context must have one vector as wide as a value per batch, "
            f"head and query, {wide}; yours has shape {tuple(context.shape)}"
        )


def judge_values(answer, inputs, tolerance):
    """Raise a mistake in shapes or numbers for these inputs."""
    context, weights = pair_of(call(answer, *inputs, help=HELP))
    judge_shapes(context, weights, *inputs)
    check_tensor(weights, inputs[0], "the tensor of weights")
    check_tensor(context, inputs[0], "the context")
    right_context, right_weights = scaled_dot_product_attention(*inputs)
    if not close(weights, right_weights, tolerance):
        again = pair_of(call(answer, *inputs))[1]
        if not close(weights, again):
            raise Mistake(
                "two calls with the same inputs differ; leave out dropout "
                "and randomness"
            )
        hint = first_match(weights, wrong_weights(*inputs))
        raise Mistake(hint or unknown_weights(weights, right_weights, *inputs))
    if not close(context, right_context, tolerance):
        hint = first_match(context, wrong_contexts(*inputs))
        raise Mistake(
            hint
            or "the weights are right, but the context is not; it is "
            "weights @ v and nothing more"
        )


def gradients(context, weights, inputs):
    """Return the gradients of a mixture of both results."""
    generator = torch.Generator().manual_seed(5)
    mixture = sum(
        (x * torch.randn(x.shape, generator=generator)).sum()
        for x in (context, weights)
    )
    return torch.autograd.grad(mixture, inputs, allow_unused=True)


def judge_gradients(answer):
    """Raise a mistake in what flows back to q, k and v."""
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
    want = gradients(*scaled_dot_product_attention(*inputs), inputs)
    try:
        got = gradients(*result, seen)
    except RuntimeError:
        return  # loops that write into a tensor: right, though not trainable
    for name, a, b in zip("qkv", got, want, strict=True):
        if a is None or not close(a, b, 1e-3):
            raise Mistake(
                f"the numbers are right, but the gradient of {name} is not; "
                "something on the way is detached"
            )


@checker
def check_scaled_attention(answer):
    """Check exercise ``scaled_attention(q, k, v) -> (context, weights)``.

    Args:
        answer: a function of q (B, H, T, K), k (B, H, S, K) and
            v (B, H, S, E) that returns the context, (B, H, T, E), and the
            weights, (B, H, T, S).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, inputs, tolerance in STAGES:
        try:
            judge_values(answer, inputs, tolerance)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    judge_gradients(answer)
