"""One run of grading: what was collected, what is known, what is new."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from attnbook import __version__
from attnbook.teaching.bundle import read_bundle
from attnbook.teaching.entries import LOOK
from attnbook.teaching.gradebook import Row, merge_marks
from attnbook.teaching.judging import judge
from attnbook.teaching.results import (
    Store,
    fingerprint,
    lock_folder,
    result,
    write,
)
from attnbook.teaching.withdrawn import find_withdrawn, withdraw

LATE = "late"


@dataclass
class Run:
    """One run of grading.

    Attributes:
        folder: of the assignment, a `Path`.
        bundle: its `Bundle`.
        students: what was collected, a list of dicts.
        store: results that are kept.
        answers: how many there are.
        new: how many of them were judged now.
        changed: names of files that have changed.
        problems: what to tell the teacher.
    """

    folder: Path
    bundle: object
    students: list
    store: Store
    answers: int = 0
    new: int = 0
    changed: list = field(default_factory=list)
    problems: list = field(default_factory=list)

    def write(self, name, text):
        """Write a file of the grades, and remember whether it changes."""
        if write(self.folder / "grades" / name, text):
            self.changed.append(name)


def open_run(folder, leaving=()):
    """Return the `Run` of a folder.

    Args:
        folder: of an assignment that was collected.
        leaving: keys of students who are withdrawn now.

    Raises:
        ValueError: nothing was collected there, or for another assignment;
            or a student who leaves is unknown.
    """
    folder = Path(folder)
    bundle = read_bundle(folder)
    path = folder / "collected" / "collected.json"
    if not path.is_file():
        raise ValueError(
            f"expected {path}; run attnbook collect SUBMISSIONS {folder} first"
        )
    collected = json.loads(path.read_text(encoding="utf-8"))
    if collected["assignment"] != bundle.assignment:
        raise ValueError(
            f"expected what was collected for {bundle.assignment}, got "
            f"{collected['assignment']}"
        )
    store = Store(folder / "grades" / "results")
    students = sorted(collected["students"], key=lambda x: x["student"])
    for key in (student["student"] for student in students):
        if key.startswith(".") or set(key) & set("/\\\0") or not key:
            raise ValueError(f"expected keys that name a file, got {key!r}")
    if leaving:
        with lock_folder(folder):
            withdraw(folder / "grades", leaving)
    left = find_withdrawn(folder / "grades", [x["student"] for x in students])
    students = [x for x in students if x["student"] not in left]
    return Run(folder, bundle, students, store)


def key_of_answer(bundle, task, entry):
    """Return the fingerprint of all that a result depends on.

    Args:
        bundle: the `Bundle`.
        task: a `Task` of it.
        entry: what was collected for the task.
    """
    answer = {x: y for x, y in entry.items() if x != "notes"}
    seed = bundle.assignment, bundle.seed, __version__
    return fingerprint(seed, asdict(task), answer)


def jobs_of(run):
    """Return what is to be judged, tuples of a student, a task, an entry."""
    jobs = []
    for student in run.students:
        for task in run.bundle.tasks:
            entry = student["answers"].get(task.id)
            if entry is None:
                continue
            run.answers += 1
            key = key_of_answer(run.bundle, task, entry)
            if not run.store.get(student["student"], task.id, key):
                jobs.append((student["student"], task, entry))
    return jobs


def not_judged(task, why):
    """Return the result of an answer that is left to the teacher."""
    comment = "could not be judged; your teacher looks at it"
    return result(task, "by hand", None, comment, look=why)


def result_of(run, student, task):
    """Return the `Result` of one exercise of one student, or None yet."""
    entry = student["answers"].get(task.id)
    if entry is not None:
        key = key_of_answer(run.bundle, task, entry)
        return run.store.get(student["student"], task.id, key)
    if not student.get("problem"):
        return judge(task, None, None)
    why = student["problem"]  # its page says it once, on top
    return result(task, "missing", None, "", look=why, mistake="no file read")


def describe_unread(run, rows):
    """Return a sentence on each student whose file has given no points yet.

    Args:
        run: a `Run`.
        rows: all `Row`.
    """
    empty = {
        row.student
        for row in rows
        if row.status == "missing" and row.points is None
    }
    return [
        f"{x['name']} ({x['student']}): {x['problem']}; points are left empty"
        for x in run.students
        if x["student"] in empty
    ]


def row_of(run, student, task):
    """Return the `Row` of one exercise of one student."""
    found = result_of(run, student, task)
    if found is None:
        found = result(task, "by hand", None, "not judged yet")
    entry = student["answers"].get(task.id) or {}
    first = task is run.bundle.tasks[0]
    looks = [x for x in (found.look, entry.get("look")) if x]
    look = f"{LOOK}{found.look}" if found.look else ""
    notes = [LATE * bool(student.get("late")), look, found.note]
    notes += entry.get("notes", [])
    notes += student.get("notes", []) if first else []
    return Row(
        student=student["student"],
        name=student["name"],
        exercise=task.id,
        points=found.points,
        maximum=found.maximum,
        status=found.status,
        comment=found.comment,
        note="; ".join(dict.fromkeys(x for x in notes if x)),
        look="; ".join(dict.fromkeys(looks)),
        mistake=found.mistake,
        answer=str(
            entry.get("value" * (task.form == "text"))
            or entry.get("source", "")
        ),
    )


def rows_of(run):
    """Return all `Row`, with what the teacher has typed.

    Args:
        run: a `Run`.

    Raises:
        ValueError: see `gradebook.merge_marks`.
    """
    rows = [row_of(run, x, task) for x in run.students
            for task in run.bundle.tasks]  # fmt: skip
    return merge_marks(rows, run.folder / "grades" / "grades.csv")
