"""Write the marking guide of an assignment."""

from attnbook import checks
from attnbook.checks.engine.rules import reworded, rule_of
from attnbook.checks.rules import RULES


def marking_guide(bundle, every):
    """Return what the teacher needs to mark by hand, Markdown."""
    lines = [
        f"# {bundle.title}: marking guide",
        "",
        f"Assignment `{bundle.assignment}`, seed `{bundle.seed}`, "
        f"{bundle.points:g} points. Keep this, and the seed, to yourself.",
    ]
    for one in every:
        task = one.task
        lines += [
            "", f"## {task.id} {task.title}", "",
            f"{task.kind.capitalize()}, {task.points:g} points, answered by "
            f"`{task.name}` ({task.form}).", "",
        ]  # fmt: skip
        if task.rules:
            lines += [f"Rules: {', '.join(task.rules)}.", ""]
        lines += ["**Solution.**", "", task.solution, ""]
        if task.rubric:
            lines += ["**Rubric.**", "", task.rubric, ""]
        lines += mistakes_of(task)
    return "\n".join(lines).rstrip() + "\n"


def mistakes_of(task):
    """Return lines with the mistakes that a task's check knows by name.

    Args:
        task: a `Task`; the hints read as they do under its rules.
    """
    check = getattr(checks, f"check_{task.check}", None)
    rows = getattr(getattr(check, "exercise", None), "mistakes", ())
    groups = RULES.get(task.id, ())
    chosen = [rule_of(groups, spec) for spec in task.rules]
    hints = dict.fromkeys(reworded(row.hint, chosen) for row in rows)
    if not hints:
        return []
    return ["**Mistakes that the check names.**", ""] + [
        f"* {hint}" for hint in hints
    ]
