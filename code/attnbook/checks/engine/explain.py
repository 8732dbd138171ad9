"""Find the mistake that explains a wrong result."""

import functools
import itertools
import math

import torch

from attnbook.checks.engine.asking import (
    agree,
    ask,
    require_same_type,
    same,
)
from attnbook.checks.engine.calling import LOST, SQUEEZED, close, lost_axis
from attnbook.checks.engine.steps import mistaken, twice_mistaken, with_one
from attnbook.checks.engine.verdict import Hint, Mistake

DIFFER = (
    "two calls with the same inputs differ; leave out dropout and "
    "randomness, and keep nothing between calls"
)


def explain(trial, answer, case, results, rights):
    """Raise the mistake that explains wrong results best."""
    exercise = trial.exercise
    triples = list(zip(results, rights, exercise.returns, strict=True))[::-1]
    if agree(results, rights, max(case.tolerance, 1e-5)):
        for triple in triples:
            require_same_type(*triple)
        raise Mistake(LOST)
    tensors = [x for x in triples if isinstance(x[1], torch.Tensor)]
    if any(lost_axis(x, y.shape) for x, y, _ in tensors):
        raise Mistake(SQUEEZED)
    nan = any(x.isnan().any() for x, _, _ in tensors)
    for _ in range(3):  # a few numbers may all escape dropout
        if not agree(results, ask(exercise, answer, case.inputs, rights)):
            raise Mistake(exercise.differ)
    if case.only and not nan:
        raise Mistake(case.otherwise)
    hint = named(trial, answer, case, results, 1)
    hint = hint or (case.nan if nan else "")
    for x, right, name in tensors if not hint else ():
        if x.shape == right.shape:
            require_same_type(x, right, name)
    raise Mistake(
        hint
        or wrong_shape(exercise, case.inputs, results, rights)
        or named(trial, answer, case, results, 2)
        or case.otherwise
        or exercise.guess(results, rights, case.inputs)
        or displaced(exercise, results, rights)
        or Hint("{} is not right", Hint(next(iter(exercise.returns))))
    )


def named(trial, answer, case, results, count):
    """Return the hint for mistakes that explain most of the cases, or None.

    Two at once must explain the first case as well.
    """
    exercise, best, most, others = trial.exercise, None, 0, None
    tried = mistaken(exercise.right, exercise.mistakes)
    if count > 1:
        tried = twice_mistaken(
            exercise.right,
            exercise.mistakes,
            exercise.combine,
            fitting(trial, case, results),
        )
    for wrong, hint in tried:
        if not gives(trial, wrong, case, results):
            continue
        others = others or answers_to(trial, answer)
        found = [gives(trial, wrong, *other) for other in others]
        if sum(found) >= most and (count == 1 or all(found[:1])):
            best, most = hint, sum(found) + 1
        if best and sum(found) == len(found):
            break  # nothing explains more, and the first counts
    return best


def fitting(trial, case, results):
    """Return a function that says whether two rows may explain the results.

    It is given their places in the table.  What is right must be left alone
    by both.  What both change may become anything together, and the rest must
    be as the one makes it that changes it.
    """
    exercise, rights = trial.exercise, trial.rights_of(case)
    known = [same(*pair) for pair in zip(results, rights, strict=True)]
    alone = with_one(exercise.right, exercise.mistakes)

    @functools.cache
    def parts_of(place):
        """Return per result whether it is changed, and as it must be."""
        theirs = trial.results_of(alone[place], case) or results
        triples = zip(theirs, rights, results, strict=True)
        return [(not same(x, y), same(x, z)) for x, y, z in triples]

    def fits(a, b):
        for right, (one, good), (other, fine) in zip(
            known, parts_of(a), parts_of(b), strict=True
        ):
            both = one and other and not right
            if not both and not (good if one else fine):
                return False
        return True

    return fits


def answers_to(trial, answer):
    """Return pairs of a case that tells apart and its results."""
    exercise, pairs = trial.exercise, []
    for case in exercise.cases[: exercise.asked]:
        try:
            rights = trial.rights_of(case)
            results = ask(exercise, answer, case.inputs, rights)
        except Mistake:
            continue
        pairs.append((case, results))
    return pairs


