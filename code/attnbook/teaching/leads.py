"""Say where an answer may stand that was not found under its name.

What is loosely named as a task is taken only where exactly one is.  All else
is listed for the teacher, with its place; it is never credited.
"""

import ast
import difflib
import functools
import itertools
import re

from attnbook.teaching.parts import named
from attnbook.teaching.statements import clean
from attnbook.teaching.zones import code_between, words_below, words_in

LOOKS = ("print", "display", "len", "type", "repr", "str", "pprint", "sorted")
ALIKE = 0.85  # of two names, from 0 to 1; lower ones are not alike
LONG = 100  # letters of a name that are looked at
MANY = 1_000  # names that are compared with a task's


@functools.lru_cache(10_000)
def words_of(name):
    """Return the words and numbers of a name, without capitals."""
    name = name[:LONG]
    parts = r"\d+|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]"
    return [word.lower() for word in re.findall(parts, name)]


def numbers_of(name):
    """Return the numbers of a name."""
    return [word for word in words_of(name) if word.isdigit()]


def is_same(name, task):
    """Say whether two names differ in capitals and underscores alone."""
    mine, theirs = words_of(name), words_of(task)
    if numbers_of(task):  # 1_02 is not 10_2
        return mine == theirs
    return "".join(mine) == "".join(theirs)


def holds(name, words):
    """Say whether words are in a name, as 10 and 2 do not in a_10_2_1."""
    mine, n = [*words_of(name), ""], len(words)
    return any(
        mine[i : i + n] == words
        and not (words[-1].isdigit() and mine[i + n].isdigit())
        and not (words[0].isdigit() and i and mine[i - 1].isdigit())
        for i in range(len(mine) - n)
    )


@functools.lru_cache(50_000)
def owner(name, tasks):
    """Return the task's name that a name is made of, or None.

    Args:
        name: a name.
        tasks: a frozenset of the names of all tasks.
    """
    same = [x for x in tasks if is_same(name, x)]
    found = same or [x for x in tasks if holds(name, words_of(x))]
    return max(found, key=lambda x: len(words_of(x)), default=None)


def new_names(notebook, names):
    """Return the names that a student has brought, except those of tasks."""
    known = {*names, *notebook.given}
    new = (name for name in notebook.binding if name not in known)
    return [*itertools.islice(new, MANY)]


def loose_names(notebook, name, names):
    """Return new names that are made of a task's and of no other task's.

    Args:
        notebook: a `Notebook`.
        name: of the task.
        names: of all tasks.
    """
    return [
        new
        for new in new_names(notebook, names)
        if owner(new, names) == name
        and any(not s.error for s in notebook.binding[new])
    ]


def defines(name, form):
    """Return a pattern of what looks like an answer to a task.

    Args:
        name: of the answer.
        form: of the task.
    """
    sets = "=(?!=)"
    if form != "function":
        sets = r"(?:\[[^\]\n]{0,80}\]\s*)?(?:[|+]?=|:)|\.update\b"
    either = rf"\bdef\s+{name}\s*\(|(?<![\w.]){name}\s*(?:{sets})"
    return re.compile(either, re.IGNORECASE)


def looks_at(s, name):
    """Say whether a statement does no more than show a value."""
    node = s.node.value if isinstance(s.node, ast.Expr) else None
    if isinstance(node, ast.Call):
        return any(named(node.func, x) for x in LOOKS)
    return named(node, name)


def is_given_text(node, known):
    """Say whether a text alone, as a script has text cells, was given out."""
    text = getattr(node.value, "value", None)
    return isinstance(text, str) and text.strip().partition("\n")[0] in known


