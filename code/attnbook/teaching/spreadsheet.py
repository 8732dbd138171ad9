"""Read tables however Excel, LibreOffice or an LMS has saved them.

A comma, a semicolon or a tab between cells, a decimal comma, a byte-order
mark, the letters of Windows: all of it is read.  What is written has commas
and a byte-order mark, without which Excel takes UTF-8 for something else.
"""

import csv
import io
import re

from attnbook.teaching.names import written
from attnbook.teaching.visible import make_visible

NUMBER = re.compile(r"[0-9]{1,6}([.,][0-9]*)?")
# How a cell begins that a program would run; the last four are wide letters.
FORMULA = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
INSIDE = re.compile(r"(; ?)(?=[=+@-])")  # where a semicolon ends a cell
QUOTED = re.compile(r"(; ?)'(?=[=+@-])")


def decoded(data):
    """Return the text of a file.

    Args:
        data: bytes: UTF-8, UTF-16 with its mark, or Windows-1252.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def table_of(path):
    """Return the header and the rows of a table.

    Args:
        path: a `Path` of a CSV file.

    Returns:
        A list of column names and a list of pairs: the number of the line, a
        list of as many cells as there are columns.

    Raises:
        ValueError: no file, an empty one, or no table.
    """
    try:
        text = decoded(path.read_bytes())
    except OSError as error:
        raise ValueError(
            f"expected a table at {path}, got: {error.strerror}"
        ) from None
    first = text.partition("\n")[0]
    comma = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=comma)
    try:
        rows = [(reader.line_num, row) for row in reader if any(row)]
    except csv.Error as error:
        raise ValueError(
            f"expected a table in {path.name}, line {reader.line_num}: {error}"
        ) from None
    if not rows:
        raise ValueError(f"expected a table in {path.name}, got an empty file")
    header = [name.strip() for name in rows[0][1]]
    width = len(header)
    return header, [(n, [*row, *[""] * width][:width]) for n, row in rows[1:]]


def number_of(text):
    """Return the number in a cell, or None if there is none.

    Args:
        text: digits with a point or a comma, blanks around them.

    Raises:
        ValueError: something else.
    """
    text = text.strip()
    if not text:
        return None
    if not NUMBER.fullmatch(text):
        raise ValueError(f"expected a number such as 2.5, got {text!r}")
    return float(text.replace(",", "."))


def harmless(text):
    """Return a text that no spreadsheet runs as a formula.

    Args:
        text: of a student or a teacher.  See OWASP, *CSV Injection*.
    """
    text = INSIDE.sub(r"\1'", " ".join(make_visible(text).split()))
    return f"'{text}" if text.startswith(FORMULA) else text


def unharmed(text):
    """Return a text as it was before `harmless`."""
    text = QUOTED.sub(r"\1", " ".join(text.split()))
    return text[1:] if text[:1] == "'" and text[1:2] in FORMULA else text


def spelled(number):
    """Return a number with at most two decimals; None is empty."""
    return "" if number is None else f"{number:.2f}".rstrip("0").rstrip(".")


def counted(number, noun):
    """Return a number with its noun, as *1 point* or *2.5 points*."""
    return f"{spelled(number)} {noun}{'s' * (number != 1)}"


def key_of_line(cell, known):
    """Return student and exercise of a line, whatever a program made of it.

    Args:
        cell: column -> text.
        known: keys of all rows.
    """
    student = written(unharmed(cell["student"]))
    found = re.search(r"\d+\.\d+(?:-why)?", cell["exercise"])
    exercise = found[0] if found else cell["exercise"].strip()
    students = {x for x, _ in known}
    if student not in students and student.isdecimal():  # 007 has become 7
        same = [
            x for x in students if x.isdecimal() and int(x) == int(student)
        ]
        student = same[0] if len(same) == 1 else student
    return student, exercise


def text_of(header, rows):
    """Return a table as the text of a CSV file.

    Args:
        header: names of columns.
        rows: lists of str.
    """
    out = io.StringIO(newline="")
    csv.writer(out).writerows([header, *rows])
    return "\ufeff" + out.getvalue()
