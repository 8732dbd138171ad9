"""The page on the class that a teacher gets."""

import statistics
from collections import Counter, defaultdict

from attnbook.teaching.bars import histogram, shares
from attnbook.teaching.pages import document, e
from attnbook.teaching.spreadsheet import counted, spelled

MISTAKES = 5  # that are shown of each exercise
KEYS = 5  # students that are named at once
LOOK = "look at it"


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
        if looks(row):
            said = row.note[row.note.index(LOOK) + len(LOOK) :].lstrip(": ")
            found.append((f"{row.exercise}: {said}", row.student))
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
    return together(pairs)


def looks(row):
    """Say whether a row asks its teacher to look."""
    return LOOK in row.note


def together(pairs):
    """Return each sentence once, with all its keys."""
    found = defaultdict(dict)
    for said, key in pairs:
        found[said][key] = None
    return [(said, [*keys]) for said, keys in found.items()]


def mistakes(rows):
    """Return the most frequent mistakes: a count, a sentence, keys."""
    found = defaultdict(list)
    for row in rows:
        if row.mistake and row.status not in ("blank", "missing"):
            found[row.mistake].append(row.student)
    order = sorted(found.items(), key=lambda x: (-len(x[1]), x[0]))
    return [(len(names), said, names) for said, names in order[:MISTAKES]]


def item(said, students):
    """Return a list's item: a sentence, and keys of students to unfold."""
    students = sorted(students)
    more = len(students) - KEYS
    some = ", ".join(students[:KEYS])
    if more <= 0:
        return e("li", f"{said} ", e("small", some))
    summary = e("summary", e("small", f"{some} and {more} more"))
    rest = e("small", ", ".join(students[KEYS:]))
    return e("li", said, e("details", summary, rest))


def section(task, rows):
    """Return the element of one exercise.

    Args:
        task: a `Task` of the bundle.
        rows: its `gradebook.Row`.
    """
    parts = [e("h3", f"{task.id} {task.title}")]
    counts = Counter(row.status for row in rows)
    parts.append(shares(f"{task.id} {task.title}", counts))
    marked = [row.points for row in rows if row.points is not None]
    waiting = len(rows) - len(marked)
    said = f"Not marked yet, and left out: {waiting}." * bool(waiting)
    if marked:
        mean = spelled(statistics.fmean(marked))
        said = f"Mean {mean} of {counted(task.points, 'point')}. {said}"
    parts += [e("p", said.strip())] * bool(said)
    found = mistakes(rows)
    if found:
        items = [item(f"{n} × {said}", names) for n, said, names in found]
        parts.append(e("ul", *items, class_="mistakes"))
    return e("section", *parts)


def totals_of(rows):
    """Return each student's points as far as they are known."""
    found = defaultdict(float)
    for row in rows:
        found[row.student] += row.points or 0
    return [round(points, 2) for points in found.values()]


def overview(rows, maximum):
    """Return the elements on the totals of the class."""
    points = totals_of(rows)
    open_ = sum(row.points is None for row in rows)
    said = (
        f"Median {spelled(statistics.median(points))}, mean "
        f"{spelled(statistics.fmean(points))} of {counted(maximum, 'point')}."
    )
    if open_:
        one = open_ == 1
        said += (
            f" {counted(open_, 'mark')} {'is' if one else 'are'} still open "
            f"and count{'s' * one} as 0 here."
        )
    return [e("h2", "Totals"), e("p", said), histogram(points, maximum)]


def page(bundle, students, rows):
    """Return the report, HTML.

    Args:
        bundle: a `Bundle`.
        students: what was collected, a list of dicts.
        rows: all `gradebook.Row`.
    """
    answers = sum(bool(row.answer.strip()) for row in rows)
    head = (
        f"{counted(len(students), 'student')}, {counted(answers, 'answer')}."
    )
    waiting = [item(*pair) for pair in needs(students, rows)]
    body = [
        e("h1", bundle.title),
        e("p", f"{head} Assignment {bundle.assignment}.", class_="name"),
        e("h2", "Needs you"),
        e("ul", *waiting) if waiting else e("p", "Nothing."),
    ]
    if rows:
        body += overview(rows, bundle.points)
    body.append(e("h2", "Exercises"))
    for task in bundle.tasks:
        mine = [row for row in rows if row.exercise == task.id]
        body.append(section(task, mine))
    return document(f"{bundle.title}: report", *body)