def gives(trial, wrong, case, results):
    """Say whether a wrong function gives these results."""
    theirs = trial.results_of(wrong, case)
    return theirs is not None and agree(results, theirs)


def spelled(shape, exercise, inputs):
    """Return a shape in letters, such as (B, T, H d_k); "?" if unknown.

    Letters are counted from the last axis; the first may be missing.
    """
    sizes, used, words = {}, set(), []
    for axes, x in zip(exercise.takes, inputs, strict=True):
        sides = reversed(axes.split()), reversed(getattr(x, "shape", ()))
        sizes |= dict(reversed([*zip(*sides, strict=False)]))
    for size in shape:
        groups = [
            g for n in (1, 2, 3) for g in itertools.permutations(sizes, n)
        ]
        fits = [g for g in groups if math.prod(sizes[x] for x in g) == size]
        fits.sort(key=lambda g: not used.isdisjoint(g))
        words.append(" ".join(fits[0]) if fits else "1" * (size == 1) or "?")
        used |= set(fits[0] if fits else ())
    return f"({', '.join(words)})"


def letters_of(axes, dims):
    """Return one letter per axis; the first may be missing in a tensor."""
    letters = axes.split() or [str(axis) for axis in range(dims)]
    return letters[len(letters) - dims :]


def wrong_shape(exercise, inputs, results, rights):
    """Return a hint for results of wrong shapes, or None."""
    if not all(isinstance(x, torch.Tensor) for x in rights):
        return None
    shapes, wanted = ([tuple(x.shape) for x in y] for y in (results, rights))
    names = list(exercise.returns)
    if len(names) == 2 and shapes == wanted[::-1] != wanted:
        return f"you return {names[1]} first; return {', '.join(names)}"
    for shape, want, name in zip(shapes, wanted, names, strict=True):
        if shape != want and not exercise.returns[name]:
            return Hint(
                "{} must have the shape {}; yours has {}",
                Hint(name),
                want,
                shape,
            )
        if shape != want:
            axes = ", ".join(letters_of(exercise.returns[name], len(want)))
            return Hint(
                "{} must have the axes ({}), here {}; yours has {}, {}",
                Hint(name),
                Hint(axes),
                want,
                spelled(shape, exercise, inputs),
                shape,
            )
    return None


def displaced(exercise, results, rights):
    """Return a hint for wrong numbers, from the last result on."""
    for result, right, (name, axes) in zip(
        reversed(results),
        reversed(rights),
        reversed(exercise.returns.items()),
        strict=True,
    ):
        if isinstance(right, torch.Tensor) and not close(result, right):
            letters, name = letters_of(axes, right.dim()), Hint(name)
            return (
                repeated(result, right, name, letters)
                or nearly(result, right, name)
                or misplaced(result, right, name, letters)
            )
    return None


def repeated(result, right, name, letters):
    """Return a hint for a part that stands in the place of others."""
    for axis, letter in enumerate(letters):
        if close(result, right.narrow(axis, 0, 1).expand_as(right)):
            return Hint(
                "{} is that of the first {} everywhere",
                name,
                Hint(letter),
            )
        if close(result, right.flip(axis)):
            return Hint("{}: {} comes in the wrong order", name, Hint(letter))
    return None


def nearly(result, right, name):
    """Return a hint for numbers that are nearly right, or partly 0."""
    if close(result, right, 1e-2):
        return Hint(
            "{}: nearly right; you lose digits on the way, or "
            "something small is added, cut off or rounded",
            name,
        )
    if ((result == 0) & (right.abs() > 1e-6)).any():
        return Hint("parts of {} are 0; a loop must fill every row", name)
    return None


def misplaced(result, right, name, letters):
    """Return a hint that says where the first wrong number is."""
    off = ~torch.isclose(result.double(), right.double(), 1e-5, 1e-5)
    first = off.nonzero()[0].tolist()
    pairs = zip(letters, first, strict=True)
    place = ", ".join(f"{letter} {index}" for letter, index in pairs)
    ordered = [x.flatten().sort().values for x in (result, right)]
    if close(*ordered):
        return Hint(
            "all numbers are there, but not in place, first at {}", place
        )
    return Hint(
        "{} is wrong, first at {}: numbers are lost, changed or "
        "used twice; compute that one by hand",
        name,
        place,
    )
