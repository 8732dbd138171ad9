"""Check of masked attention.

Dimension letters:
    B batch, H heads, T queries, S keys, K width of a query or key, E width
    of a value.
"""

import torch

from attnbook.attention import scaled_dot_product_attention
from attnbook.checks.calling import (
    LOST,
    SQUEEZED,
    call,
    check_tensor,
    close,
    first_match,
    lost_axis,
    why_backward_fails,
)
from attnbook.checks.masked_guess import emptied, of_nan, unknown
from attnbook.checks.masked_mistakes import (
    TINY,
    ZERO,
    wrong_contexts,
    wrong_weights,
)
from attnbook.checks.scaling import (
    SIZES,
    SQUARE,
    example,
    gradients,
    judge_shapes,
    pair_of,
)
from attnbook.checks.verdict import Mistake, checker

ONE = (1, 1, 1, 1, 1, 1)
PRODUCT = "q @ k needs k.transpose(-2, -1); k.T turns all four axes round"
BROADCAST = (
    "the mask may have fewer axes than the scores, or axes of size 1; "
    "masked_fill and torch.where broadcast, indexing does not"
)
HALF = (
    "-1e9 is no float16 number, and a mask times a number is float32; "
    "masked_fill with -inf keeps the type"
)


def mask_of(kind, sizes):
    """Return a mask with at least one True in every row."""
    b, h, t, s, _, _ = sizes
    if kind == "padding":  # (B, 1, 1, S)
        words = (s - 1 - torch.arange(b)).clamp(min=1)
        return (torch.arange(s) < words[:, None])[:, None, None]
    if kind == "causal":  # (T, S)
        return torch.ones(t, s, dtype=torch.bool).tril()
    if kind == "open":  # (1, 1, T, S)
        return torch.ones(1, 1, t, s, dtype=torch.bool)
    generator = torch.Generator().manual_seed(6)
    mask = torch.rand(b, h, t, s, generator=generator) < 0.5
    return mask.scatter(
        -1,
        torch.arange(t).view(-1, 1).expand(b, h, t, 1) % s,
        torch.ones((), dtype=torch.bool).expand(b, h, t, 1),
    )


def inputs_of(kind, sizes=SIZES, **how):
    """Return queries, keys, values and a mask."""
    return (*example(sizes, **how), mask_of(kind, sizes))


def decisive():
    """Return inputs whose hidden keys would win by thousands."""
    q, k, v, mask = inputs_of("padding")
    q = q.abs() + 1
    k = torch.where(mask.transpose(-2, -1), -2e3, 20.0) * (k.abs() + 1)
    return q, k, v, mask


STAGES = (
    ("", inputs_of("every"), 1e-5),
    ("right for a mask of shape (B, H, T, S), but not for a padding mask, "
     "(B, 1, 1, S): ", inputs_of("padding"), 1e-5),
    ("right for masks with four axes, but not for a causal one, (T, S): ",
     inputs_of("causal", SQUARE), 1e-5),
    ("right while all sizes differ, but not when T = S (do the same at every "
     "size): ", inputs_of("every", SQUARE), 1e-5),
    ("right when something is hidden, but not when nothing is: ",
     inputs_of("open"), 1e-5),
    ("right for small scores, but not when a hidden key has a score far "
     "above the others: ", decisive(), 1e-3),
    ("right for float32, but not for float64: ",
     inputs_of("every", dtype=torch.float64), 1e-5),
    ("right for float32, but not for float16: ",
     inputs_of("every", dtype=torch.float16), 1e-2),
    ("right, but not when every size is 1: ", inputs_of("open", ONE), 1e-5),
)  # fmt: skip


def help_for(q, mask):
    """Return what to add when PyTorch refuses an operation."""
    if q.dtype == torch.float16:
        return HALF
    full = mask.dim() == 4 and min(mask.shape[:3]) > 1
    return PRODUCT if full else BROADCAST


