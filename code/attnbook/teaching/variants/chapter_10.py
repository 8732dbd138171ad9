"""Variants of the exercises of chapter 10, Masks."""

import math

from attnbook.teaching.variants import Variant


def hidden_keys(exercise, dice):
    """10.2: other scores, and another key is the pad."""
    scores = dice.sample((-1, 0, 1, 2, 3), 3)
    fifth = dice.choice((4, 5, 6))
    powers = [math.exp(x) for x in scores]
    first, second, pad = powers
    whole = first + second
    answers = {
        "a": [first / whole, second / whole, 0.0],
        "b": [x / (whole + 1) for x in (first, second, 1)],
        "c": [first / (whole + pad), second / (whole + pad), 0.0],
        "sums": [1.0, 1.0, whole / (whole + pad)],
        "changes": "c",
    }
    three = "three weights, [w1, w2, w3]"
    return Variant(
        edits=(
            ("$2, 0, 1$", f"${', '.join(map(str, scores))}$"),
            ("$e \\approx 2.72$, $e^2 \\approx 7.39$",
             ", ".join(f"$e^{{{x}}} \\approx {math.exp(x):.2f}$"
                       for x in scores)),
            ("own score becomes 5", f"own score becomes {fifth}"),
        ),
        answers=answers,
        form={
            "a": three, "b": three, "c": three,
            "sums": "the three sums, [of a, of b, of c]",
            "changes": 'the letter of the row that changes, such as "a"',
        },
        tolerance=0.011,
        solution="With $e^s$ of each score, divided by the sum of what is "
        "left in the row. Row (c) changes: its pad is in the sum.",
    )  # fmt: skip


VARIANTS = {"10.2": hidden_keys}
