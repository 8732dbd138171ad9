"""Chapter 10 asked otherwise: rules and variants."""

import ast
import functools
import math
import random

import pytest
import torch

from asked_otherwise import (
    asked,
    check_of,
    code_under,
    combinations_of,
    exercises,
    function_of,
    number_of_variants,
    refuse_near_misses,
    rules_of,
    samples,
    share_of_equal_answers,
    shares_that_pass,
    singles,
    text_under,
    variant,
    verdict,
)
from attnbook.teaching.variants import blind_masks, chapter_10

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


@pytest.mark.parametrize("exercise", CODED)
def test_last_year_s_answer_does_not_pass(exercise):
    same, otherwise = shares_that_pass(exercise)
    assert same + (1 - same) * otherwise < 0.05


# ----------------------------------------------------------------- variants
@pytest.mark.parametrize("exercise", ["10.1", "10.2", "10.3"])
def test_there_are_many_variants_that_fit_the_page(exercise):
    assert number_of_variants(exercise) >= 30
    assert share_of_equal_answers(exercise) < 0.1
    found = variant(exercise, 3)
    assert set(found.answers) == set(found.form)
    assert ast.literal_eval(repr(found.answers)) == found.answers


def test_with_the_page_s_numbers_the_answers_are_the_page_s():
    assert chapter_10.mask_answers((5, 3), (4, 6), 0) == {
        "a": [[2, 1, 1, 6], [2, 1, 1, 5]],
        "b shape": [2, 1, 5, 5],
        "b True": [15, 12],
        "c": [[1, 3], [1, 4]],
        "d": 20,
    }
    ways = {"a": "-inf", "b": "0", "c": "after"}
    found = chapter_10.hidden_answers((2, 0, 1), 2, ways)
    near = functools.partial(pytest.approx, abs=0.006)
    assert found["a"] == near([0.88, 0.12, 0])
    assert found["b"] == near([0.79, 0.11, 0.11])
    assert found["c"] == near([0.67, 0.09, 0])
    assert found["sums"] == near([1, 1, 0.76])
    assert found["changes"] == "c"


@pytest.mark.parametrize("seed", range(30))
def test_the_row_that_changes_is_the_one_of_the_answer(seed):
    found = variant("10.2", seed).answers
    sums = dict(zip("abc", found["sums"], strict=True))
    assert sums.pop(found["changes"]) < 0.999
    assert [*sums.values()] == pytest.approx([1, 1])


@pytest.mark.parametrize("seed", range(4))
def test_the_order_works_and_near_misses_do_not(seed):
    refuse_near_misses("10.3", seed)


WORDS = torch.tensor([[5, 6, 7, 8], [3, 4, 9, 2]])
AT_END = torch.tensor([[5, 6, 7, 8], [3, 4, 0, 0]])
IN_FRONT = torch.tensor([[5, 6, 7, 8], [0, 0, 3, 4]])
MIXED = torch.tensor([[0, 0, 3, 4], [5, 6, 0, 0]])


def layers(mask_of, tokens):
    """Return what two layers of attention make of tokens, with one mask."""
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(10, 8, generator=generator)[tokens]  # (B, S, 8)
    found = []
    for _ in range(2):
        scores = (x @ x.mT / 8**0.5)[:, None]  # (B, 1, S, S)
        scores = scores.masked_fill(~mask_of(tokens, 0), -math.inf)
        x = x + scores.softmax(-1)[:, 0] @ x
        found.append(x)
    return found


def blind(mask_of, tokens):
    """Return which rows are NaN after one layer and after two."""
    return [x.isnan().any(-1).tolist() for x in layers(mask_of, tokens)]


def of_code(code):
    """Return a colleague's function."""
    scope = {"torch": torch}
    exec(f"def colleague(tokens, pad_id):\n{code}", scope)
    return scope["colleague"]


NO, YES = [False] * 4, [True] * 4
SYMPTOMS = (  # NaN after one layer and after two, in batches
    {"words": ([NO, NO], [NO, NO]),
     "end": ([NO, [False, False, True, True]], [NO, YES])},
    {"words": ([NO, NO], [NO, NO]),
     "end": ([NO, [False, False, True, True]], [NO, YES])},
    {"end": ([NO, NO], [NO, NO]), "front": ([NO, YES], [NO, YES])},
    {"end": ([NO, NO], [NO, NO]),
     "front": ([NO, [True, True, False, False]], [NO, YES])},
    {"words": ([NO, NO], [NO, NO]), "end": ([NO, NO], [NO, NO]),
     "mixed": ([YES, YES], [YES, YES])},
)  # fmt: skip
BATCHES = {"words": WORDS, "end": AT_END, "front": IN_FRONT, "mixed": MIXED}


@pytest.mark.parametrize("bug", range(len(blind_masks.BUGS)))
def test_the_symptom_of_a_mask_is_true(bug):
    mask_of = of_code(blind_masks.BUGS[bug][0])
    for specs in [(), *samples("10.4", 0)]:
        assert not verdict("10.4", specs, mask_of)
    for batch, want in SYMPTOMS[bug].items():
        assert blind(mask_of, BATCHES[batch]) == [*want], batch
    if bug == 1:  # the words are right after one layer
        found = layers(mask_of, AT_END)[0][1, :2]
        right = layers(function_of("10.4"), AT_END)[0][1, :2]
        assert torch.allclose(found, right)


def test_bugs_and_rules_fit_together():
    assert len({asked("10.4", seed) for seed in range(40)}) == 4
    for seed in range(8):
        task = asked("10.4", seed)
        for specs in combinations_of("10.4")[:: 5 + seed]:
            text_under("10.4", specs, task)


# --------------------------------------------------- what is said under rules
@pytest.mark.parametrize(
    ("exercise", "specs", "answer", "said"),
    [
        (
            "10.4",
            ("hidden",),
            lambda tokens, pad: (tokens == pad)[:, None, :, None],
            "it hides rows (queries) and not columns (keys)",
        ),
        (
            "10.4",
            ("ones",),
            lambda tokens, pad: (tokens == pad).long()[:, None, None],
            "1 marks the padding; 1 must mark the words",
        ),
        (
            "10.4",
            ("flat",),
            lambda tokens, pad: (tokens != pad)[:, None],
            "the mask must have the axes (B, S), here (3, 5)",
        ),
        (
            "10.4",
            ("added=-10000",),
            lambda tokens, pad: torch.where(tokens == pad, -1e9, 0.0)[
                :, None, None
            ],
            "0 = may attend and -10000 = hidden; yours holds other numbers",
        ),
        (
            "10.6",
            ("hidden", "temperature=0.5"),
            lambda q, k, v, mask: function_of("10.6", ("temperature=0.5",))(
                q, k, v, mask
            ),
            "one rule is not kept: here True means hidden",
        ),
        (
            "10.6",
            ("ones",),
            lambda q, k, v, mask: function_of("10.6", ("hidden",))(
                q, k, v, mask
            ),
            "want a bool mask: mask == 0",
        ),
    ],
)
def test_a_hint_is_true_under_the_rule(exercise, specs, answer, said):
    assert said in verdict(exercise, specs, answer).hint


def test_a_gap_that_is_seen_is_named():
    def only_a_few(tokens, pad_id):  # right but for the gap, one token wrong
        mask = (tokens != pad_id)[:, None, None]
        return mask if tokens.size(1) > 1 else ~mask

    hint = verdict("10.4", ("gap=13",), only_a_few).hint
    assert "the id 13 must be hidden like padding" in hint
