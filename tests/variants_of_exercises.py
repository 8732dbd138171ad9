"""What is asked of the variants of every exercise that has some."""

import functools
import importlib
import itertools

from attnbook.teaching.changes import edited
from attnbook.teaching.seeds import make_rng
from attnbook.teaching.tasks import WITH_VARIANTS, draw_variant, make_tasks
from attnbook.teaching.variants import lines_of
from rules_of_exercises import EXERCISES

VARIANTS = [
    id
    for chapter in WITH_VARIANTS
    for id in importlib.import_module(
        f"attnbook.teaching.variants.chapter_{chapter:02d}"
    ).VARIANTS
]
PARSONS = ("4.3", "6.3", "7.3", "10.3")
ON_PAPER = ("4.1", "4.2", "6.1", "6.2", "7.1", "7.2", "10.1", "10.2")


@functools.cache
def variant(id, seed):
    """Return the `Variant` of an exercise for a seed."""
    return draw_variant(EXERCISES[id], make_rng(b"key", id, seed))


def asked(id, seed):
    """Return the task as a seed words it; each edit must fit once."""
    return edited(EXERCISES[id].task, variant(id, seed).edits, id)


def tasks(id, seeds):
    """Return the tasks that some seeds make of an exercise."""
    return [
        make_tasks(EXERCISES[id], make_rng(b"key", seed).randbytes(32))[0].task
        for seed in range(seeds)
    ]


def share_of_equal_answers(id, seeds=50):
    """Return the share of pairs of seeds with the same answers."""
    every = [variant(id, seed) for seed in range(seeds)]
    pairs = itertools.combinations([(x.answers, x.order) for x in every], 2)
    same = [one == other for one, other in pairs]
    return sum(same) / len(same)


def order_problems(id, seed):
    """Return what is wrong with a Parsons problem, a list.

    The right order works, and no other: without a line, with a bug in the
    place of one, beside it or behind all, with two neighbours exchanged.  A
    line of the values, v = ..., may stand anywhere between first and last.
    """
    found = variant(id, seed)
    lines = lines_of(asked(id, seed))
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
    for other in others:
        if works(found, lines, [*order, other]):
            problems.append(f"works with {lines[other]} behind")
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
