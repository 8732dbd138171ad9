"""Ask an answer for its results, and compare them with the right ones."""

import numbers

import numpy as np
import torch

from attnbook.checks.engine.calling import call, check_tensor, close
from attnbook.checks.engine.verdict import Hint, Mistake, hint_of

NUMPY = "NumPy lets no gradient through; use PyTorch operations throughout"
ERRORS = {  # words of an error, what to say of it
    "view size is not compatible": "view wants numbers that lie in memory in "
    "order; use reshape or flatten, or call contiguous first",
    "call numpy()": NUMPY,
    "__array_wrap__": NUMPY,
    "used in an in-place operation": "it changes its inputs in place; make "
    "new tensors",
    "same dtype": "float32 and another type meet; compute in the type of the "
    "inputs",
}
COUNTS = ("no", "one", "two", "three", "four", "five")


def ask(exercise, answer, inputs, rights=None):
    """Return the results of an answer, a tuple.

    Args:
        exercise: the `Exercise`.
        answer: the learner's function, or the right one.
        inputs: of one case.
        rights: the right results; None while asking for them.

    Raises:
        Mistake: there are no results that could be compared.
    """

    def bound(*inputs):
        return exercise.through(answer, *inputs)

    bound.func = answer  # what `call` asks whether it computes anything
    try:
        result = call(bound, *inputs, help=exercise.help)
    except Mistake as mistake:
        for words, hint in (*exercise.errors.items(), *ERRORS.items()):
            if mistake.tells(words):
                raise Mistake(
                    "your function raised an error: {}",
                    hint_of(hint),
                    kind="error",
                ) from None
        raise
    if rights is None:
        return result if len(exercise.returns) > 1 else (result,)
    return tensors_of(exercise, result, rights)


def tensors_of(exercise, result, rights):
    """Return results as a tuple, each a tensor if the right one is."""
    names = list(exercise.returns)
    together = ", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1]
    several, kind = isinstance(result, (tuple, list)), type(result).__name__
    if len(rights) == 1:
        if several and isinstance(rights[0], torch.Tensor):
            raise Mistake(
                "return one tensor, {}, and no {}", Hint(together), kind
            )
        result = (result,)
    elif not several or len(result) != len(rights):
        what = f"{len(result)} things" if several else f"a {kind}"
        count = COUNTS[len(rights)]
        raise Mistake(
            "return {} tensors, {}; you return {}",
            Hint(count),
            Hint(together),
            what,
        )
    for x, right, name in zip(result, rights, names, strict=True):
        if isinstance(right, torch.Tensor):
            require_tensor(x, right, name)
    return tuple(result)


def require_tensor(result, right, name):
    """Refuse what is no dense tensor on the device of the inputs."""
    if not isinstance(result, torch.Tensor):
        raise Mistake(
            "{} must be a tensor, not {}", Hint(name), type(result).__name__
        )
    if result.device != right.device or result.layout != right.layout:
        raise Mistake(
            "{} must be a dense tensor on the device of the inputs, "
            "not {} on {}",
            Hint(name),
            result.layout,
            result.device,
        )


class Trial:
    """One call of a check, and what is known of its cases by now.

    Args:
        exercise: the `Exercise`.
        known: a dict that keeps what wrong functions give; the calls of one
            check share it, as all answers are compared with the same ones.
    """

    def __init__(self, exercise, known=None):
        self.exercise = exercise
        self._known = {} if known is None else known
        self._rights = {}

    def rights_of(self, case):
        """Return the right results of a case, a tuple."""
        key = case, torch.get_default_dtype()
        if key not in self._rights:
            right = self.exercise.right
            self._rights[key] = ask(self.exercise, right, case.inputs)
        return self._rights[key]

    def results_of(self, wrong, case):
        """Return the results of a wrong function, a list, or None."""
        made, numbers = wrong.func, wrong.keywords["_made"]
        key = case, made, numbers, torch.get_default_dtype()
        if key not in self._known:
            found = fresh_results(self.exercise, wrong, case.inputs)
            self._known[key] = found
        return self._known[key]


def fresh_results(exercise, wrong, inputs):
    """Return what `Trial` keeps: tensors without their graphs."""
    try:
        theirs = exercise.through(wrong, *inputs)
    except Exception:
        return None  # no mistake that can be made at these sizes
    theirs = (theirs,) if len(exercise.returns) == 1 else theirs
    return [x.detach() if isinstance(x, torch.Tensor) else x for x in theirs]


def require_same_type(result, right, name):
    """Refuse a result of another type than the right one, or NaN."""
    if isinstance(right, torch.Tensor):
        if not right.isnan().any():
            check_tensor(result, right, name)
    elif type(result) is not type(right):
        raise Mistake(
            "{} must be a {}, not {}",
            Hint(name),
            type(right).__name__,
            type(result).__name__,
        )


def agree(results, rights, tolerance=1e-5):
    """Say whether all results are the right ones."""
    if len(results) != len(rights):
        return False
    pairs = zip(results, rights, strict=True)
    return all(same(x, y, tolerance) for x, y in pairs)


def same(result, right, tolerance=1e-5):
    """Say whether a result is the right one."""
    if isinstance(right, torch.Tensor):
        if not isinstance(result, torch.Tensor):
            return False
        return close(result, right, tolerance, equal_nan=True)
    return type(result) is type(right) and result == right


def number_of(result, what):
    """Return a result as a number of Python.

    Args:
        result: what the answer returned.
        what: what it should be, such as "the learning rate of this step".

    Raises:
        Mistake: it is no finite real number.
    """
    arrays = torch.Tensor, np.ndarray
    if isinstance(result, arrays) and result.ndim == 0:
        result = result.item()
    if isinstance(result, (tuple, list, dict, *arrays)):
        raise Mistake("return one number, {}", Hint(what))
    if isinstance(result, bool) or not isinstance(result, numbers.Real):
        kind = type(result).__name__
        why = ": a root of something negative?" * (kind == "complex")
        raise Mistake("return a number, not {}{}", kind, why)
    if not np.isfinite(float(result)):
        raise Mistake("{} must be a finite number, not {}", Hint(what), result)
    return result
