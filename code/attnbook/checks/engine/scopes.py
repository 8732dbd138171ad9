"""Which names of a source reach its modules, and Python's own functions."""

import ast
import sys
import types

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (*FUNCTIONS, *COMPREHENSIONS, ast.Lambda, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
LONGEST = 50  # names with dots between them


class Scope:
    """The names that a function, class or comprehension gives a value.

    Attributes:
        above: the `Scope` around it, None around a whole source.
        is_class: whether it is a class's, whose names its methods do not see.
        names: all of them.
        modules: those that stand for a module, or for a part of one.
    """

    def __init__(self, above=None, is_class=False):
        self.above, self.is_class = above, is_class
        self.names, self.modules = set(), set()

    def hides(self, name):
        """Say whether a name is a function's own here, and no module."""
        scope = self
        while scope.above:
            mine = name in scope.names and name not in scope.modules
            if mine and not scope.is_class:
                return True
            scope = scope.above
        return False


def dotted(node):
    """Return the names of ``a.b.c`` as a list, [] for anything else."""
    names = []
    while isinstance(node, ast.Attribute) and len(names) < LONGEST:
        names.append(node.attr)
        node = node.value
    return [node.id, *names[::-1]] if isinstance(node, ast.Name) else []


def is_module(path):
    """Say whether a dotted path is that of a module that is loaded here."""
    top, *rest = path.split(".")
    found = sys.modules.get(top)
    for name in rest:
        if not isinstance(found, types.ModuleType):
            return False
        found = vars(found).get(name)
    return not rest or isinstance(found, types.ModuleType)


def imported(tree):
    """Return what imported names stand for: name -> dotted path."""
    known = {}
    for node in ast.walk(tree):
        for a in node.names if isinstance(node, IMPORTS) else ():
            if isinstance(node, ast.ImportFrom):
                known[a.asname or a.name] = f"{node.module or ''}.{a.name}"
            else:
                top = a.name.partition(".")[0]
                known[a.asname or top] = a.name if a.asname else top
    return known


def outside(node, parent, above):
    """Say whether a part of a function is computed where that is defined."""
    if isinstance(parent, FUNCTIONS):
        return isinstance(node, ast.expr)  # a decorator, or what it returns
    if isinstance(parent, ast.arguments):
        return not isinstance(node, ast.arg)  # a default
    first = isinstance(parent, ast.comprehension) and node is parent.iter
    return first and parent is above.generators[0]
