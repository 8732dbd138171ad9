"""Chapter 4 as a seed asks it: rules, numbers, planted bugs."""

import re

import pytest
import torch

from answers import TASKS
from attnbook import checks
from attnbook.attention import scaled_dot_product_attention
from attnbook.checks.engine.rules import adapted, rule_of
from attnbook.teaching.changes import changes_of, edited
from attnbook.teaching.variants import chapter_04
from attnbook.teaching.variants.planted import CAUSES
from rules_of_exercises import RULES
from variants_of_exercises import variant


@pytest.mark.parametrize("value", ["0.4", "4.0"])
def test_right_answers_of_all_styles_pass_under_a_temperature(value):
    check = checks.assigned("4.4", f"temperature={value}")
    for right in TASKS["scaled_attention"].right:
        assert check(lambda q, k, v, f=right: f(q / float(value), k, v))


def test_hints_say_what_is_true_under_a_temperature():
    check = checks.assigned("4.4", "temperature=2.0")

    def twice_the_root(q, k, v):
        weights = (q @ k.mT / (4 * q.size(-1) ** 0.5)).softmax(-1)
        return weights @ v, weights

    hint = check(twice_the_root).hint
    assert "here the scaled scores are divided by 2.0)" in hint


def test_hints_say_how_they_see_the_answer():
    check = checks.assigned("4.4", "weights-turned", "memory-first")

    def unscaled(k, v, q):
        weights = (q @ k.mT).softmax(-1)
        return weights @ v, weights.mT

    hint = check(unscaled).hint
    assert "not scaled" in hint
    assert hint.endswith(
        "(said of your answer with the weights turned back, a row per query "
        "and with its arguments in the page's order; here the weights have a "
        "row per key, (B, H, S, T); here the arguments are k, v, q, in this "
        "order)"
    )
    assert checks.assigned("4.4", "heads-behind")(lambda q, k, v: None).hint


def test_a_test_may_say_pass_or_fail_but_not_both_ways():
    check = checks.assigned("4.6", "in-words")
    hint = check(backwards).hint
    assert "says True of wrong" in hint
    assert 'said of your answer with "pass" as True and "fail"' in hint
    assert check(lambda attend: True).hint == 'return "pass" or "fail"'
    some = checks.assigned("4.6", "in-words", "weights-first")
    assert 'return "pass" or "fail"' in some(lambda attend: 3).hint


def backwards(attend):
    q, k, v = (torch.randn(2, 4, *n) for n in ((3, 5), (7, 5), (7, 6)))
    given = attend(q, k, v)
    right = scaled_dot_product_attention(q, k, v)
    pairs = zip(given, right, strict=True)
    same = all(torch.allclose(x, y, atol=1e-5) for x, y in pairs)
    return "fail" if same else "pass"


# ------------------------------------------------- numbers on paper
def test_the_page_s_numbers_give_the_page_s_answers():
    found = chapter_04.typical(64, 256, 2)
    assert found == {"a": 4, "b": 2, "c": 1, "d_raw": 16, "d_scaled": 2}
    keys = [[1, 1, 0, 0], [1, 1, 1, 1], [1, -1, 1, -1]]
    found = chapter_04.attended([1, 1, 1, 1], keys, [10, 20, 30])
    assert found["scores"] == [2, 4, 0] and found["scaled"] == [1, 2, 0]
    assert [round(x, 2) for x in found["weights"]] == [0.24, 0.67, 0.09]
    assert round(found["context"], 2) == 18.45


def test_the_answers_are_those_of_attention():
    numbers = re.compile(r"-?\d+")
    for seed in range(20):
        found = variant("4.2", seed)
        texts = [new for _, new in found.edits[:3]]
        query, rows, values = (
            [float(x) for x in numbers.findall(text.split(", so")[0])]
            for text in texts
        )
        q, k = torch.tensor(query), torch.tensor(rows).view(3, 4)
        context, weights = scaled_dot_product_attention(
            q[None], k, torch.tensor(values)[:, None]
        )
        assert torch.allclose(
            weights[0], torch.tensor(found.answers["weights"]), atol=1e-5
        )
        assert context.item() == pytest.approx(found.answers["context"])


