"""Check of multi-head attention.

Dimension letters:
    B batch, H heads, T length, D = d_model, K = D / H width of one head.
"""

import torch

from attnbook.checks.engine import calling
from attnbook.checks.engine.calling import (
    call,
    check_tensor,
    close,
    first_match,
)
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.heads_errors import (
    NO_GRADIENT,
    NUMPY,
    backwards,
    explained,
    refuse_squeezed,
)
from attnbook.checks.multihead_mistakes import (
    compute,
    wrong_alone,
    wrong_pairs,
    wrong_scores,
)
from attnbook.checks.scaling import gradients, pair_of
from attnbook.checks.scaling_guess import unknown_weights
from attnbook.multihead import split_heads

SIZES = (3, 4, 7, 5)  # B, H, T, K: all different


def refused(sizes):
    """Return pairs of a pattern of PyTorch's message and a hint."""
    b, h, t, k = sizes
    d = h * k
    return (
        (
            "view size",
            "an exchange of axes only relabels them, and view wants the "
            "numbers in order; use reshape or flatten",
        ),
        (
            rf"\({b * t}x{k} and {d}x{d}|\[{b}, {k}\] but got: \[{b}, {d}\]",
            "w_o needs rows of D numbers and gets rows of K; if you average "
            "or add the heads, or keep one: lay all of them side by side",
        ),
        (
            rf"x{k} and {d}x{d}|, {k}\] but got: \[\d+, {d}\]",
            "w_o needs rows of D numbers and gets single heads, K numbers "
            "wide; merge them first, (B, T, H, K) -> (B, T, D)",
        ),
        (
            rf"and {d}x{d}\)",
            "what you multiply by w_o does not have D numbers per token; "
            "split to (B, H, T, K), exchange heads and tokens after mixing, "
            "and flatten the last two axes",
        ),
        (
            "must match the size|but got|expects a tensor with <= 2",
            "two tensors do not fit; if this is q @ k.T: exchange the last "
            "two axes alone, k.transpose(-2, -1), because .T turns all four "
            "round",
        ),
        NUMPY,
    )


def example(sizes=SIZES, factor=1.0, dtype=torch.float32):
    """Draw x and the four matrices; none of them is contiguous."""
    b, h, t, k = sizes
    d = h * k
    generator = torch.Generator().manual_seed(7)
    x = torch.randn(b, d, t, generator=generator).transpose(1, 2)
    ws = torch.randn(4, d, d, generator=generator).transpose(1, 2) / d**0.5
    return [y.to(dtype) for y in (factor * x, *ws)] + [h]


STAGES = (
    ("", example(), 1e-5),
    (
        "right for (B, H, T, K) = (3, 4, 7, 5), but not for (2, 6, 11, 3): ",
        example((2, 6, 11, 3)),
        1e-5,
    ),
    (
        "right while all sizes differ, but not when there are as many heads "
        "as tokens (do the same at every size): ",
        example((2, 4, 4, 3)),
        1e-5,
    ),
    (
        "right while all sizes differ, but not when the sentence is as long "
        "as a token is wide (do the same at every size): ",
        example((2, 2, 6, 3)),
        1e-5,
    ),
    ("right, but not for one head: ", example((2, 1, 3, 5)), 1e-5),
    ("right, but not when every size is 1: ", example((1, 1, 1, 1)), 1e-5),
    (
        "right for small scores, but not for scores of several hundred: ",
        example(factor=20.0),
        1e-3,
    ),
    (
        "right for float32, but not for float64: ",
        example((3, 5, 7, 4), dtype=torch.float64),  # a root that is exact
        1e-9,
    ),
)