def mentioned(notebook, task):
    """Yield where an answer's name is in what is no answer of it.

    Args:
        notebook: a `Notebook`.
        task: a `Task`.

    Yields:
        Pairs of a sentence and what stands there.
    """
    name, is_value = task.name, task.form in ("values", "order")
    pattern, everywhere = (
        defines(name, task.form),
        range(len(notebook.cells)),
    )
    for i, text in words_in(notebook, everywhere, without=True):
        kind = notebook.cells[i][0]
        if pattern.search(text):
            what = f"under {kind}" if kind[:1] == "%" else "a text cell"
            yield f"{name} stands in {notebook.place(i)}, {what}", text
    known = {line for text in notebook.texts for line in text.split("\n")}
    for i, (kind, source) in enumerate(notebook.cells):
        lines = re.findall(r"^[ \t]*#.*", clean(source), re.MULTILINE)
        lines = [x for x in lines if x.strip().strip("#").strip() not in known]
        if kind == "code" and any(map(pattern.search, lines)):
            text = "\n".join(lines)
            yield f"{name} stands in {notebook.place(i)}, a comment", text
    given = {s.text for s in notebook.released}
    for s in notebook.units:
        if s.text in given or name in s.binds and not s.error:
            continue
        if isinstance(s.node, ast.Expr) and is_given_text(s.node, known):
            continue
        used = name in s.now | s.later and is_value and not looks_at(s, name)
        if used or pattern.search(s.text.replace("\\n", "\n")):
            yield f"{name} stands in {notebook.place(s.cell)}", s.text


def intruders(notebook, task, names):
    """Yield what sets another task's name instead of a missing answer.

    Such as a copied cell.  That name is set in its own place, too.

    Args:
        notebook: a `Notebook`.
        task: a `Task`.
        names: of all tasks.

    Yields:
        Pairs of the other name and a `Statement`.
    """
    zone = notebook.zones.get(task.name)
    if zone is None or notebook.binding.get(task.name):
        return
    for s in notebook.units:
        for name in s.binds & names if s.cell == zone.stop else ():
            own = notebook.zones.get(name, ())
            if any(x.cell in own for x in notebook.binding[name]):
                yield name, s


def in_its_place(notebook, task, names, is_missing):
    """Yield what is in an exercise without its answer.

    Args:
        notebook: a `Notebook`.
        task: a `Task`.
        names: of all tasks.
        is_missing: whether its cell is gone.

    Yields:
        Pairs as in `mentioned`.
    """
    zone = notebook.zones.get(task.name, ())
    is_script = len(notebook.cells) == 1
    if is_missing or task.form != "function":
        for i, text in words_in(notebook, zone, without=True):
            yield f"a text stands in {notebook.place(i)}", text
        words = words_below(notebook, task.name) if is_script else ""
        if words:
            yield "words stand in the file below its heading", words
    for other, s in intruders(notebook, task, names):
        yield f"{other} stands in {notebook.place(s.cell)}", s.text
    given = {s.text for s in notebook.released}
    units = [s for s in notebook.units if s.cell in zone]
    units = code_between(notebook, task.name) if is_script else units
    for s in units if is_missing else ():
        others = any(owner(name, names) for name in s.binds)
        if s.text not in given and not others:
            yield f"other code stands in {notebook.place(s.cell)}", s.text


def like(notebook, task, names):
    """Yield new names that may be a misspelt task's.

    Arguments as in `in_its_place`; yields pairs as in `mentioned`.
    """
    name, numbers = task.name, numbers_of(task.name)
    new = [
        x
        for x in new_names(notebook, names)
        if owner(x, names) in (None, name)
        and not any(
            holds(x, numbers_of(y)) for y in names - {name} if numbers_of(y)
        )
    ]
    close = difflib.get_close_matches(name, new, 3, ALIKE)
    for other in new:
        mine = owner(other, names) or numbers and holds(other, numbers)
        if mine or other in close:
            s = notebook.binding[other][-1]
            yield f"{other} stands in {notebook.place(s.cell)}", s.text


def lead(notebook, task, names, is_missing):
    """Return where an answer may stand.

    Arguments as in `in_its_place`.

    Returns:
        A sentence, and what stands there; None if nothing is known.
    """
    found = [*mentioned(notebook, task)]
    found = found or [
        *like(notebook, task, names),
        *in_its_place(notebook, task, names, is_missing),
    ]
    if not found:
        return None
    said = dict.fromkeys(sentence for sentence, _ in found)
    texts = dict.fromkeys(text for _, text in found)
    return "; ".join([*said][:3]), "\n\n".join(texts)
