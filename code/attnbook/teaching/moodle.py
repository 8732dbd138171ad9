"""Put totals and comments into an offline grading worksheet of Moodle.

Pages of feedback go back as a zip, by *Upload multiple feedback files in a
zip*.
"""

import html
import io
import re
import zipfile

from attnbook.teaching.lms import (
    describe_scaling,
    match_students,
    scale_points,
)
from attnbook.teaching.spreadsheet import (
    escape_formula,
    format_number,
    format_table,
    parse_number,
    read_table,
)


def fill_moodle(rows, path, numbers=None):
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
        ValueError: the file is not a worksheet of Moodle.
    """
    header, lines = read_table(path)
    names = [name.casefold() for name in header]
    if not {"identifier", "grade"} <= set(names):
        raise ValueError(
            f"expected the columns Identifier and Grade in {path.name}, got "
            f"{header}; choose English as your language and export again"
        )
    cells = [dict(zip(names, x, strict=True)) for _, x in lines]
    people = [*map(read_person, cells)]
    found, problems = match_students(rows, people, numbers or {})
    said = {}
    for place, (student, points, maximum) in found.items():
        most = parse_number(cells[place].get("maximum grade", ""))
        cells[place]["grade"] = scale_points(points, maximum, most)
        said |= dict.fromkeys(describe_scaling(most, maximum))
        if "feedback comments" in names:
            cells[place]["feedback comments"] = escape_formula(
                format_comments(x for x in rows if x.student == student)
            )
    problems += said
    absent = len(lines) - len(found)
    problems += [f"{absent} in Moodle left as they are"] * bool(absent)
    known = {x[0]: people[place]["number"] for place, x in found.items()}
    table = format_table(header, [[*x.values()] for x in cells])
    return table, problems, known


def zip_feedback(folder, numbers):
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


def read_person(cell):
    """Return number, login and name of a row of Moodle."""
    return {
        "number": "".join(re.findall(r"\d+$", cell["identifier"].strip())),
        "login": cell.get("email address", "").strip(),
        "name": cell.get("full name", "").strip(),
    }


def format_comments(rows):
    """Return the comments of a student's rows, HTML on one line."""
    return "<br>".join(
        escape_html(
            f"{row.exercise}: {format_number(row.points)} of "
            f"{format_number(row.maximum)}; {row.comment}"
        )
        for row in rows
    )


def escape_html(text):
    """Return a text as HTML in which no formula follows a semicolon."""
    return re.sub(
        "(?<=;)[=+@-]+",
        lambda found: "".join(f"&#{ord(x)};" for x in found[0]),
        html.escape(text),
    )
