"""The page on the class that a teacher gets."""

import statistics
from collections import Counter, defaultdict

from attnbook.teaching.bars import measure_histogram, measure_shares
from attnbook.teaching.pages import render_page
from attnbook.teaching.spreadsheet import format_count, format_number

MISTAKES = 5  # that are shown of each exercise


def needs(students, rows):
    """Return what waits for the teacher, pairs of a sentence and keys.

    Args:
        students: what was collected, a list of dicts.
        rows: all `gradebook.Row`.
    """
    unread = {x["student"]: x["problem"] for x in students if x.get("problem")}
    waiting, found = defaultdict(list), []
    for row in rows:
        if row.student in unread and row.status == "missing":
            continue
        if row.look:
            found.append((f"{row.exercise}: {row.look}", row.student))
        elif row.status == "refused" and not row.points:
            said = f"{row.exercise} is refused, 0 points: {row.comment}"
            found.append((said, row.student))
        elif row.status == "by hand" and row.points is None:
            waiting[row.exercise].append(row.student)
    pairs = [(f"file: {why}", key) for key, why in unread.items()]
    pairs += [
        (f"{exercise} is marked by hand: {len(keys)} to mark", key)
        for exercise, keys in waiting.items()
        for key in keys
    ]
    pairs += sorted(found)
    pairs += [("late", x["student"]) for x in students if x.get("late")]
    pairs += [
        (f"file: {note}", x["student"])
        for x in students
        for note in x.get("notes", [])
    ]
    return group_keys(pairs)


def group_keys(pairs):
    """Return each sentence once, with all its keys."""
    found = defaultdict(dict)
    for said, key in pairs:
        found[said][key] = None
    return [(said, [*keys]) for said, keys in found.items()]


def count_mistakes(rows):
    """Return the most frequent mistakes: a count, a sentence, keys."""
    found = defaultdict(list)
    for row in rows:
        if row.mistake and row.status not in ("blank", "missing"):
            found[row.mistake].append(row.student)
    order = sorted(found.items(), key=lambda x: (-len(x[1]), x[0]))
    return [(len(names), said, names) for said, names in order[:MISTAKES]]


def describe(task, rows):
    """Return what the report shows of one exercise, a dict.

    Args:
        task: a `Task` of the bundle.
        rows: its `gradebook.Row`.
    """
    marked = [row.points for row in rows if row.points is not None]
    waiting = len(rows) - len(marked)
    mean = f"Not marked yet, and left out: {waiting}." * bool(waiting)
    if marked:
        number = format_number(statistics.fmean(marked))
        mean = f"Mean {number} of {format_count(task.points, 'point')}. {mean}"
    return {
        "name": f"{task.id} {task.title}",
        "parts": measure_shares(Counter(row.status for row in rows)),
        "mean": mean.strip(),
        "mistakes": [
            (count, text, sorted(keys))
            for count, text, keys in count_mistakes(rows)
        ],
    }


def add_up_students(rows):
    """Return each student's points as far as they are known."""
    found = defaultdict(float)
    for row in rows:
        found[row.student] += row.points or 0
    return [round(points, 2) for points in found.values()]


def describe_totals(points, rows, maximum):
    """Return sentences on the totals of the class.

    Args:
        points: of each student, at least one.
        rows: all `gradebook.Row`.
        maximum: of the assignment.
    """
    open_ = sum(row.points is None for row in rows)
    median = format_number(statistics.median(points))
    mean = format_number(statistics.fmean(points))
    most = format_count(maximum, "point")
    said = f"Median {median}, mean {mean} of {most}."
    if open_ == 1:
        said += " 1 mark is still open and counts as 0 here."
    elif open_:
        said += f" {open_} marks are still open and count as 0 here."
    return said


def render_report(bundle, students, rows):
    """Return the report, HTML.

    Args:
        bundle: a `Bundle`.
        students: what was collected, a list of dicts.
        rows: all `gradebook.Row`.
    """
    answers = sum(bool(row.answer.strip()) for row in rows)
    points, most = add_up_students(rows), bundle.points
    sections = [
        describe(task, [row for row in rows if row.exercise == task.id])
        for task in bundle.tasks
    ]
    return render_page(
        "report.html",
        bundle=bundle,
        summary=f"{format_count(len(students), 'student')}, "
        f"{format_count(answers, 'answer')}.",
        waiting=[(text, sorted(x)) for text, x in needs(students, rows)],
        totals=describe_totals(points, rows, most) if rows else "",
        drawing=measure_histogram(points, most) if rows else None,
        sections=sections,
    )
