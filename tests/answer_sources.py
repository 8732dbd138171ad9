"""The catalogue of answers as a student would hand them in: source code.

An answer of `tests/answers`, or a row of a check's table of mistakes, becomes
source that stands on its own: the imports, helpers and constants that it
needs, and the function under the task's name.  What needs the package cannot
be handed in and is left out; so is an answer that goes through the parts of a
model, which stays outside the sandbox and can be called, and no more.
"""

import ast
import functools
import inspect
import sys
import textwrap

from answers import TASKS
from attnbook import checks

ROW_SCOPE = "import math\n\nimport torch\nimport torch.nn.functional as F\n"


class Unfit(Exception):
    """An answer that cannot be handed in."""


@functools.cache
def definitions(module):
    """Return name -> statement of what a module defines at its top."""
    found = {}
    for node in ast.parse(inspect.getsource(sys.modules[module])).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                found[alias.asname or alias.name.split(".")[0]] = node
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                for x in ast.walk(target):
                    if isinstance(x, ast.Name):
                        found[x.id] = node
    return found


def needed(node, known):
    """Return the statements that a definition needs, itself last."""
    order, seen = [], set()

    def visit(statement):
        if id(statement) in seen:
            return
        seen.add(id(statement))
        for x in ast.walk(statement):
            if isinstance(x, ast.Name) and x.id in known:
                visit(known[x.id])
        order.append(statement)

    visit(node)
    return order


def written(statement):
    """Return a statement's source, without decorators, or raise `Unfit`."""
    source = ast.unparse(statement)
    if isinstance(statement, ast.FunctionDef):
        plain = ast.parse(source).body[0]
        plain.decorator_list = []
        return ast.unparse(plain)
    foreign = ("import attnbook", "from attnbook", "from answers")
    if source.startswith(foreign):
        raise Unfit(source)
    return source


def source_of(answer, name):
    """Return the source of an answer under a task's name.

    Raises:
        Unfit: it needs the package, or has no source of its own.
    """
    if not inspect.isfunction(answer) or answer.__name__ == "<lambda>":
        raise Unfit(repr(answer))
    known = definitions(answer.__module__)
    if answer.__name__ not in known:
        raise Unfit(answer.__name__)
    node = strip(known[answer.__name__])
    parts = [written(x) for x in needed(node, known)]
    if any(".modules()" in part for part in parts):
        raise Unfit(answer.__name__)
    if answer.__name__ != name:
        parts.append(f"{name} = {answer.__name__}")
    return "\n\n\n".join(parts) + "\n"


def strip(node):
    """Return a definition without its decorators."""
    plain = ast.parse(ast.unparse(node)).body[0]
    plain.decorator_list = []
    return plain


class Swap(ast.NodeTransformer):
    """Put a row's wrong steps in the place of the right ones."""

    def __init__(self, wrong):
        self.wrong = {}
        for x in ast.parse(wrong).body:
            target = x.targets[0] if isinstance(x, ast.Assign) else x.target
            self.wrong[ast.unparse(target)] = x

    def visit_Assign(self, node):
        return self.wrong.get(ast.unparse(node.targets[0]), node)

    def visit_AugAssign(self, node):
        return self.wrong.get(ast.unparse(node.target), node)


def source_of_row(right, row, name):
    """Return the source of the right answer with the mistake of a row."""
    known = definitions(right.__module__)
    text = textwrap.dedent(inspect.getsource(right))
    node = Swap(row.wrong).visit(strip(ast.parse(text).body[0]))
    node.name = name
    parts = [
        written(x) for x in needed(ast.fix_missing_locations(node), known)
    ]
    return ROW_SCOPE + "\n\n\n" + "\n\n\n".join(parts) + "\n"


def catalogue(task, name=None):
    """Return right and wrong answers to a task, as sources.

    Args:
        task: name of the check.
        name: of the function, if it is another one than the task.

    Returns:
        Two lists of pairs: where the answer is from, and its source.
    """
    name = name or task
    right, wrong = [], []
    exercise = getattr(getattr(checks, f"check_{task}"), "exercise", None)
    for found, answers in (
        (right, TASKS[task].right),
        (wrong, TASKS[task].wrong),
    ):
        for answer in answers:
            try:
                found.append((answer.__name__, source_of(answer, name)))
            except (Unfit, OSError, TypeError):
                continue
    for number, row in enumerate(exercise.mistakes if exercise else ()):
        try:
            source = source_of_row(exercise.right, row, name)
        except Unfit:
            continue
        wrong.append((f"row {number}: {row.wrong}", source))
    return right, wrong
