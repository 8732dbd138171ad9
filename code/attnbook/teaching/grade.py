"""Grade a class: judge what is new, write the table, feedback and report.

What was judged is kept, so a run that was stopped goes on where it was, and
grading again changes nothing.
"""

import functools
import re
from pathlib import Path

from tqdm import tqdm

from attnbook.teaching import by_hand, canvas, feedback, moodle, report
from attnbook.teaching.entries import LOOK
from attnbook.teaching.gradebook import CHANGED, add_up_points, format_csv
from attnbook.teaching.judges import judge_answers
from attnbook.teaching.lms import number_of_student
from attnbook.teaching.results import lock_folder
from attnbook.teaching.run import (
    describe_unread,
    jobs_of,
    key_of_answer,
    not_judged,
    open_run,
    rows_of,
)
from attnbook.teaching.spreadsheet import (
    escape_formula,
    format_count,
    format_number,
    format_table,
)
from attnbook.teaching.withdrawn import WITHDRAWN, describe_missing


def judge_all(run, make_grader, workers):
    """Judge what is not kept; show how far it is.

    Args:
        run: a `Run`.
        make_grader: see `judges.judge_answers`.
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
        for (student, task, entry), found, why in judge_answers(
            jobs, make_grader, workers
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
        if path.stem not in keys:  # a student whose file was renamed
            path.unlink()
    run.write("by_hand.md", by_hand.list_answers(run.bundle, rows))
    run.write(
        "report.html", report.render_report(run.bundle, run.students, rows)
    )


def format_totals(rows):
    """Return the table of totals, empty where not all is marked.

    Args:
        rows: all `Row`.
    """
    names = {row.student: row.name for row in rows}
    lines = [
        [
            escape_formula(x),
            escape_formula(names[x]),
            format_number(points),
            format_number(maximum),
        ]
        for x, (points, maximum) in add_up_points(rows).items()
    ]
    return format_table(["student", "name", "points", "maximum"], lines)


def fill_tables(run, rows, files):
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
        found["canvas"] = canvas.fill_canvas(
            rows, Path(files["canvas"]), run.bundle.title, numbers
        )
    if files.get("moodle"):
        found["moodle"] = moodle.fill_moodle(
            rows, Path(files["moodle"]), numbers
        )
    return found


def write_tables(run, rows, files):
    """Write the files for Canvas and Moodle that are asked for.

    Those that are not asked for are removed: they hold an earlier run's marks.
    Arguments as in `fill_tables`.
    """
    grades = run.folder / "grades"
    for file in ("canvas.csv", "moodle.csv", "moodle-feedback.zip"):
        name = re.match("[a-z]+", file)[0]
        if not files.get(name) and (grades / file).exists():
            (grades / file).unlink()
            run.problems.append(
                f"{name.title()}: {file} was of an earlier run and is removed;"
                f" --{name} writes it again"
            )
    tables = fill_tables(run, rows, files)
    for name, (text, problems, *known) in tables.items():
        run.write(f"{name}.csv", text)
        run.problems += [f"{name.title()}: {said}" for said in problems]
        for numbers in known:
            pages = moodle.zip_feedback(grades / "feedback", numbers)
            run.write(f"{name}-feedback.zip", pages)


def check_tables(run, files):
    """Refuse what could not be filled in later, before the work begins.

    Args:
        run: a `Run`.
        files: as in `fill_tables`.

    Raises:
        ValueError: a typed mark, or a file of Canvas or Moodle.
    """
    fill_tables(run, rows_of(run), files)


def grade(
    folder, workers=2, trusted=False, make_grader=None, leaving=(), **lms
):
    """Grade what was collected for an assignment.

    Args:
        folder: of the assignment.
        workers: how many processes judge.
        trusted: whether answers may run where they cannot be isolated.
        make_grader: other than `Grader`, see `judges.judge_answers`.
        leaving: keys of students who have left the class.
        lms: canvas or moodle, each a file that it has exported.

    Returns:
        The `Run`.

    Raises:
        ValueError: nothing was collected, a student to withdraw is unknown, a
            typed mark is invalid, a file of Canvas or Moodle cannot be
            filled, answers cannot be isolated and are not trusted, or
            another process collects or grades in the folder.
    """
    run = open_run(folder, leaving)
    check_tables(run, lms)
    keys = [student["student"] for student in run.students]
    run.problems += describe_missing(run.folder / "grades", keys)
    if make_grader is None:
        from attnbook.teaching.grader import Grader

        make_grader = functools.partial(Grader, run.bundle, trusted)
    with lock_folder(run.folder):
        judge_all(run, make_grader, workers)
        rows = rows_of(run)
        run.write("grades.csv", format_csv(rows))
        run.write("totals.csv", format_totals(rows))
        write_pages(run, rows)
        write_tables(run, rows, lms)
    print(summarise(run, rows))
    return run


def summarise(run, rows):
    """Return what a run has done, and what waits for the teacher.

    Args:
        run: a `Run`.
        rows: all `Row`.
    """
    grades = run.folder / "grades"
    waiting = sum(x.points is None for x in rows if x.status == "by hand")
    lines = [
        f"{run.bundle.title}: {format_count(len(run.students), 'student')}, "
        f"{format_count(run.answers, 'answer')}, {run.new} judged now",
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
    lines += describe_unread(run, rows)
    lines += [
        f"{x.name} ({x.student}), {x.exercise}: {LOOK}{CHANGED}"
        for x in rows
        if x.changed
    ]
    return "\n".join([*lines, *run.problems])
