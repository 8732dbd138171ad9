"""Checks of splitting into heads and of merging them.

Dimension letters:
    B batch, H heads, T length, D = d_model, K = D / H width of one head.
"""

import torch

from attnbook.checks.engine.calling import check_tensor, close, first_match
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.heads_errors import (
    NO_GRADIENT,
    backwards,
    explained,
    refuse_squeezed,
)
from attnbook.checks.heads_mistakes import mixed, wrong_merges, wrong_splits

SIZES = (3, 4, 7, 5)  # B, H, T, K: all different
STAGES = (
    ("", SIZES),
    (
        "right for (B, H, T, K) = (3, 4, 7, 5), but not for (2, 6, 5, 3): ",
        (2, 6, 5, 3),
    ),
    (
        "right while all sizes differ, but not when there are as many heads "
        "as tokens (do the same at every size): ",
        (2, 4, 4, 3),
    ),
    (
        "right while all sizes differ, but not when a head is as wide as "
        "there are heads (do the same at every size): ",
        (2, 3, 5, 3),
    ),
    (
        "right, but not when all sizes are the same (do the same at every "
        "size): ",
        (4, 4, 4, 4),
    ),
    ("right, but not for one head: ", (2, 1, 3, 5)),
    ("right, but not for one token: ", (2, 3, 1, 5)),
    ("right, but not for one sentence: ", (1, 3, 2, 5)),
    ("right, but not when every size is 1: ", (1, 1, 1, 1)),
)


def whole(sizes, dtype=torch.float32):
    """Return the numbers from 1/3 on, (B, T, D); no other type holds them."""
    b, h, t, k = sizes
    return torch.arange(b * h * t * k).view(b, t, h * k).to(dtype) + 1 / 3


def cut(sizes, dtype=torch.float32):
    """Return the numbers from 1/3 on in heads, (B, H, T, K)."""
    b, h, t, k = sizes
    return whole(sizes, dtype).view(b, h, t, k)


def scattered(x):
    """Return the same numbers, lying in memory in another order."""
    last = x.dim() - 1
    return x.transpose(1, last).contiguous().transpose(1, last)


def judge(answer, inputs, right, wrong, axes):
    """Raise a mistake in what a split or a merge returns.

    Args:
        answer: the learner's function.
        inputs: what it gets, the tensor first.
        right: what it must return.
        wrong: pairs of a hint and what the mistake returns.
        axes: names of the axes of the result.
    """
    result = explained(answer, inputs)
    if isinstance(result, (tuple, list)):
        raise Mistake(
            f"you return a {type(result).__name__} of {len(result)}; return "
            "one tensor"
        )
    check_tensor(result, inputs[0], "the result")
    if close(result, right, 1e-9 if right.dtype == torch.float64 else 1e-5):
        return
    refuse_squeezed(result, right)
    hint = first_match(result, wrong)
    if hint is None and result.shape != right.shape:
        hint = (
            f"the result must have the axes ({', '.join(axes)}), here "
            f"{tuple(right.shape)}; yours has shape {tuple(result.shape)}"
        )
    raise Mistake(hint or mixed(result, right, axes))


def judge_gradient(answer, inputs, right):
    """Raise a mistake in what flows back to x.

    Args:
        answer: the learner's function.
        inputs: what it gets, the tensor first.
        right: what it must return, the numbers of x in another order.
    """
    x, *rest = inputs
    generator, seen = torch.Generator().manual_seed(5), []
    mixture = torch.randn(right.shape, generator=generator)

    def remember(x, *rest):
        seen.append(x)
        return answer(x, *rest)

    result = explained(remember, (x.requires_grad_(), *rest))
    if not result.requires_grad:
        raise Mistake(NO_GRADIENT)

    def gradient():
        total = (result * mixture).sum()
        return torch.autograd.grad(total, seen, allow_unused=True)

    # the numbers of x count from 1/3: sorted, they are x in its own order
    want = mixture.flatten()[right.flatten().argsort()].view(x.shape)
    got = backwards(gradient, ())[0]
    if got is None or not close(got, want):
        raise Mistake(
            "the numbers are right, but their gradient is not: a part of "
            "your result is detached from x"
        )


def judge_all(answer, case):
    """Judge every size, lie of the numbers, type, and the gradient.

    Args:
        answer: the learner's function.
        case: a function of an input's maker (sizes, dtype -> tensor), its
            sizes and type that returns the arguments of `judge`.
    """
    for prefix, sizes in STAGES:
        try:
            judge(answer, *case(sizes, torch.float32, lambda x: x))
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    for prefix, dtype, lie in (
        (
            "right, but not when the input is itself a transposed tensor: ",
            torch.float32,
            scattered,
        ),
        ("right for float32, but not for float64: ", torch.float64, scattered),
    ):
        try:
            judge(answer, *case(SIZES, dtype, lie))
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    judge_gradient(answer, *case(SIZES, torch.float32, lambda x: x)[:2])


@checker
def check_split_heads(answer):
    """Check exercise ``split_heads(x, num_heads)``.

    Args:
        answer: a function of x, (B, T, D), and the number of heads H that
            returns the heads, (B, H, T, K).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """

    def case(sizes, dtype, lie):
        x, heads = lie(whole(sizes, dtype)), sizes[1]
        right = x.reshape(*x.shape[:2], heads, -1).transpose(1, 2)
        axes = ("batch", "head", "token", "number")
        return (x, heads), right, wrong_splits(x, heads), axes

    judge_all(answer, case)


@checker
def check_merge_heads(answer):
    """Check exercise ``merge_heads(x)``.

    Args:
        answer: a function of the heads, (B, H, T, K), that returns them
            side by side, (B, T, D).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """

    def case(sizes, dtype, lie):
        x = lie(cut(sizes, dtype))
        right = x.transpose(1, 2).flatten(2)  # (B, T, D)
        return (x,), right, wrong_merges(x), ("batch", "token", "number")

    judge_all(answer, case)
