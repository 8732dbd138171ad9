"""Check of the feed-forward part.

Dimension letters:
    B batch, T tokens, D = d_model, F = d_ff; "..." any leading axes.
"""

import torch

from attnbook.checks.engine.calling import (
    LOST,
    SQUEEZED,
    call,
    check_tensor,
    close,
    compare_gradients,
    lost_axis,
)
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.feed_forward_matrix_mistakes import wrong_matrix
from attnbook.checks.feed_forward_mistakes import compute, known_mistake
from attnbook.checks.feed_forward_stages import (
    KEPT,
    SHARP,
    STAGES,
    example,
    silent,
)
from attnbook.checks.layer_errors import naming, require_finite_gradient

HELP = (
    "x is (..., D), w_1 (D, F), w_2 (F, D): x @ w_1 has F numbers per token, "
    "so b_1 fits there, and the product with w_2 has D, where b_2 fits; "
    "nothing is transposed, except that F.linear wants w_1.T and w_2.T"
)
RELU = "; max(0, .) is .relu() or .clamp(min=0) here"
NOT_RELU = {  # words of an error, what to say of it
    "Boolean value of Tensor": "Python's max and if want one number" + RELU,
    "max()": "torch.max does not take the number 0" + RELU,
    "return_types.max": "torch.max with an axis returns two things" + RELU,
    "maximum()": "torch.maximum wants two tensors, not the number 0" + RELU,
    "__array_wrap__": "NumPy's functions know no gradients" + RELU,
    "call numpy()": "NumPy's functions know no gradients" + RELU,
}

MIXED = (
    "the output of one token moves when other tokens change; every token "
    "goes through alone"
)
MIXED_SENTENCES = (
    "the output of one sentence moves when other sentences change; every "
    "token goes through alone"
)
NEARLY = "nearly right: something small is added, cut off or rounded"
UNKNOWN = (
    "each token goes through alone, but the numbers differ; compute one "
    "token by hand: product, bias, ReLU, product, bias"
)
INFINITE = (
    "the numbers are right, but where an inner number is exactly 0 "
    "backward() gives NaN; use relu() or clamp(min=0)"
)
LARGEST = (
    "the first axis is gone: torch.max(..., 0) takes the largest along it"
    + RELU
)


def judge_shape(result, x, w_1):
    """Raise a mistake that can be seen without comparing numbers."""
    if isinstance(result, tuple):
        raise Mistake(
            "return one tensor (torch.max with an axis returns two; use "
            "relu or clamp(min=0))"
        )
    check_tensor(result, x, "the result")
    if result.shape == x.shape:
        return
    if result.shape == (*x.shape[:-1], w_1.size(1)):
        raise Mistake(
            "you return the inner vectors, F numbers per token; multiply by "
            "w_2 and add b_2"
        )
    if lost_axis(result, x.shape):
        raise Mistake(SQUEEZED)
    if result.shape == x.shape[1:]:
        raise Mistake(LARGEST)
    raise Mistake(
        f"the result must have the shape of x, {tuple(x.shape)}; yours has "
        f"{tuple(result.shape)}"
    )


def what_mixes(answer, x, *parts):
    """Say whether other tokens' numbers move a token's output.

    Args:
        answer: the learner's function, which has run for these inputs.
        x: vectors, (..., T, D).
        parts: the two matrices and two biases.

    Returns:
        The hint, or None.
    """
    with torch.no_grad():
        before = answer(x.clone(), *parts)
        for kept in (0, -1):  # all tokens but the first, but the last
            changed = x + 1
            changed[..., kept, :] = x[..., kept, :]
            after = answer(changed, *parts)
            if not close(before[..., kept, :], after[..., kept, :]):
                return MIXED
            changed = x + 1
            changed[kept] = x[kept]
            if not close(before[kept], answer(changed, *parts)[kept]):
                return MIXED_SENTENCES
    return None


def judge(answer, inputs, tolerance, otherwise):
    """Raise a mistake in shape or numbers for these inputs."""
    x, w_1, *_ = inputs
    with naming(NOT_RELU):
        result = call(answer, *inputs, help=HELP)
    judge_shape(result, x, w_1)
    right = compute(*inputs)
    if close(result, right, tolerance):
        return
    if x.dtype == torch.float64 and close(result, right):
        raise Mistake(LOST)
    if not close(result, call(answer, *inputs)):
        raise Mistake(
            "two calls with the same inputs differ; leave out dropout, and "
            "use the matrices that you are given"
        )
    if otherwise == SHARP:  # so small that all mistakes look alike
        raise Mistake(SHARP)
    hint = known_mistake(result, *inputs) or wrong_matrix(result, *inputs)
    if not hint and x.dim() > 1:
        hint = what_mixes(answer, *inputs)
    if not hint and otherwise in ("", KEPT) and close(result, right, 2e-2):
        hint = NEARLY
    raise Mistake(hint or otherwise or UNKNOWN)


def judge_gradients(answer):
    """Refuse an answer whose numbers are right and whose gradient is not."""
    with naming(NOT_RELU):
        compare_gradients(answer, compute, *example(2, 3, 4, d_ff=7))
        try:
            compare_gradients(answer, compute, *example(5, d_ff=3))
        except Mistake as mistake:
            raise Mistake(f"right, but not for one token: {mistake}") from None
        require_finite_gradient(answer, INFINITE, *silent())


@checker
def check_feed_forward(answer):
    """Check exercise ``feed_forward(x, w_1, b_1, w_2, b_2)``.

    Args:
        answer: a function of vectors x, (..., D), matrices (D, F) and
            (F, D) with their biases that returns (..., D).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for shown, *stage in STAGES:
        try:
            judge(answer, *stage)
        except Mistake as mistake:
            raise Mistake(f"{shown}{mistake}") from None
    judge_gradients(answer)
