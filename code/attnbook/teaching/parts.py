"""Follow what the statements of a notebook make of a value, part by part.

A value may be set at once, by `update`, by `|=`, or part by part.  What else
may change it, such as a loop, is named, since nothing is executed.
"""

import ast

from attnbook.teaching.literals import key_of, part, unread

CHANGERS = {
    *("update", "setdefault", "pop", "popitem", "clear", "append", "extend"),
    *("insert", "remove", "sort", "reverse", "__setitem__", "__ior__"),
}


def value_of(statement, name):
    """Return the syntax tree of what a statement assigns to a name."""
    node = statement.node
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.NamedExpr):
        node = node.value
    if isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
        return node.value if named(node.target, name) else None
    if not isinstance(node, ast.Assign):
        return None
    pairs = [pair for t in node.targets for pair in paired(t, node.value)]
    return next((value for t, value in pairs if named(t, name)), None)


def paired(target, value):
    """Return pairs of a target and its value, those of tuples one by one."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return [(target, value)]
    several = isinstance(value, (ast.Tuple, ast.List))
    if not several or len(target.elts) != len(value.elts):
        return []
    return [*zip(target.elts, value.elts, strict=True)]


def named(node, name):
    """Say whether a node is that name."""
    return isinstance(node, ast.Name) and node.id == name


def items_of(node, name):
    """Return the pairs of key and value that a syntax tree makes a dict of.

    Args:
        node: ``{...}``, ``dict(...)``, ``a | b``, or within calls pairs, too.
        name: stands for what it is itself, and gives a None among the pairs.

    Raises:
        ValueError: it does not show them.
    """
    if named(node, name):
        return [None]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return items_of(node.left, name) + items_of(node.right, name)
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return [
            pair
            for key, value in pairs
            for pair in ([(key, value)] if key else items_of(value, name))
        ]
    if isinstance(node, ast.Call) and named(node.func, "dict"):
        return arguments_of(node, name)
    raise ValueError("expected a dict")


def arguments_of(node, name):
    """Return the pairs that a call is given.  Arguments as in `items_of`."""
    found = []
    for given in node.args:
        if isinstance(given, ast.Call) and named(given.func, "zip"):
            columns = [x.elts for x in given.args if hasattr(x, "elts")]
            if len(columns) != 2 or len(given.args) != 2:
                raise ValueError("expected two lists")
            found += zip(*columns, strict=False)
        elif isinstance(given, (ast.List, ast.Tuple)):
            if any(len(getattr(x, "elts", ())) != 2 for x in given.elts):
                raise ValueError("expected pairs")
            found += [tuple(x.elts) for x in given.elts]
        else:
            found += items_of(given, name)
    for word in node.keywords:
        key = word.arg and ast.Constant(word.arg)
        found += [(key, word.value)] if key else items_of(word.value, name)
    return found


def changes_of(statement, name):
    """Return the pairs of key and value that a statement gives a dict.

    Args:
        statement: a `Statement`.
        name: of the dict.

    Returns:
        A list, empty if the value stays as it is.

    Raises:
        ValueError: it may change the value, and how cannot be told.
    """
    node = statement.node
    if isinstance(node, ast.Assign):
        pairs = [pair for t in node.targets for pair in paired(t, node.value)]
        mine = [(t.slice, value) for t, value in pairs if is_part(t, name)]
        if len(pairs) >= len(node.targets) and mine:
            return mine
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.BitOr):
        if named(node.target, name):
            return items_of(node.value, name)
    elif isinstance(node, ast.Expr) and is_update(node.value, name):
        return arguments_of(node.value, name)
    if node is not None and any(may_change(n, name) for n in ast.walk(node)):
        raise ValueError("expected parts that can be read")
    return []


def is_update(node, name):
    """Say whether a node calls ``name.update``."""
    method = getattr(node, "func", None)
    is_method = isinstance(method, ast.Attribute)
    return is_method and method.attr == "update" and named(method.value, name)


def is_part(node, name):
    """Say whether a node is a part, as in ``name[key]``."""
    return isinstance(node, ast.Subscript) and named(node.value, name)


def may_change(node, name):
    """Say whether a node of a syntax tree may change what a name stands for.

    Args:
        node: a syntax tree.
        name: the name.
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner = node.func.value if node.func.attr in CHANGERS else None
    elif isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
        inner = node
    else:
        return False
    while isinstance(inner, (ast.Attribute, ast.Subscript)):
        inner = inner.value
    return named(inner, name)


def read_literal(node, notes, name="", earlier=None):
    """Return the value of a syntax tree, parts that are none left out.

    A comma too many behind it makes no tuple of it.

    Args:
        node: a syntax tree.
        notes: a list, to which a `Note` is added of what is not read.
        name: stands for what was there before, as in ``name | {...}``.
        earlier: what was there before.
    """
    if isinstance(node, ast.Tuple) and len(node.elts) == 1:
        (node,) = node.elts
    try:
        pairs = items_of(node, name)
    except ValueError:
        return part("it", node, notes)
    return with_parts({}, pairs, notes, earlier)


def with_parts(value, pairs, notes, earlier=None):
    """Return a dict with the values of pairs.

    Arguments as in `read_literal`.
    """
    found = dict(value)
    for pair in pairs:
        if pair is None:
            found |= earlier if isinstance(earlier, dict) else {}
            continue
        try:
            key = key_of(pair[0])
        except ValueError as error:
            notes.append(unread("a part", error))
        else:
            found[key] = part(key, pair[1], notes)
    return found


def first_of(text):
    """Return the first line of a text, cut if it is long."""
    first = text.strip().partition("\n")[0]
    return first if len(first) <= 40 else f"{first[:40]} ..."


def follow_value(units, name, given=None):
    """Return what statements make of a name.

    Args:
        units: list of `Statement`.
        name: the name.
        given: its value before them.

    Returns:
        Its value, its source, notes, and the cell of the last statement that
        counts, None if none does.
    """
    value, source, notes, cell = given, "", [], None
    for s in units:
        node = None if s.error else value_of(s, name)
        if node is not None:
            notes, cell, earlier = [], s.cell, value
            value = read_literal(node, notes, name, earlier)
            source = ast.unparse(node)
            continue
        try:
            pairs = [] if s.error else changes_of(s, name)
        except ValueError:
            quoted = f"`{first_of(s.text)}`"
            notes.append(unread(quoted, source=True))
            source, cell = f"{source}\n{s.text}".strip(), s.cell
            continue
        if pairs:
            before = value if isinstance(value, dict) else {}
            value = with_parts(before, pairs, notes, before)
            source, cell = repr(value), s.cell
    return value, source, notes, cell
