"""What the tests of rules and variants share."""

import contextlib
import functools
import importlib
import io
import itertools
import math
import random

import torch

from attnbook import checks
from attnbook.checks.engine.rules import assigned, rule_of, spec_of
from attnbook.checks.rules import RULES
from attnbook.teaching.exercises import all_exercises
from attnbook.teaching.variants import lines_of


@functools.cache
def exercises():
    """Return all exercises, a dict from id."""
    return {e.id: e for e in all_exercises()}


def check_of(exercise):
    """Return the check of the page, by the exercise's id."""
    return getattr(checks, exercises()[exercise].check)


def specs_of(exercise):
    """Return the ways to write each group of rules down."""
    return [
        [spec_of(rule, v) for rule in group for v in rule.values or (None,)]
        for group in RULES[exercise]
    ]


def singles(exercise):
    """Return every rule with every value, each alone."""
    return [(spec,) for group in specs_of(exercise) for spec in group]


def combinations_of(exercise):
    """Return all choices of at most one rule of each group, and of one."""
    some = itertools.product(*([None, *g] for g in specs_of(exercise)))
    found = (tuple(s for s in chosen if s) for chosen in some)
    return [chosen for chosen in found if chosen]


def drawn(exercise, dice, least=1, most=2):
    """Return rules as a seed may choose them: of one or two groups."""
    groups = specs_of(exercise)
    count = dice.randint(min(least, len(groups)), min(most, len(groups)))
    places = sorted(dice.sample(range(len(groups)), count))
    chosen = []
    for place in places:
        rule = dice.choice(RULES[exercise][place])
        chosen.append(spec_of(rule, dice.choice(rule.values or (None,))))
    return tuple(chosen)


def samples(exercise, count=30, seed=1):
    """Return every single rule once, and random combinations."""
    some = random.Random(seed).sample(combinations_of(exercise), count)
    one_value = {rule_of(RULES[exercise], s[0])[0].name: s
                 for s in singles(exercise)}  # fmt: skip
    return [*one_value.values(), *some]


def rules_of(exercise, specs):
    """Return pairs of a rule and its value."""
    return [rule_of(RULES[exercise], spec) for spec in specs]


def edited(text, pairs):
    """Return text after edits, each of which must fit exactly once."""
    for old, new in pairs:
        assert text.count(old) == 1, (text.count(old), old)
        text = text.replace(old, new)
    return text


def text_under(exercise, specs, text=None):
    """Return the page's task under rules."""
    pairs = [
        (old, rule.filled(new, value))
        for rule, value in rules_of(exercise, specs)
        for old, new in rule.text
    ]
    return edited(text or exercises()[exercise].task, pairs)


def code_under(exercise, specs, code):
    """Return stub or solution under rules; an edit may fit nowhere in one."""
    for rule, value in rules_of(exercise, specs):
        for old, new in rule.code:
            assert code.count(old) <= 1, (rule.name, old)
            code = code.replace(old, rule.filled(new, value))
    return code


def function_of(exercise, specs=()):
    """Return the page's solution under rules, a function."""
    code = code_under(exercise, specs, exercises()[exercise].solution_code)
    scope = {"torch": torch, "math": math}
    exec(code, scope)
    return scope[check_of(exercise).__name__.removeprefix("check_")]


def verdict(exercise, specs, answer):
    """Return the verdict on an answer under rules, without its print."""
    check = check_of(exercise)
    if specs:
        check = assigned(check, RULES[exercise], specs)
    with contextlib.redirect_stdout(io.StringIO()):
        return check(answer)


def shares_that_pass(exercise, count=30, seed=5):
    """Return how often one seed's solution passes under another seed.

    Args:
        exercise: the id.
        count: of how many pairs of seeds with different rules answers run.
        seed: of the draws.

    Returns:
        The share of pairs with the same rules, of 20,000, and the share of
        the others whose answer passes.
    """
    dice = random.Random(seed)
    pairs = [(drawn(exercise, dice), drawn(exercise, dice))
             for _ in range(20_000)]  # fmt: skip
    others = [(a, b) for a, b in pairs if set(a) != set(b)]
    passed = [
        (a, b)
        for a, b in others[:count]
        if verdict(exercise, b, function_of(exercise, a))
    ]
    return 1 - len(others) / len(pairs), len(passed) / count


def variant(exercise, seed):
    """Return an exercise's variant of a seed."""
    make = importlib.import_module(
        f"attnbook.teaching.variants.chapter_{int(exercise.split('.')[0]):02d}"
    ).VARIANTS[exercise]
    return make(exercises()[exercise], random.Random(seed))


def asked(exercise, seed):
    """Return the variant's task; each edit must fit exactly once."""
    found = variant(exercise, seed)
    return edited(exercises()[exercise].task, found.edits)


def body_of(exercise, seed):
    """Return a Parsons problem: the variant, its lines, those in order."""
    found = variant(exercise, seed)
    lines = lines_of(asked(exercise, seed))
    return found, lines, [lines[x] for x in found.order]


def share_of_equal_answers(exercise, seeds=50):
    """Return how often two seeds side by side have the same answers."""
    found = [variant(exercise, seed) for seed in range(seeds)]
    keys = [(x.answers, x.order) for x in found]
    pairs = [(a, b) for i, a in enumerate(keys) for b in keys[:i]]
    return sum(a == b for a, b in pairs) / len(pairs)


def number_of_variants(exercise, seeds=300):
    """Return how many different tasks so many seeds make."""
    return len({asked(exercise, seed) for seed in range(seeds)})


def refuse_near_misses(exercise, seed, free=()):
    """Check a Parsons problem: its order works, and what is near does not.

    Args:
        exercise: the id.
        seed: of the variant.
        free: pairs of places that may change without harm.
    """
    found, lines, right = body_of(exercise, seed)
    assert found.works("\n".join(right))
    wrong = [
        line for letter, line in lines.items() if letter not in found.order
    ]
    for place in range(len(right)):
        less = right[:place] + right[place + 1 :]
        assert not found.works("\n".join(less))
        for line in wrong:
            other = [*right[:place], line, *right[place + 1 :]]
            assert not found.works("\n".join(other)), line
        turned = [*less[: place + 1], right[place], *less[place + 1 :]]
        if turned != right and (place, place + 1) not in free:
            assert not found.works("\n".join(turned)), turned
    for line in wrong:
        assert not found.works("\n".join([*right, line]))
