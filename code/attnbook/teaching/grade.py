"""Grade a class: judge what is new, write the table, feedback and report.

What was judged is kept, so a run that was stopped goes on where it was, and
grading again changes nothing.
"""

import functools
import re
from pathlib import Path

from tqdm import tqdm

from attnbook.teaching import by_hand, canvas, feedback, moodle, report
from attnbook.teaching.gradebook import CHANGED, csv_of, totals
from attnbook.teaching.judges import judged
from attnbook.teaching.lms import number_of_student
from attnbook.teaching.results import alone
from attnbook.teaching.run import (
    jobs_of,
    key_of_answer,
    not_judged,
    opened,
    rows_of,
    unread,
)
from attnbook.teaching.spreadsheet import counted, harmless, spelled, text_of
from attnbook.teaching.withdrawn import WITHDRAWN, without_file


def judge_all(run, make_desk, workers):
    """Judge what is not kept; show how far it is.

    Args:
        run: a `Run`.
        make_desk: see `judges.judged`.
        workers: how many processes.

    Raises:
        ValueError: no answer can be judged here.
    """
    jobs = jobs_of(run)
    bar = tqdm(
        total=run.answers,
        initial=run.answers - len(jobs),
        desc="grade",
        unit=" answers",
    )
    with bar:
        for (student, task, entry), found, why in judged(
            jobs, make_desk, workers
        ):
            key = key_of_answer(run.bundle, task, entry)
            found = found or not_judged(task, why)
            run.store.put(student, task.id, key, found)
            run.new += 1
            bar.update()


def write_pages(run, rows):
    """Write feedback, list for marking by hand, and report."""
    links = {task.id: task.page for task in run.bundle.tasks}
    for student in run.students:
        key = student["student"]
        mine = [row for row in rows if row.student == key]
        page = feedback.render_feedback(run.bundle, student, mine, links)
        run.write(f"feedback/{key}.html", page)
    keys = {student["student"] for student in run.students}
    for path in (run.folder / "grades" / "feedback").glob("*.html"):
        if path.stem not in keys:  # of someone whose file has another name now
            path.unlink()
    run.write("by_hand.md", by_hand.text(run.bundle, rows))
    run.write(
        "report.html", report.render_report(run.bundle, run.students, rows)
    )


def totals_of(rows):
    """Return the table of totals, empty where not all is marked.

    Args:
        rows: all `Row`.
    """
    names = {row.student: row.name for row in rows}
    lines = [
        [harmless(x), harmless(names[x]), spelled(points), spelled(maximum)]
        for x, (points, maximum) in totals(rows).items()
    ]
    return text_of(["student", "name", "points", "maximum"], lines)


def filled(run, rows, files):
    """Return the tables for Canvas and Moodle that are asked for.

    Args:
        run: a `Run`.
        rows: all `Row`.
        files: "canvas", "moodle" -> the exported file, or None.

    Returns:
        Of each its name -> the text of a CSV file, what to tell the teacher,
        and for Moodle student -> number.

    Raises:
        ValueError: a file that cannot be read or filled.
    """
    numbers = {x["student"]: number_of_student(x) for x in run.students}
    found = {}
    if files.get("canvas"):
        found["canvas"] = canvas.canvas(
            rows, Path(files["canvas"]), run.bundle.title, numbers
        )
    if files.get("moodle"):
        found["moodle"] = moodle.moodle(rows, Path(files["moodle"]), numbers)
    return found


def fill_lms(run, rows, files):
    """Write the files for Canvas and Moodle that are asked for, and no others.

    Arguments as in `filled`.  What an earlier run has left has older marks.
    """
    grades = run.folder / "grades"
    for file in ("canvas.csv", "moodle.csv", "moodle-feedback.zip"):
        name = re.match("[a-z]+", file)[0]
        if not files.get(name) and (grades / file).exists():
            (grades / file).unlink()
            run.problems.append(
                f"{name.title()}: {file} was of an earlier run and is removed;"
                f" --{name} makes it anew"
            )
    for name, (text, problems, *known) in filled(run, rows, files).items():
        run.write(f"{name}.csv", text)
        run.problems += [f"{name.title()}: {said}" for said in problems]
        for numbers in known:
            pages = moodle.feedback_zip(grades / "feedback", numbers)
            run.write(f"{name}-feedback.zip", pages)


def grade(folder, workers=2, trusted=False, make_desk=None, leaving=(), **lms):
    """Grade what was collected for an assignment.

    Args:
        folder: of the assignment.
        workers: how many processes judge.
        trusted: whether answers may run where they cannot be locked in.
        make_desk: other than `Desk`, see `judges.judged`.
        leaving: keys of students who have left the class.
        lms: canvas or moodle, each a file that it has exported.

    Returns:
        The `Run`.

    Raises:
        ValueError: nothing was collected, nobody has the name of one who
            leaves, a typed mark is none, a file of Canvas or Moodle cannot be
            filled, answers cannot be locked in and are not trusted, or
            another process collects or grades in the folder.
    """
    run = opened(folder, leaving)
    filled(run, rows_of(run), lms)  # or refused, before work begins
    keys = [student["student"] for student in run.students]
    run.problems += without_file(run.folder / "grades", keys)
    if make_desk is None:
        from attnbook.teaching.desk import Desk

        make_desk = functools.partial(Desk, run.bundle, trusted)
    with alone(run.folder):
        judge_all(run, make_desk, workers)
        rows = rows_of(run)
        run.write("grades.csv", csv_of(rows))
        run.write("totals.csv", totals_of(rows))
        write_pages(run, rows)
        fill_lms(run, rows, lms)
    print(summary(run, rows))
    return run


def summary(run, rows):
    """Return what a run has done, and what waits for the teacher.

    Args:
        run: a `Run`.
        rows: all `Row`.
    """
    grades = run.folder / "grades"
    waiting = sum(x.points is None for x in rows if x.status == "by hand")
    lines = [
        f"{run.bundle.title}: {counted(len(run.students), 'student')}, "
        f"{counted(run.answers, 'answer')}, {run.new} judged now",
        f"marks        {grades / 'grades.csv'}",
        f"report       {grades / 'report.html'}",
        f"give back    {grades / 'feedback'}",
    ]
    if waiting:
        lines.append(f"to mark      {waiting}, in {grades / 'by_hand.md'}")
    refused = sum(x.status == "refused" for x in rows)
    if refused:
        lines.append(f"refused      {refused}, each named in the report")
    if (grades / WITHDRAWN).exists():
        lines.append(f"withdrawn    {grades / WITHDRAWN}")
    lines += unread(run, rows)
    lines += [
        f"{x.name} ({x.student}), {x.exercise}: {CHANGED}"
        for x in rows
        if CHANGED in x.note
    ]
    return "\n".join([*lines, *run.problems])
