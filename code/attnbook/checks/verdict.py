"""What a check says, and the guard around every check.

A check is a function that calls the learner's function, the *answer*, and
raises `Mistake` with a hint at the first thing that is wrong.  `checker`
turns it into a function that prints one line, returns a `Verdict` and never
raises.
"""

import contextlib
import functools
import random
from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check; true when the answer is right.

    Attributes:
        name: the task.
        right: whether the answer passed.
        hint: the mistake in one sentence; empty when right.
    """

    name: str
    right: bool
    hint: str = ""

    def __bool__(self):
        return self.right

    def __str__(self):
        return f"{self.name}: " + (self.hint or "right.")

    def _ipython_display_(self):
        """Show nothing: the check has printed its line already."""


class Mistake(Exception):
    """A wrong answer; the message is the hint."""


NOT_ANSWERED = "not answered yet"


@contextlib.contextmanager
def same_random_state():
    """Give every generator of random numbers back as it was."""
    python, numpy = random.getstate(), np.random.get_state()
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(numpy)


def checker(body):
    """Make a check out of a function that raises `Mistake`.

    Args:
        body: a function of the answer, named ``check_TASK``.

    Returns:
        A function of the answer that prints one line, returns a
        `Verdict` and never raises (Ctrl-C excepted).
    """
    name = body.__name__.removeprefix("check_")

    @functools.wraps(body)
    def check(answer):
        hint = ""
        with same_random_state():
            try:
                if not callable(answer):
                    raise Mistake(
                        f"expected a function, got {type(answer).__name__}"
                    )
                body(answer)
            except Mistake as mistake:
                hint = str(mistake)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                hint = f"could not be judged: {describe(error)}"
        verdict = Verdict(name, right=not hint, hint=hint)
        print(verdict)
        return verdict

    return check


def describe(error):
    """Return type and first line of an error, in at most 160 characters."""
    first = (str(error).strip().splitlines() or ["no message"])[0]
    return f"{type(error).__name__}: {first}"[:160]


def call(answer, *inputs):
    """Call the answer on copies of the inputs.

    Args:
        answer: the learner's function.
        inputs: tensors.

    Returns:
        What the answer returns.

    Raises:
        Mistake: not answered yet, an error, or inputs changed in place.
    """
    given = [copy_of(x) for x in inputs]
    try:
        result = answer(*given)
    except NotImplementedError:
        raise Mistake(NOT_ANSWERED) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        sizes = ", ".join(str(tuple(x.shape)) for x in inputs)
        raise Mistake(
            f"your function raised an error for inputs of shape {sizes}: "
            + describe(error)
        ) from None
    if result is None or result is Ellipsis:
        raise Mistake(NOT_ANSWERED)
    for before, after in zip(inputs, given, strict=True):
        if before.shape != after.shape or not torch.equal(before, after):
            raise Mistake(
                "your function changes its inputs in place; make new tensors"
            )
    return result


def copy_of(x):
    """Return a copy with the same strides, type and need of gradient."""
    copy = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype)
    return copy.copy_(x.detach()).requires_grad_(x.requires_grad)


def close(a, b, tolerance=1e-5):
    """Say whether two tensors agree in shape and, nearly, in value."""
    return a.shape == b.shape and torch.allclose(
        a.detach().double(), b.detach().double(), tolerance, tolerance
    )


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
