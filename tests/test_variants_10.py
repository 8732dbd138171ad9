"""Chapter 10 asked otherwise: rules and variants."""

import random

import pytest
from asked_otherwise import (
    check_of,
    code_under,
    combinations_of,
    exercises,
    function_of,
    rules_of,
    samples,
    singles,
    text_under,
    verdict,
)

CODED = ("10.4", "10.5", "10.6")


@pytest.mark.parametrize("exercise", CODED)
def test_text_edits_fit_once_in_any_order(exercise):
    dice = random.Random(2)
    everything = combinations_of(exercise)
    for specs in [*singles(exercise), *dice.sample(everything, 100)]:
        shuffled = dice.sample(specs, len(specs))
        assert text_under(exercise, specs) == text_under(exercise, shuffled)


@pytest.mark.parametrize("exercise", CODED)
def test_code_edits_fit_in_any_order(exercise):
    dice = random.Random(3)
    page = exercises()[exercise]
    for rule, _ in (rules_of(exercise, s)[0] for s in singles(exercise)):
        for old, _ in rule.code:
            assert old in page.solution_code + page.stub, (rule.name, old)
    for specs in dice.sample(combinations_of(exercise), 100):
        shuffled = dice.sample(specs, len(specs))
        for code in (page.stub, page.solution_code):
            a, b = (code_under(exercise, s, code) for s in (specs, shuffled))
            assert a == b


@pytest.mark.parametrize("exercise", CODED)
def test_there_are_enough_combinations(exercise):
    assert len(combinations_of(exercise)) >= 20


@pytest.mark.parametrize("exercise", CODED)
def test_the_page_s_solution_is_named_and_the_rule_s_passes(exercise):
    for specs in samples(exercise):
        found = verdict(exercise, specs, function_of(exercise, specs))
        assert found, (specs, found.hint)
        page = verdict(exercise, specs, function_of(exercise))
        assert not page
        for rule, value in rules_of(exercise, specs):
            assert rule.filled(rule.page, value) in page.hint
    assert verdict(exercise, (), function_of(exercise)), check_of(exercise)
