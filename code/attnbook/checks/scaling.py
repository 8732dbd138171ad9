"""Check of scaled attention.

Dimension letters:
    B batch, H heads, T queries, S keys, K = d_k width of a query or key,
    E = d_v width of a value.
"""

import torch

from attnbook.attention import scaled_dot_product_attention
from attnbook.checks.scaling_mistakes import wrong_contexts, wrong_weights
from attnbook.checks.verdict import Mistake, call, checker, close, first_match

SIZES = (2, 5, 3, 7, 11, 13)  # B, H, T, S, K, E: all different
OTHER_SIZES = (3, 4, 6, 5, 17, 2)
ONE = (1, 1, 1, 1, 1, 1)


def example(sizes=SIZES, factor=1.0, dtype=torch.float32):
    """Draw queries, keys and values; none of them is contiguous."""
    b, h, t, s, k, e = sizes
    generator = torch.Generator().manual_seed(4)

    def draw(length, width):
        x = torch.randn(b, length, h, width, generator=generator)
        return (factor * x).to(dtype).transpose(1, 2)  # (B, H, length, width)

    return draw(t, k), draw(s, k), draw(s, e)


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
    if (context.shape, weights.shape) == (full, wide) != (wide, full):
        raise Mistake(
            "you return the weights first; return (context, weights)"
        )
    if weights.shape == (*q.shape[:2], k.size(2), q.size(2)) != full:
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
    if context.shape != wide:
        raise Mistake(
            "the context must have one vector as wide as a value per batch, "
            f"head and query; yours has shape {tuple(context.shape)}"
        )


def judge_values(answer, inputs, tolerance=1e-5):
    """Raise a mistake in shapes or numbers for these inputs."""
    context, weights = pair_of(call(answer, *inputs))
    judge_shapes(context, weights, *inputs)
    if weights.isnan().any() or context.isnan().any():
        raise Mistake(
            "large scores give NaN: the exponential overflows; use "
            "torch.softmax, or subtract the largest score of each row first"
        )
    if {context.dtype, weights.dtype} != {inputs[0].dtype}:
        raise Mistake(
            f"you turn {inputs[0].dtype} into {context.dtype} (context) and "
            f"{weights.dtype} (weights); keep the type of the inputs"
        )
    right_context, right_weights = scaled_dot_product_attention(*inputs)
    if not close(weights, right_weights, tolerance):
        hint = first_match(weights, wrong_weights(*inputs))
        raise Mistake(hint or unknown_weights(weights))
    if not close(context, right_context, tolerance):
        hint = first_match(context, wrong_contexts(*inputs))
        raise Mistake(
            hint
            or "the weights are right, but the context is not; it is "
            "weights @ v and nothing more"
        )


def unknown_weights(weights):
    """Return a hint for weights that no known mistake explains."""
    sums = weights.sum(-1)  # (B, H, T)
    if not close(sums, torch.ones_like(sums), 1e-4):
        return (
            "the rows of the weights do not sum to 1; take the softmax of "
            "the scaled scores over the keys"
        )
    return (
        "the rows sum to 1, but the weights are wrong; recompute one row by "
        "hand: one dot product per key, divided by sqrt(d_k), then a softmax"
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
    judge_values(answer, example())
    judge_values(answer, example(OTHER_SIZES))
    judge_values(answer, example(factor=8.0), tolerance=1e-3)
    judge_values(answer, example(dtype=torch.float64))
    judge_values(answer, example(ONE))
    inputs = [x.requires_grad_() for x in example()]
    for result in pair_of(call(answer, *inputs)):
        if not result.requires_grad:
            raise Mistake(
                "no gradient flows through your result; avoid detach, .data, "
                "NumPy and copies by torch.tensor"
            )
