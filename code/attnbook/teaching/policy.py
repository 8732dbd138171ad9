"""What the source of an answer may not call, said in one line each.

    complaints("import os", [])  ->  ["imports os, which ..."]

This is no security boundary: whoever wants to get around a list of names can.
The sandbox is the boundary.  The list keeps an honest reader from handing in
what the task asks to be written, and says so in words.
"""

import ast

from attnbook.teaching.scopes import (
    Free,
    dotted,
    is_module,
    is_name,
    modules_of,
    own_names,
    placed,
)


def words(text):
    """Return the words of a text as a set."""
    return set(text.split())


USUAL = "torch, math, numpy, itertools, functools, collections"
MODULES = words(
    """torch math numpy itertools functools collections typing dataclasses
    random copy operator string re statistics time matplotlib sacrebleu abc
    enum heapq bisect contextlib fractions decimal numbers warnings textwrap
    __future__"""
)
BUILTINS = words("__import__ eval exec compile globals locals open breakpoint")
PACKAGE = words("attnbook checks")
PARTS = words(  # of allowed modules, that no task needs
    """torch.ops torch.utils torch.load torch.save torch.jit torch.hub
    torch.package torch.multiprocessing torch.distributed torch.classes
    torch.library torch.from_file torch.compile torch.export torch.fx
    torch.overrides torch.testing numpy.load numpy.save numpy.savez
    numpy.loadtxt numpy.genfromtxt numpy.fromfile numpy.memmap numpy.f2py
    numpy.ctypeslib operator.attrgetter operator.methodcaller
    string.Formatter typing.get_type_hints typing.ForwardRef"""
)
WIDE = {*PARTS, "torch.nn.functional.", "torch.nn."}
STILL_ALLOWED = {"torch.utils.flop_counter"}
DOORS = words(  # modules that other modules hold by chance
    """sys os builtins subprocess socket inspect gc ctypes importlib types io
    pickle shutil pathlib threading multiprocessing signal torch"""
)
INSIDE = words("getattr vars dir setattr delattr")
DUNDERS = words(
    """__init__ __name__ __qualname__ __doc__ __call__ __len__ __getitem__
    __setitem__ __iter__ __next__ __contains__ __repr__ __str__ __eq__ __lt__
    __le__ __gt__ __ge__ __hash__ __enter__ __exit__ __add__ __mul__ __sub__
    __truediv__ __matmul__ __neg__ __post_init__ __wrapped__ __file__
    __version__ __annotations__"""
)


def is_dunder(name):
    """Say whether a name is one of Python's own, and no common one."""
    own = name.startswith("__") and name.endswith("__") and len(name) > 4
    return own and name not in DUNDERS


def is_private(name):
    """Say whether a name begins with _, and is none of a named tuple."""
    own = name.startswith("_") and name not in DUNDERS
    return own and name not in ("_replace", "_asdict", "_fields")


def about_path(path):
    """Return the complaint about a dotted path of a module, or ""."""
    top, *rest = path.split(".")
    if top in PACKAGE:
        return f"uses {path}, the course's own package"
    starts = {".".join([top, *rest[:n]]) for n in range(1, len(rest) + 1)}
    if starts & STILL_ALLOWED:
        return ""
    if path.endswith(".*") and any(x.startswith(path[:-1]) for x in WIDE):
        return f"imports everything of {path[:-2]}; name what it needs"
    if starts & PARTS:
        return f"uses {min(starts & PARTS)}, which no task needs"
    for name in rest:
        if name in DOORS or is_private(name):
            return f"uses {path}, which is no part of {top} to use"
    return ""


def about_import(node):
    """Yield complaints about an import statement."""
    if isinstance(node, ast.Import):
        paths = [a.name for a in node.names]
    elif node.level:
        yield "imports from a file beside it, which is not handed in"
        return
    else:
        paths = [f"{node.module}.{a.name}" for a in node.names]
    for path in paths:
        top = path.partition(".")[0]
        if top not in MODULES and top not in PACKAGE:
            yield f"imports {top}; a task may import {USUAL} and the like"
        elif about_path(path):
            yield about_path(path)


