"""What the commands ``attnbook assign``, ``collect`` and ``grade`` do."""

import argparse
from pathlib import Path

from attnbook.command.options import add_command, note

ASSIGN = """\
Make an assignment of the course's exercises: the students' notebook, the
solutions, a marking guide, and what the grader needs.

  attnbook assign 10 --out masks
  attnbook assign 4 6 --seed "winter term, room 12" --out homework-1
  attnbook assign --exercises 10.4 10.5 6.4 --points 10.5=8 --out exam

The same seed gives the same files. Anyone who knows the seed can make them.
"""
COLLECT = """\
Find every answer in what students handed in, by name, and say what is wrong.

  attnbook collect submissions.zip masks

SUBMISSIONS is a folder or a zip, as Canvas, Moodle or Google Classroom give
it; FOLDER is the one that attnbook assign made.
"""
GRADE = """\
Grade what was collected: a CSV, a page of feedback for each student, and a
report on the class. Stopped, it goes on where it was. Points that you type
into grades/grades.csv stay.

  attnbook grade masks
  attnbook grade masks --canvas gradebook-export.csv
  attnbook grade masks --withdraw ada
"""


def add(commands):
    """Add the commands."""
    parser = add_command(
        commands, "assign", "make an assignment for a class", ASSIGN, assign
    )
    parser.add_argument(
        "chapters", nargs="*", type=int, metavar="CHAPTER",
        help="all exercises of these chapters",
    )  # fmt: skip
    parser.add_argument(
        "--exercises", nargs="+", default=[], metavar="ID",
        help="these exercises, such as 10.4 10.5",
    )  # fmt: skip
    parser.add_argument(
        "--seed", help="any text that students cannot guess (default: drawn)"
    )
    parser.add_argument("--out", required=True, help="a new folder")
    parser.add_argument(
        "--points", nargs="+", default=[], metavar="ID=POINTS",
        type=parse_points,
        help="other points than the course's, such as 10.5=8",
    )  # fmt: skip
    parser.add_argument("--due", help="such as 2027-03-01T23:59")
    parser.add_argument("--title", help="of the assignment")
    add_grading(commands)


def add_grading(commands):
    """Add the commands for what comes back."""
    parser = add_command(
        commands,
        "collect",
        "find the answers that came back",
        COLLECT,
        collect,
    )
    parser.add_argument("submissions", metavar="SUBMISSIONS")
    parser.add_argument("folder", metavar="FOLDER")
    parser = add_command(
        commands, "grade", "grade what was collected", GRADE, grade
    )
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument(
        "--workers", type=int, default=2, help="processes that judge (2)"
    )
    parser.add_argument(
        "--trusted", action="store_true",
        help="run students' code without isolation: you trust all of it",
    )  # fmt: skip
    parser.add_argument(
        "--withdraw", nargs="+", default=[], metavar="STUDENT",
        help="students who have left, as grades.csv names them",
    )  # fmt: skip
    parser.add_argument(
        "--canvas", metavar="CSV", help="fill this gradebook export of Canvas"
    )
    parser.add_argument(
        "--moodle", metavar="CSV", help="fill this grading worksheet of Moodle"
    )


def parse_points(text):
    """Return an id and its points out of "10.5=8"."""
    id, _, number = text.partition("=")
    try:
        return id, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected ID=POINTS such as 10.5=8, got {text!r}"
        ) from None


def collect_points(pairs):
    """Return id -> points; refuse to be told those of an exercise twice."""
    points = dict(pairs)
    if len(points) < len(pairs):
        said = " ".join(f"{id}={number:g}" for id, number in pairs)
        raise ValueError(f"expected points of each exercise once, got {said}")
    return points


def assign(options):
    """Make an assignment, and say what was made."""
    from attnbook.teaching.assign import assign
    from attnbook.teaching.spreadsheet import format_count

    bundle = assign(
        options.out, options.chapters, options.exercises, options.seed,
        options.title, options.due, collect_points(options.points),
    )  # fmt: skip
    if options.seed and len(set(options.seed)) < 8:  # 2027-03-01 has six
        note(
            f"The seed {options.seed!r} is easy: a student can find it by "
            "trying. Leave --seed out, and one is drawn."
        )
    out = Path(options.out)
    count = format_count(len(bundle.tasks), "task")
    print(f"{bundle.title}: {count}, {format_count(bundle.points, 'point')}")
    print(f"give out     {out / bundle.notebook}")
    print(f"keep         {out / 'teacher'} and {out / 'bundle.json'}")


def collect(options):
    """Collect submissions."""
    from attnbook.teaching.collect import collect

    collect(Path(options.submissions), Path(options.folder))


def grade(options):
    """Grade what was collected, and fill gradebooks."""
    from attnbook.teaching.grade import grade

    grade(
        Path(options.folder), workers=options.workers,
        trusted=options.trusted, leaving=options.withdraw,
        canvas=options.canvas, moodle=options.moodle,
    )  # fmt: skip
