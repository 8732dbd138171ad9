"""Find the function that answers a task, and all that it needs.

It counts under its own name.  Under another one it counts where the name
differs in capitals and underscores alone, or the inputs tell whose it is.
"""

import ast

from attnbook.teaching.entries import CODE, entry, open_to_teacher, too_long
from attnbook.teaching.leads import is_same, owner
from attnbook.teaching.parts import value_of
from attnbook.teaching.pythons import is_newer
from attnbook.teaching.reading import chain
from attnbook.teaching.statements import statements


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


def stub_of(task):
    """Return the statement of a task's stub that binds its name, or None."""
    found = [s for s in statements(task.stub) if task.name in s.binds]
    return found[-1] if found else None


def is_stub(s, stub):
    """Say whether a statement is the stub as it was given out."""
    if stub is None or not (is_function(s.node) and is_function(stub.node)):
        return False
    return body_of(s.node) == body_of(stub.node)


def renamed(notebook, task, stub, tasks, used):
    """Return new functions that may be a task's under another name.

    Those that differ from its name in capitals and underscores alone; failing
    that those with the inputs of its stub, except other tasks'.

    Args:
        notebook: a `Notebook`.
        task: a `Task`.
        stub: its `Statement`.
        tasks: all of them.
        used: statements that other answers need.

    Returns:
        A list of pairs of a name and its `Statement`.
    """
    names = frozenset(t.name for t in tasks)
    inputs = stub and inputs_of(stub, task.name)
    known = names | set(notebook.given)
    new = {
        name: s
        for s in notebook.units
        for name in s.binds - known
        if s not in used and inputs_of(s, name) is not None
    }
    same = [x for x in new.items() if is_same(x[0], task.name)]
    return same or [
        (name, s)
        for name, s in new.items()
        if inputs_of(s, name) == inputs
        and owner(name, names) in (None, task.name)
    ]


def rivals(notebook, task, stub, tasks):
    """Return names of other tasks with the same inputs and no answer."""
    found = []
    for other in tasks:
        theirs = stub_of(other) if other.form == "function" else None
        if theirs is None or other is task or stub is None:
            continue
        done = notebook.binding[other.name]
        alike = inputs_of(theirs, other.name) == inputs_of(stub, task.name)
        if alike and all(s.error or is_stub(s, theirs) for s in done):
            found.append(other.name)
    return found


def function(notebook, task, tasks, used):
    """Return the answer to a task that asks for a function.

    Args:
        notebook: a `Notebook`.
        task: a `Task`.
        tasks: all of them.
        used: statements that other answers need.

    Returns:
        An entry, or a str that says why there is none.
    """
    name, stub = task.name, stub_of(task)
    found = notebook.binding[name]
    good = [s for s in found if not s.error]
    written = [s for s in good if not is_stub(s, stub)]
    if written:
        return taken(notebook, name, written, good)
    others = renamed(notebook, task, stub, tasks, used)
    sure = others and owner(others[0][0], frozenset({name}))
    if len(others) == 1 and (sure or not rivals(notebook, task, stub, tasks)):
        new, s = others[0]
        source = notebook.source([s]) + f"\n\n{name} = {new}\n"
        return entry(name, source, notes=[f"found as {new}"])
    if others:
        called = " and ".join(n for n, _ in others)
        said = f"{called} may be {name}: which one is meant?"
        return open_to_teacher(
            name, "\n\n".join(s.text for _, s in others), said
        )
    if len(found) > len(good):
        s = [s for s in found if s.error][-1]
        return entry(name, s.text, error=f"cannot be read: {s.error}")
    if good:
        notes = ["as it was given out"]
        return entry(name, good[-1].text, blank=True, notes=notes)
    return f"{name} was not found"


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
    answer, error = chain(written, name), ""
    for helper, s in notebook.lost(answer):
        said = f"{helper} cannot be read: {s.error}"
        if is_newer(s.error):
            error = error or said
        else:
            notes.append(f"needs {helper}; {said}")
    source = notebook.source(answer)
    if len(source) > CODE:
        return entry(name, notes=notes, error=too_long(source))
    return entry(name, source, notes=notes, error=error)
