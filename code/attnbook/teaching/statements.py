"""Python as people leave it in cells, taken apart into its statements.

A cell is read as far as it goes: shell lines and magics are left out, and
where one statement is broken the others still count.  What each statement
binds and needs is asked of Python's own `symtable`; nothing is executed.
"""

import ast
import re
import symtable
from dataclasses import dataclass

from attnbook.teaching.magics import (
    BROKEN,
    ESCAPED,
    cell_magics,
    language,
    without_magics,
)
from attnbook.teaching.pythons import newer
from attnbook.teaching.typed import readable

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
BLOCKS = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.AsyncFor)
GOES_ON = re.compile(r"[\s)\]}]|(else|elif|except|finally|case)\b")
BOUND = re.compile(
    r"^\s*(?:(?:async\s+)?def\s+|class\s+|type\s+)?(\w+)\s*[\[(=:]"
)
LONGEST = 200  # pieces that one statement of a broken cell may be joined of
PATIENCE = 2_000  # times that pieces of one cell are joined, in all


@dataclass(frozen=True, eq=False)
class Statement:
    """One statement at the top of a cell.

    Attributes:
        text: as it was written, without the lines around it.
        cell: the place of its cell in the notebook.
        node: its syntax tree, or None if it is broken.
        binds: names that it gives a value.
        now: names that it reads when it is run.
        later: names that its functions read when they are called.
        error: what is wrong with it, "" if it can be read.
    """

    text: str
    cell: int
    node: ast.stmt | None = None
    binds: frozenset = frozenset()
    now: frozenset = frozenset()
    later: frozenset = frozenset()
    error: str = ""

    def builds_on(self, name):
        """Say whether an earlier value of a name may live on in this one."""
        block = isinstance(self.node, (ast.AugAssign, *BLOCKS))
        return block or name in self.now


def globals_of(table):
    """Return the global names that a function or class reads or writes."""
    names = {s.get_name() for s in table.get_symbols() if s.is_global()}
    for child in table.get_children():
        names |= globals_of(child)
    return names


def statement(text, cell, node):
    """Return a `Statement` with what it binds and needs."""
    try:
        table = tabled(text, node)
    except BROKEN as error:
        return broken(text, cell, error)
    symbols = table.get_symbols()
    binds = {
        s.get_name() for s in symbols if s.is_assigned() or s.is_imported()
    }
    later = set()
    for child in table.get_children():
        later |= globals_of(child)
    now = {s.get_name() for s in symbols if s.is_referenced()}
    return Statement(text, cell, node, *map(frozenset, (binds, now, later)))


def tried(read, text):
    """Return what is read of a text, also if LaTeX in it is in the way."""
    try:
        return read(text)
    except SyntaxError as error:
        if "(unicode error)" not in str(error):
            raise
    return read(readable(text))


def tabled(text, node):
    """Return the symbols of a statement; of a function only as it stands."""

    def read(source):
        return symtable.symtable(source, "cell", "exec")

    is_run = isinstance(node, DEFINITIONS)
    return read(text) if is_run else tried(read, text)


def broken(text, cell, error):
    """Return a `Statement` that Python cannot read."""
    found = {m[1] for m in map(BOUND.match, text.splitlines()) if m}
    line = getattr(error, "lineno", None) or 1
    said = f"{getattr(error, 'msg', None) or error} (line {line})"
    said = newer(text) or said
    return Statement(text, cell, binds=frozenset(found), error=said[:200])


def source_of(node, lines, alone):
    """Return the text of one statement, decorators included."""
    if not alone:
        return ast.unparse(node)
    first = min([node.lineno, *(d.lineno for d in decorators(node))])
    return "\n".join(lines[first - 1 : node.end_lineno])


def decorators(node):
    """Return the decorators of a statement, if it can have any."""
    return getattr(node, "decorator_list", [])


def parsed(text, cell):
    """Return the statements of a text that Python can read."""
    body, lines = tried(ast.parse, text).body, text.split("\n")
    found = []
    for i, node in enumerate(body):
        alone = (i == 0 or body[i - 1].end_lineno < node.lineno) and (
            i + 1 == len(body) or node.end_lineno < body[i + 1].lineno
        )
        found.append(statement(source_of(node, lines, alone), cell, node))
    return found


def pieces(text):
    """Return a text in pieces that begin where a statement may begin."""
    found = []
    for line in text.split("\n"):
        goes_on = not line.strip() or GOES_ON.match(line)
        if found and (goes_on or found[-1][-1].startswith(("@", "#"))):
            found[-1].append(line)
        else:
            found.append([line])
    return ["\n".join(lines) for lines in found]


def piecewise(text, cell):
    """Return the statements of a broken text, broken ones among them."""
    parts, found, i, joins = pieces(text), [], 0, 0
    while i < len(parts):
        if ESCAPED.match(parts[i]):  # in what was taken for brackets
            i += 1
            continue
        error = None
        most = LONGEST if joins < PATIENCE else 1
        for j in range(i + 1, min(len(parts), i + most) + 1):
            joins += j > i + 1
            try:
                found += parsed("\n".join(parts[i:j]), cell)
                i = j
                break
            except BROKEN as said:
                error = error or said
        else:
            found.append(broken(parts[i], cell, error))
            i += 1
    return found


def clean(text):
    """Return the source of a cell as Python wants it."""
    text = text.encode("utf-8", "replace").decode().replace("\0", "")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def statements(text, cell=0):
    """Return the statements of a cell, as far as it can be read.

    Args:
        text: the source of a code cell.
        cell: its place in the notebook.

    Returns:
        A list of `Statement` in order; those with an `error` are broken.
        None of a cell under a magic for another language.
    """
    text = clean(text)
    if language(text):
        return []
    _, text = cell_magics(text)
    for read in (str, without_magics):
        try:
            return parsed(read(text), cell)
        except BROKEN:
            continue
    return piecewise(without_magics(text), cell)
