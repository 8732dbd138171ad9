"""What is in a notebook, whatever an editor has made of its cells.

It does not matter in which cell an answer stands, what the cells' metadata
say, or what stands around it.  An answer is its function and the imports,
helpers and constants that it needs, wherever they are.  Nothing is executed.
"""

import ast
import builtins
import textwrap
from collections import defaultdict

from attnbook.teaching.magics import (
    BROKEN,
    cell_magics,
    language,
    without_magics,
)
from attnbook.teaching.statements import clean, statements
from attnbook.teaching.zones import headings, zones


class Notebook:
    """The statements of a submission, and those of the released notebook.

    Args:
        cells: pairs of kind ("code" or "markdown") and source, in order.
        released: the same of the notebook that was given out.
    """

    def __init__(self, cells, released=()):
        self.cells, self.numbers = joined(cells)
        self.units = [
            s
            for i, (kind, source) in enumerate(self.cells)
            if kind == "code"
            for s in statements(source, i)
        ]
        one = len({s.cell for s in self.units}) == 1  # a .py, or all in one
        self.order = {
            s: i if one else s.cell for i, s in enumerate(self.units)
        }
        self.released = [
            s
            for kind, source in released
            if kind == "code"
            for s in statements(source, -1)
        ]
        self.texts = {clean(s).strip() for k, s in released if k != "code"}
        self.given_code = [clean(s) for k, s in released if k == "code"]
        self.headings = headings(released)
        self.zones = zones(self.cells, self.units, self.headings)
        self.binding, self.given = defaultdict(list), defaultdict(list)
        for units, index in (
            (self.units, self.binding),
            (self.released, self.given),
        ):
            for s in units:
                for name in s.binds:
                    index[name].append(s)

    def place(self, cell):
        """Return where a cell stands, for a teacher who looks for it."""
        whole = len(self.numbers) == 1  # a .py, or all in one
        return "the file" if whole else f"cell {self.numbers[cell]}"

    def bindings(self, name, order):
        """Return the statements that make a name's value, in order.

        As in a notebook that is run from top to bottom and checked cell by
        cell: the last one up to the answer's cell; failing that a later one,
        failing that the released notebook's.

        Args:
            name: the name.
            order: of the answer's cell, or statement if all code is one.
        """
        mine = [s for s in self.binding[name] if not s.error]
        before = [s for s in mine if self.order[s] <= order]
        return chain(before or mine or self.given[name], name)

    def needed(self, answer):
        """Return the statements that an answer needs, and all names read.

        Args:
            answer: list of `Statement` that bind the answer.
        """
        chosen, names = dict.fromkeys(answer), set()
        todo = [n for s in answer for n in s.now | s.later]
        while todo:
            name = todo.pop()
            if name in names:
                continue
            names.add(name)
            for s in self.bindings(name, self.order[answer[-1]]):
                if s not in chosen:
                    chosen[s] = None
                    todo += s.now | s.later
        bound = {n for s in chosen for n in s.binds}
        if names - bound - set(dir(builtins)):
            chosen |= dict.fromkeys(filter(is_star, self.units))
        return [s for s in chosen if s not in answer], names

    def lost(self, answer):
        """Yield names that an answer needs, and broken statements of them."""
        _, names = self.needed(answer)
        for name in sorted(names - set(dir(builtins))):
            found = self.binding.get(name)
            if found and not self.bindings(name, answer[-1].cell):
                yield name, found[-1]

    def source(self, answer):
        """Return the source of an answer and of all that it needs."""
        others, names = self.needed(answer)
        others += [s for s in self.units if is_future(s) and s not in others]
        place = {s: i for i, s in enumerate([*self.released, *self.units])}
        others.sort(key=lambda s: (rank(s), place[s]))
        texts = [only(s, names) if rank(s) < 2 else s.text for s in others] + [
            s.text for s in answer
        ]
        return "\n\n".join(dict.fromkeys(texts)) + "\n"


def joined(cells):
    """Return cells, and at which place of the file each of them begins.

    One that was split inside a block is put together again.  One under a
    magic for another language is of that kind, as "%%bash".

    Args:
        cells: pairs of kind and source.
    """
    found, numbers = [], []
    for number, (kind, source) in enumerate(cells, 1):
        first = next((x for x in source.split("\n") if x.strip()), "")
        inside = first[:1] in (" ", "\t") and kind == "code"
        if inside and is_whole(source, found[-1][1] if found else ""):
            inside, source = False, textwrap.dedent(source)
        other = language(source) if kind == "code" else ""
        if inside and found and found[-1][0] == "code":
            found[-1] = ("code", found[-1][1] + "\n" + source)
        else:
            found.append((f"%%{other}" if other else kind, source))
            numbers.append(number)
    return found, numbers


def is_whole(source, before):
    """Say whether an indented cell is no rest of the block before it."""
    try:
        ast.parse(without_magics(cell_magics(clean(before))[1]))
        inner = cell_magics(clean(textwrap.dedent(source)))[1]
        compile(without_magics(inner), "cell", "exec", dont_inherit=True)
    except BROKEN:
        return False
    return True


def chain(pool, name):
    """Return the last statements that together make a name's value."""
    found = []
    for s in reversed(pool):
        found.append(s)
        if not s.builds_on(name):
            break
    return found[::-1]


def is_future(s):
    """Say whether a statement imports from ``__future__``."""
    return isinstance(s.node, ast.ImportFrom) and s.node.module == "__future__"


def is_star(s):
    """Say whether a statement imports everything of a module."""
    return isinstance(s.node, ast.ImportFrom) and s.node.names[0].name == "*"


def rank(s):
    """Return 0, 1 or 2: the future, other imports, all else."""
    if is_future(s):
        return 0
    return 1 if isinstance(s.node, (ast.Import, ast.ImportFrom)) else 2


def only(s, names):
    """Return the text of an import without what is not needed."""
    used = [
        a
        for a in s.node.names
        if (a.asname or a.name.partition(".")[0]) in names
    ]
    if is_future(s) or is_star(s) or len(used) in (0, len(s.node.names)):
        return s.text
    return ast.unparse(
        ast.Import(used)
        if isinstance(s.node, ast.Import)
        else ast.ImportFrom(s.node.module, used, s.node.level)
    )
