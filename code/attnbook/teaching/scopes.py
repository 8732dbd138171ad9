"""Which names of a source reach its modules, and Python's own functions."""

import ast
import sys
import types

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
IMPORTS = (ast.Import, ast.ImportFrom)


def dotted(node):
    """Return the names of ``a.b.c`` as a list, [] for anything else."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *names[::-1]] if is_name(node) else []


def is_name(node):
    """Say whether a node is a plain name."""
    return isinstance(node, ast.Name)


def modules_of(tree):
    """Return what imported names stand for: name -> dotted path."""
    known = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for a in node.names:
                top = a.name.partition(".")[0]
                known[a.asname or top] = a.name if a.asname else top
        elif isinstance(node, ast.ImportFrom):
            for a in node.names:
                known[a.asname or a.name] = f"{node.module or ''}.{a.name}"
        elif isinstance(node, ast.Assign):  # G = torch.nn.functional
            names = dotted(node.value)
            if names and names[0] in known:
                path = ".".join([known[names[0]], *names[1:]])
                known |= {t.id: path for t in node.targets if is_name(t)}
    return known


def own_names(tree):
    """Return the names that the source itself defines or assigns."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(
            node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        ):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif is_name(node) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(
            node.ctx, ast.Store
        ):
            names.add(node.attr)
    return names


def stored(node, known):
    """Return the names that a function or comprehension keeps to itself.

    Args:
        node: its syntax tree.
        known: names of modules, and what they stand for; a name that the
            function gives to one of them is none of its own.
    """
    names, modules, todo = set(), set(), [*ast.iter_child_nodes(node)]
    while todo:
        x = todo.pop()
        if isinstance(x, ast.arg):
            names.add(x.arg)
        elif is_name(x) and isinstance(x.ctx, ast.Store):
            names.add(x.id)
        elif isinstance(x, ast.Global):
            modules.update(x.names)
        elif isinstance(x, IMPORTS):
            modules.update(a.asname or a.name.split(".")[0] for a in x.names)
        elif isinstance(x, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(x.name)
        elif isinstance(x, ast.Assign) and is_alias(x, known):
            modules.update(target.id for target in x.targets)
        if not isinstance(x, (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef)):
            todo += ast.iter_child_nodes(x)
    return names - modules


def is_alias(node, known):
    """Say whether a statement is like ``G = torch.nn``, and no more."""
    head = dotted(node.value)[:1]
    return all(map(is_name, node.targets)) and any(x in known for x in head)


class Free(ast.NodeVisitor):
    """Find the names that are read and are no function's own.

    Args:
        known: as in `stored`.

    Attributes:
        names: their nodes, a set.
    """

    def __init__(self, known):
        self.known, self.around, self.names = known, [], set()

    def visit(self, node):
        """Visit a node, and what it holds in its own scope."""
        read = is_name(node) and isinstance(node.ctx, ast.Load)
        if read and not any(node.id in own for own in self.around):
            self.names.add(node)
        if not isinstance(node, (*FUNCTIONS, *COMPREHENSIONS)):
            self.generic_visit(node)
            return
        outside = [node.generators[0].iter] if comprehends(node) else [
            *node.args.defaults, *filter(None, node.args.kw_defaults),
            *getattr(node, "decorator_list", ()),
        ]  # fmt: skip
        for part in outside:
            self.visit(part)
        self.around.append(stored(node, self.known))
        self.generic_visit(node)
        self.around.pop()


def comprehends(node):
    """Say whether a node is a comprehension."""
    return isinstance(node, COMPREHENSIONS)


def is_module(path):
    """Say whether a dotted path is that of a module that is loaded here."""
    top, *rest = path.split(".")
    if not rest:
        return True
    found = sys.modules.get(top)
    for name in rest:
        if not isinstance(found, types.ModuleType):
            return False
        found = vars(found).get(name)
    return isinstance(found, types.ModuleType)


def placed(tree, known):
    """Return the nodes where a module may stand: ``G = torch.nn``, ``G.x``.

    Args:
        tree: of the source.
        known: as in `stored`.
    """
    nodes = set(ast.walk(tree))
    classes = [x for x in nodes if isinstance(x, ast.ClassDef)]
    inside = {x for one in classes for x in ast.walk(one)}  # A.G is no name
    plain = {x for x in nodes - inside if isinstance(x, ast.Assign)}
    good = {x.value for x in plain if is_alias(x, known)}
    return good | {x.value for x in nodes if isinstance(x, ast.Attribute)}
