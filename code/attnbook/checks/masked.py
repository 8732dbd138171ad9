"""Check of masked attention.

Dimension letters:
    B batch, H heads, T queries, S keys, K width of a query or key, E width
    of a value.
"""

import torch

from attnbook.attention import scaled_dot_product_attention
from attnbook.checks.engine.calling import (
    LOST,
    SQUEEZED,
    call,
    check_tensor,
    close,
    first_match,
    lost_axis,
    why_backward_fails,
)
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.masked_guess import emptied, of_nan, unknown
from attnbook.checks.masked_mistakes import (
    TINY,
    ZERO,
    wrong_contexts,
    wrong_weights,
)
from attnbook.checks.masked_refused import help_for
from attnbook.checks.masked_stages import STAGES, decisive, inputs_of
from attnbook.checks.scaling import gradients, judge_shapes, pair_of

ROOT = (
    "digits are lost: torch.sqrt of an integer tensor is float32; take the "
    "root by math.sqrt or ** 0.5"
)


def call_for_pair(answer, inputs):
    """Call the answer; help with what PyTorch refuses."""
    try:
        result = call(answer, *inputs)
    except Mistake as mistake:
        said = str(mistake)
        if "raised an error" not in said:
            raise
        refused = "RuntimeError" in said or "IndexError" in said
        refused = refused or "NotImplementedError" in said
        more = help_for(answer, inputs, said) if refused else ""
        raise Mistake(f"{said} ({more})" if more else said) from None
    return pair_of(result)


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
    context, weights = call_for_pair(answer, inputs)
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
    if q.dtype == torch.float64 and tolerance <= 1e-5:
        judge_digits(context, weights, inputs)


def judge_digits(context, weights, inputs):
    """Raise a mistake too small to be seen in float32."""
    right_context, right_weights = exact(*inputs)
    leaked = weights.masked_fill(inputs[-1], 0).max().item()
    if leaked:
        raise Mistake(
            f"hidden keys get a weight of up to {leaked:.0e}; it must be "
            "exactly 0, so fill with -inf and add nothing to the weights "
            "(no 1e-9, no clamp)"
        )
    if not (
        close(weights, right_weights, 1e-10)
        and close(context, right_context, 1e-10)
    ):
        q, k, v, mask = inputs
        root = torch.tensor(q.size(-1)).sqrt().double()  # of float32
        root = root / q.size(-1) ** 0.5
        coarse = scaled_dot_product_attention(q / root, k, v, mask)[1]
        raise Mistake(ROOT if close(weights, coarse, 1e-12) else LOST)


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


def judge_gradients(answer, inputs):
    """Raise a mistake in what flows back to q, k and v."""
    *tensors, mask = inputs
    given = [x.clone().requires_grad_() for x in tensors]
    seen = []

    def remember(*given):
        seen.extend(given[:-1])
        return answer(*given)

    result = pair_of(call(remember, *given, mask))
    if not any(x.requires_grad for x in result):
        raise Mistake(
            "no gradient flows through your result; avoid detach, .data, "
            "NumPy and copies by torch.tensor"
        )
    right = scaled_dot_product_attention(*given, mask)
    want = gradients(*right, given)
    try:
        got = gradients(*result, seen)
    except RuntimeError as error:
        raise Mistake(why_backward_fails(error)) from None
    for name, a, b in zip("qkv", got, want, strict=True):
        if a is not None and a.isnan().any():
            raise Mistake(
                f"the numbers are right, but the gradient of {name} is NaN: "
                "an exponential has overflowed, and throwing it away "
                "afterwards does not help its gradient; mask the scores first"
            )
        if a is None or not close(a, b, 1e-3):
            raise Mistake(
                f"the numbers are right, but the gradient of {name} is not; "
                "something on the way is detached"
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
    judge_gradients(answer, inputs_of("padding"))
    judge_gradients(answer, inputs_of("every"))
    *far, mask = decisive()
    judge_gradients(answer, (*(x.double() for x in far), mask))
