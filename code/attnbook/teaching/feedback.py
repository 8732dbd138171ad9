"""The page that a student gets back."""

from attnbook.teaching.gradebook import totals
from attnbook.teaching.pages import code, document, e, prose
from attnbook.teaching.spreadsheet import counted, spelled

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


def safe_link(address):
    """Say whether an address leads to a page, and to nothing that runs."""
    return address.startswith(("https://", "http://"))


def score(row):
    """Return the points of a row in words."""
    maximum = counted(row.maximum, "point")
    if row.points is None:
        return f"still open, up to {maximum}"
    return f"{spelled(row.points)} of {maximum}"


def total(rows):
    """Return the element that says the sum.

    Args:
        rows: a student's `gradebook.Row`.
    """
    marked = [row for row in rows if row.points is not None]
    ((_, maximum),) = totals(rows).values() or [(0, 0)]
    got = round(sum(row.points for row in marked), 2)
    said = f"{spelled(got)} of {counted(maximum, 'point')}"
    left = round(maximum - sum(row.maximum for row in marked), 2)
    verb = "is" if left == 1 else "are"
    more = f"; {spelled(left)} of them {verb} still open" if left else ""
    return e("p", e("strong", said), more, class_="total")


def section(task, row, entry, link):
    """Return the element of one exercise.

    Args:
        task: a `Task` of the bundle.
        row: its `gradebook.Row`.
        entry: what was collected for it, or None.
        link: address of the exercise in the book, or "".
    """
    head = e("h2", f"{task.id} {task.title}")
    kind = row.status.replace(" ", "-")
    said = row.comment[:1].upper() + row.comment[1:]
    if said.lower() in (WORDS[row.status], row.status):
        said = ""
    status = e(
        "p",
        e("span", WORDS[row.status], class_=f"badge {kind}"),
        f" {score(row)}",
    )
    parts = [head, status, e("p", said, class_="said") if said else None]
    parts += [e("p", x, class_="note") for x in (entry or {}).get("notes", [])]
    if row.answer.strip():
        summary = e("summary", "What you handed in")
        block = prose if task.form == "text" else code
        parts.append(e("details", summary, block(cut(row.answer))))
    if row.status != "right" and safe_link(link):
        where = e("a", f"Exercise {task.id} in the book", href=link)
        parts.append(e("p", where))
    return e("section", *parts)


def cut(text):
    """Return a text, or its beginning if it is very long."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n... ({len(text) - LONGEST:,} letters more)"


def facts_of(student):
    """Return what students may know of what was collected, a list of str.

    Notes are the teacher's: they may name other students.

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


def page(bundle, student, rows, links):
    """Return the page of one student, HTML.

    Args:
        bundle: a `Bundle`.
        student: what was collected, a dict.
        rows: the student's `gradebook.Row`, in the order of the tasks.
        links: exercise -> address of its section in the book.
    """
    tasks = {task.id: task for task in bundle.tasks}
    facts = facts_of(student)
    about = e("ul", *(e("li", fact) for fact in facts), class_="facts")
    sections = [
        section(
            tasks[row.exercise],
            row,
            student["answers"].get(row.exercise),
            links.get(row.exercise, ""),
        )
        for row in rows
    ]
    return document(
        f"{bundle.title}: {student['name']}",
        e("h1", bundle.title),
        e("p", student["name"], class_="name"),
        total(rows),
        about if facts else None,
        *sections,
    )
