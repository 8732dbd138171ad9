"""The engine of the checks: tables, wrong steps, and what all are asked."""

import itertools
import math
from dataclasses import replace

import pytest
import torch

from attnbook.checks.engine.asking import Trial, same
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.explain import fitting
from attnbook.checks.engine.steps import (
    table,
    twice_mistaken,
    with_mistakes,
)
from attnbook.checks.engine.verdict import NOT_ANSWERED


def mean_of_squares(x):
    """Return the mean of the squares of each row.

    Args:
        x: float, (B, D).
    """
    count = x.size(-1)
    square = x * x
    total = square.sum(-1)
    return total / count


ROWS = table("""
    square = x
        you add the numbers, not their squares
    count = len(x)
    count = x.size(0)
        you divide by B; divide by D
    count = 1
        you add the squares; divide by D
""")


def draw(b, d, dtype=torch.float32):
    generator = torch.Generator().manual_seed(1)
    return (torch.randn(b, d, generator=generator).to(dtype),)


def check_of(exercise):
    """Return the check of an exercise that draws nothing."""
    return check(lambda draws: exercise)


CHECK = check_of(
    Exercise(
        right=mean_of_squares,
        returns={"the mean": "B"},
        takes=("B D",),
        cases=(
            Case("", draw(3, 5)),
            Case("right, but not for a square: ", draw(4, 4)),
            Case(
                "right, but not for float64: ", draw(3, 5, torch.float64), 1e-9
            ),
        ),
        mistakes=ROWS,
        trains=(("", draw(3, 5)),),
    )
)


def hint(answer):
    return CHECK(answer).hint


def loop(x):
    """Add numbers in a loop."""
    total = 0
    for y in x:
        total += y
    return total


def test_a_table_is_rows_with_hints():
    assert [row.wrong for row in ROWS] == [
        "square = x",
        "count = len(x)",
        "count = x.size(0)",
        "count = 1",
    ]
    assert ROWS[1].hint == ROWS[2].hint == "you divide by B; divide by D"


@pytest.mark.parametrize(
    ("text", "message"),
    [("    hint", "expected a hint below"), ("a = 1", "expected a hint")],
)
def test_a_table_with_a_hole_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        table(text)


@pytest.mark.parametrize(
    ("function", "wrong", "message"),
    [
        (mean_of_squares, "squares = x", "has exactly once, got 'squares'"),
        (loop, "total = 1", "has exactly once, got 'total'"),
        (mean_of_squares, "print(x)", "expected steps like name = value"),
    ],
)
def test_a_wrong_step_has_the_name_of_one_right_step(function, wrong, message):
    with pytest.raises(ValueError, match=message):
        with_mistakes(function, wrong)


def test_a_step_with_mistakes_is_a_function_of_its_own():
    (x,) = draw(3, 5)
    wrong = with_mistakes(mean_of_squares, "square = x", "count = 1")
    assert wrong(x).equal(x.sum(-1))
    assert mean_of_squares(x).equal((x * x).sum(-1) / 5)


def test_pairs_take_each_hint_once_and_no_step_twice():
    hints = [hint for _, hint in twice_mistaken(mean_of_squares, ROWS)]
    assert len(hints) == len(set(hints)) == 2


def mean_and_most(x):
    """Return the mean and the largest number of each row."""
    count = x.size(-1)
    total = x.sum(-1)
    most = x.amax(-1)
    return total / count, most


def test_of_two_rows_what_is_right_and_what_one_changes_is_asked():
    count, total, most = rows = table("""
        count = 1
            you add
        total = x.abs().sum(-1)
            you lose signs
        most = x.amin(-1)
            you take the least
    """)
    exercise = Exercise(
        right=mean_and_most,
        returns={"the mean": "B", "the most": "B"},
        takes=("B D",),
        cases=(),
        mistakes=rows,
    )
    case = Case("", draw(3, 5))

    def fit(*wrong):
        steps = [row.wrong for row in wrong]
        results = with_mistakes(mean_and_most, *steps)(*case.inputs)
        fits = fitting(Trial(exercise), case, results)
        return [fits(*pair) for pair in itertools.combinations(range(3), 2)]

    assert fit(count, total) == [True, False, False]
    assert fit(count, most) == [False, True, False]
    assert fit(count, total, most) == [False, False, False]


def test_right_answers_pass():
    assert CHECK(mean_of_squares)
    assert CHECK(lambda x: x.square().mean(-1))


def test_a_mistake_and_a_pair_of_mistakes_get_their_hints():
    assert hint(lambda x: x.mean(-1)) == ROWS[0].hint
    both = hint(lambda x: x.sum(-1) / len(x))
    assert both == f"{ROWS[0].hint}; and: {ROWS[1].hint}"


def test_an_answer_cannot_spoil_the_check_of_the_next(monkeypatch):
    def meddling(x):
        monkeypatch.setattr(torch.Tensor, "sum", torch.Tensor.prod)
        return x.square().mean(-1)

    assert not CHECK(meddling)  # what is right is wrong from here on
    monkeypatch.undo()
    assert CHECK(mean_of_squares)


