"""What the grader knows of an assignment: its tasks, and the seed.

Held-out inputs are in no file; they are drawn from the seed each time.
"""

import dataclasses
import datetime
import json
from dataclasses import dataclass, field
from pathlib import Path

from attnbook.teaching.seeds import derive_key, make_rng

FORMAT = 1
FORMS = ("function", "values", "order", "text")
NAME = "bundle.json"
WHY = "-why"  # behind the id of what a task asks in words, as 10.4-why


@dataclass(frozen=True, kw_only=True)
class Task:
    """One exercise of an assignment.

    Attributes:
        id: as "10.5"; "10.4-why" for the words beside a function.
        title: of the exercise.
        kind: as the exercise says it.
        points: for a right answer.
        minutes: that it takes.
        form: "function", "values", "order" (of lines) or "text".
        name: what is looked for in a submission.
        stub: the cell that students fill in.
        check: name of the check, None if it is marked by hand.
        rules: under which the check is made, see `checks.engine.rules`.
        partial: share of the points for an answer that is right in the plain
            case alone.
        answers: part -> right answer, for values.
        tolerance: how far floats may be off.
        order: of letters, for orders.
        lines: letter -> line, for orders.
        may_not_call: names that an answer must not use.
        rubric: Markdown, for marking by hand.
        solution: Markdown.
        page: address of the exercise in the book, or "".
    """

    id: str
    title: str
    kind: str
    points: float
    minutes: int
    form: str
    name: str
    stub: str
    check: str | None = None
    rules: tuple = ()
    partial: float = 0.0
    answers: dict = field(default_factory=dict)
    tolerance: float = 0.0
    order: tuple = ()
    lines: dict = field(default_factory=dict)
    may_not_call: tuple = ()
    rubric: str = ""
    solution: str = ""
    page: str = ""


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """An assignment, as its teacher keeps it.

    Attributes:
        assignment: the name that is in every student's notebook.
        title: of the assignment.
        due: a `datetime` with a zone, or None.
        seed: of the teacher.
        version: of the package that made it.
        notebook: the released notebook, relative to the bundle.
        tasks: all `Task`.
    """

    assignment: str
    title: str
    due: datetime.datetime | None
    seed: str
    version: str
    notebook: str
    tasks: tuple

    @property
    def key(self):
        """Return the key that everything is drawn from, bytes."""
        return derive_key(self.seed)

    def key_for(self, task, attempt=0):
        """Return the key of a task's held-out inputs, bytes."""
        return make_rng(self.key, task.id, "held out", attempt).randbytes(32)

    @property
    def points(self):
        """Return the sum of all points."""
        return sum(task.points for task in self.tasks)


def write_bundle(bundle, folder):
    """Write a `Bundle` into a folder.

    Args:
        bundle: what `read_bundle` returns again.
        folder: a `Path` or str.
    """
    content = {"format": FORMAT} | dataclasses.asdict(bundle)
    content["due"] = bundle.due and bundle.due.isoformat()
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    (Path(folder) / NAME).write_text(text, encoding="utf-8")


def read_bundle(folder):
    """Return the `Bundle` of a folder.

    Args:
        folder: of an assignment, a `Path` or str.

    Raises:
        ValueError: there is none, or it is of another format.
    """
    path = Path(folder) / NAME
    if not path.is_file():
        raise ValueError(
            f"expected a folder that attnbook assign made, with {NAME}, got "
            f"{folder}"
        )
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.pop("format", None) != FORMAT:
            raise ValueError("another format")
        tasks = tuple(
            Task(**{k: as_read(v) for k, v in task.items()})
            for task in content.pop("tasks")
        )
        due = read_due(content.pop("due"))
        return Bundle(tasks=tasks, due=due, **content)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"expected {path} in format {FORMAT} as attnbook assign writes "
            f"it, got: {error}"
        ) from None


def read_due(text):
    """Return when an assignment is due, a `datetime` with a zone, or None.

    Args:
        text: ISO 8601, local time without an offset; or None.

    Raises:
        ValueError: it is not ISO 8601.
    """
    if text is None:
        return None
    try:
        due = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"expected a moment such as 2027-03-01T23:59, got {text!r}"
        ) from None
    return due if due.tzinfo else due.astimezone()


def as_read(value):
    """Return a list of JSON as the tuple that it was."""
    return tuple(value) if isinstance(value, list) else value
