"""Parsons problems: run the lines, and give their names other ones."""

import dataclasses
import math
import re

import torch

from attnbook.checks.engine.time_limit import TooLong, time_limit
from attnbook.teaching.variants import lines_of

SECONDS = 2.0


def function_in(source):
    """Return the function that a source defines, or None."""
    scope = {"math": math, "torch": torch}
    try:
        exec(compile(source, "<lines>", "exec"), scope)
    except (SyntaxError, NameError):
        return None
    made = [x for x in scope.values() if hasattr(x, "__code__")]
    return made[-1] if made else None


def results_of(function, every):
    """Return what a function returns for each of some inputs, None if not."""
    try:
        with time_limit(SECONDS):
            return [function(*(x.clone() for x in inputs)) for inputs in every]
    except (Exception, TooLong):
        return None


def behaves_like(exercise, names, sizes):
    """Return a function that says whether lines do what the right ones do.

    They must be as many, so that no bug is written and then overwritten.

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
    right = function_in("\n".join(lines[x] for x in order))
    wanted = results_of(right, every)

    def works(source):
        if len(source.split("\n")) != len(order):
            return False
        found = results_of(function_in(source), every)
        return found is not None and all(map(same, found, wanted))

    return works


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


def renamed(variant, names):
    """Return a Parsons problem whose lines use other names.

    Args:
        variant: of `shuffled`.
        names: a name of the lines -> its new name.
    """
    ((old, block),) = variant.edits
    for name, new in names.items():
        block = re.sub(rf"\b{name}\b", new, block)
    return dataclasses.replace(variant, edits=((old, block),))
