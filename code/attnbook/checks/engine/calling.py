"""Call the learner's function, and compare what it returns."""

import copy
import inspect
import reprlib

import torch

from attnbook.checks.engine.time_limit import TooLong
from attnbook.checks.engine.verdict import (
    NOT_ANSWERED,
    Hint,
    Mistake,
    describe,
)

LOST = "digits are lost; compute in the type of the inputs"
SQUEEZED = "an axis of size 1 is gone; leave squeeze out"
OVERWRITTEN = (
    "the numbers are right, but backward() fails: something on the way is "
    "overwritten in place (/=, exp_, o[i] = ...); make a new tensor"
)


def unanswered(result):
    """Say whether a result is what an unfilled stub returns."""
    empty = (None, ..., NotImplemented)
    if any(result is e for e in empty):
        return True
    return (
        type(result) in (tuple, list)
        and len(result) > 0
        and all(any(x is e for e in empty) for x in result)
    )


def computes(answer):
    """Say whether a function names something, as an empty stub does not."""
    while hasattr(answer, "func"):  # of a partial, or under rules
        answer = answer.func
    code = getattr(answer, "__code__", None)
    if code is None:
        code = getattr(type(answer).__call__, "__code__", None)
    if code is None:
        return False
    arguments = code.co_argcount + code.co_kwonlyargcount
    arguments += bool(code.co_flags & inspect.CO_VARARGS)
    arguments += bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_nlocals > arguments or bool(code.co_names)


def call(answer, *inputs, help=""):
    """Call the answer on copies of the inputs.

    Args:
        answer: the learner's function.
        inputs: tensors, or anything that can be copied and compared.
        help: what to add when PyTorch refuses an operation.

    Returns:
        What the answer returns.

    Raises:
        Mistake: not answered yet, an error, or inputs changed in place.
    """
    given = [copy_of(x) for x in inputs]
    try:
        result = answer(*given)
    except (KeyboardInterrupt, TooLong, Mistake):
        raise
    except BaseException as error:
        torch_s = type(error) is RuntimeError
        if type(error) is NotImplementedError:
            torch_s = "not implemented for" in str(error)  # this type
            if not torch_s:
                raise Mistake(NOT_ANSWERED, kind="blank") from None
        more = f" ({help})" if help and torch_s else ""
        raise Mistake(
            "your function raised an error for {}: {}",
            show_inputs(inputs),
            describe(error) + more,
            kind="error",
        ) from None
    if result is None and computes(answer):
        raise Mistake("your function returns nothing; end it with a return")
    if unanswered(result):
        raise Mistake(NOT_ANSWERED, kind="blank")
    for before, after in zip(inputs, given, strict=True):
        if not unchanged(before, after):
            raise Mistake(
                "your function changes its inputs in place; make new "
                + ("tensors" if isinstance(before, torch.Tensor) else "ones")
            )
    return result


def show_inputs(inputs):
    """Describe the inputs of a call for a hint."""
    if all(isinstance(x, torch.Tensor) for x in inputs):
        sizes = ", ".join(str(tuple(x.shape)) for x in inputs)
        kind = str(inputs[0].dtype).removeprefix("torch.")
        return f"{kind} inputs of shape {sizes}"
    shown = [
        f"a tensor of shape {tuple(x.shape)}"
        if isinstance(x, torch.Tensor)
        else reprlib.repr(x)
        for x in inputs
    ]
    return "these inputs: " + ", ".join(shown)


def unchanged(before, after):
    """Say whether an input is as it was before the call."""
    if isinstance(before, tuple | list) and len(before) == len(after):
        return all(map(unchanged, before, after))
    if not isinstance(before, torch.Tensor):
        return before is after or before == after
    same = (before.dtype, before.shape) == (after.dtype, after.shape)
    return same and torch.equal(before, after)


def copy_of(x):
    """Return a copy; of a tensor with its strides and need of gradient."""
    if not isinstance(x, torch.Tensor):
        return copy.deepcopy(x)
    same = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype)
    return same.copy_(x.detach()).requires_grad_(x.requires_grad)


def check_tensor(result, like, name):
    """Refuse a result that cannot be compared with the inputs.

    Args:
        result: what the answer returned.
        like: one of the inputs.
        name: what the result is, for the hint.

    Raises:
        Mistake: no dense tensor of the same type and device, or NaN.
    """
    if not isinstance(result, torch.Tensor):
        raise Mistake(
            "{} must be a tensor, not {}", Hint(name), type(result).__name__
        )
    if result.device != like.device or result.layout != like.layout:
        raise Mistake(
            "{} must be a dense tensor on the device of the inputs, "
            "not {} on {}",
            Hint(name),
            result.layout,
            result.device,
        )
    if result.dtype != like.dtype:
        raise Mistake(
            "{} has turned from {} into {}; keep the type of the "
            "inputs (new tensors need dtype=...)",
            Hint(name),
            like.dtype,
            result.dtype,
        )
    if result.isnan().any():
        raise Mistake(
            "{} holds NaN: an exponential that overflows, a row in "
            "which everything is hidden, 0/0, or a tensor that was "
            "never filled",
            Hint(name),
        )


def close(a, b, tolerance=1e-5, equal_nan=False):
    """Say whether two tensors agree in shape and, nearly, in value."""
    if a.shape != b.shape:
        return False
    pair = a.detach().double(), b.detach().double()
    return torch.allclose(*pair, tolerance, tolerance, equal_nan)


def first_match(value, candidates):
    """Return the hint of the first candidate that equals the value.

    Args:
        value: what the answer returned, a tensor.
        candidates: pairs of a hint and the tensor that the mistake gives.

    Returns:
        The hint, or None.
    """
    for hint, wrong in candidates:
        if close(value, wrong):
            return hint
    return None


def why_backward_fails(error):
    """Return the hint for an error that backward() raises."""
    if "inplace" in str(error):
        return OVERWRITTEN
    return Hint(
        "the numbers are right, but backward() fails: {}", describe(error)
    )


def lost_axis(result, want):
    """Say whether a shape is the wanted one without an axis of size 1."""
    short = [size for size in result.shape if size != 1]
    return result.dim() < len(want) and short == [n for n in want if n != 1]
