"""The answers of `answers` as sources, as they would stand in a notebook."""

import ast
import contextlib
import functools
import inspect
import io
import sys
import warnings

OURS = ("attnbook", "answers", "tests")


def is_import(node):
    """Say whether a statement is an import."""
    return isinstance(node, ast.Import | ast.ImportFrom)


@functools.cache
def stripped(module):
    """Return a module's source without its decorators and the package."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    kept = []
    for node in tree.body:
        of = getattr(node, "module", None) if is_import(node) else None
        names = [of or name.name for name in getattr(node, "names", [])]
        if is_import(node) and names[0].split(".")[0] in OURS:
            continue
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = []
        kept.append(node)
    return ast.Module(kept, [])


def names_in(node):
    """Return all global names that a statement reads, and attributes."""
    codes = [compile(ast.Module([node], []), "answers", "exec")]
    for code in codes:
        codes += [c for c in code.co_consts if hasattr(c, "co_names")]
    return {name for code in codes for name in code.co_names}


def defines(node):
    """Return the names that a statement of a module makes."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(a.asname or a.name).split(".")[0] for a in node.names}
    return {
        n.id
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def source_of(answer):
    """Return source and name of an answer, or None if it has none.

    The source holds what the function needs, and nothing of the package.
    """
    name = getattr(answer, "__name__", "")
    body = stripped(answer.__module__).body
    named = [n for n in body if getattr(n, "name", "") == name]
    its = getattr(sys.modules[answer.__module__], name, None)
    if len(named) != 1 or its is not answer:
        return None
    wanted, size = {name}, 0
    while size < len(wanted):
        size = len(wanted)
        for node in body:
            if defines(node) & wanted:
                wanted |= names_in(node)
    kept = [n for n in body if defines(n) & wanted]
    missing = wanted - set().union(*map(defines, kept))
    ours = vars(sys.modules[answer.__module__])
    if missing & set(ours):
        return None  # it calls the package
    return ast.unparse(ast.Module(kept, [])), name


def said(check, answer):
    """Return the line of a check."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(check(answer))