def test_widths_give_what_is_measured():
    for seed in range(5):
        found = variant("4.1", seed)
        before, after = map(int, re.findall(r"d_k = (\d+)", found.edits[0][1]))
        generator = torch.Generator().manual_seed(seed)
        spread = [
            (torch.randn(4000, d, generator=generator)
             * torch.randn(4000, d, generator=generator)).sum(-1).std()
            for d in (before, after)
        ]  # fmt: skip
        ratio = (spread[1] / spread[0]).item()
        assert ratio == pytest.approx(found.answers["b"], rel=0.1)


# ------------------------------------------------------ planted bugs
def block_of(body):
    """Return a colleague's function as text."""
    return (f"def colleague(q, k, v):\n{body}"
            "    return weights @ v, weights\n")  # fmt: skip


def run(source):
    """Return the function of a source."""
    scope = {}
    exec("import math\n" + source, scope)
    return scope["colleague"]


def sharpness(attend, d_k, keys=64):
    """Return the mean largest weight of rows, and that of right rows."""
    generator = torch.Generator().manual_seed(0)
    q = torch.randn(2, 4, 50, d_k, generator=generator)
    k, v = (torch.randn(2, 4, keys, d_k, generator=generator) for _ in "kv")
    pair = attend(q, k, v)[1], scaled_dot_product_attention(q, k, v)[1]
    return [x.amax(-1).mean().item() for x in pair]


def colleagues():
    """Return the functions of all causes."""
    return [run(block_of(body)) for _, body, _ in CAUSES]


def test_every_planted_bug_has_its_symptom():
    early, kept, keys, worse, eight, after = colleagues()
    flat = [sharpness(early, d)[0] for d in (1, 16, 1024)]
    assert flat[0] > flat[1] > flat[2] and flat[2] < 1.2 / 64
    narrow, _, wide = (sharpness(kept, d)[0] for d in (2, 64, 1024))
    assert narrow < 0.6 and wide > 0.9
    mine, right = sharpness(kept, 1)
    assert mine == pytest.approx(right)
    mine, right = sharpness(keys, 64, keys=64)
    assert mine == pytest.approx(right, abs=1e-5)
    assert sharpness(keys, 64, 512)[0] < sharpness(keys, 64, 512)[1]
    assert sharpness(keys, 64, 8)[0] > sharpness(keys, 64, 8)[1]
    assert 0.85 < sharpness(worse, 16)[0] < sharpness(worse, 64)[0]
    mine, right = sharpness(eight, 64)
    assert mine == pytest.approx(right, abs=1e-5)
    assert sharpness(eight, 16)[0] < sharpness(eight, 16)[1]
    assert sharpness(eight, 256)[0] > sharpness(eight, 256)[1]
    x = torch.randn(1, 1, 5, 64)
    sums = after(x, x, x)[1].sum(-1)
    assert torch.allclose(sums, torch.full_like(sums, 0.125))


@pytest.mark.parametrize("number", range(len(CAUSES)))
def test_rules_change_the_colleague_s_code_and_not_the_mistake(number):
    symptom, body, _ = CAUSES[number]
    task = f'"{symptom}"\n\n```python\n{block_of(body)}```'
    bug = run(block_of(body))
    x = [torch.randn(2, 3, n, 4) for n in (5, 7, 7)]
    for group in RULES["4.5"]:
        for rule in group:
            spec = (rule.name + "=0.5",) if rule.values else (rule.name,)
            text, _ = changes_of(RULES["4.5"], spec)
            source = edited(task, text, "4.5").split("```python\n")[1]
            made = run(source.removesuffix("```"))
            pair = [rule_of(RULES["4.5"], spec[0])]
            for a, b in zip(adapted(made, pair)(*x), bug(*x), strict=True):
                assert torch.allclose(a, b, atol=1e-5), rule.name
    assert not checks.check_scaled_attention(bug)