def judge_weights_shape(weights, x, h):
    """Raise a mistake that can be seen from the shape of the weights."""
    b, t, _ = x.shape
    full = (b, h, t, t)
    if weights.shape == full:
        return
    if weights.shape == (b, t, t):
        raise Mistake(
            "there is one map per sentence, (B, T, T): you did not split, or "
            "averaged over the heads; return the weights of every head"
        )
    if weights.shape == (b * h, t, t):
        raise Mistake(
            "the heads are folded into the batch; return the weights as "
            "(B, H, T, T)"
        )
    if weights.shape == (h, b, t, t):
        raise Mistake("the heads stand before the batch in the weights")
    if weights.shape == (b, t, h, h):
        raise Mistake(
            "your heads attend to each other inside one token; exchange "
            "heads and tokens after the split, (B, H, T, K)"
        )
    if weights.shape == (b, x.size(-1) // h, t, t):
        raise Mistake(
            "your split makes K heads of width H; cut D into (H, K), not "
            "(K, H)"
        )
    raise Mistake(
        "the weights must have one number per batch, head, query and key, "
        f"{full}; yours have shape {tuple(weights.shape)}"
    )


def judge_shapes(context, weights, x, h):
    """Raise a mistake that can be seen from the shapes."""
    refuse_squeezed(weights, x.new_empty(len(x), h, x.size(1), x.size(1)))
    refuse_squeezed(context, x)
    b, t, d = x.shape
    wide = (b, t, d)
    if context.shape == (b, h, t, t) and weights.shape == wide != (b, h, t, t):
        raise Mistake(
            "you return the weights first; return (context, weights)"
        )
    judge_weights_shape(weights, x, h)
    if context.shape == (b, h, t, d // h):
        raise Mistake(
            "the context is still in heads, (B, H, T, K); merge them and "
            "multiply by w_o"
        )
    if context.shape == (b, t, h, d // h):
        raise Mistake(
            "the context still has four axes, (B, T, H, K); flatten the last "
            "two and multiply by w_o"
        )
    if context.shape != wide:
        raise Mistake(
            "the context must have one vector of d_model numbers per token, "
            f"{wide}; yours has shape {tuple(context.shape)}"
        )


def judge_values(answer, inputs, tolerance):
    """Raise a mistake in shapes or numbers for these inputs."""
    x, *ws, h = inputs
    sizes = len(x), h, x.size(1), x.size(-1) // h
    context, weights = pair_of(explained(answer, inputs, refused(sizes)))
    judge_shapes(context, weights, x, h)
    check_tensor(weights, x, "the tensor of weights")
    check_tensor(context, x, "the context")
    right, right_weights = compute(x, ws, h)
    good = close(weights, right_weights, tolerance)
    if good and close(context, right, tolerance):
        return
    if close(weights, right_weights) and close(context, right):
        raise Mistake(calling.LOST)
    again = pair_of(call(answer, *inputs))
    if not (close(weights, again[1]) and close(context, again[0])):
        raise Mistake(
            "two calls with the same inputs differ; leave out dropout and "
            "randomness"
        )
    if good:
        hint = first_match(context, wrong_alone(*inputs))
        raise Mistake(
            hint
            or "the weights are right, but the context is not; mix the "
            "values of every head, merge, then multiply by w_o"
        )
    pairs = wrong_pairs(*inputs)
    both = [(hint, w) for hint, c, w in pairs if close(context, c, tolerance)]
    hint = first_match(weights, both)
    hint = hint or first_match(weights, [(p[0], p[2]) for p in pairs[1:]])
    hint = hint or first_match(weights, wrong_scores(x, *ws[:3], h))
    q, k, v = (split_heads(x @ w, h) for w in ws[:3])
    raise Mistake(hint or unknown_weights(weights, right_weights, q, k, v))


def judge_gradients(answer):
    """Raise a mistake in what flows back to x and the matrices."""
    *tensors, h = example()
    inputs, seen = [x.requires_grad_() for x in tensors], []

    def remember(*given):
        seen.extend(given[:-1])
        return answer(*given)

    result = pair_of(explained(remember, (*inputs, h), (NUMPY,)))
    if not any(x.requires_grad for x in result):
        raise Mistake(NO_GRADIENT)
    want = gradients(*compute(inputs[0], inputs[1:], h), inputs)
    got = backwards(gradients, (*result, seen))
    names = ("x", "w_q", "w_k", "w_v", "w_o")
    for name, a, b in zip(names, got, want, strict=True):
        if a is None or not close(a, b, 1e-3):
            raise Mistake(
                f"the numbers are right, but the gradient of {name} is not; "
                "something on the way is detached"
            )


@checker
def check_multi_head(answer):
    """Check exercise ``multi_head(x, w_q, w_k, w_v, w_o, num_heads)``.

    Args:
        answer: a function of x, (B, T, D), four matrices, (D, D) each, and
            the number of heads H that returns the context, (B, T, D), and
            the weights, (B, H, T, T).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, inputs, tolerance in STAGES:
        try:
            judge_values(answer, inputs, tolerance)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    judge_gradients(answer)
