"""Say what the source of a graded answer uses that it may not.

    complaints("import os")  ->  ["imports os; a task may import torch, ..."]

The check at home and the grader ask this one function; the rule itself stands
in `allowed`.  This is no security boundary: whoever wants to get around a list
of names can.  The sandbox is the boundary.  The list keeps an honest reader
from handing in what the task asks to be written, and says so in words.
"""

import ast

from attnbook.checks.engine.allowed import (
    BUILTINS,
    DOORS,
    INSIDE,
    MODULES,
    PACKAGE,
    USUAL,
    about_path,
    forbidden,
    is_dunder,
    is_private,
)
from attnbook.checks.engine.scopes import (
    FUNCTIONS,
    IMPORTS,
    LONGEST,
    SCOPES,
    Scope,
    dotted,
    imported,
    is_module,
    outside,
)

GIVEN = dict.fromkeys((*FUNCTIONS, ast.ClassDef), "name") | {ast.arg: "arg"}
NOT_ALLOWED = "which this task does not allow"
NO_NEED = "which no task needs"


class Visitor:
    """Read all names of a source, then say what is wrong with them.

    It keeps its own list of what is still to be read, so that no source is
    too deep for it.

    Args:
        tree: a syntax tree.
        banned: names that the task forbids.
    """

    def __init__(self, tree, banned):
        self.banned, self.known = banned, imported(tree)
        self.own, self.read = set(), []
        self.classes = {"self", "cls"}  # and those of the source
        todo = [(tree, None, Scope())]
        while todo:
            node, parent, scope = todo.pop()
            self.read.append((node, parent, scope))
            self.bind(node, scope)
            if isinstance(node, SCOPES):
                scope = Scope(scope, isinstance(node, ast.ClassDef))
            todo += [
                (x, node, scope.above if outside(x, node, parent) else scope)
                for x in reversed([*ast.iter_child_nodes(node)])
            ]

    def bind(self, node, scope):
        """Note the names that a node gives a value, in its scope."""
        names = set()
        if type(node) in GIVEN:
            names = {getattr(node, GIVEN[type(node)])}
            self.classes |= names if isinstance(node, ast.ClassDef) else set()
        elif isinstance(node, ast.Global):
            scope.modules.update(node.names)
        elif isinstance(node, IMPORTS):
            scope.modules.update(imported(node))
        elif self.is_alias(node):
            path = self.path_of(node.value)
            same = {target.id: path for target in node.targets}
            self.known |= same
            scope.modules.update(same)
        elif not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            self.own.add(getattr(node, "attr", ""))
            names = {getattr(node, "id", "")}
        scope.names |= names
        self.own |= names

    def is_alias(self, node):
        """Say whether a node is like ``G = torch.nn``, and no more."""
        return (
            isinstance(node, ast.Assign)
            and all(isinstance(target, ast.Name) for target in node.targets)
            and bool(self.path_of(node.value))
        )

    def path_of(self, node):
        """Return the path in a module that a node stands for, or ""."""
        names = dotted(node)
        if not names or names[0] not in self.known:
            return ""
        parts = [*self.known[names[0]].split("."), *names[1:]]
        return ".".join(parts[:LONGEST])

    def complaints(self):
        """Yield what is wrong, in the order of the source."""
        for node, parent, scope in self.read:
            about = getattr(self, f"about_{type(node).__name__.lower()}", None)
            if about:
                yield from about(node, parent, scope)

    def about_import(self, node, parent, scope):
        """Yield complaints about an import."""
        if getattr(node, "level", 0):
            yield "imports from a file beside it, which is not handed in"
            return
        for a in node.names:
            start = getattr(node, "module", None)
            path = f"{start}.{a.name}" if start else a.name
            top = path.partition(".")[0]
            if top not in MODULES and top not in PACKAGE:
                yield f"imports {top}; a task may import {USUAL} and the like"
            elif about_path(path):
                yield about_path(path)
            for name in path.split("."):  # no set, whose order is chance's
                if name in self.banned:
                    yield f"imports {name}, {NOT_ALLOWED}"

    about_importfrom = about_import

    def about_name(self, node, parent, scope):
        """Yield complaints about a name that is read."""
        name, free = node.id, not scope.hides(node.id)
        if not isinstance(node.ctx, ast.Load):
            return
        called = isinstance(parent, ast.Call) and node is parent.func
        if name in PACKAGE and name not in self.own:
            yield f"uses {name}, the course's own package"
        elif (name in BUILTINS and free) or is_dunder(name):
            yield f"uses {name}, {NO_NEED}"
        elif name in self.banned and name not in self.own:
            yield f"calls {name}, {NOT_ALLOWED}"
        elif name in INSIDE and free and not called:
            yield f"hands on {name}, {NO_NEED}"
        elif name in INSIDE and called:
            yield from self.about_look(name, parent.args)
        yield from self.about_module(node, parent, scope)

    def about_look(self, name, args):
        """Yield a complaint about looking up a computed name."""
        constant = [isinstance(x, ast.Constant) for x in args[1:2]] == [True]
        computed = args and (name != "getattr" or not constant)
        inside = computed and self.path_of(args[0])
        if inside or (computed and name in ("getattr", "vars")):
            said = ".".join(dotted(args[0])) or "a value"
            yield f"looks into {said} with {name}"

    def about_attribute(self, node, parent, scope):
        """Yield complaints about ``something.name``."""
        name, bases = node.attr, {*dotted(node)[:1]}
        own = bases & self.classes - self.known.keys()
        mine = own and name in self.own
        if name in self.banned and not mine:
            yield f"calls {name}, {NOT_ALLOWED}"
        inner = name in DOORS or is_private(name)
        if is_dunder(name) or (inner and not mine):
            yield f"uses {name}, {NO_NEED}"
        yield from filter(None, [about_path(self.path_of(node))])
        yield from self.about_module(node, parent, scope)

    def about_module(self, node, parent, scope):
        """Yield a complaint about a module that is handed on.

        Whoever has a module in a list, or as an argument, can hide what is
        looked up in it.
        """
        names, path = dotted(node), self.path_of(node)
        placed = self.is_alias(parent) and not scope.is_class  # A.G is no name
        if not path or placed or isinstance(parent, ast.Attribute):
            return
        if not scope.hides(names[0]) and is_module(path):
            yield f"hands on {'.'.join(names)}, a module; use what is in it"

    def about_constant(self, node, parent, scope):
        """Yield complaints about a text that could be the name of a thing."""
        if isinstance(node.value, str):
            is_key = isinstance(parent, (ast.Dict, ast.Subscript))
            yield from self.about_text(node.value, is_key)

    def about_matchclass(self, node, parent, scope):
        """Yield complaints about ``case object(name=x)``."""
        yield from self.about_text(".".join(node.kwd_attrs))

    def about_text(self, text, is_key=False):
        """Yield complaints about each name in ``"a.b.c"``."""
        parts = text.split(".")
        if not all(part.isidentifier() for part in parts):
            return
        for part in parts:
            if part in self.banned and not is_key:
                yield f"names {part}, {NOT_ALLOWED}"
            elif part == "attnbook" or is_dunder(part):
                yield f"names {part}, {NO_NEED}"


def complaints(source, may_not_call=()):
    """Return what an answer uses that it may not, a line for each thing.

    Args:
        source: Python.
        may_not_call: names that the task forbids, wherever they stand: as a
            name, an attribute, an import, or a string for getattr; with them
            all others of their kind, see `allowed.KINDS`.

    Returns:
        A list of str without doubles, in the order of the source; [] for
        source that is no Python, whose error shows when it is run.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    except (RecursionError, MemoryError):
        return ["is nested too deeply to be read"]
    visitor = Visitor(tree, forbidden(may_not_call))
    return list(dict.fromkeys(visitor.complaints()))
