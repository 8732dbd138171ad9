"""Chapter 7 asked otherwise: rules and variants."""

import functools

import pytest
import torch

from attnbook.teaching.variants import chapter_07, merges
from rules_of_exercises import singles, solutions, verdict
from variants_of_exercises import asked, variant


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
    for specs in [(), *singles("7.5")]:
        assert not verdict("7.5", specs, merge)
    x = torch.arange(1.0, 61.0).view(2, 3, 2, 5)  # B, H, T, d_k
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
            "one rule is not kept: here the result is (B H, T, d_k)",
        ),
        (
            "7.4",
            ("heads-first",),
            lambda x, h: without_the_last_step(x, h)[:, :, :-1],
            "the result must have the axes (H, B, T, d_k), here (4, 3, 7, 5)",
        ),
        (
            "7.6",
            ("temperature=0.5",),
            scaled_by_three,
            "with its temperature undone; here the scaled scores are divided",
        ),
        (
            "7.6",
            ("linear",),
            lambda x, q, k, v, o, h: solutions("7.6")[0](
                x, q.T, k.T, v, o.T, h
            ),
            "here the matrices are used as x @ w.T)",
        ),
    ],
)  # fmt: skip
def test_a_hint_is_true_under_the_rule(exercise, specs, answer, said):
    assert said in verdict(exercise, specs, answer).hint


def test_rules_may_come_in_any_order():
    specs = ("divided=4", "turned", "interleaved", "channels-first")
    (answer,) = solutions("7.4", specs)
    assert verdict("7.4", specs, answer)
    assert verdict("7.4", specs[::-1], answer)
