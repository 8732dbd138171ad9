"""List the answers that a teacher marks, exercise by exercise."""

import re
import textwrap

from attnbook.teaching.spreadsheet import counted, spelled
from attnbook.teaching.visible import make_visible

HEAD = """\
# To be marked by hand

{count}. Type the points into the column *points* of `grades.csv`, and
a sentence into *comment* if you like; then run `attnbook grade` again.
"""


def fenced(text):
    """Return a text as Markdown that no reader takes for anything else."""
    longest = max([2, *map(len, re.findall("`+", text))])
    fence = "`" * (longest + 1)
    lines = [
        part
        for line in make_visible(text).splitlines()
        for part in textwrap.wrap(line, 79) or [""]
    ]
    return "\n".join([f"{fence}text", *lines, fence])


def escaped(text):
    """Return a text on one line, each sign of Markdown with a backslash."""
    text = re.sub(
        r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(make_visible(text).split())
    )
    return text or "no name"


def answer_of(row):
    """Return the Markdown of one student's answer.

    Args:
        row: a `Row`.
    """
    done = "" if row.points is None else f", marked {spelled(row.points)}"
    note = f"Note: {escaped(row.note)}\n\n" if row.note else ""
    return (
        f"### {escaped(row.name)} ({escaped(row.student)}){done}\n\n{note}"
        f"{fenced(row.answer)}\n"
    )


def text(bundle, rows):
    """Return the list, Markdown.

    Args:
        bundle: a `Bundle`.
        rows: all `Row`.
    """
    wanted = [row for row in rows if row.status == "by hand"]
    parts = [HEAD.format(count=counted(len(wanted), "answer"))]
    for task in bundle.tasks:
        mine = [row for row in wanted if row.exercise == task.id]
        if not mine:
            continue
        points = counted(task.points, "point")
        parts.append(f"## {task.id} {task.title}, up to {points}\n")
        if task.rubric:
            parts.append(f"**Rubric.** {task.rubric}\n")
        parts += map(answer_of, mine)
    return "\n".join(parts)
