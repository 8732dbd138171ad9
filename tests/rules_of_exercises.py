"""What is asked of the rules of every exercise that has some."""

import collections
import contextlib
import functools
import io
import itertools
import math
import random
import re

import torch
import torch.nn.functional as F

from attnbook import checks
from attnbook.checks import CHECKED, RULES
from attnbook.checks.engine.rules import rule_of, spec_of
from attnbook.checks.engine.verdict import NOT_ANSWERED
from attnbook.teaching.changes import (
    RULES_EACH,
    changes_of,
    chosen_rules,
    edited,
    recoded,
)
from attnbook.teaching.exercises import all_exercises
from attnbook.teaching.seeds import make_rng
from attnbook.teaching.tasks import CALL

EXERCISES = {exercise.id: exercise for exercise in all_exercises()}


def rules_of(id):
    """Return the rules of every group of an exercise, as specs."""
    return [
        [spec_of(rule, value) for rule in group
         for value in rule.values or (None,)]
        for group in RULES[id]
    ]  # fmt: skip


def singles(id):
    """Return each rule alone, with its last value."""
    return [
        (spec_of(rule, (rule.values or (None,))[-1]),)
        for group in RULES[id]
        for rule in group
    ]


@functools.cache
def choices(id):
    """Return all that a seed can choose: rules of some groups, in order."""
    groups = rules_of(id)
    some = itertools.combinations(groups, min(len(groups), RULES_EACH))
    return [specs for own in some for specs in itertools.product(*own)]


def samples(id, count=30):
    """Return each rule alone, and some of what a seed can choose."""
    every = choices(id)
    count = min(count, len(every))
    return singles(id) + random.Random(0).sample(every, count)


def chosen(id, seed):
    """Return what a seed chooses."""
    return chosen_rules(RULES[id], make_rng(b"key", id, seed))


def functions_of(code):
    """Return the functions that code defines, in order."""
    scope = {"torch": torch, "math": math, "F": F}
    exec(code, scope)
    return [scope[x] for x in re.findall(r"^def (\w+)", code, re.MULTILINE)]


@functools.cache
def solutions(id, specs=()):
    """Return the functions of the page's solution under rules."""
    _, code = changes_of(RULES[id], specs)
    return functions_of(recoded(EXERCISES[id].solution_code, code))


def page_stub(id):
    """Return the page's stub without the call of the check."""
    return CALL.sub("", EXERCISES[id].stub)


def stub(id, specs):
    """Return the function of the stub under rules."""
    _, code = changes_of(RULES[id], specs)
    return functions_of(recoded(page_stub(id), code))[0]


def text_under(id, specs, text=None):
    """Return the page's task, or another, under rules; each edit must fit."""
    text = text or EXERCISES[id].task
    return edited(text, changes_of(RULES[id], specs)[0], id)


@functools.cache
def check_of(id, specs):
    """Return the check of an exercise under rules, or the page's."""
    if specs:
        return checks.assigned(id, *specs)
    return getattr(checks, f"check_{CHECKED[id]}")


def verdict(id, specs, answer):
    """Return the verdict on an answer under rules, without its line."""
    with contextlib.redirect_stdout(io.StringIO()):
        return check_of(id, tuple(specs))(answer)


def problems_of(id, specs):
    """Return what is wrong with some rules of an exercise, a list."""
    problems = []
    text_under(id, specs)  # raises, if a phrase is not there
    for function in solutions(id, specs):
        found = verdict(id, specs, function)
        if not found:
            problems.append(f"{specs}: refuses its solution: {found.hint}")
    if verdict(id, specs, stub(id, specs)).hint != NOT_ANSWERED:
        problems.append(f"{specs}: says more of an empty stub")
    hint = verdict(id, specs, solutions(id)[0]).hint
    said = "; ".join(rule_of(RULES[id], spec).page for spec in specs)
    if hint != f"that answers the page: {said}":
        problems.append(f"{specs}: {hint or 'accepts the page'}")
    return problems


def shares(id, seeds=400, tried=20):
    """Return how often two seeds ask for the same, and A's passes under B.

    Args:
        id: of the exercise.
        seeds: how many are drawn.
        tried: on how many pairs of other specs an answer is tried.

    Returns:
        Two shares: of pairs of seeds with the same specs, and of pairs
        with other specs in which A's solution passes under B.
    """
    every = [chosen(id, seed) for seed in range(seeds)]
    counts = collections.Counter(every).values()
    equal = sum(n * (n - 1) for n in counts) / (seeds * (seeds - 1))
    pairs = [(a, b) for a, b in itertools.pairwise(every) if a != b][:tried]
    passed = [bool(verdict(id, b, solutions(id, a)[0])) for a, b in pairs]
    return equal, sum(passed) / len(passed)
