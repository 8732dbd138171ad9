"""Compute what people write in a number's place, running none of their code.

`math.exp(-1) / 2`, `round(x, 2)`, and what NumPy and PyTorch print: a
`np.float64(0.24)`, an `array([...])`, a `tensor([...])`.
"""

import ast
import math
import operator

ROOTS = {"", "math", "np", "numpy", "torch"}
MAKERS = {  # say only of which kind a value is
    *("array", "asarray", "tensor", "Tensor", "float", "list", "tuple"),
    *("float16", "float32", "float64", "int32", "int64"),
}
EACH = {  # functions of one number
    name: getattr(math, name)
    for name in ("sqrt", "exp", "log", "log2", "log10", "sin", "cos", "tanh",
                 "floor", "ceil")
} | {"abs": abs, "int": int}  # fmt: skip
ALL = {"sum": sum, "max": max, "min": min, "len": len}
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
POWER = 1e6, 64  # the largest number, and the largest power of it


class NoValue(ValueError):
    """What is no value; the message says what was expected."""


UNREAD = "expected a value, got a computation"


def are_numbers(*values):
    """Say whether all values are numbers."""
    return all(type(x) in (int, float) for x in values)


def calculated(op, a, b):
    """Return what an operator makes of two numbers.

    Args:
        op: an operator of `ast`.
        a: the number on its left.
        b: the number on its right.

    Raises:
        ValueError: it is another operator, they are none, or too large.
    """
    if type(op) not in OPERATORS or not are_numbers(a, b):
        raise NoValue(UNREAD)
    if isinstance(op, ast.Pow) and (abs(a) > POWER[0] or abs(b) > POWER[1]):
        raise NoValue("expected a smaller number")
    try:
        return OPERATORS[type(op)](a, b)
    except ZeroDivisionError:
        raise NoValue("expected a number, got a division by 0") from None


def each(function, value):
    """Return what a function of a number makes of each one in a value."""
    if isinstance(value, list):
        return [each(function, x) for x in value]
    if not are_numbers(value):
        raise NoValue(UNREAD)
    return function(value)


def called(node, plain):
    """Return the value of a call, or of a constant such as `math.pi`.

    Args:
        node: a syntax tree, `ast.Call` or `ast.Attribute`.
        plain: `literals.plain`.

    Raises:
        ValueError: it is none of those that are known.
    """
    if isinstance(node, ast.Attribute):
        root, _, name = ast.unparse(node).rpartition(".")
        if root in ROOTS and name in ("pi", "e"):
            return getattr(math, name)
        raise NoValue(UNREAD)
    inner = getattr(node.func, "value", None)
    if isinstance(inner, ast.Call) and node.func.attr in ("tolist", "item"):
        return plain(inner)
    root, _, name = ast.unparse(node.func).rpartition(".")
    if root not in ROOTS or not node.args:
        raise NoValue(UNREAD)
    return made(name, *map(plain, node.args))


def made(name, value, *others):
    """Return what a known function makes of values, without running any."""
    if name in MAKERS and (isinstance(value, list) or are_numbers(value)):
        return value
    if name == "Size" and isinstance(value, list):  # torch.Size(3) is none
        return value
    if name in ("round", "around") and set(others) <= {*range(16)}:
        return each(lambda x: round(x, *others), value)
    if name in EACH and not others:
        return each(EACH[name], value)
    several = isinstance(value, list) and not others
    if name in ALL and several and (name == "len" or are_numbers(*value)):
        return ALL[name](value)
    raise NoValue(UNREAD)
