"""Collect what a class has handed in.

    attnbook collect SUBMISSIONS DIR

`DIR` is what `attnbook assign` made.  Whatever is odd about a file is said,
and nothing is ever zero in silence.
"""

import contextlib
import datetime
import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from attnbook.teaching.bundle import read_bundle
from attnbook.teaching.clean_copies import Released
from attnbook.teaching.overview import list_students, summarise
from attnbook.teaching.owners import make_keys, slugify
from attnbook.teaching.readers import read_all
from attnbook.teaching.results import lock_folder
from attnbook.teaching.students import (
    are_upload_times,
    describe_student,
    group_by_student,
    note_namesakes,
    note_twins,
)
from attnbook.teaching.submissions import uploads


@dataclass(frozen=True)
class Collected:
    """What was found.

    Attributes:
        assignment: its name.
        tasks: how many there are.
        students: a list of dicts, as in collected.json.
        problems: what is wrong with files that are nobody's, and the like.
    """

    assignment: str
    tasks: int
    students: list
    problems: list

    def __str__(self):
        """Return a table of students, and what a teacher should look at."""
        return "\n".join(list_students(self))


def read_class(submissions, bundle, released, workers):
    """Return what a class has handed in, as `Collected`.

    Args:
        submissions: Path of a folder or zip.
        bundle: the `Bundle`.
        released: the `Released` notebook.
        workers: how many files are read at a time.
    """
    due, wanted = bundle.due, bundle.assignment
    found = uploads(submissions, due.tzinfo if due else datetime.UTC)
    results = read_all(found, bundle.tasks, released.cells, workers)
    titles = {slugify(t) for t in (wanted, bundle.title)}
    titles |= {slugify(Path(bundle.notebook).stem), "solutions"} - {""}
    times = are_upload_times(found)
    groups = group_by_student(found, results, titles, times)
    students = [
        describe_student(files, wanted, due) for files in groups.values()
    ]
    keys = make_keys([(s["name"], s["id"]) for s in students])
    students = [
        {"student": k} | s for k, s in zip(keys, students, strict=True)
    ]
    note_twins(students)
    note_namesakes(students)
    problems = []
    told = all(f[0].late is not None for files in groups.values()
               for f in files)  # fmt: skip
    if due and not times and not told:
        problems.append(
            "the files have the time of the download: who was late, only the "
            "learning-management system knows"
        )
    students.sort(key=lambda s: s["student"])
    return Collected(wanted, len(bundle.tasks), students, problems)


def collected_before(folder):
    """Return the students that were collected here before, a list of dicts."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        text = (folder / "collected" / "collected.json").read_text("utf-8")
        return json.loads(text)["students"]
    return []


def write(collected, released, folder):
    """Write what was collected, whole or not at all."""
    for left in folder.glob(".collected-*"):  # by a run that was killed
        shutil.rmtree(left, ignore_errors=True)
    aside = Path(tempfile.mkdtemp(prefix=".collected-", dir=folder))
    try:
        for s in collected.students:
            copy = released.with_answers(s["answers"])
            path = aside / f"{s['student']}.ipynb"
            path.write_text(copy, encoding="utf-8")
        text = {
            "assignment": collected.assignment,
            "students": collected.students,
            "problems": collected.problems,
        }
        (aside / "collected.json").write_text(
            json.dumps(text, indent=1, ensure_ascii=False) + "\n", "utf-8"
        )
        (aside / "notes.txt").write_text(f"{collected}\n", "utf-8")
        aside.chmod(0o755)
        put(aside, folder / "collected")
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def put(new, place):
    """Rename a folder to its place, in which an older one may stand."""
    old = place.with_name(f"{new.name}.old")
    if place.exists():
        place.rename(old)
    try:
        new.rename(place)
    except BaseException:
        if old.exists():
            old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)


def collect(submissions, folder, workers=2):
    """Collect submissions into ``folder/collected``, and print what matters.

    Args:
        submissions: Path of a folder or zip, as a learning-management system
            gives it.
        folder: Path of what `attnbook assign` made.
        workers: how many files are read at a time.

    Returns:
        A `Collected`.  Called again it writes the same.

    Raises:
        ValueError: no assignment in the folder, no submissions, or another
            process collects or grades there.
    """
    submissions, folder = Path(submissions), Path(folder)
    bundle = read_bundle(folder)
    try:
        released = Released(folder / bundle.notebook, bundle.tasks)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"expected a folder that attnbook assign made, got {folder}: "
            f"{error}"
        ) from None
    with lock_folder(folder):
        found = read_class(submissions, bundle, released, workers)
        before = collected_before(folder)
        write(found, released, folder)
    print("\n".join(summarise(found, before)))
    print(f"all of it    {folder / 'collected' / 'notes.txt'}")
    return found
