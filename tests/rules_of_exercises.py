"""What is asked of the rules of every exercise that has some."""

import collections
import itertools
import math
import random
import re

import torch
import torch.nn.functional as F

from attnbook import checks
from attnbook.checks.engine.rules import spec_of
from attnbook.checks.engine.verdict import NOT_ANSWERED
from attnbook.checks.rules import RULES
from attnbook.teaching.dice import dice
from attnbook.teaching.exercises import all_exercises
from attnbook.teaching.tasks import (
    CALL,
    changes_of,
    chosen_rules,
    edited,
    recoded,
)

EXERCISES = {exercise.id: exercise for exercise in all_exercises()}


def functions_of(code):
    """Return the functions that code defines, in order."""
    scope = {"torch": torch, "math": math, "F": F}
    exec(code, scope)
    return [scope[x] for x in re.findall(r"^def (\w+)", code, re.MULTILINE)]


def specs_of(id):
    """Return the specs of every group of an exercise."""
    return [
        [spec_of(rule, value) for rule in group
         for value in rule.values or (None,)]
        for group in RULES[id]
    ]  # fmt: skip


def chosen(id, seed):
    """Return the specs that a seed chooses."""
    return chosen_rules(RULES[id], dice(b"key", id, seed))


def combinations(id, pairs):
    """Return each rule alone, with one value, and some pairs of rules."""
    single = [(spec_of(rule, value),) for group in RULES[id] for rule in group
              for value in rule.values[-1:] or (None,)]  # fmt: skip
    every = [
        pair
        for one, other in itertools.combinations(specs_of(id), 2)
        for pair in itertools.product(one, other)
    ]
    return single + random.Random(0).sample(every, pairs)


def page(id):
    """Return the functions of the page's solution."""
    return functions_of(EXERCISES[id].solution_code)


def solutions(id, specs):
    """Return the functions of the solution under rules."""
    _, code = changes_of(RULES[id], specs)
    return functions_of(recoded(EXERCISES[id].solution_code, code))


def stub(id, specs):
    """Return the function of the stub under rules."""
    _, code = changes_of(RULES[id], specs)
    return functions_of(recoded(CALL.sub("", EXERCISES[id].stub), code))[0]


def rule_problems(id, pairs=30):
    """Return what is wrong with the rules of an exercise, a list.

    The page's solution is tried under all rules and five pairs of them.
    """
    exercise, problems = EXERCISES[id], []
    pages = page(id)
    every = combinations(id, pairs)
    for place, specs in enumerate(every):
        text, _ = changes_of(RULES[id], specs)
        edited(exercise.task, text, id)  # raises, if a phrase is not there
        check = checks.assigned(id, *specs)
        for function in solutions(id, specs):
            if not check(function):
                problems.append((specs, "refuses its solution"))
        if check(stub(id, specs)).hint != NOT_ANSWERED:
            problems.append((specs, "says more of an empty stub"))
        if place >= len(every) - pairs + 5:
            continue
        verdict = check(pages[0])
        if verdict or "that answers the page: here" not in verdict.hint:
            problems.append((specs, verdict.hint or "accepts the page's"))
    return problems


def shares(id, seeds=400, tried=20):
    """Return how often two seeds ask for the same, and A's passes under B.

    Args:
        id: of the exercise.
        seeds: how many are drawn.
        tried: on how many pairs of other specs an answer is tried.

    Returns:
        Two fractions: of pairs of seeds with the same specs, and of pairs
        with other specs in which A's solution passes under B.
    """
    every = [chosen(id, seed) for seed in range(seeds)]
    counts = collections.Counter(every).values()
    equal = sum(n * (n - 1) for n in counts) / (seeds * (seeds - 1))
    pairs = [(a, b) for a, b in itertools.pairwise(every) if a != b][:tried]
    passed = [
        bool(checks.assigned(id, *b)(solutions(id, a)[0])) for a, b in pairs
    ]
    return equal, sum(passed) / len(passed)