def test_only_steps_that_combine_are_tried_in_pairs():
    apart = replace(CHECK.exercise, combine=("square", "total"))
    both = check_of(apart)(lambda x: x.sum(-1) / len(x)).hint
    assert "and:" not in both


def test_the_mistake_that_explains_most_cases_wins():
    # Divided by 3: B in the first case, and 3 in the second.
    assert "divide by B" in hint(lambda x: (x * x).sum(-1) / len(x))
    assert "wrong" in hint(lambda x: (x * x).sum(-1) * 0.77)


def test_mistakes_are_told_apart_on_the_cases_that_are_asked():
    three = table("""
        count = 3
            you divide by 3
    """)
    for asked, hint in ((1, "divide by 3"), (3, "divide by B")):
        exercise = replace(CHECK.exercise, mistakes=three + ROWS, asked=asked)
        verdict = check_of(exercise)(lambda x: (x * x).sum(-1) / len(x))
        assert hint in verdict.hint


def test_what_is_asked_of_all():
    numbers = iter(range(100))

    def kept(x):
        return mean_of_squares(x) * (next(numbers) == 0)

    def in_place(x):
        x *= x
        return x.mean(-1)

    def first_only(x, calls=[]):  # noqa: B006
        calls.append(x)
        return mean_of_squares(x) + (len(calls) > 3)

    def with_gradients_twice(x, calls=[]):  # noqa: B006
        calls.append(x)
        return mean_of_squares(x) * (1 + (len(calls) > 4))

    assert hint(lambda x: None) == NOT_ANSWERED
    assert "raised an error" in hint(lambda x: x @ x)
    assert "in place" in hint(in_place)
    assert "two calls" in hint(lambda x: torch.rand(len(x)))
    assert "keep nothing" in hint(first_only)
    assert "keep nothing" in hint(kept)
    assert "keep nothing" in hint(with_gradients_twice)
    assert "must be a tensor" in hint(lambda x: 1.0)
    assert "return one tensor" in hint(lambda x: (mean_of_squares(x), x))
    assert "(B, D)" in hint(lambda x: x * x + 1)
    assert "NaN" in hint(lambda x: mean_of_squares(x) * float("nan"))
    assert "float64" in hint(lambda x: mean_of_squares(x).double())
    assert "no gradient" in hint(lambda x: mean_of_squares(x.detach()))
    assert "digits are lost" in hint(lambda x: mean_of_squares(x) * 1.000001)
    assert "wrong order" in hint(lambda x: mean_of_squares(x).flip(0))


def test_an_exercise_has_words_of_its_own():
    own = check_of(
        replace(
            CHECK.exercise,
            returns={"the mean": ""},
            errors={"same dtype": "leave double out"},
            differ="keep no counter",
        )
    )
    assert "leave double out" in own(lambda x: x @ x.mT.double()).hint
    assert "keep no counter" in own(lambda x: torch.rand(len(x))).hint
    shape = "the mean must have the shape (3,); yours has (3, 5)"
    assert shape in own(lambda x: x * x + 1).hint


def test_nan_is_compared_too():
    some = torch.tensor([1.0, math.nan, math.inf])
    assert same(some, some + 1e-9, 1e-5)
    assert not same(some, some.nan_to_num(), 1e-5)
    assert not same(some.flip(0), some, 1e-5)


def test_help_says_what_to_write():
    assert "mean_of_squares(x)" in CHECK.__doc__
    assert "x: float, (B, D)" in CHECK.__doc__


def sums_of_rows(x):
    """Return sums of rows, and x again.

    Args:
        x: float, (B, T, D) or (T, D).
    """
    total = x.sum(-1)
    return total, 1 * x


SHORT = check_of(
    Exercise(
        right=sums_of_rows,
        returns={"the sums": "B T", "the numbers": "B T D"},
        takes=("B T D",),
        cases=(Case("", (torch.arange(15.0).view(5, 3),)),),
        mistakes=(),
        trains=(("", (torch.arange(15.0).view(5, 3),)),),
    )
)


def test_letters_are_counted_from_the_last_axis():
    assert "(T), here (5,); yours has (D), (3,)" in said(
        lambda x: (x.sum(-2), 1 * x)
    )
    assert "yours has (1, T D), (1, 15)" in said(
        lambda x: (x.sum(-1), x.view(1, 15))
    )
    assert "T 4, D 2" in said(lambda x: (x.sum(-1), x.where(x < 14, 100 * x)))


def test_a_result_without_a_gradient_is_named():
    assert "flows through the numbers" in said(
        lambda x: (x.sum(-1), x.detach() + 0)
    )
    assert "flows through your result" in said(
        lambda x: sums_of_rows(x.detach())
    )


def said(answer):
    return SHORT(answer).hint


def test_two_mistakes_must_explain_the_first_case_too():
    def only_for_squares(x):
        both = x.sum(-1)  # what two rows together give
        return both if len(x) == x.size(1) else mean_of_squares(x)

    said = hint(only_for_squares)
    assert said.startswith("right, but not for a square: ")
    assert "; and: " not in said
    assert "; and: " in hint(lambda x: x.sum(-1))
