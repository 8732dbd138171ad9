"""Read values out of a syntax tree, without running anything.

Like `ast.literal_eval`, but what is computed of numbers alone counts as a
number, a part that cannot be read costs that part only, and what comes out can
be written as JSON.
"""

import ast
from typing import NamedTuple

from attnbook.teaching.numerals import NoValue, calculated, called

TEXT = 20_000  # letters of a string that are kept
NUMBER = 10**15  # whole numbers above are no answer to anything


def plain(node):
    """Return the value of a literal, or of a computation with numbers alone.

    A `torch.Size`, as PyTorch prints a shape, is the list of its numbers; so
    are arrays and tensors, as NumPy and PyTorch print them.

    Args:
        node: a syntax tree.

    Raises:
        ValueError: the syntax tree of anything else.
    """
    if isinstance(node, ast.BinOp):
        a, b = plain(node.left), plain(node.right)
        if isinstance(node.op, ast.Add) and type(a) is type(b) is str:
            return kept(a + b)
        return kept(calculated(node.op, a, b))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return kept(calculated(ast.Sub(), 0, plain(node.operand)))
    if isinstance(node, (ast.Call, ast.Attribute)):
        value = called(node, plain)
        return value if isinstance(value, list) else kept(value)
    if isinstance(node, (ast.List, ast.Tuple)):
        return [plain(x) for x in node.elts]
    if isinstance(node, ast.Dict):
        return {
            key_of(k): plain(v)
            for k, v in zip(node.keys, node.values, strict=True)
        }
    return kept(ast.literal_eval(node))


def key_of(node):
    """Return the name of a part, as a short text.

    Args:
        node: a syntax tree.

    Raises:
        ValueError: it is no text and no number.
    """
    if not (isinstance(node, ast.Constant) and type(node.value) in (str, int)):
        raise NoValue("expected the name of a part as a text")
    return kept(str(kept(node.value)))[:80]


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
            raise NoValue("expected a smaller number")
        return value
    raise NoValue(f"expected a plain value, got {type(value).__name__}")


class Note(NamedTuple):
    """What a teacher is told of a value.

    Attributes:
        text: what is told.
        unread: whether something was not read.
        part: the name of the part that was not, if it has one.
        source: whether the text quotes the answer.
    """

    text: str
    unread: bool = False
    part: str = ""
    source: bool = False


def unread(what, why="", **more):
    """Return the note on what is not read."""
    said = f"{what} is not read" + f": {why}" * bool(why)
    return Note(said, unread=True, **more)


def part(key, node, notes):
    """Return one value, or None with a note that says why."""
    try:
        value = plain(node)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        said = str(error) if isinstance(error, NoValue) else "expected a value"
        notes.append(unread(key, said, part=str(key)))
        return None
    if isinstance(value, str) and len(value) == TEXT:
        notes.append(Note(f"cut at {TEXT} letters"))
    return value


def is_empty(value):
    """Say whether a value, and each part of it, is empty."""
    if isinstance(value, dict):
        return all(map(is_empty, value.values()))
    return value is None or (isinstance(value, str) and not value.strip())
