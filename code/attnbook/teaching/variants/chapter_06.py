"""Variants of the exercises of chapter 6, Self-attention."""

import math
import re

from attnbook.tasks.running_sentence import (
    EMBEDDINGS,
    W_K,
    W_Q,
    W_V,
    WORDS,
)
from attnbook.teaching.variants import Variant, shuffled
from attnbook.teaching.variants.chapter_04 import powers, vector
from attnbook.teaching.variants.planted import weak_test
from attnbook.teaching.variants.running import NAMES, behaves_like

PAGE_6_1 = re.compile(r"reads the four words.*?of the weights\?", re.DOTALL)
SWAPS = """\
reads the {count} words *{words}*. You keep its weights ({n}, {n}) and its \
context ({n}, d_v). Now it reads *{other}*. Which rows of the weights change \
places, which columns, which rows of the context, and does any number change \
that is not moved? Where does the weight that stood in row {row}, column \
{column} stand now? Then it reads *{double}*: which rows of the context are \
equal, and which columns of the weights?"""
COUNTS = {4: "four", 5: "five", 6: "six"}


def swapped_words(exercise, rng):
    """6.1: more words, others of which change places or come twice."""
    n = rng.choice((4, 5, 6))
    first = sorted(rng.sample(range(n), 2))
    twice = sorted(rng.sample(range(n), 2))
    cell = rng.choice(first), rng.randrange(n)
    words = "abcdef"[:n]
    other, double = list(words), list(words)
    other[first[0]], other[first[1]] = words[first[1]], words[first[0]]
    double[twice[1]] = words[twice[0]]
    places = "two numbers, [smaller, larger]; count from 1"
    return Variant(
        edits=(
            (
                PAGE_6_1.search(exercise.task)[0],
                SWAPS.format(
                    count=COUNTS[n], n=n, words=" ".join(words),
                    other=" ".join(other), double=" ".join(double),
                    row=cell[0] + 1, column=cell[1] + 1,
                ),
            ),
        ),
        answers=swaps(words, "".join(other), "".join(double), cell),
        form={
            "rows": places,
            "columns": places,
            "context": places,
            "changes": '"yes" or "no"',
            "weight": "[row, column]; count from 1",
            "equal_rows": places,
            "equal_columns": places,
        },
        solution="A word is a row as a query and a column as a key, and it "
        "takes its numbers along. Two equal words have equal rows and equal "
        "columns.",
    )  # fmt: skip


def swaps(words, other, double, cell):
    """Return the answers of 6.1.

    Args:
        words: one letter each.
        other: the same letters, two of them exchanged.
        double: letters, of which two are equal.
        cell: row and column of one weight, counted from 0.
    """
    moved = [i + 1 for i, x in enumerate(words) if other[i] != x]
    equal = [i + 1 for i, x in enumerate(double) if double.count(x) == 2]
    return {
        "rows": moved,
        "columns": moved,
        "context": moved,
        "changes": "no",
        "weight": [other.index(words[i]) + 1 for i in cell],
        "equal_rows": equal,
        "equal_columns": equal,
    }


PAGE_6_2 = "stands a word that points and has a property, $(0, 0, 1, 2)$;"
TAKEN = (0, 0, 1, 2)  # by the page
POWERS_6_2 = re.compile(r"two decimals; .*?0\.05\$", re.DOTALL)


SIX = "six numbers, in the order of the sentence"
FORM_6_2 = {
    "query": "four numbers",
    "key": "four numbers",
    "scores": SIX,
    "scaled": SIX,
    "weights": SIX,
    "first": "a number, two decimals",
    "more": '"animal", "street" or "same"',
}


def another_word(exercise, rng):
    """6.2: another word, in another place."""
    place = rng.choice((1, 3, 4))  # cross, it, too
    word, answers = drawn(rng, place)
    edits = (
        ("In the place of *it* stands",
         f"In the place of *{WORDS[place]}* stands"),
        (PAGE_6_2, f"stands a word with the numbers {vector(word)};"),
        (POWERS_6_2.search(exercise.task)[0],
         f"two decimals; {powers(answers['scaled'])}"),
        ("the first number of its context", "the first number of its "
         "context, without rounding the weights first"),
        ("Has the animal gained on the street?",
         "Which of *animal* and *street* gets more weight?"),
    )  # fmt: skip
    return Variant(
        edits=edits,
        answers=answers,
        form=FORM_6_2,
        tolerance=0.011,
        solution="The word times the three matrices; its query with all six "
        "keys, its own among them.",
    )


def drawn(rng, place):
    """Return a word whose scaled scores are small, and its answers."""
    while True:
        word = tuple(rng.choice((0, 0, 1, 1, 2)) for _ in range(4))
        answers = read_by(word, place)
        scaled = {*answers["scaled"]}
        small = min(scaled) >= -3 and max(scaled) <= 3
        if small and len(scaled) > 3 and word not in (
            TAKEN, EMBEDDINGS[place]
        ):  # fmt: skip
            return word, answers


def times(vector, matrix):
    """Return a vector times a matrix, a list."""
    columns = zip(*matrix, strict=True)
    return [
        sum(a * b for a, b in zip(vector, column, strict=True))
        for column in columns
    ]


def read_by(word, place):
    """Return the answers of 6.2.

    Args:
        word: four numbers.
        place: which of the six words it replaces.
    """
    words = [list(x) for x in EMBEDDINGS]
    words[place] = list(word)
    query = times(word, W_Q)
    keys = [times(x, W_K) for x in words]
    scores = [
        sum(a * b for a, b in zip(query, key, strict=True)) for key in keys
    ]
    scaled = [score / math.sqrt(len(query)) for score in scores]
    whole = sum(map(math.exp, scaled))
    weights = [math.exp(x) / whole for x in scaled]
    first = sum(
        w * times(x, W_V)[0] for w, x in zip(weights, words, strict=True)
    )
    animal, street = scores[0], scores[2]
    more = "animal" if animal > street else "street"
    return {
        "query": query,
        "key": keys[place],
        "scores": scores,
        "scaled": scaled,
        "weights": weights,
        "first": first,
        "more": "same" if animal == street else more,
    }


SIZES = (  # of x, w_q, w_k and w_v
    ((2, 4, 6), (6, 5), (6, 5), (6, 7)),
    ((3, 3, 6), (6, 5), (6, 5), (6, 5)),
    ((1, 2, 4), (4, 9), (4, 9), (4, 2)),
)


def lines(exercise, rng):
    """6.3: other letters and names; every order that works is right."""
    works = behaves_like(exercise, ("x", "w_q", "w_k", "w_v"), SIZES)
    own = ("self_attention", ("attend", "mix", "read_all"))
    return shuffled(exercise, rng, works, (*NAMES, own))


def staircase(exercise, rng):
    """6.6: another seed."""
    seed = rng.randint(1, 99)
    return Variant(
        edits=(("True, seed=0, length=T", f"True, seed={seed}, length=T"),),
        code=(("seed=0, length", f"seed={seed}, length"),),
        solution="The numbers below the code are those of seed 0.",
    )


VARIANTS = {
    "6.1": swapped_words,
    "6.2": another_word,
    "6.3": lines,
    "6.5": weak_test,
    "6.6": staircase,
}
