"""Variants of the exercises of chapter 4, Scaling."""

import math

from attnbook.teaching.variants import Variant, shuffled
from attnbook.teaching.variants.planted import colleague
from attnbook.teaching.variants.running import NAMES, behaves_like

ROOTS = (3, 4, 5, 6, 7, 8, 10, 12)  # of the narrow width
FACTORS = (2, 3, 4, 5)  # of the root
TIMES = ((3, "triple"), (4, "multiply by 4"), (5, "multiply by 5"),
         (10, "multiply by 10"))  # fmt: skip


def widths(exercise, rng):
    """4.1: other widths, wider or narrower, and another factor."""
    root, factor = rng.choice(ROOTS), rng.choice(FACTORS)
    before, after = root**2, (root * factor) ** 2
    verb = "widen"
    if rng.random() < 0.5:
        before, after, verb = after, before, "narrow"
    times, does = rng.choice(TIMES)
    whose = rng.choice(("queries", "keys"))
    return Variant(
        edits=(
            (
                "You widen all heads from $d_k = 64$ to $d_k = 256$",
                f"You {verb} all heads from $d_k = {before}$ to $d_k = "
                f"{after}$",
            ),
            (
                "At $d_k = 64$ you double every number in the queries",
                f"At $d_k = {before}$ you {does} every number in the {whose}"
                if does == "triple"
                else f"At $d_k = {before}$ you multiply every number in the "
                f"{whose} by {times}",
            ),
        ),
        answers=typical(before, after, times),
        form={
            "a": "the factor, a number; below 1 if it shrinks",
            "b": "the factor, a number",
            "c": "the factor, a number",
            "d_raw": "a typical raw score, a number",
            "d_scaled": "a typical scaled score, a number",
        },
        tolerance=0.011,
        solution="The variance of a raw score is the width, a typical one "
        "its root; scaled it is 1 at every width. A factor on all queries or "
        "keys stands on both scores.",
    )


def typical(before, after, times):
    """Return the answers of 4.1.

    Args:
        before: the width at first.
        after: the width afterwards.
        times: the factor on the queries.
    """
    return {
        "a": after / before,
        "b": math.sqrt(after) / math.sqrt(before),
        "c": 1.0,
        "d_raw": times * math.sqrt(before),
        "d_scaled": float(times),
    }


THREE = "three numbers, [first key, second, third]"
FORM_4_2 = {
    "scores": THREE,
    "scaled": THREE,
    "weights": THREE,
    "context": "a number, two decimals",
}


def one_query(exercise, rng):
    """4.2: another query, other keys and values."""
    query, keys = drawn(rng)
    values = [10 * x for x in rng.sample(range(1, 10), 3)]
    answers = attended(query, keys, values)
    first, second, third = map(vector, keys)
    edits = (
        ("$(1, 1, 1, 1)$, so $d_k = 4$", f"{vector(query)}, so $d_k = 4$"),
        ("$(1, 1, 0, 0)$, $(1, 1, 1, 1)$ and $(1, -1, 1, -1)$",
         f"{first}, {second} and {third}"),
        ("$10$, $20$ and $30$", "${}$, ${}$ and ${}$".format(*values)),
        ("two decimals; $e \\approx 2.72$, $e^2 \\approx 7.39$",
         f"two decimals; {powers(answers['scaled'])}"),
        ("and the context.",
         "and the context, without rounding the weights first."),
    )  # fmt: skip
    return Variant(
        edits=edits,
        answers=answers,
        form=FORM_4_2,
        tolerance=0.011,
        solution="Scores are dot products; divided by 2; exponentials over "
        "their sum; the weights times the values.",
    )


def drawn(rng):
    """Return a query and three keys whose scaled scores are small integers."""
    while True:
        query = [rng.choice((-1, 1, 1, 2)) for _ in range(4)]
        keys = [
            [rng.choice((-1, 0, 1, 1)) for _ in range(4)] for _ in range(3)
        ]
        scaled = set(attended(query, keys, [0, 0, 0])["scaled"])
        if len(scaled) == 3 and scaled <= {-1, 0, 1, 2, 3}:
            return query, keys


def attended(query, keys, values):
    """Return the answers of 4.2, for lists of numbers."""
    scores = [
        sum(a * b for a, b in zip(query, key, strict=True)) for key in keys
    ]
    scaled = [score / math.sqrt(len(query)) for score in scores]
    whole = sum(map(math.exp, scaled))
    weights = [math.exp(x) / whole for x in scaled]
    context = sum(w * v for w, v in zip(weights, values, strict=True))
    return {
        "scores": scores,
        "scaled": scaled,
        "weights": weights,
        "context": context,
    }


def vector(numbers):
    """Return numbers as Markdown shows a vector."""
    return f"$({', '.join(map(str, numbers))})$"


def powers(exponents):
    """Return powers of e in words, four decimals, without e to the 0."""
    return ", ".join(
        f"$e^{{{x:g}}} \\approx {math.exp(x):.4f}$"
        for x in sorted({*exponents} - {0}, reverse=True)
    )


def lines(exercise, rng):
    """4.3: other letters and names; every order that works is right."""
    works = behaves_like(exercise, "qkv", SIZES)
    own = ("scaled_attention", ("attend", "mix", "look_up"))
    return shuffled(exercise, rng, works, (*NAMES, own))


SIZES = (  # of q, k and v
    ((2, 3, 4, 6), (2, 3, 5, 6), (2, 3, 5, 7)),
    ((1, 2, 3, 9), (1, 2, 3, 9), (1, 2, 3, 4)),
)


def agreeing(exercise, rng):
    """4.8: queries and keys agree less, or more."""
    share = rng.choice((0.2, 0.4, 0.5, 0.6, 0.7, 0.8))
    return Variant(
        edits=(("`a = 0.3`", f"`a = {share}`"),),
        code=(("(1.0, 0.3)", f"(1.0, {share})"),),
        solution="The numbers below the code are those of a = 0.3; they grow "
        "in proportion to a.",
    )


def small_start(exercise, rng):
    """4.10: another seed."""
    seed = rng.randint(1, 99)
    return Variant(
        edits=(("False, seed=0,", f"False, seed={seed},"),),
        code=(("(0, 1, 2)", f"({seed},)"),),
        solution="The numbers below the code are those of the page's seeds.",
    )


VARIANTS = {
    "4.1": widths,
    "4.2": one_query,
    "4.3": lines,
    "4.5": colleague,
    "4.8": agreeing,
    "4.10": small_start,
}
