"""Chapter 6 as a seed asks it: rules, numbers, planted bugs."""

import functools

import pytest
import torch

from answers import TASKS
from attnbook import checks
from attnbook.attention import scaled_dot_product_attention
from attnbook.checks.engine.draws import PAGE
from attnbook.checks.engine.rules import rule_of
from attnbook.checks.self_attention.batch_test import attentions
from attnbook.tasks.running_sentence import embeddings, projections
from attnbook.teaching.changes import changes_of, edited
from attnbook.teaching.variants import chapter_06
from attnbook.teaching.variants.planted import WEAK
from rules_of_exercises import EXERCISES, RULES
from variants_of_exercises import variant

across, attend = (
    functools.partial(attention, PAGE)
    for attention in (
        attentions.across,
        attentions.attend,
    )
)


@pytest.mark.parametrize("value", ["0.4", "4.0"])
def test_right_answers_of_all_styles_pass_under_a_temperature(value):
    check = checks.assigned("6.4", f"temperature={value}")
    for right in TASKS["self_attention"].right:
        assert check(
            lambda x, q, k, v, f=right: f(x, q / float(value), k, v)
        ), right.__name__


def test_right_tests_of_all_styles_pass_in_another_layout():
    check = checks.assigned("6.5", "batch-last", "alarm")
    for right in TASKS["batch_test"].right[::3]:

        def test(laid_out, right=right):
            said = right(lambda x: laid_out(x.permute(1, 2, 0)).permute(
                2, 0, 1))  # fmt: skip
            return not said

        assert check(test), right.__name__


def test_hints_speak_of_the_layout_that_is_asked_for():
    check = checks.assigned("6.5", "features-first")
    hint = check(lambda attend: attend(torch.randn(3, 5))).hint
    assert "here attend takes and returns (B, D, T)" in hint
    check = checks.assigned("6.5", "thrice", "in-words")
    hint = check(lambda attend: attend(1)).hint
    assert "here attend takes the words three times" in hint
    check = checks.assigned("6.5", "length=7")
    hint = check(lambda attend: attend(torch.randn(3, 5, 8))).hint
    assert "expected sentences of length 7, got 5" in hint


def test_an_exported_attention_takes_one_size_alone():
    rule = rule_of(RULES["6.5"], "width=8")
    given = []
    rule.adapt(given.append)(attend)
    assert given[0](torch.randn(2, 3, 8)).shape == (2, 3, 8)
    with pytest.raises(ValueError, match="expected words of width 8, got 9"):
        given[0](torch.randn(2, 3, 9))


# ------------------------------------------------- numbers on paper
def test_the_page_s_numbers_give_the_page_s_answers():
    found = chapter_06.swaps("abcd", "acbd", "abbd", (0, 2))
    assert found == {
        "rows": [2, 3],
        "columns": [2, 3],
        "context": [2, 3],
        "changes": "no",
        "weight": [1, 2],
        "equal_rows": [2, 3],
        "equal_columns": [2, 3],
    }
    found = chapter_06.read_by((0, 0, 1, 2), 3)
    assert found["query"] == [3, 2, 0, 0] and found["key"] == [-2, 0, 1, 2]
    assert found["scores"] == [6, -1, 4, -6, 0, 3]
    assert found["scaled"] == [3, -0.5, 2, -3, 0, 1.5]
    weights = [round(x, 2) for x in found["weights"]]
    assert weights == [0.60, 0.02, 0.22, 0.00, 0.03, 0.13]
    assert round(found["first"], 2) == 1.33
    assert found["more"] == "animal"
    assert chapter_06.read_by((0, 0, 0, 2), 3)["more"] == "same"


def attention_of(rows):
    """Return context and weights of words, of three drawn matrices."""
    generator = torch.Generator().manual_seed(1)
    w = torch.randn(3, 4, 4, generator=generator)
    return scaled_dot_product_attention(*(rows @ m for m in w))


def test_a_swap_does_what_the_answers_say():
    vectors = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
    for seed in range(20):
        found = variant("6.1", seed)
        text = found.edits[0][1].replace("*", "*|").split("*|")
        sentences = [x.split() for x in text[1::2]]
        rows = [vectors[["abcdef".index(x) for x in s]] for s in sentences]
        (c, w), (c2, w2), (c3, w3) = map(attention_of, rows)
        a, b = (x - 1 for x in found.answers["context"])
        order = list(range(len(c)))
        order[a], order[b] = b, a
        assert torch.allclose(c2, c[order])
        assert torch.allclose(w2, w[order][:, order])
        row, column = (x - 1 for x in found.answers["weight"])
        assert (w2[row, column] - w).abs().min() < 1e-6
        i, j = (x - 1 for x in found.answers["equal_rows"])
        assert torch.allclose(c3[i], c3[j])
        assert torch.allclose(w3[:, i], w3[:, j])


def test_another_word_is_read_as_attention_reads_it():
    for word, place in (((0, 0, 1, 2), 3), ((1, 1, 0, 1), 1), ((2, 0), 4)):
        word = (*word, 0, 1)[:4]
        x = embeddings()
        x[place] = torch.tensor(word)
        q, k, v = (x @ w for w in projections())
        context, weights = scaled_dot_product_attention(q, k, v)
        found = chapter_06.read_by(word, place)
        expected = torch.tensor(found["weights"])
        assert torch.allclose(weights[place], expected, atol=1e-6)
        assert context[place, 0].item() == pytest.approx(found["first"])


# ------------------------------------------------------ planted bugs
def block_of(body):
    """Return a colleague's test as text."""
    return f"def colleague(attend):\n{body}"


def run(source):
    """Return the function of a source."""
    scope = {"torch": torch}
    exec(source, scope)
    return scope["colleague"]


@pytest.mark.parametrize("number", range(len(WEAK)))
def test_a_colleague_s_test_accepts_attention_across_the_batch(number):
    body, _ = WEAK[number]
    assert run(block_of(body))(across) is True
    assert not checks.check_batch_test(run(block_of(body)))
    task = EXERCISES["6.5"].task
    found = next(
        v for v in (variant("6.5", seed) for seed in range(99))
        if v.edits[0][1] == body
    )  # fmt: skip
    task = edited(task, found.edits, "6.5")
    for group in RULES["6.5"][:2]:
        for rule in group:
            spec = f"{rule.name}={rule.values[0]}" if rule.values else (
                rule.name)  # fmt: skip
            text, _ = changes_of(RULES["6.5"], (spec,))
            source = edited(task, text, "6.5").split("```")[1]
            test = run(source.removeprefix("python\n"))
            adapt = rule_of(RULES["6.5"], spec).adapt
            assert adapt(test)(across) is True, rule.name
