"""Put totals and comments into an offline grading worksheet of Moodle.

Pages of feedback go back as a zip, by *Upload multiple feedback files in a
zip*.
"""

import html
import io
import re
import zipfile

from attnbook.teaching.lms import matched, said_of, scaled
from attnbook.teaching.spreadsheet import (
    harmless,
    number_of,
    spelled,
    table_of,
    text_of,
)


def moodle(rows, path, numbers=None):
    """Fill Moodle's offline grading worksheet; Moodle imports it again.

    The format is that of Moodle's `mod/assign/feedback/offline`: the columns
    Identifier (*Participant 123*), Grade and Last modified (grade) must be
    there, so all columns are kept.  Their case differs between versions.
    Comments are read as HTML, so they are escaped.

    Args:
        rows: all `gradebook.Row`.
        path: the worksheet, a `Path`.
        numbers: student -> see `lms.number_of_student`.

    Returns:
        The text of a CSV file, a list of what to tell the teacher, and
        student -> number, of those who are found and marked.

    Raises:
        ValueError: no worksheet of Moodle.
    """
    header, lines = table_of(path)
    names = [name.casefold() for name in header]
    if not {"identifier", "grade"} <= set(names):
        raise ValueError(
            f"expected the columns Identifier and Grade in {path.name}, got "
            f"{header}; choose English as your language and export again"
        )
    cells = [dict(zip(names, x, strict=True)) for _, x in lines]
    people = [*map(moodle_person, cells)]
    found, problems = matched(rows, people, numbers or {})
    said = {}
    for place, (student, points, maximum) in found.items():
        most = number_of(cells[place].get("maximum grade", ""))
        cells[place]["grade"] = scaled(points, maximum, most)
        said |= dict.fromkeys(said_of(most, maximum))
        if "feedback comments" in names:
            cells[place]["feedback comments"] = harmless(
                comments(x for x in rows if x.student == student)
            )
    problems += said
    absent = len(lines) - len(found)
    problems += [f"{absent} in Moodle left as they are"] * bool(absent)
    known = {x[0]: people[place]["number"] for place, x in found.items()}
    return text_of(header, [[*x.values()] for x in cells]), problems, known


def feedback_zip(folder, numbers):
    """Return a zip of students' pages, in folders that Moodle assigns.

    It reads the number behind the first underscore, and after it the plug-in
    that gave out the file (`mod/assign/feedback/file/importziplib.php`).

    Args:
        folder: of the pages, a `Path`.
        numbers: student -> number of the participant.

    Returns:
        The bytes of a zip, the same for the same pages.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for student, number in sorted(numbers.items()):
            place = f"{student}_{number}_assignsubmission_file"
            entry = zipfile.ZipInfo(f"{place}/feedback.html")
            entry.external_attr = 0o644 << 16
            page = (folder / f"{student}.html").read_bytes()
            archive.writestr(entry, page, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def moodle_person(cell):
    """Return number, login and name of a row of Moodle."""
    return {
        "number": "".join(re.findall(r"\d+$", cell["identifier"].strip())),
        "login": cell.get("email address", "").strip(),
        "name": cell.get("full name", "").strip(),
    }


def comments(rows):
    """Return the comments of a student's rows, HTML on one line."""
    return "<br>".join(
        escaped(
            f"{row.exercise}: {spelled(row.points)} of "
            f"{spelled(row.maximum)}; {row.comment}"
        )
        for row in rows
    )


def escaped(text):
    """Return a text as HTML in which no formula follows a semicolon."""
    return re.sub(
        "(?<=;)[=+@-]+",
        lambda found: "".join(f"&#{ord(x)};" for x in found[0]),
        html.escape(text),
    )
