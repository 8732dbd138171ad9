"""Find answers in words, so that nothing that was written is lost.

A text stands between the quotes that were given out, or below them in a text
cell.  Whatever else is in its cell, such as words that a slip of a quote
has made into broken Python, goes to the teacher with the whole cell.
"""

import ast
import itertools
import re

from attnbook.teaching.literals import is_empty
from attnbook.teaching.parts import read_literal, value_of
from attnbook.teaching.statements import BROKEN, Statement, clean
from attnbook.teaching.typed import as_typed
from attnbook.teaching.zones import words_in

WHOLE = "not a text alone; all that stands in its cell is kept"


def alone(source, name):
    """Return what a source sets a name to, and what stands around it.

    Args:
        source: of a cell, or a statement.
        name: of the answer.

    Returns:
        A value, a list of notes and the rest of the source without blanks;
        None if the source does anything else, or is broken.
    """
    source = as_typed(clean(source))
    try:
        body = ast.parse(source).body
    except BROKEN:
        return None
    node = value_of(Statement(source, 0, body[0]), name) if body else None
    if node is None or len(body) > 1:
        return None
    notes = []
    value = read_literal(node, notes)
    rest = source.replace(ast.get_source_segment(source, node), "", 1)
    return value, [note.text for note in notes], re.sub(r"\s", "", rest)


def places_of(notebook, name):
    """Return the sources that give a name a text, and their cells' places.

    Each is a whole cell.  Where all code is one cell, as in a .py, it is a
    statement; if something is broken, all up to where another name is set.

    Args:
        notebook: a `Notebook`.
        name: of the answer.
    """
    begins = re.compile(rf"^[ \t]*{name}\b[ \t]*\S", re.MULTILINE)
    cells = [
        (place, source)
        for place, (_, source) in enumerate(notebook.cells)
        if begins.search(source)
    ]
    code = [x for kind, x in notebook.cells if kind == "code" and x.strip()]
    if len(code) > 1 or not cells:
        return cells
    place, source = cells[0]
    own = [*notebook.binding[name]]
    after = notebook.units[notebook.units.index(own[0]) :] if own else []
    others = (s for s in after if s.binds - {name} and not s.error)
    end = next(others, None)
    mine = after[: after.index(end)] if end else after
    if own and not any(s.error for s in mine):
        return [(place, s.text) for s in own]
    start = begins.search(source).start()
    stop = source.find(end.text, start) if end else -1
    return [(place, source[start:stop] if stop > 0 else source[start:])]


def written_around(notebook, name, places):
    """Return what is in text cells of an answer's exercise.

    Where the exercise's heading is gone, text cells count below the answer's
    cell, up to the next code or the next exercise.

    Args:
        notebook: a `Notebook`.
        name: of the answer.
        places: of its cells.

    Returns:
        A list of pairs of a place and a text.
    """
    if name in notebook.zones:
        return words_in(notebook, notebook.zones[name], without=True)
    starts, found = {zone.start for zone in notebook.zones.values()}, []
    for place in places:
        below = range(place + 1, len(notebook.cells))
        cells = itertools.takewhile(
            lambda i: i not in starts and notebook.cells[i][0] != "code", below
        )
        found += words_in(notebook, cells)
    return found


def essay(notebook, name):
    """Return the text and the notes of an answer in words.

    Args:
        notebook: a `Notebook`.
        name: of the answer.

    Returns:
        A str, "" if nothing was written, and a list of notes; None if the
        name is not there.
    """
    given = [alone(s.text, name) for s in notebook.given[name]]
    around = {f"{name}="} | {found[2] for found in given if found}
    places = places_of(notebook, name)
    texts, whole = [], False
    for _, source in places:
        value, notes, rest = alone(source, name) or (source, [], "more")
        empty = value is None and not notes
        if rest not in around or not (empty or isinstance(value, str)):
            value, notes, whole = clean(source).strip(), [], True
        if not is_empty(value):
            texts.append((value, notes))
    if texts and not whole:
        return texts[-1]
    notes = [WHOLE] * bool(texts)
    found = [text for text, _ in texts]
    if not found:
        pairs = written_around(notebook, name, [i for i, _ in places])
        notes = [f"found in {notebook.place(i)}" for i, _ in pairs]
        found = [text for _, text in pairs]
    if not found and not places:
        return None
    cut = []
    text = read_literal(ast.Constant("\n\n".join(found)), cut)
    return text, [*notes, *(note.text for note in cut)] * bool(text)
