"""Chapter 7 asked otherwise: rules and variants."""

import ast
import functools
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
from attnbook.teaching.variants import chapter_07, merges

CODED = ("7.4", "7.5", "7.6")


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
VARIED = ("7.1", "7.2", "7.3", "7.5")


@pytest.mark.parametrize("exercise", VARIED)
def test_there_are_many_variants_that_fit_the_page(exercise):
    assert number_of_variants(exercise) >= 30
    found = variant(exercise, 3)
    assert set(found.answers) == set(found.form)
    assert ast.literal_eval(repr(found.answers)) == found.answers


@pytest.mark.parametrize("exercise", ["7.1", "7.2", "7.3"])
def test_two_seeds_differ_in_the_answers(exercise):
    assert share_of_equal_answers(exercise) < 0.1


def test_with_the_page_s_numbers_the_answers_are_the_page_s():
    assert chapter_07.split_answers((2, 2, 3, 2), 13, (0, 1)) == {
        "a": [2, 3, 2, 2],
        "b": [1, 0, 0, 1],
        "c": [[2, 3], [8, 9]],
        "d": [[4, 5], [6, 7]],
    }
    heads = chapter_07.two_heads(
        (1, 2), ((2, 0), (0, 1)), ((10, 1), (20, 3)), ((1, 0), (1, 2))
    )
    near = functools.partial(pytest.approx, abs=0.006)
    assert heads["weights of head 0"] == near([0.881, 0.119])
    assert heads["weights of head 1"] == near([0.119, 0.881])
    assert heads["contexts"] == near([11.19, 2.76])
    assert heads["b"] == near([0.5, 0.5])
    assert heads["output"] == near([13.95, 5.52])
    assert heads["messages"] == [near([11.19, 0]), near([2.76, 5.52])]


def test_13_is_in_every_variant():
    for seed in range(50):
        assert len(variant("7.1", seed).answers["b"]) == 4


@pytest.mark.parametrize("seed", range(4))
def test_the_order_works_and_near_misses_do_not(seed):
    refuse_near_misses("7.3", seed)


def colleague(line):
    """Return her merge with one bug."""
    scope = {}
    exec(
        "def merge(x):\n    b, h, t, k = x.shape\n"
        f"{line}\n    return x.reshape(b, t, h * k)",
        scope,
    )
    return scope["merge"]


@pytest.mark.parametrize(("line", "symptom"), merges.BUGS)
def test_the_symptom_of_a_merge_is_true(line, symptom):
    merge = colleague(line)
    for specs in [(), *samples("7.5", 0)]:
        assert not verdict("7.5", specs, merge)
    x = torch.arange(1.0, 61.0).view(2, 3, 2, 5)  # B, H, T, K
    if "perturbs one" in symptom:
        changed = x.clone()
        token = "token" in symptom
        changed[(0, slice(None), 0) if token else 0] += 100
        moved = (merge(changed) != merge(x)).any(-1)
        assert (moved[0, 1] if token else moved[1]).any()
    elif "sets all of head 1" in symptom:
        changed = x.clone()
        changed[:, 1] = 0
        assert torch.equal(merge(changed), merge(x))
    else:
        gone = merge(x)[..., :5]  # rows of W^O that are set to 0
        last = set(x[0, -1].flatten().tolist())
        assert set(gone[0].flatten().tolist()) == last


@pytest.mark.parametrize("seed", range(8))
def test_the_row_of_her_merge_is_computed(seed):
    task, found = asked("7.5", seed), variant("7.5", seed)
    code = task.split("```python\n")[1].split("```")[0]
    scope = {"torch": torch}
    exec(code, scope)
    numbers = task.split("Say which numbers of `")[1].split("`")[0]
    row = scope["colleague"](eval(numbers, scope))[0, 0].tolist()
    assert f"is {', '.join(map(str, row))}." in found.solution


@pytest.mark.parametrize("seed", range(5))
def test_bug_and_rules_fit_together(seed):
    task = asked("7.5", seed)
    for specs in combinations_of("7.5")[:: 1 + seed]:
        text_under("7.5", specs, task)


# --------------------------------------------------- what is said under rules
def forgotten_return(x, num_heads):
    heads = x.unflatten(-1, (num_heads, -1))
    heads = heads.transpose(1, 2)


def without_the_last_step(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def scaled_by_three(x, w_q, w_k, w_v, w_o, num_heads):
    q, k, v = (
        (x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2)
        for w in (w_q, w_k, w_v)
    )
    weights = (q @ k.mT / 3).softmax(-1)
    return (weights @ v).transpose(1, 2).flatten(2) @ w_o, weights


@pytest.mark.parametrize(
    ("exercise", "specs", "answer", "said"),
    [
        ("7.4", ("heads-first",), forgotten_return, "end it with a return"),
        (
            "7.4",
            ("channels-first",),
            lambda x, h: x.unflatten(2, (h, -1)),
            "a tensor of shape (3, 20, 7)",
        ),
        (
            "7.4",
            ("folded", "channels-first"),
            lambda x, h: without_the_last_step(x.mT, h),
            "one rule is not kept: here the result is (B H, T, K)",
        ),
        (
            "7.4",
            ("heads-first",),
            lambda x, h: without_the_last_step(x, h)[:, :, :-1],
            "the result must have the axes (H, B, T, K), here (4, 3, 7, 5)",
        ),
        ("7.6", ("temperature=0.5",), scaled_by_three, "and by 0.5; the"),
        (
            "7.6",
            ("linear",),
            lambda x, q, k, v, o, h: function_of("7.6")(
                x, q.T, k.T, v, o.T, h
            ),
            "w_v is not transposed; here it is x @ w.T",
        ),
    ],
)  # fmt: skip
def test_a_hint_is_true_under_the_rule(exercise, specs, answer, said):
    assert said in verdict(exercise, specs, answer).hint


def test_rules_may_come_in_any_order():
    specs = ["divided=4", "turned", "interleaved", "channels-first"]
    answer = function_of("7.4", specs)
    assert verdict("7.4", specs, answer)
    assert verdict("7.4", specs[::-1], answer)
