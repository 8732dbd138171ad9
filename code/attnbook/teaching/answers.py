"""Find the answers of one submission, by name.

    answers_of(notebook, tasks)  ->  {"10.5": {"source": ..., ...}}, notes

Functions are taken with all that they need.  Values and orders are read as
literals and never executed; `essays` reads texts.  Where an answer may stand
and is not taken, its teacher is told.
"""

from attnbook.teaching.entries import CODE, entry, open_to_teacher, too_long
from attnbook.teaching.essays import essay
from attnbook.teaching.functions import function
from attnbook.teaching.leads import intruders, lead, loose_names
from attnbook.teaching.literals import is_empty
from attnbook.teaching.parts import (
    first_of,
    follow_value,
    read_literal,
    value_of,
)


def text(notebook, task, name):
    """Return the answer to a task that asks for words.

    Arguments as in `value`.  A text is never an error.
    """
    found = essay(notebook, name)
    if found is None:
        return f"{name} was not found"
    words, notes = found
    blank = not words
    return entry(task.name, words, value=words, blank=blank, notes=notes)


def value(notebook, task, name):
    """Return the answer to a task that asks for values or an order.

    Args:
        notebook: a `Notebook`.
        task: a `Task`.
        name: under which it stands.

    Returns:
        An entry, or a str that says why there is none.
    """
    units = [s for s in notebook.units if may_set(s, name)]
    given, *_ = follow_value(notebook.released, task.name)
    changed = [s for s in units if not is_given(s, name, given)]
    found, source, notes, cell = follow_value(changed, name, given)
    broken = [s for s in units if s.error]
    if cell is None and broken:
        said = f"cannot be read: {broken[-1].error}"
        return entry(name, broken[-1].text, value=None, error=said)
    if cell is None:  # nothing but what was given out
        found, source, notes, cell = follow_value(units, name)
    if cell is None:
        return f"{name} was not found"
    name = task.name
    if len(source) > CODE and not isinstance(found, str):
        return entry(name, value=None, error=too_long(source))
    blank = not notes and (is_empty(found) or found == given)
    said = [note.text for note in notes if note.unread]
    if isinstance(given, dict) and not blank and not isinstance(found, dict):
        said = said or [f"expected a dict, got {first_of(source)}"]
    if not said:
        told = [note.text for note in notes]
        return entry(name, source, value=found, blank=blank, notes=told)
    said = f"{'; '.join(said[:3])}, in {notebook.place(cell)}"
    more = {"value": found, "unread": [x.part for x in notes if x.part]}
    told = [note.text for note in notes if not note.source]
    return open_to_teacher(name, source, said, told, **more)


def is_given(s, name, given):
    """Say whether a statement sets a name to what the released cell does."""
    node = None if s.error else value_of(s, name)
    notes = []
    return (
        node is not None and read_literal(node, notes) == given and not notes
    )


def may_set(s, name):
    """Say whether a statement gives a name, or a part of it, a value."""
    return name in s.binds or name in s.now or name in s.later


def loosely(notebook, task, names, read):
    """Return the answer of a value or text under a loose name, or None.

    Args:
        notebook: a `Notebook`.
        task: a `Task`.
        names: of all tasks.
        read: `value` or `text`.
    """
    found = loose_names(notebook, task.name, names)
    if len(found) > 1:
        units = [notebook.binding[x][-1] for x in found]
        said = f"{' and '.join(found)} are set: which one is meant?"
        texts = "\n\n".join(s.text for s in units)
        return open_to_teacher(task.name, texts, said)
    for name in found:
        made = read(notebook, task, name)
        if isinstance(made, dict) and not made["blank"]:
            return made | {"notes": [f"found as {name}", *made["notes"]]}
    return None


def set_again(notebook, name, tasks, names):
    """Return the entry of an answer whose name is in another's place, too.

    Args:
        notebook: a `Notebook`.
        name: of the answer.
        tasks: all `Task`.
        names: of all tasks.

    Returns:
        An entry; None if the name is in no other's place.
    """
    for task in tasks:
        for found, s in intruders(notebook, task, names):
            if found == name:
                said = (
                    f"{name} is set again in {notebook.place(s.cell)}, in the "
                    f"place of {task.name}: which one is meant?"
                )
                texts = (x.text for x in notebook.binding[name])
                return open_to_teacher(name, "\n\n".join(texts), said)
    return None


def answer_of(notebook, task, tasks, used):
    """Return the answer to a task.  Arguments as in `function`."""
    names = frozenset(t.name for t in tasks)
    again = set_again(notebook, task.name, tasks, names)
    if again:
        return again
    if task.form == "function":
        made = function(notebook, task, tasks, used)
    else:
        read = text if task.form == "text" else value
        made = read(notebook, task, task.name)
        if isinstance(made, str) or made["blank"]:
            made = loosely(notebook, task, names, read) or made
    missing = isinstance(made, str)
    found = None
    if missing or made["blank"]:
        found = lead(notebook, task, names, missing)
    if not found:
        return made
    said, source = found
    return open_to_teacher(task.name, source, said)


def answers_of(notebook, tasks):
    """Return the answers of a submission.

    Args:
        notebook: a `Notebook`.
        tasks: all `Task` of the assignment.

    Returns:
        (answers, notes): a dict from id to entry, and why others are missing.
    """
    found, notes, used = {}, [], set()
    for task in tasks:
        for s in notebook.binding[task.name]:
            used.update([] if s.error else notebook.needed([s])[0])
    for task in tasks:
        made = answer_of(notebook, task, tasks, used)
        if isinstance(made, str):
            notes.append(f"{task.id}: {made}")
        else:
            found[task.id] = made
    return found, notes
