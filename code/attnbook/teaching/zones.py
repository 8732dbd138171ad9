"""Tell which cells belong to which exercise, by the headings given out."""

import re

from attnbook.teaching.magics import SPAN
from attnbook.teaching.statements import clean, statements

EDGES = "# \t\"'"  # around a line of a text cell in a script
MARK = re.compile(r"%%|In\[|[+-]( |$)|\[markdown\]")  # between its cells


def heading(text):
    """Return the heading that a text begins with, "" if there is none.

    Args:
        text: of a cell, without blanks around it.
    """
    first = text.partition("\n")[0].strip()
    return first if first.startswith("#") else ""


def headings(released):
    """Return the headings of a released notebook.

    Args:
        released: pairs of kind and source.

    Returns:
        A dict from heading to the names that the code below it binds.
    """
    found, names = {}, set()
    for kind, source in released:
        if kind == "code":
            names |= {n for s in statements(source) for n in s.binds}
        elif heading(clean(source).strip()):
            names = found.setdefault(heading(clean(source).strip()), set())
    return found


def zones(cells, known):
    """Return where the cells of each name's exercise stand.

    Args:
        cells: pairs of kind and source.
        known: see `headings`.

    Returns:
        A dict from name to a range of cells: from the exercise's heading up
        to the next one's.  Names whose heading is gone are left out.
    """
    starts = [
        (i, known[first])
        for i, (kind, source) in enumerate(cells)
        if kind != "code"
        and known.get(first := heading(clean(source).strip()))
    ]
    edges = [*(i for i, _ in starts), len(cells)]
    return {
        name: range(start, end)
        for (start, names), end in zip(starts, edges[1:], strict=True)
        for name in names
    }


def words_in(notebook, cells):
    """Return the text cells among cells that a student has written.

    What was given out is left out, and what begins as a task that was given
    out, and holds none as a whole: it is the task of another seed.

    Args:
        notebook: a `Notebook`.
        cells: their places.

    Returns:
        A list of pairs of a place and a text.
    """
    tasks = {*map(heading, notebook.texts)} - {""}
    found = []
    for i in cells:
        kind, source = notebook.cells[i]
        text = clean(source).strip()
        if kind == "code" or text in notebook.texts | {""}:
            continue
        given = [x for x in notebook.texts if x and x in text]
        if given or heading(text) not in tasks:
            found.append((i, text))
    return found


def without_task(notebook, text):
    """Return a text without the task that was given out in its cell."""
    for given in sorted(notebook.texts, key=len, reverse=True):
        text = text.replace(given, "", 1) if given else text
    return text.strip()


def prose(source):
    """Return the lines of comments and of texts alone in a script.

    Text cells become these where a notebook is exported.

    Args:
        source: of the script.
    """
    found = []
    for span in SPAN.finditer(source):
        alone = span.start() == 0 or source[span.start() - 1] == "\n"
        if alone and span[0].startswith(("#", '"""', "'''")):
            found += span[0].split("\n")
    return [line.strip(EDGES) for line in found]


def words_below(notebook, name):
    """Return what a student has written below a task's heading in a script.

    Args:
        notebook: a `Notebook`, whose code is one cell.
        name: of the task's answer.
    """
    known = {line for text in notebook.texts for line in text.split("\n")}
    known |= {line for s in notebook.given_code for line in s.split("\n")}
    known = {line.strip(EDGES) for line in known} | {""}
    heads = {h.strip(EDGES): names for h, names in notebook.headings.items()}
    mine, found = False, []
    for line in prose(clean(notebook.cells[0][1])):
        if heads.get(line):
            mine = name in heads[line]
        elif mine and line not in known and not MARK.match(line):
            found.append(line)
    return "\n".join(found)
