"""A function in named steps, and what it becomes when a step is wrong.

The right answer of an exercise is an ordinary function whose lines have
names: ``weights = scaled.softmax(-1)``.  A mistake is such a line in the place
of the one with the same name, ``weights = scaled``, with its hint below it.
It reads like a learner's code, can be combined with another mistake, and is a
function of its own, on which the check is tested.
"""

import ast
import collections
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


class Switch(ast.NodeTransformer):
    """Give every step of a function its wrong steps, to choose from.

    Attributes:
        wrong: name -> pairs of the number of a mistake and its statement.
        places: name -> how many steps have it.
    """

    def __init__(self, mistakes):
        self.wrong = collections.defaultdict(list)
        self.places = collections.Counter()
        for number, mistake in enumerate(mistakes):
            for name, statement in names_of(mistake):
                self.wrong[name].append((number, statement))

    def visit_Assign(self, node):
        """Put ``if 7 in _made: WRONG`` and so on around one step."""
        name = ast.unparse(target_of(node))
        self.places[name] += 1
        for number, statement in self.wrong[name]:
            choice = ast.parse(f"if {number} in _made: {statement}").body[0]
            choice.orelse = [node]
            node = choice
        return node

    visit_AugAssign = visit_Assign  # noqa: N815


@functools.lru_cache(maxsize=1000)
def source_of(function):
    """Return the text of a function of a module."""
    return textwrap.dedent(inspect.getsource(function))


@functools.lru_cache(maxsize=1000)
def switched(function, mistakes):
    """Return the function with one more argument, the mistakes it makes.

    Args:
        function: the right answer, a function of a module, in named steps.
        mistakes: the wrong steps of rows of a table, a tuple.

    Returns:
        A function with the further argument `_made`, numbers of mistakes.

    Raises:
        ValueError: a name that the right answer does not have exactly once.
    """
    switch = Switch(mistakes)
    tree = switch.visit(ast.parse(source_of(function)))
    for name, wrong in switch.wrong.items():
        if wrong and switch.places[name] != 1:
            raise ValueError(
                f"expected a name that {function.__name__} has exactly once, "
                f"got {name!r} in {wrong[0][1]!r}"
            )
    arguments = tree.body[0].args
    arguments.kwonlyargs.append(ast.arg("_made"))
    arguments.kw_defaults.append(ast.Constant(()))
    ast.fix_missing_locations(tree)
    scope = SCOPE | function.__globals__
    exec(compile(tree, "<mistakes>", "exec"), scope)
    return scope[function.__name__]


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
    numbers = tuple(range(len(wrong)))
    return functools.partial(switched(function, wrong), _made=numbers)


def with_one(function, rows):
    """Return a list of functions, each with the mistake of one row.

    Args:
        function: the right answer.
        rows: its table.
    """
    made = switched(function, tuple(row.wrong for row in rows))
    places = range(len(rows))
    return [functools.partial(made, _made=(place,)) for place in places]


def mistaken(function, rows):
    """Yield pairs of a function with one mistake, and what to say of it."""
    hints = (row.hint for row in rows)
    yield from zip(with_one(function, rows), hints, strict=True)


def twice_mistaken(function, rows, combine=(), fits=lambda one, other: True):
    """Yield functions with two mistakes, and what to say of them.

    A hint is taken once, with the first of its steps.

    Args:
        function: the right answer.
        rows: its table.
        combine: names of the steps that are tried; () for all.
        fits: a function that says whether two mistakes may go together; it
            is given their places in the table.

    Yields:
        Pairs of a function and a hint.
    """
    made = switched(function, tuple(row.wrong for row in rows))
    names = [{name for name, _ in names_of(row.wrong)} for row in rows]
    first = {}
    for place, row in enumerate(rows):
        if not combine or names[place].issubset(combine):
            first.setdefault(row.hint, place)
    for one, other in itertools.combinations(first.values(), 2):
        if names[one].isdisjoint(names[other]) and fits(one, other):
            hint = f"{rows[one].hint}; and: {rows[other].hint}"
            yield functools.partial(made, _made=(one, other)), hint
