"""Make the tasks of an assignment out of the exercises of the course."""

import importlib
import re
from dataclasses import dataclass

from attnbook.checks import RULES
from attnbook.checks.engine.allowed import in_short
from attnbook.teaching.bundle import WHY, Task
from attnbook.teaching.changes import (
    changes_of,
    chosen_rules,
    edited,
    recoded,
)
from attnbook.teaching.exercises import ChapterExercise
from attnbook.teaching.seeds import make_rng
from attnbook.teaching.variants import Variant, lines_of

WITH_VARIANTS = (4, 6, 7, 10)  # chapters
PARTIAL = 0.5
CALL = re.compile(r"\n*^checks\.check_(\w+)\((\w+)\)\s*\Z", re.MULTILINE)
BY_HAND = {"plot_attention"}  # checks of what no pipe can carry


@dataclass(frozen=True)
class Made:
    """A task, and the words that go with it in the student's notebook."""

    task: Task
    exercise: ChapterExercise
    text: str


def draw_variant(exercise, rng):
    """Draw the `Variant` of an exercise, an empty one if it has none.

    Args:
        exercise: a `ChapterExercise`.
        rng: a `random.Random`.
    """
    number = int(exercise.id.split(".")[0])
    if number not in WITH_VARIANTS:
        return Variant()
    name = f"attnbook.teaching.variants.chapter_{number:02d}"
    make = importlib.import_module(name).VARIANTS.get(exercise.id)
    return make(exercise, rng) if make else Variant()


def make_tasks(exercise, key, points=None, site=""):
    """Make the tasks of an exercise: itself, and its words if it has some.

    Args:
        exercise: a `ChapterExercise`.
        key: bytes, of the assignment's seed.
        points: other ones than the exercise's, or None.
        site: address of the book, or "".

    Returns:
        A list of one or two `Made`.
    """
    variant = draw_variant(exercise, make_rng(key, exercise.id, "variant"))
    own, words = split_points(exercise, points)
    made = make_task(exercise, key, variant, own, site)
    if not exercise.explains:
        return [made]
    return [made, make_words(made, variant, words)]


def make_task(exercise, key, variant, points, site):
    """Make the task of an exercise, a `Made`, without its words.

    Arguments as in `make_tasks`, and the exercise's `Variant`.
    """
    groups = RULES.get(exercise.id, ()) if exercise.check else ()
    rng = make_rng(key, exercise.id, "rules")
    rules = chosen_rules(groups, rng) if groups else ()
    words, code = changes_of(groups, rules)
    where = f"exercise {exercise.id}"
    text = edited(exercise.task, (*variant.edits, *words), where)
    if exercise.check:
        own = function_of(exercise, rules, code)
    elif variant.answers:
        own = values_of(exercise, variant)
    elif variant.order:
        own = order_of(exercise, variant, text)
    else:
        own = text_of(exercise, variant)
    if variant.solution and not (variant.answers or variant.order):
        own["solution"] += f"\n\n{variant.solution}"
    task = Task(
        id=exercise.id,
        title=variant.title or exercise.title,
        kind=exercise.kind,
        points=points,
        minutes=exercise.minutes,
        rubric=exercise.folds.get("Rubric", ""),
        page=f"{site}/{exercise.page}" if site else "",
        **own,
    )
    return Made(task, exercise, text)


def split_points(exercise, points=None):
    """Return the points of an exercise, and those for words beside it.

    Args:
        exercise: a `ChapterExercise`.
        points: of both together, or None for the exercise's.
    """
    points = exercise.points if points is None else points
    words = round(points * exercise.explains / exercise.points, 2)
    return (round(points - words, 2), words) if words else (points, 0)


def make_words(made, variant, points):
    """Make the task of what an exercise asks in words beside a function.

    Args:
        made: the function's `Made`.
        variant: the exercise's `Variant`.
        points: of the words.
    """
    own, exercise = made.task, made.exercise
    task = Task(
        id=f"{own.id}{WHY}",
        title=f"{own.title}, in words",
        kind="explain",
        points=points,
        minutes=0,  # they are the function's
        form="text",
        name=named("why", exercise),
        stub=text_stub(named("why", exercise)),
        solution=variant.solution or exercise.solution,
        page=own.page,
    )
    return Made(task, exercise, "")


def text_stub(name):
    """Return the cell of an answer in words."""
    return f'{name} = """\n\n"""  # your answer, between the quotes'


def function_of(exercise, rules, code):
    """Return the fields of a task that a function answers.

    Args:
        exercise: a `ChapterExercise` with a check.
        rules: specs of those that hold.
        code: edits of code that they make.
    """
    check, name = CALL.search(exercise.stub).groups()
    stub = recoded(CALL.sub("", exercise.stub), code).rstrip()
    solution = exercise.solution
    if rules:
        solution = f"```python\n{recoded(exercise.solution_code, code)}```"
    return {
        "form": "function",
        "name": name,
        "stub": f"{stub}\n\n\n{call_of(exercise, check, name, rules)}",
        "check": None if check in BY_HAND else check,
        "rules": rules,
        "partial": PARTIAL,
        "solution": solution,
        "may_not_call": exercise.forbids,
    }


def call_of(exercise, check, name, rules):
    """Return the line, or lines, that check a function at home."""
    specs = ", ".join(map(quoted, (exercise.id, *rules)))
    call = f"checks.assigned({specs})" if rules else f"checks.check_{check}"
    given = f'{name}, forbids="{in_short(exercise.forbids)}"'
    line = f"{call}({given})"
    return line if len(line) < 80 else f"{call}(\n    {given}\n)"


def quoted(text):
    """Return a str as Python writes it, in double quotes."""
    return '"' + text.replace('"', '\\"') + '"'


def named(word, exercise):
    """Return the name of an answer that is no function, as order_10_3."""
    return f"{word}_{exercise.id.replace('.', '_')}"


def values_of(exercise, variant):
    """Return the fields of a task that numbers and words answer.

    Args:
        exercise: a `ChapterExercise`.
        variant: its `Variant`.
    """
    name = named("answer", exercise)
    rows = [f"    {quoted(part)}: ...,  # {variant.form[part]}"
            for part in variant.answers]  # fmt: skip
    values = [
        f"* {part}: `{value!r}`" for part, value in variant.answers.items()
    ]
    return {
        "form": "values",
        "name": name,
        "stub": "\n".join([f"{name} = {{", *rows, "}"]),
        "answers": variant.answers,
        "tolerance": variant.tolerance,
        "solution": "\n".join([*values, "", variant.solution]),
    }


def order_of(exercise, variant, text):
    """Return the fields of a task that an order of lines answers.

    Args:
        exercise: a `ChapterExercise`.
        variant: its `Variant`.
        text: of the task, with the lines.
    """
    name = named("order", exercise)
    return {
        "form": "order",
        "name": name,
        "stub": f'{name} = ""  # the letters in order, such as "C A B"',
        "order": variant.order,
        "lines": lines_of(text),
        "solution": f"{', '.join(variant.order)}, or another order that "
        f"does the same. {variant.solution}",
    }


def text_of(exercise, variant):
    """Return the fields of a task that is marked by hand.

    Args:
        exercise: a `ChapterExercise`.
        variant: its `Variant`.
    """
    name = named("text", exercise)
    return {
        "form": "text",
        "name": name,
        "stub": text_stub(name),
        "solution": recoded(exercise.solution, variant.code),
    }
