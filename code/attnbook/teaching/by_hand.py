"""List the answers that a teacher marks, exercise by exercise."""

import re
import textwrap

from attnbook.teaching.spreadsheet import format_count, format_number
from attnbook.teaching.visible import make_visible

HEAD = """\
# To be marked by hand

{count}. Type the points into the column *points* of `grades.csv`, and
a sentence into *comment* if you like; then run `attnbook grade` again.
"""


def fence(text):
    """Return a text as a block of Markdown that it cannot close itself."""
    longest = max([2, *map(len, re.findall("`+", text))])
    fence = "`" * (longest + 1)
    lines = [
        part
        for line in make_visible(text).splitlines()
        for part in textwrap.wrap(line, 79) or [""]
    ]
    return "\n".join([f"{fence}text", *lines, fence])


def escape_markdown(text):
    """Return a text on one line, with Markdown's characters escaped."""
    text = re.sub(
        r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(make_visible(text).split())
    )
    return text or "no name"


def format_answer(row):
    """Return the Markdown of one student's answer.

    Args:
        row: a `Row`.
    """
    marked = row.points is not None
    done = f", marked {format_number(row.points)}" if marked else ""
    note = f"Note: {escape_markdown(row.note)}\n\n" if row.note else ""
    who = f"{escape_markdown(row.name)} ({escape_markdown(row.student)})"
    return f"### {who}{done}\n\n{note}{fence(row.answer)}\n"


def list_answers(bundle, rows):
    """Return the list, Markdown.

    Args:
        bundle: a `Bundle`.
        rows: all `Row`.
    """
    wanted = [row for row in rows if row.status == "by hand"]
    parts = [HEAD.format(count=format_count(len(wanted), "answer"))]
    for task in bundle.tasks:
        mine = [row for row in wanted if row.exercise == task.id]
        if not mine:
            continue
        points = format_count(task.points, "point")
        parts.append(f"## {task.id} {task.title}, up to {points}\n")
        if task.rubric:
            parts.append(f"**Rubric.** {task.rubric}\n")
        parts += map(format_answer, mine)
    return "\n".join(parts)
