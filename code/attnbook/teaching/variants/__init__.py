"""What a seed makes of the exercises of chapters 4, 6, 7 and 10.

A variant is written as changes of the page's own words, so that the page
stays the one source; its solution is computed.  `VARIANTS` maps the id of an
exercise to a function of the exercise and a `random.Random` that returns a
`Variant`.  Rules, under which functions are asked for otherwise than on the
page, lie beside their check in `attnbook.checks`, as a student needs both.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One exercise as a seed makes it.

    Attributes:
        edits: pairs of a phrase of the page's task, which is in it exactly
            once, and what stands there instead.
        code: pairs of a phrase of the page's solution, and what stands there
            instead.
        title: of the exercise, "" for the page's.
        answers: part -> right answer, an int, float, bool, str, or tuples or
            lists of them; {} if it is answered by a function or an order.
        form: part -> what an answer looks like, in a few words.
        tolerance: how far floats may be off (absolute).
        order: the right order of letters, for Parsons problems.
        works: a function of the lines in a student's order, joined, that says
            whether they do what the task asks for; other orders than `order`
            may.
        solution: how the answers are found, Markdown for the teacher.
    """

    edits: tuple = ()
    code: tuple = ()
    title: str = ""
    answers: dict = field(default_factory=dict)
    form: dict = field(default_factory=dict)
    tolerance: float = 0.0
    order: tuple = ()
    works: Callable | None = None
    solution: str = ""


COUNTED = ("no", "one", "two", "three", "four", "five", "six", "seven",
           "eight", "nine", "ten")  # fmt: skip
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
LINE = re.compile(r"^([A-Z]) (.*)$", re.MULTILINE)


def lines_of(text):
    """Return the lines of a Parsons problem, a dict from letter to line.

    Args:
        text: Markdown with a block of lines, each with a letter in front.
    """
    return dict(LINE.findall(BLOCK.search(text)[1]))


def shuffled(exercise, rng, works, names=()):
    """Return a Parsons problem with other letters, and other names.

    Args:
        exercise: its `Exercise`; the solution begins with the letters in
            order, as "C, B, A.".
        rng: a `random.Random`.
        works: see `Variant`.
        names: pairs of a name in the lines and those that may replace it.
    """
    lines = lines_of(exercise.text)
    letters = [*lines]
    new = dict(zip(letters, rng.sample(letters, len(letters)), strict=True))
    if all(new[x] == x for x in letters[:3]):  # hardly shuffled
        new = dict(zip(letters, [*letters[1:], letters[0]], strict=True))
    old = BLOCK.search(exercise.text)[1]
    block = "".join(
        f"{letter} {lines[was]}\n"
        for letter, was in sorted((new[x], x) for x in letters)
    )
    for name, others in names:
        block = re.sub(rf"\b{name}\b", rng.choice(others), block)
    first = re.match(r"[A-Z](?:, [A-Z])+", exercise.solution)[0]
    order = tuple(new[x] for x in first.split(", "))
    return Variant(edits=((old, block),), order=order, works=works)
