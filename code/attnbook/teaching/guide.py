"""Write the marking guide of an assignment."""

import re

from attnbook import checks
from attnbook.checks import RULES
from attnbook.checks.engine.rules import rule_of, sentence_of
from attnbook.teaching.spreadsheet import format_count

LONG = re.compile(r"\d+\.\d{7,}(?:e[-+]?\d+)?")


def format_guide(bundle, every):
    """Return what the teacher needs to mark by hand, Markdown."""
    lines = [
        f"# {bundle.title}: marking guide",
        "",
        f"Assignment `{bundle.assignment}`, seed `{bundle.seed}`, "
        f"{format_count(bundle.points, 'point')}. Keep this, and the seed, to "
        "yourself.",
    ]
    for one in every:
        task = one.task
        lines += [
            "", f"## {task.id} {task.title}", "",
            f"{task.kind.capitalize()}, {format_count(task.points, 'point')}, "
            f"answered by `{task.name}` ({task.form}).", "",
        ]  # fmt: skip
        if task.rules:
            lines += [f"Rules: {', '.join(task.rules)}.", ""]
        lines += ["**Solution.**", "", round_decimals(task.solution), ""]
        if task.rubric:
            lines += ["**Rubric.**", "", task.rubric, ""]
        lines += list_mistakes(task)
    return "\n".join(lines).rstrip() + "\n"


def round_decimals(text):
    """Return a text whose long decimals have four digits, as people write.

    Args:
        text: Markdown or Python.
    """
    return LONG.sub(lambda found: format_decimal(float(found[0])), text)


def format_decimal(number):
    """Return a number with four decimals, four digits if it is small."""
    if 0 < abs(number) < 0.001:
        return f"{number:.4g}"
    return f"{number:.4f}".rstrip("0").rstrip(".")


def list_mistakes(task):
    """Return lines with the mistakes that a task's check knows by name.

    Args:
        task: a `Task`.
    """
    check = getattr(checks, f"check_{task.check}", None)
    rows = getattr(getattr(check, "exercise", None), "mistakes", ())
    groups = RULES.get(task.id, ())
    hints = dict.fromkeys(row.hint for row in rows)
    if not hints:
        return []
    said = sentence_of([rule_of(groups, spec) for spec in task.rules])
    lines = ["**Mistakes that the check names.**", ""]
    lines += [f"Each ends with *{said}*", ""] if said else []
    return lines + [f"* {hint}" for hint in hints]
