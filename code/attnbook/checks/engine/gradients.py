"""Compare what flows back to the inputs of an answer."""

import torch

from attnbook.checks.engine.asking import agree, ask
from attnbook.checks.engine.calling import (
    OVERWRITTEN,
    call,
    close,
    why_backward_fails,
)
from attnbook.checks.engine.verdict import Hint, Mistake

NO_GRADIENT = (
    "no gradient flows through {}; avoid detach, .data, NumPy and copies by "
    "torch.tensor"
)
LATER = (
    "right at first, but not when it is called with the same inputs later; "
    "keep nothing between calls"
)


def judge_gradients(exercise, answer):
    """Raise a mistake in what flows back to the inputs."""
    names = exercise.names
    for shown, inputs in exercise.trains:
        want = gradients(exercise, exercise.right, inputs)
        try:
            got = gradients(exercise, answer, inputs)
        except RuntimeError as error:
            if exercise.must_train:
                raise Mistake(why_backward_fails(error)) from None
            return
        named = [
            name for name, x in zip(names, inputs, strict=True) if is_float(x)
        ]
        for name, a, b in zip(named, got, want, strict=True):
            if a is None or not close(a, b, 1e-3):
                judge_numbers(exercise, answer, inputs)
                raise Mistake(
                    "the numbers are right, but the gradient of {} is not; "
                    "something on the way is detached",
                    Hint(name),
                    after=shown,
                )
    for hint, inputs in exercise.smooth:
        found = gradients(exercise, answer, inputs)
        if not all(x.isfinite().all() for x in found):
            raise Mistake(hint)


def judge_numbers(exercise, answer, inputs):
    """Raise a mistake if an answer is wrong that was right before."""
    rights = ask(exercise, exercise.right, inputs)
    if not agree(ask(exercise, answer, inputs, rights), rights, 1e-3):
        raise Mistake(LATER, partly=True)


def gradients(exercise, function, inputs):
    """Return the gradients of a mixture of all results, one per float."""
    given = [
        x.detach().clone().requires_grad_() if is_float(x) else x
        for x in inputs
    ]
    rights = ask(exercise, exercise.right, inputs)

    def with_gradients(*_):
        return function(*given)

    results = ask(exercise, with_gradients, inputs, rights)
    named = zip(exercise.returns, results, strict=True)
    dead = [name for name, x in named if not x.requires_grad]
    if dead and function is not exercise.right:
        every = len(dead) == len(results)
        what = "your result" if every else dead[0]
        raise Mistake(NO_GRADIENT, Hint(what))
    generator = torch.Generator().manual_seed(5)
    total = 0
    for x in results:
        mixture = torch.randn(x.shape, generator=generator, dtype=x.dtype)
        total = total + (x * mixture).sum()
    leaves = [x for x in given if is_float(x)]
    return torch.autograd.grad(total, leaves, allow_unused=True)


def is_float(x):
    """Say whether an input can have a gradient."""
    return isinstance(x, torch.Tensor) and x.is_floating_point()


def require_gradient(answer, *inputs):
    """Refuse an answer through which no gradient can flow.

    Args:
        answer: the learner's function, right otherwise; returns a tensor.
        inputs: what it is called with; tensors of floats get a gradient.

    Raises:
        Mistake: the result does not depend on the inputs for autograd.
    """
    given = [
        x.clone().requires_grad_() if isinstance(x, torch.Tensor) else x
        for x in inputs
    ]
    if not call(answer, *given).requires_grad:
        raise Mistake(
            "no gradient flows through your result; avoid detach, .data, "
            "NumPy and copies by torch.tensor"
        )


def compare_gradients(
    answer, right, *inputs, overwritten=OVERWRITTEN, why=lambda: None
):
    """Refuse an answer whose numbers are right and whose gradient is not.

    Args:
        answer: the learner's function, right otherwise; returns a tensor.
        right: the function that it should equal.
        inputs: what both are called with; tensors of floats get a gradient.
        overwritten: what to say if backward() finds a tensor overwritten.
        why: a function that returns a hint for a wrong gradient, or None.

    Raises:
        Mistake: no gradient, or another one than that of `right`.
    """
    require_gradient(answer, *inputs)
    found = []
    for function in (right, answer):
        given = [
            x.clone().requires_grad_() if isinstance(x, torch.Tensor) else x
            for x in inputs
        ]
        result = function(*given)
        generator = torch.Generator().manual_seed(6)
        mixture = torch.randn(result.shape, generator=generator)
        try:
            (result * mixture.to(result.dtype)).sum().backward()
        except RuntimeError as error:
            raise Mistake(why_backward_fails(error, overwritten)) from None
        found.append([x.grad for x in given if isinstance(x, torch.Tensor)])
    for want, got in zip(*found, strict=True):
        if got is None or not close(got, want, 1e-3):
            raise Mistake(
                why()
                or "the numbers are right, but the gradient is not; something "
                "on the way is detached"
            )
