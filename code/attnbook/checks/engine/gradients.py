"""Compare what flows back to the inputs of an answer."""

import torch

from attnbook.checks.engine.asking import agree, ask
from attnbook.checks.engine.calling import close, why_backward_fails
from attnbook.checks.engine.verdict import Hint, Mistake

NO_GRADIENT = (
    "no gradient flows through {}; avoid detach, torch.no_grad, .data, "
    ".item(), NumPy and copies by torch.tensor"
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
