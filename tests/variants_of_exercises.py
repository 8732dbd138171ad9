"""What is asked of the variants of every exercise that has some."""

import importlib
import itertools
import json

from attnbook.teaching.dice import dice
from attnbook.teaching.tasks import edited, made
from attnbook.teaching.variants import lines_of
from rules_of_exercises import EXERCISES


def variant(id, seed):
    """Return the `Variant` of an exercise for a seed."""
    name = f"attnbook.teaching.variants.chapter_{int(id.split('.')[0]):02d}"
    make = importlib.import_module(name).VARIANTS[id]
    return make(EXERCISES[id], dice(b"key", id, seed))


def tasks(chapter, seeds):
    """Return the tasks that some seeds make of a chapter's exercises."""
    return [
        made(exercise, dice(b"key", seed).randbytes(32)).task
        for exercise in EXERCISES.values()
        if exercise.id.startswith(f"{chapter}.")
        for seed in range(seeds)
    ]


def differing(id, seeds=100):
    """Return how many variants some seeds have, by their answers."""
    return len({json.dumps(variant(id, s).answers) for s in range(seeds)})


def two_seeds(id, seeds=50):
    """Return the share of pairs of seeds with the same answers."""
    every = [variant(id, seed).answers for seed in range(seeds)]
    pairs = list(itertools.combinations(every, 2))
    return sum(a == b for a, b in pairs) / len(pairs)


def order_problems(id, seed):
    """Return what is wrong with a Parsons problem, a list.

    The right order works, and no other: without a line, with a bug in the
    place of one or beside it, with two neighbours exchanged.  The line of the
    values, v = ..., may stand anywhere between the first and the last.
    """
    found = variant(id, seed)
    lines = lines_of(edited(EXERCISES[id].task, found.edits, id))
    order, problems = list(found.order), []
    if not works(found, lines, order):
        problems.append("the right order does not work")
    others = [x for x in lines if x not in order]
    for i, own in enumerate(order):
        if works(found, lines, order[:i] + order[i + 1 :]):
            problems.append(f"works without {lines[own]}")
        for other in others:
            if works(found, lines, [*order[:i], other, *order[i + 1 :]]):
                problems.append(f"works with {lines[other]} for {lines[own]}")
            if works(found, lines, [*order[:i], other, *order[i:]]):
                problems.append(f"works with {lines[other]} before {i}")
    for i in range(len(order) - 1):
        swapped = [*order[:i], order[i + 1], order[i], *order[i + 2 :]]
        free = any(
            lines[x].strip().startswith("v =") for x in order[i : i + 2]
        )
        inside = i > 0 and i + 2 < len(order)
        if works(found, lines, swapped) != (free and inside):
            problems.append(f"exchanged at {i}")
    return problems


def works(found, lines, order):
    """Say whether lines in some order do what the task asks for."""
    return found.works("\n".join(lines[x] for x in order))
