"""Tell which cells belong to which exercise, by the headings given out."""

import ast
import re
from collections import defaultdict

from attnbook.teaching.magics import SPAN
from attnbook.teaching.statements import clean, statements

QUOTES = ('"""', "'''")  # around a text cell in a script
EDGES = "# \t\"'"  # around a line of a text cell in a script
MARK = re.compile(  # between its cells
    r"%%|%md|COMMAND -|In\[|[+-]( |$)|\[markdown\]"
)


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
            names |= bound_by(statements(source))
        elif heading(clean(source).strip()):
            names = found.setdefault(heading(clean(source).strip()), set())
    return found


def bound_by(units):
    """Return the names that statements bind, except those of modules."""
    modules = (ast.Import, ast.ImportFrom)
    return {
        n for s in units if not isinstance(s.node, modules) for n in s.binds
    }


def below_title(first, known):
    """Return the names below a heading to which something was added."""
    title = first.strip("# ")
    found = (names for x, names in known.items() if is_title(x, title))
    return next(found, None) if title else None


def is_title(known, title):
    """Say whether a title begins as a known heading does, as a whole word."""
    rest = title.removeprefix(known.strip("# "))
    return rest != title and not rest[:1].isalnum() and rest[:1] != "."


def zones(cells, units, known):
    """Return where the cells of each name's exercise stand.

    Args:
        cells: pairs of kind and source.
        units: the `Statement` in them.
        known: see `headings`.

    Returns:
        A dict from name to a range of cells: from the exercise's heading up
        to the next one's, or to an answer of another one, whose heading is
        gone.  Names whose heading is gone are left out.
    """
    starts, bound = {}, defaultdict(list)
    for s in units:
        bound[s.cell].append(s)
    for i, (kind, source) in enumerate(cells):
        first = "" if kind == "code" else heading(clean(source).strip())
        names = known.get(first) or below_title(first, known)
        if names:
            starts[i] = names
    every, found = {n for names in known.values() for n in names}, {}
    for start, names in starts.items():
        end, others = start + 1, every - names
        while end < len(cells) and end not in starts:
            if bound_by(bound[end]) & others:
                break
            end += 1
        found |= dict.fromkeys(names, range(start, end))
    return found


def words_in(notebook, cells, without=False):
    """Return the text cells among cells that a student has written.

    What was given out is left out, and what begins as a task that was given
    out, and holds none as a whole: it is the task of another seed.

    Args:
        notebook: a `Notebook`.
        cells: their places.
        without: whether a task in the same cell is left out, too.

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
            mine = without_task(notebook, text) if without else text
            found += [(i, mine)] * bool(mine)
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
        if alone and span[0].startswith(("#", *QUOTES)):
            found += span[0].split("\n")
    return [line.strip(EDGES) for line in found]


def code_between(notebook, name):
    """Return statements of a script between the answers above and below one.

    Text cells, which `words_below` finds, are left out.

    Args:
        notebook: a `Notebook`, whose code is one cell.
        name: of the task's answer, which is missing.
    """
    every = [*notebook.headings.values()]
    at = next((i for i, names in enumerate(every) if name in names), 0)
    above, below = set().union(*every[:at]), set().union(*every[at + 1 :])
    found = []
    for s in notebook.units if at else ():
        if s.binds & below:
            break
        found = [] if s.binds & above else [*found, s]
    return [s for s in found if s.text[:3] not in QUOTES]


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
