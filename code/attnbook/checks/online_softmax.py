"""Check of the softmax that goes over the keys in blocks.

Dimension letters:
    T queries, S keys, E width of a value; "..." stands for leading axes.
"""

import torch

from attnbook.checks.engine.calling import (
    LOST,
    SQUEEZED,
    call,
    check_tensor,
    close,
    compare_gradients,
    first_match,
    lost_axis,
)
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.online_mistakes import wrong_contexts
from attnbook.checks.online_spy import judge_blocks
from attnbook.checks.online_stages import NAN, STAGES, Stage

HELP = "do T, S and E stand on the axes where you use them? keepdim=True?"
NO_NUMBER = (
    "the context is right, but its gradient is NaN where a block is hidden: "
    "-inf minus -inf was computed (logsumexp and logaddexp do it too), and "
    "mended only afterwards; replace a maximum of -inf before you subtract it"
)


def right_context(scores, values):
    """Return the whole softmax's context, (..., T, E)."""
    return scores.softmax(-1) @ values


def check_shape(result, want):
    """Refuse a result of another shape than (..., T, E)."""
    if isinstance(result, (tuple, list)):
        raise Mistake("return the context alone, one tensor")
    if not isinstance(result, torch.Tensor) or result.shape == want.shape:
        return
    if lost_axis(result, want.shape):
        raise Mistake(SQUEEZED)
    if result.shape == want.mT.shape:
        raise Mistake("the context is transposed; it must be (..., T, E)")
    if result.shape == (*want.shape[:-1], 1):
        raise Mistake(
            "you return one number per query; return mixture / sum, (..., T, "
            "E)"
        )
    raise Mistake(
        f"the context must have shape {tuple(want.shape)}; yours has "
        f"{tuple(result.shape)}"
    )


def why_inexact(result, want):
    """Return the hint for a context of which a few digits are wrong."""
    share = result / want  # (..., T, E)
    if close(share, share[..., :1].expand_as(share), 1e-11):
        return (
            "the context is a little too small: add nothing to the sum that "
            "you divide by; it is never 0"
        )
    return LOST


def judge_context(answer, stage):
    """Raise a mistake in the context of these inputs."""
    inputs = stage.inputs()
    result = call(answer, *inputs, help=HELP)
    want = right_context(*inputs[:2])
    check_shape(result, want)
    if isinstance(result, torch.Tensor) and not result.isfinite().all():
        raise Mistake(NAN[stage.kind])
    check_tensor(result, inputs[0], "the context")
    tolerance = 1e-10 if stage.dtype == torch.float64 else 1e-4
    if close(result, want, tolerance):
        return
    if stage.dtype == torch.float64 and close(result, want, 1e-4):
        raise Mistake(why_inexact(result, want))
    if not close(result, call(answer, *inputs)):
        raise Mistake("two calls with the same inputs differ; keep no state")
    if close(result, call(answer, inputs[0], -inputs[1], inputs[2])):
        raise Mistake(
            "other values of the same shape give the same context; keep no "
            "state between calls"
        )
    if stage.kind:  # finite and wrong
        raise Mistake(NAN[{"later": "hidden"}.get(stage.kind, stage.kind)])
    hint = first_match(result, wrong_contexts(*inputs))
    raise Mistake(
        hint
        or "the numbers are not those of softmax(scores) @ values; follow two "
        "blocks of two keys by hand"
    )


def judge_gradients(answer):
    """Raise a mistake in the gradients, also through hidden blocks."""
    tried = [Stage("", (5, 11, 3), 4), Stage("", (2, 3, 5, 11, 4), 3)]
    tried += [stage for stage in STAGES if stage.kind == "first"]
    for stage in tried:
        scores, values, block = stage.inputs()

        def bound(s, v, block=block):
            return answer(s, v, block)

        if stage.kind:
            s = scores.clone().requires_grad_()
            answer(s, values, block).sum().backward()
            if s.grad is not None and s.grad.isnan().any():
                raise Mistake(NO_NUMBER)
        compare_gradients(bound, right_context, scores, values)


@checker
def check_online_softmax(answer):
    """Check exercise ``online_softmax(scores, values, block)``.

    Args:
        answer: a function of scaled scores, float, (..., T, S), in which
            -inf hides a key, of values, float, (..., S, E), and of the
            number of keys in a block; it returns the context, (..., T, E),
            and never computes with more than one block of a row.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for stage in STAGES:
        try:
            judge_context(answer, stage)
        except Mistake as mistake:
            raise Mistake(f"{stage.shown}{mistake}") from None
    judge_blocks(answer)
    judge_gradients(answer)
