"""Find the answers of one submission, by name.

    answers_of(notebook, tasks)  ->  {"10.5": {"source": ..., ...}}, notes

Functions are taken with all that they need.  Values and orders are read as
literals and never executed; `essays` reads texts.
"""

import ast

from attnbook.teaching.essays import essay
from attnbook.teaching.literals import (
    is_blank,
    literal,
    literal_in,
    value_of,
)
from attnbook.teaching.reading import chain
from attnbook.teaching.statements import statements

CODE = 100_000  # letters of an answer's source


def body_of(node):
    """Return a function's syntax as text, its docstring left out."""
    body = node.body
    if ast.get_docstring(node, clean=False) is not None:
        body = body[1:]
    return ast.dump(node.args) + "".join(map(ast.dump, body))


def is_function(node):
    """Say whether a node defines a function."""
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))


def inputs_of(statement, name):
    """Return the names of a function's inputs, None if it is none."""
    node = statement.node
    if is_function(node) and node.name == name:
        arguments = node.args
    else:
        value = value_of(statement, name)
        if not isinstance(value, ast.Lambda):
            return None
        arguments = value.args
    return [a.arg for a in [*arguments.posonlyargs, *arguments.args]]


def entry(name, source="", **more):
    """Return an answer as it stands in collected.json."""
    return {
        "name": name,
        "source": source[:CODE],
        "blank": False,
        "error": "",
        "notes": [],
    } | more


def too_long(source):
    """Return what is wrong with a source that is too long."""
    return f"its source has {len(source)} letters, more than {CODE}"


def stub_of(task):
    """Return the statement of a task's stub that binds its name, or None."""
    found = [s for s in statements(task["stub"]) if task["name"] in s.binds]
    return found[-1] if found else None


def is_stub(s, stub):
    """Say whether a statement is the stub as it was given out."""
    if stub is None or not (is_function(s.node) and is_function(stub.node)):
        return False
    return body_of(s.node) == body_of(stub.node)


def renamed(notebook, task, stub, names, used):
    """Return the new functions that have the inputs of a task's stub.

    Args:
        notebook: a `Notebook`.
        task: a task of the bundle.
        stub: its `Statement`.
        names: of all tasks.
        used: statements that other answers need.

    Returns:
        A list of pairs of a name and its `Statement`.
    """
    inputs = stub and inputs_of(stub, task["name"])
    found = {}
    for s in notebook.units:
        for name in s.binds - names - set(notebook.given):
            if inputs and s not in used and inputs_of(s, name) == inputs:
                found[name] = s
    return [*found.items()]


def function(notebook, task, names, used):
    """Return the answer to a task that asks for a function.

    Args:
        notebook: a `Notebook`.
        task: a task of the bundle.
        names: of all tasks.
        used: statements that other answers need; more are added.

    Returns:
        An entry, or a str that says why there is none.
    """
    name, stub = task["name"], stub_of(task)
    found = notebook.binding[name]
    good = [s for s in found if not s.error]
    written = [s for s in good if not is_stub(s, stub)]
    if written:
        return taken(notebook, name, written, good)
    others = renamed(notebook, task, stub, names, used)
    if len(others) == 1:
        new, s = others[0]
        source = notebook.source([s]) + f"\n\n{name} = {new}\n"
        return entry(name, source, notes=[f"found as {new}"])
    if len(found) > len(good):
        s = [s for s in found if s.error][-1]
        return entry(name, s.text, error=f"cannot be read: {s.error}")
    more = ""
    if others:
        called = " and ".join(n for n, _ in others)
        more = f", but {called} have its inputs: which one is meant?"
    if good:
        notes = ["as it was given out" + more]
        return entry(name, good[-1].text, blank=True, notes=notes)
    if any(f"def {name}" in s for k, s in notebook.cells if k != "code"):
        more = "; it stands in a text cell"
    return f"{name} was not found{more}"


def taken(notebook, name, written, good):
    """Return the entry of an answer that was found.

    Args:
        notebook: a `Notebook`.
        name: of the answer.
        written: statements that bind it.
        good: these and unchanged stubs.
    """
    notes = []
    if len(written) > 1:
        notes.append(f"defined {len(written)} times; the last one counts")
    if good[-1] is not written[-1]:
        notes.append("the unchanged stub below it was passed over")
    source = notebook.source(chain(written, name))
    if len(source) > CODE:
        return entry(name, notes=notes, error=too_long(source))
    return entry(name, source, notes=notes)


def text(notebook, task):
    """Return the answer to a task that asks for words.

    Arguments as in `value`.  A text is never an error.
    """
    found = essay(notebook, task["name"])
    if found is None:
        return f"{task['name']} was not found"
    words, notes = found
    blank = not words
    return entry(task["name"], words, value=words, blank=blank, notes=notes)


def value(notebook, task):
    """Return the answer to a task that asks for values or an order.

    Args:
        notebook: a `Notebook`.
        task: a task of the bundle.

    Returns:
        An entry, or a str that says why there is none.
    """
    name = task["name"]
    units = [s for s in notebook.units if may_set(s, name)]
    given, *_ = literal_in(notebook.released, name)
    changed = [s for s in units if not is_given(s, name, given)]
    found, source, notes, cell = literal_in(changed, name)
    broken = [s for s in units if s.error]
    if cell is None and broken:
        said = f"cannot be read: {broken[-1].error}"
        return entry(name, broken[-1].text, value=None, error=said)
    if cell is None:  # nothing but what was given out
        found, source, notes, cell = literal_in(units, name)
    if cell is None:
        return f"{name} was not found"
    if len(source) > CODE and not isinstance(found, str):
        return entry(name, value=None, error=too_long(source))
    blank = not notes and (is_blank(found) or found == given)
    return entry(name, source, value=found, blank=blank, notes=notes)


def is_given(s, name, given):
    """Say whether a statement sets a name to what the released cell does."""
    node = None if s.error else value_of(s, name)
    notes = []
    return node is not None and literal(node, notes) == given and not notes


def may_set(s, name):
    """Say whether a statement gives a name, or a part of it, a value."""
    return name in s.binds or name in s.now


def answers_of(notebook, tasks):
    """Return the answers of a submission.

    Args:
        notebook: a `Notebook`.
        tasks: dicts of the bundle, with id, name, form and stub.

    Returns:
        (answers, notes): a dict from id to entry, and why others are missing.
    """
    found, notes, names = {}, [], {t["name"] for t in tasks}
    used = set()
    for task in tasks:
        for s in notebook.binding[task["name"]]:
            used.update([] if s.error else notebook.needed([s])[0])
    for task in tasks:
        if task["form"] == "function":
            made = function(notebook, task, names, used)
        else:
            read = text if task["form"] == "text" else value
            made = read(notebook, task)
        if isinstance(made, str):
            notes.append(f"{task['id']}: {made}")
        else:
            found[task["id"]] = made
    return found, notes