def exact(q, k, v, mask):
    """Return the right context and weights, computed in float64."""
    q, k, v = q.double(), k.double(), v.double()
    return scaled_dot_product_attention(q, k, v, mask)


def judge_kind(context, weights, q, k, v, mask):
    """Raise a mistake in shapes, in types, or one that makes NaN."""
    full = (*q.shape[:3], k.size(2))
    if lost_axis(weights, full) or lost_axis(context, (*full[:3], v.size(3))):
        raise Mistake(SQUEEZED)
    judge_shapes(context, weights, q, k, v)
    hint = of_nan(weights, q, k, mask)
    if hint:
        raise Mistake(hint)
    check_tensor(weights, q, "the tensor of weights")
    check_tensor(context, q, "the context")


def judge_values(answer, inputs, tolerance):
    """Raise a mistake in shapes or numbers for these inputs."""
    q, k, v, mask = inputs
    context, weights = pair_of(call(answer, *inputs, help=help_for(q, mask)))
    judge_kind(context, weights, *inputs)
    right_context, right_weights = exact(*inputs)
    wide = q.double(), k.double(), v.double(), mask
    if not close(weights, right_weights, tolerance):
        again = pair_of(call(answer, *inputs))[1]
        if not close(weights, again):
            raise Mistake(
                "two calls with the same inputs differ; leave out dropout "
                "and randomness"
            )
        hint = emptied(weights, mask)
        hint = hint or first_match(weights, wrong_weights(*wide))
        if hint == ZERO:
            hint = zero_or_tiny(answer)
        hint = hint or unknown(weights, right_weights, *wide)
        if close(context, right_context, tolerance):
            hint = f"the context is right, but not the weights: {hint}"
        raise Mistake(hint)
    if not close(context, right_context, tolerance):
        hint = first_match(context, wrong_contexts(*wide))
        raise Mistake(
            hint
            or "the weights are right, but the context is not; it is "
            "weights @ v and nothing more"
        )
    if q.dtype == torch.float64 and not (
        close(weights, right_weights, 1e-10)
        and close(context, right_context, 1e-10)
    ):
        raise Mistake(LOST)


def zero_or_tiny(answer):
    """Return the hint for a score of exactly 0, or of nearly 0."""
    q, k, v, mask = inputs_of("every", dtype=torch.float64)
    weights = pair_of(call(answer, q, k, v, mask))[1]
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    zero = (scores * mask).softmax(-1)
    exactly = weights.shape == zero.shape and (
        (weights - zero).abs().max() < 1e-13
    )
    return ZERO if exactly else TINY


def judge_gradients(answer):
    """Raise a mistake in what flows back to q, k and v."""
    *tensors, mask = inputs_of("padding")
    inputs = [x.requires_grad_() for x in tensors]
    seen = []

    def remember(*given):
        seen.extend(given[:-1])
        return answer(*given)

    result = pair_of(call(remember, *inputs, mask))
    if not any(x.requires_grad for x in result):
        raise Mistake(
            "no gradient flows through your result; avoid detach, .data, "
            "NumPy and copies by torch.tensor"
        )
    right = scaled_dot_product_attention(*inputs, mask)
    want = gradients(*right, inputs)
    try:
        got = gradients(*result, seen)
    except RuntimeError as error:
        raise Mistake(why_backward_fails(error)) from None
    for name, a, b in zip("qkv", got, want, strict=True):
        if a is None or not close(a, b, 1e-3):
            raise Mistake(
                f"the numbers are right, but the gradient of {name} is not; "
                "something on the way is detached, or NaN"
            )


@checker
def check_masked_attention(answer):
    """Check exercise ``masked_attention(q, k, v, mask)``.

    Args:
        answer: a function of q (B, H, T, K), k (B, H, S, K), v
            (B, H, S, E) and a bool mask, broadcastable to (B, H, T, S),
            that returns the context, (B, H, T, E), and the weights,
            (B, H, T, S).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, inputs, tolerance in STAGES:
        try:
            judge_values(answer, inputs, tolerance)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    judge_gradients(answer)
