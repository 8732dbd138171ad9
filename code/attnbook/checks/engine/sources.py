"""Find the source of an answer where it was written, in a notebook or file.

As when a class is graded, an answer is its function and the imports, helpers
and constants that it needs, in whatever cell they stand.
"""

import ast
import builtins
import contextlib
import inspect
import symtable
import sys
import textwrap

MAGIC = "run_cell_magic"
INNER = "func", "__wrapped__"


def texts(names):
    """Return the sources that gave a module its names, in order.

    Args:
        names: of a module or a notebook, its ``__dict__``.
    """
    cells = names.get("In") if "get_ipython" in names else None
    if isinstance(cells, list):
        return [cell for cell in cells if isinstance(cell, str)]
    return [inspect.getsource(sys.modules[names["__name__"]])]


def statements(text):
    """Return each statement of a text: its tree, and its own text.

    Args:
        text: Python; of anything else there are none.  What stands under a
            magic such as ``%%time``, which a notebook makes a call of a text,
            counts as well.
    """
    try:
        body, lines, found = ast.parse(text).body, text.split("\n"), []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    for node in body:
        call = getattr(node, "value", None)
        if getattr(getattr(call, "func", None), "attr", "") == MAGIC:
            found += statements(getattr(call.args[-1], "value", ""))
        above = getattr(node, "decorator_list", [])
        first = min(x.lineno for x in [node, *above])
        found.append((node, "\n".join(lines[first - 1 : node.end_lineno])))
    return found


def reads(table):
    """Return the names that a text takes from around it, or gives itself."""
    todo, names = [table], set()
    while todo:
        table = todo.pop()
        todo += table.get_children()
        top = table.get_type() == "module"
        names |= {
            s.get_name() for s in table.get_symbols() if top or s.is_global()
        }
    return names


def bindings(sources):
    """Return the last statement that gives each name a value.

    Args:
        sources: texts.

    Returns:
        A dict from a name to a text; an import is cut to that name.
    """
    found = {}
    for source in sources:
        for node, text in statements(source):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for a in node.names:
                    name = a.asname or a.name.partition(".")[0]
                    node.names = [a]
                    found[name] = ast.unparse(node)
                continue
            with contextlib.suppress(SyntaxError, RecursionError):
                for s in symtable.symtable(text, "", "exec").get_symbols():
                    if s.is_assigned() or s.is_imported():
                        found[s.get_name()] = text
    return found


def own_source(answer, known):
    """Return the source of a function or class alone.

    Args:
        answer: the function or class.
        known: see `bindings`; asked where Python has no source, as under a
            magic, and believed if it reads the same names.
    """
    with contextlib.suppress(OSError, TypeError):
        return textwrap.dedent(inspect.getsource(answer)).rstrip("\n")
    text = known.get(answer.__name__, "")
    names = getattr(getattr(answer, "__code__", None), "co_names", None)
    every = compile(text, "", "exec").co_consts
    same = [x for x in every if getattr(x, "co_names", None) == names]
    return text if same or names is None else ""


def is_name(text):
    """Say whether a statement defines or names one thing, and no more."""
    node = ast.parse(text).body[0]
    targets = getattr(node, "targets", [])
    one = isinstance(node, (ast.FunctionDef, ast.Assign))
    return one and all(isinstance(x, ast.Name) for x in targets)


def source_of(answer):
    """Return the source of an answer and of what it needs.

    Args:
        answer: a function, or an object that can be called.

    Returns:
        Python, or "" where there is no source, as of a built-in function.
    """
    shells = [answer]  # partials, and what stands in for a function
    for shell in shells:
        shells += [getattr(shell, x) for x in INNER if hasattr(shell, x)][:1]
    answer = shells[-1]
    if not hasattr(answer, "__name__"):
        answer = type(answer)
    try:
        names = vars(sys.modules[answer.__module__])
        names = getattr(answer, "__globals__", names)
        known = bindings(texts(names))
        mine = {x for x in known for s in shells if names.get(x) is s}
        parts = [known[x] for x in known if x in mine and is_name(known[x])]
        if not parts or "<locals>" not in answer.__qualname__:
            parts.append(own_source(answer, known))
        return together(parts, known)
    except Exception:  # whatever a kernel, a file or a class lacks
        return ""


def together(parts, known):
    """Return texts behind all that they need, imports first.

    Args:
        parts: of an answer: the statement that names it, its own source.
        known: see `bindings`, whose order is kept.
    """
    needed, todo = set(), [*parts]
    while todo:
        names = reads(symtable.symtable(todo.pop(), "", "exec"))
        if names - known.keys() - {*dir(builtins)} and "*" in known:
            names.add("*")
        found = {known[name] for name in names & known.keys()} - {*parts}
        todo += found - needed
        needed |= found
    above = [x for x in known.values() if x in needed]
    above.sort(key=lambda x: not x.startswith(("import ", "from ")))
    return "\n".join(dict.fromkeys([*above, *parts]))
