"""The page that a student gets back."""

from attnbook.teaching.gradebook import add_up_points
from attnbook.teaching.pages import render_page
from attnbook.teaching.spreadsheet import format_count, format_number

WORDS = {  # status -> what students read
    "right": "right",
    "partly": "partly right",
    "wrong": "not right yet",
    "blank": "not answered",
    "missing": "not found",
    "refused": "not graded",
    "stopped": "stopped",
    "by hand": "marked by your teacher",
}
LONGEST = 20_000  # letters of an answer that are shown


def is_safe(address):
    """Say whether an address is that of a page, not of a script."""
    return address.startswith(("https://", "http://"))


def format_score(row):
    """Return the points of a row as a phrase."""
    maximum = format_count(row.maximum, "point")
    if row.points is None:
        return f"still open, up to {maximum}"
    return f"{format_number(row.points)} of {maximum}"


def add_up(rows):
    """Return two texts: the sum of the points, and how many are still open.

    Args:
        rows: a student's `gradebook.Row`.
    """
    marked = [row for row in rows if row.points is not None]
    ((_, maximum),) = add_up_points(rows).values() or [(0, 0)]
    got = round(sum(row.points for row in marked), 2)
    said = f"{format_number(got)} of {format_count(maximum, 'point')}"
    left = round(maximum - sum(row.maximum for row in marked), 2)
    verb = "is" if left == 1 else "are"
    more = f"; {format_number(left)} of them {verb} still open" if left else ""
    return said, more


def describe(task, row, entry, link):
    """Return what a page shows of one exercise, a dict.

    Args:
        task: a `Task` of the bundle.
        row: its `gradebook.Row`.
        entry: what was collected for it, or None.
        link: address of the exercise in the book, or "".
    """
    comment = row.comment[:1].upper() + row.comment[1:]
    if comment.lower() in (WORDS[row.status], row.status):
        comment = ""
    return {
        "task": task,
        "row": row,
        "status": WORDS[row.status],
        "score": format_score(row),
        "comment": comment,
        "notes": (entry or {}).get("notes", []),
        "answer": cut(row.answer) if row.answer.strip() else "",
        "link": link if row.status != "right" and is_safe(link) else "",
    }


def cut(text):
    """Return a text, or its beginning if it is very long."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n... ({len(text) - LONGEST:,} letters more)"


def list_facts(student):
    """Return what a student may read of the notes, a list of str.

    The notes themselves are for the teacher: they may name other students.

    Args:
        student: what was collected, a dict.
    """
    count = len(student.get("files", []))
    facts = ["handed in late"] * bool(student.get("late"))
    facts += [f"you handed in {count} files"] * (count > 1)
    problem = student.get("problem")
    if problem and not student["answers"]:
        facts.append(
            "your file could not be read, so nothing in it is marked: hand "
            f"the notebook in again ({problem})"
        )
    elif problem:
        facts.append(f"your file: {problem}")
    return facts


def render_feedback(bundle, student, rows, links):
    """Return the page of one student, HTML.

    Args:
        bundle: a `Bundle`.
        student: what was collected, a dict.
        rows: the student's `gradebook.Row`, in the order of the tasks.
        links: exercise -> address of its section in the book.
    """
    tasks = {task.id: task for task in bundle.tasks}
    total, still_open = add_up(rows)
    sections = [
        describe(
            tasks[row.exercise],
            row,
            student["answers"].get(row.exercise),
            links.get(row.exercise, ""),
        )
        for row in rows
    ]
    return render_page(
        "feedback.html",
        bundle=bundle,
        student=student,
        total=total,
        still_open=still_open,
        facts=list_facts(student),
        sections=sections,
    )
