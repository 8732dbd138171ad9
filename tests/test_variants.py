"""Exercises as a seed asks them: what holds for all rules and variants.

What one exercise alone promises stands in `test_variants_04.py` and so on.
"""

import ast

import pytest

from attnbook.checks import RULES
from attnbook.checks.engine import exercise
from attnbook.checks.engine.verdict import Mistake
from attnbook.teaching.changes import changes_of, recoded
from attnbook.teaching.tasks import WITH_VARIANTS
from rules_of_exercises import (
    EXERCISES,
    choices,
    page_stub,
    problems_of,
    rules_of,
    samples,
    shares,
    singles,
    solutions,
    text_under,
    verdict,
)
from variants_of_exercises import (
    ON_PAPER,
    PARSONS,
    VARIANTS,
    asked,
    order_problems,
    share_of_equal_answers,
    tasks,
    variant,
)

PAIRS = {"6.5": 6}  # random pairs; 30 and 20 else, but its check is slow
IN_ORDER = ("4.6", "4.7")  # edits of code go in the order of the groups
TASKS = [x for x in EXERCISES if int(x.partition(".")[0]) in WITH_VARIANTS]


@pytest.fixture
def unexplained(monkeypatch):
    """Leave out the search for the reason: it takes most of the time."""

    def explain(*_):
        raise Mistake("wrong")

    monkeypatch.setattr(exercise, "explain", explain)


# -------------------------------------------------------------------- rules
@pytest.mark.usefixtures("unexplained")
@pytest.mark.parametrize("id", RULES)
def test_rules_pass_their_solution_and_name_themselves_else(id):
    for specs in samples(id, PAIRS.get(id, 30)):
        assert problems_of(id, specs) == []
    for function in solutions(id):
        assert verdict(id, (), function)


@pytest.mark.parametrize("id", RULES)
def test_the_page_is_named_where_reasons_are_looked_for_too(id):
    for specs in singles(id)[::4]:
        assert "answers the page" in verdict(id, specs, solutions(id)[0]).hint


@pytest.mark.usefixtures("unexplained")
@pytest.mark.parametrize("id", RULES)
def test_an_answer_to_another_seed_does_not_pass(id, record_property):
    equal, passed = shares(id, tried=PAIRS.get(id, 20))
    record_property("share", f"{id}: {equal:.3f} equal, {passed:.3f} passed")
    assert equal + (1 - equal) * passed < 0.05
    assert max(map(len, rules_of(id))) >= 8 and len(choices(id)) >= 30


@pytest.mark.parametrize("id", RULES)
def test_the_edits_of_rules_fit_in_any_order(id):
    page = page_stub(id), EXERCISES[id].solution_code
    for specs in singles(id):
        for old, _ in changes_of(RULES[id], specs)[1]:
            assert any(old in code for code in page), (specs, old)
    for specs in choices(id):
        turned = specs[::-1]
        assert text_under(id, specs) == text_under(id, turned), specs
        one, other = (changes_of(RULES[id], x)[1] for x in (specs, turned))
        for code in page if id not in IN_ORDER else ():
            assert recoded(code, one) == recoded(code, other), specs


# ----------------------------------------------------------------- variants
@pytest.mark.parametrize("id", VARIANTS)
def test_a_seed_changes_the_text_of_every_variant(id):
    for seed in range(30):
        asked(id, seed)
        for old, new in variant(id, seed).code:
            assert EXERCISES[id].solution.count(old) == 1
            assert old != new


@pytest.mark.parametrize("id", [*ON_PAPER, *PARSONS, "7.5"])
def test_there_are_many_variants(id):
    assert len({asked(id, seed) for seed in range(200)}) >= 30


@pytest.mark.parametrize("id", [*ON_PAPER, *PARSONS])
def test_two_seeds_have_other_answers(id):
    assert share_of_equal_answers(id) < 0.1


@pytest.mark.parametrize("id", ON_PAPER)
def test_answers_are_values_with_a_form(id):
    found = variant(id, 3)
    assert set(found.answers) == set(found.form)
    assert ast.literal_eval(repr(found.answers)) == found.answers


@pytest.mark.parametrize("id", PARSONS)
@pytest.mark.parametrize("seed", range(4))
def test_every_order_that_works_is_right_and_no_other(id, seed):
    assert order_problems(id, seed) == []


# --------------------------------------------------------- both at once
@pytest.mark.parametrize("id", sorted(set(RULES) & set(VARIANTS)))
def test_every_rule_fits_every_planted_bug(id):
    for text in {asked(id, seed) for seed in range(8)}:
        for specs in choices(id):
            text_under(id, specs, text)


@pytest.mark.parametrize("id", TASKS)
def test_rules_and_variants_go_together_for_every_seed(id):
    for task in tasks(id, seeds=60):
        assert task.stub and task.solution
        assert task.rules or task.answers or task.order or not task.check
