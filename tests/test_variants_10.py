"""Chapter 10 asked otherwise: rules and variants."""

import functools
import math

import pytest
import torch

from attnbook.teaching.variants import blind_masks, chapter_10
from rules_of_exercises import singles, solutions, verdict
from variants_of_exercises import asked, variant


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
    for specs in [(), *singles("10.4")]:
        assert not verdict("10.4", specs, mask_of)
    for batch, want in SYMPTOMS[bug].items():
        assert blind(mask_of, BATCHES[batch]) == [*want], batch
    if bug == 1:  # the words are right after one layer
        found = layers(mask_of, AT_END)[0][1, :2]
        right = layers(solutions("10.4")[0], AT_END)[0][1, :2]
        assert torch.allclose(found, right)


def test_a_seed_chooses_one_of_four_bugs():
    assert len({asked("10.4", seed) for seed in range(40)}) == 4


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
            "True marks the padding; True must mark the words (said of your "
            "answer with bool masks: True = may attend; here masks hold 1 = ",
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
            lambda *inputs: solutions("10.6", ("temperature=0.5",))[0](
                *inputs
            ),
            "one rule is not kept: here True means hidden",
        ),
        (
            "10.6",
            ("ones",),
            lambda *inputs: solutions("10.6", ("hidden",))[0](*inputs),
            "only supports boolean masks",
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
