"""Read values out of a syntax tree, without running anything.

Like `ast.literal_eval`, but sums, products and quotients of numbers count as
numbers, a part that cannot be read costs that part only, and what comes out
can be written as JSON.
"""

import ast
import contextlib

TEXT = 20_000  # letters of a string that are kept
SIZES = ("torch.Size", "Size")
NUMBER = 10**15  # whole numbers above are no answer to anything


def plain(node):
    """Return the value of a literal; sums of numbers are allowed.

    A `torch.Size`, as PyTorch prints a shape, is the list of its numbers.

    Args:
        node: a syntax tree.

    Raises:
        ValueError: the syntax tree of anything else.
    """
    if isinstance(node, ast.BinOp):
        a, b = plain(node.left), plain(node.right)
        if isinstance(node.op, ast.Add) and type(a) is type(b) is str:
            return kept(a + b)
        kinds = (ast.Add, ast.Sub, ast.Mult, ast.Div)
        numbers = all(type(x) in (int, float) for x in (a, b))
        if not (isinstance(node.op, kinds) and numbers):
            raise ValueError("expected a value, got a computation")
        return kept(calculated(node.op, a, b))
    if is_size(node):
        (node,) = node.args
    if isinstance(node, (ast.List, ast.Tuple)):
        return [plain(x) for x in node.elts]
    if isinstance(node, ast.Dict):
        return {
            key_of(k): plain(v)
            for k, v in zip(node.keys, node.values, strict=True)
        }
    return kept(ast.literal_eval(node))


def is_size(node):
    """Say whether a syntax tree is a shape, as PyTorch prints it."""
    return (
        isinstance(node, ast.Call)
        and ast.unparse(node.func) in SIZES
        and [type(x) for x in node.args] in ([ast.List], [ast.Tuple])
    )


def key_of(node):
    """Return the name of a part, as a short text.

    Args:
        node: a syntax tree.

    Raises:
        ValueError: it is no text and no number.
    """
    if not (isinstance(node, ast.Constant) and type(node.value) in (str, int)):
        raise ValueError("expected the name of a part as a text")
    return kept(str(kept(node.value)))[:80]


def calculated(op, a, b):
    """Return a sum, difference, product or quotient of two numbers."""
    if isinstance(op, ast.Div):
        if b == 0:
            raise ValueError("expected a number, got a division by 0")
        return a / b
    if isinstance(op, ast.Mult):
        return a * b
    return a + b if isinstance(op, ast.Add) else a - b


def kept(value):
    """Return a literal if JSON can hold it, strings cut."""
    if isinstance(value, str):
        return value[:TEXT].encode("utf-8", "replace").decode()
    if value is Ellipsis:  # as the released cell has it
        return None
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        if not abs(value) < NUMBER:
            raise ValueError("expected a smaller number")
        return value
    raise ValueError(f"expected a plain value, got {type(value).__name__}")


def value_of(statement, name):
    """Return the syntax tree of what a statement assigns to a name."""
    node = statement.node
    if isinstance(node, ast.AnnAssign):
        return node.value if named(node.target, name) else None
    if isinstance(node, ast.Assign):
        return (
            node.value if any(named(t, name) for t in node.targets) else None
        )
    return None


def named(node, name):
    """Say whether a node is that name."""
    return isinstance(node, ast.Name) and node.id == name


def parts_of(statement, name):
    """Yield (key, value) if a statement sets a part, as in ``name[key] =``."""
    for target in getattr(statement.node, "targets", []):
        if isinstance(target, ast.Subscript) and named(target.value, name):
            with contextlib.suppress(ValueError):
                yield key_of(target.slice), statement.node.value


def literal(node, notes):
    """Return the value of a syntax tree, parts that are none left out."""
    if isinstance(node, ast.Dict):
        found = {}
        for key, value in zip(node.keys, node.values, strict=True):
            try:
                found[key_of(key)] = part(key_of(key), value, notes)
            except ValueError as error:
                notes.append(f"a part is not read: {error}")
        return found
    return part("it", node, notes)


def part(key, node, notes):
    """Return one value, or None with a note that says why."""
    try:
        value = plain(node)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        said = str(error) if "expected" in str(error) else "expected a value"
        notes.append(f"{key} is not read: {said}")
        return None
    if isinstance(value, str) and len(value) == TEXT:
        notes.append(f"cut at {TEXT} letters")
    return value


def literal_in(units, name):
    """Return value, source, notes and cell of the last value of a name."""
    value, source, notes, cell = None, "", [], None
    for s in units:
        node = None if s.error else value_of(s, name)
        if node is not None:
            notes, cell = [], s.cell
            value, source = literal(node, notes), ast.unparse(node)
        elif isinstance(value, dict):
            for key, node in parts_of(s, name):
                value[key] = part(key, node, notes)
                source = repr(value)
    return value, source, notes, cell


def is_blank(value):
    """Say whether a value, and each part of it, is empty."""
    if isinstance(value, dict):
        return all(map(is_blank, value.values()))
    return value is None or (isinstance(value, str) and not value.strip())
