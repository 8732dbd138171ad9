"""A function in named steps, and what it becomes when a step is wrong.

The right answer of an exercise is an ordinary function whose lines have
names: ``weights = scaled.softmax(-1)``.  A mistake is such a line in the place
of the one with the same name, ``weights = scaled``, with its hint below it.
It reads like a learner's code, can be combined with another mistake, and is a
function of its own, on which the check is tested.
"""

import ast
import functools
import inspect
import itertools
import math
import textwrap
from typing import NamedTuple

import torch
import torch.nn.functional as F

SCOPE = {"torch": torch, "F": F, "math": math}  # what every row may use


class Row(NamedTuple):
    """One mistake of a table.

    Attributes:
        wrong: the wrong step, or several with ";" between them.
        hint: what to say to a learner who makes it.
    """

    wrong: str
    hint: str


def table(text):
    """Return the mistakes of a table.

    Args:
        text: lines of wrong steps, each line a mistake of its own, and below
            them, four blanks further in, the hint for all of them.

    Returns:
        A tuple of `Row`.

    Raises:
        ValueError: a hint without a step above it, or a step without a hint.
    """
    rows, steps, hint = [], [], []
    for line in [*textwrap.dedent(text).splitlines(), "end"]:
        if line.startswith("    "):
            hint.append(line.strip())
            if not steps:
                raise ValueError(f"expected a wrong step above {line!r}")
        elif line.strip():
            if hint:
                rows += [Row(step, " ".join(hint)) for step in steps]
                steps, hint = [], []
            steps.append(line.strip())
    if steps != ["end"]:
        raise ValueError(f"expected a hint below {steps[0]!r}, got none")
    return tuple(rows)


@functools.cache
def names_of(wrong):
    """Return pairs of a name and its statement, of wrong steps."""
    return tuple(
        (ast.unparse(target_of(x)), ast.unparse(x))
        for x in ast.parse(wrong).body
    )


def target_of(statement):
    """Return what a statement assigns to, a node of its syntax tree."""
    if isinstance(statement, ast.AugAssign):
        return statement.target
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return statement.targets[0]
    got = ast.unparse(statement)
    raise ValueError(f"expected steps like name = value, got {got!r}")


@functools.cache
def source_of(function):
    """Return lines of a function, and name -> where it is assigned to."""
    text = textwrap.dedent(inspect.getsource(function))
    places = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            name = ast.unparse(target_of(node))
            place = node.lineno - 1, node.end_lineno, node.col_offset
            places.setdefault(name, []).append(place)
    return text.splitlines(), places


@functools.lru_cache(maxsize=10_000)
def with_mistakes(function, *wrong):
    """Return the function with wrong steps in the place of its own.

    Args:
        function: the right answer, a function of a module, in named steps;
            a step may stand inside a loop or a condition.
        wrong: the wrong steps of rows of a table.

    Returns:
        A function with the same arguments.

    Raises:
        ValueError: a name that the right answer does not have exactly once.
    """
    lines, places = source_of(function)
    lines = list(lines)
    for name, statement in itertools.chain(*(names_of(w) for w in wrong)):
        if len(places.get(name, ())) != 1:
            raise ValueError(
                f"expected a name that {function.__name__} has exactly once, "
                f"got {name!r} in {statement!r}"
            )
        ((first, end, indent),) = places[name]
        lines[first:end] = [" " * indent + statement] + [""] * (
            end - first - 1
        )
    scope = SCOPE | function.__globals__
    exec(compile("\n".join(lines), "<mistake>", "exec"), scope)
    return scope[function.__name__]


def mistaken(function, rows, count, fits=None):
    """Yield functions with mistakes, and what to say of them.

    Args:
        function: the right answer.
        rows: its table.
        count: how many mistakes each has.  With more than one, a hint is
            taken once, with the first of its steps.
        fits: a function that says whether rows may go together.

    Yields:
        Pairs of a function and a hint.
    """
    if count > 1:
        first = {row.hint: row for row in reversed(rows)}
        rows = list(reversed(first.values()))
    for chosen in itertools.combinations(rows, count):
        names = [name for x in chosen for name, _ in names_of(x.wrong)]
        if len(set(names)) == len(names) and (not fits or fits(*chosen)):
            hint = "; and: ".join(row.hint for row in chosen)
            yield with_mistakes(function, *(x.wrong for x in chosen)), hint