def about_name(name, banned, own, is_free):
    """Yield complaints about a name that is read."""
    if name in PACKAGE and name not in own:
        yield f"uses {name}, the course's own package"
    elif (name in BUILTINS and is_free) or is_dunder(name):
        yield f"uses {name}, which no task needs"
    elif name in banned and name not in own:
        yield f"calls {name}, which this task does not allow"


def about_attribute(node, banned, own, known):
    """Yield complaints about ``something.name``."""
    names = dotted(node)
    mine = names[:1] == ["self"] and node.attr in own and not known.get("self")
    if node.attr in banned and not mine:
        yield f"calls {node.attr}, which this task does not allow"
    inner = node.attr in DOORS or is_private(node.attr)
    if is_dunder(node.attr) or (inner and not mine):
        yield f"uses {node.attr}, which no task needs"
    if names and names[0] in known:
        said = about_path(".".join([known[names[0]], *names[1:]]))
        if said:
            yield said


def about_text(text, banned):
    """Yield complaints about a string that could be the name of a thing."""
    parts = text.split(".")
    if not all(part.isidentifier() for part in parts):
        return
    for part in parts:
        if part in banned:
            yield f"names {part}, which this task does not allow"
        elif part == "attnbook" or is_dunder(part):
            yield f"names {part}, which no task needs"


def about_call(node, known):
    """Yield complaints about looking up a computed name."""
    if not (is_name(node.func) and node.func.id in INSIDE and node.args):
        return
    name, path = node.func.id, ".".join(dotted(node.args[0]))
    constant = len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
    computed = name != "getattr" or not constant
    module = path.partition(".")[0] in known
    if computed and (module or name in ("getattr", "vars")):
        yield f"looks into {path or 'a value'} with {name}"


def about_modules(tree, free, known):
    """Yield the complaints about modules that are handed on.

    Whoever has a module in a list, or as an argument, can hide what is
    looked up in it.

    Args:
        tree: of the source.
        free: nodes of names that are no function's own.
        known: name -> dotted path of a module, or of a part of one.
    """
    good = placed(tree, known)
    called = {x.func for x in ast.walk(tree) if isinstance(x, ast.Call)}
    for node in ast.walk(tree):
        if node in free - called and node.id in INSIDE:
            yield f"hands on {node.id}, which no task needs"
        names = dotted(node)
        if not names or node in good or names[0] not in known:
            continue
        head = node
        while isinstance(head, ast.Attribute):
            head = head.value
        path = ".".join([known[names[0]], *names[1:]])
        if head in free and is_module(path):
            yield f"hands on {'.'.join(names)}, a module; use what is in it"


def about(node, banned, own, known, free):
    """Yield the complaints about one node of the syntax tree."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from about_import(node)
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name in banned:
                    yield (
                        f"imports {alias.name}, which this task does not allow"
                    )
    elif is_name(node) and isinstance(node.ctx, ast.Load):
        yield from about_name(node.id, banned, own, node in free)
    elif isinstance(node, ast.MatchClass):
        for name in node.kwd_attrs:
            yield from about_text(name, banned)
    elif isinstance(node, ast.Attribute):
        yield from about_attribute(node, banned, own, known)
    elif isinstance(node, ast.Call):
        yield from about_call(node, known)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from about_text(node.value, banned)


def complaints(source, may_not_call=()):
    """Return what an answer uses that it may not, a line for each thing.

    Args:
        source: Python, as `collect` found it.
        may_not_call: names that the task forbids, wherever they stand: as a
            name, an attribute, an import, or a string for getattr.

    Returns:
        A list of str without doubles, in the order of the source; [] for
        source that is no Python, whose error shows when it is run.
    """
    try:
        tree = ast.parse(source)
        nodes = sorted(
            ast.walk(tree), key=lambda node: getattr(node, "lineno", 0)
        )
    except (SyntaxError, ValueError):
        return []
    except (RecursionError, MemoryError):
        return ["is nested too deeply to be read"]
    own, known, banned = own_names(tree), modules_of(tree), {*may_not_call}
    search = Free(known)
    search.visit(tree)
    found = [
        said
        for node in nodes
        for said in about(node, banned, own, known, search.names)
    ]
    found += about_modules(tree, search.names, known)
    return list(dict.fromkeys(found))
