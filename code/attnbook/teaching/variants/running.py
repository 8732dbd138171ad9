"""Parsons problems: run the lines, and see whether they do what they must."""

import math
import re

import torch

from attnbook.attention import scaled_dot_product_attention
from attnbook.checks.engine.time_limit import TooLong, time_limit
from attnbook.teaching.variants import lines_of

SECONDS = 5.0
NAMES = (  # see `variants.shuffled`
    ("scores", ("scores", "logits", "dots", "s")),
    ("weights", ("weights", "shares", "attention", "a")),
)


def function_in(source):
    """Return the last function that a source defines."""
    scope = {
        "math": math,
        "torch": torch,
        "scaled_dot_product_attention": scaled_dot_product_attention,
    }
    exec(compile(source, "<lines>", "exec"), scope)
    return [x for x in scope.values() if hasattr(x, "__code__")][-1]


def holds_for(source, count, right):
    """Say whether lines are as many as asked for, and do what they must.

    One more could be a bug that is overwritten, or stand behind a return.

    Args:
        source: the lines, of a function.
        count: how many there must be.
        right: a function of the function that says whether it is right.
    """
    if len(source.split("\n")) != count:
        return False
    try:
        with time_limit(SECONDS):
            return right(function_in(source))
    except (Exception, TooLong):
        return False


def results_of(function, every):
    """Return what a function returns for each of some inputs."""
    return [function(*(x.clone() for x in inputs)) for inputs in every]


def behaves_like(exercise, names, sizes):
    """Return a function that says whether lines do what the right ones do.

    Args:
        exercise: a Parsons problem; its solution begins with the order.
        names: of the function's arguments.
        sizes: one shape for each argument, for each call.

    Raises:
        ValueError: a call without a shape for each argument.
    """
    lines = lines_of(exercise.text)
    first = re.match(r"[A-Z](?:, [A-Z])+", exercise.solution)[0]
    generator = torch.Generator().manual_seed(0)
    every = [
        [torch.randn(shape, generator=generator) for shape in shapes]
        for shapes in sizes
    ]
    if any(len(inputs) != len(names) for inputs in every):
        raise ValueError(f"expected a shape for each of {names}")
    order = first.split(", ")
    page = function_in("\n".join(lines[x] for x in order))
    wanted = results_of(page, every)

    def right(function):
        return all(map(same, results_of(function, every), wanted))

    return lambda source: holds_for(source, len(order), right)


def same(results, wanted):
    """Say whether two pairs of tensors agree."""
    if not isinstance(results, tuple) or len(results) != len(wanted):
        return False
    return all(
        isinstance(x, torch.Tensor)
        and x.shape == y.shape
        and torch.allclose(x, y, atol=1e-5)
        for x, y in zip(results, wanted, strict=True)
    )
