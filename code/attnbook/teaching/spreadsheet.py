"""Read tables however Excel, LibreOffice or an LMS has saved them.

Cells may be separated by commas, semicolons or tabs; numbers may have a
decimal comma; the encoding may be UTF-8, UTF-16 or Windows-1252.  What is
written has commas and a byte-order mark, without which Excel does not
recognise UTF-8.
"""

import csv
import io
import re

from attnbook.teaching.names import normalise_name
from attnbook.teaching.visible import make_visible

NUMBER = re.compile(r"[0-9]{1,6}([.,][0-9]*)?")
# Characters that begin a formula; the last four are full-width forms.
FORMULA = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
INSIDE = re.compile(r"(; ?)(?=[=+@-])")  # where a semicolon ends a cell
QUOTED = re.compile(r"(; ?)'(?=[=+@-])")


def decode(data):
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


def read_table(path):
    """Return the header and the rows of a table.

    Args:
        path: a `Path` of a CSV file.

    Returns:
        A list of column names and a list of pairs: the number of the line, a
        list of as many cells as there are columns.

    Raises:
        ValueError: the file is missing, empty or not a table.
    """
    try:
        text = decode(path.read_bytes())
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


def parse_number(text):
    """Return the number in a cell, or None if there is none.

    Args:
        text: digits with a point or a comma, blanks around them.

    Raises:
        ValueError: the text is not such a number.
    """
    text = text.strip()
    if not text:
        return None
    if not NUMBER.fullmatch(text):
        raise ValueError(f"expected a number such as 2.5, got {text!r}")
    return float(text.replace(",", "."))


def escape_formula(text):
    """Return a text that no spreadsheet takes for a formula.

    Args:
        text: of a student or a teacher.  See OWASP, *CSV Injection*.
    """
    text = INSIDE.sub(r"\1'", " ".join(make_visible(text).split()))
    return f"'{text}" if text.startswith(FORMULA) else text


def unescape_formula(text):
    """Return a text as it was before `escape_formula`."""
    text = QUOTED.sub(r"\1", " ".join(text.split()))
    return text[1:] if text[:1] == "'" and text[1:2] in FORMULA else text


def format_number(number):
    """Return a number with at most two decimals; None is empty."""
    return "" if number is None else f"{number:.2f}".rstrip("0").rstrip(".")


def format_count(number, noun):
    """Return a number with its noun, as *1 point* or *2.5 points*."""
    return f"{format_number(number)} {noun}{'s' * (number != 1)}"


def find_key(cell, known):
    """Return student and exercise of a line that a program may have changed.

    Args:
        cell: column -> text.
        known: keys of all rows.
    """
    student = normalise_name(unescape_formula(cell["student"]))
    found = re.search(r"\d+\.\d+(?:-why)?", cell["exercise"])
    exercise = found[0] if found else cell["exercise"].strip()
    students = {x for x, _ in known}
    if student not in students and student.isdecimal():  # 007 has become 7
        same = [
            x for x in students if x.isdecimal() and int(x) == int(student)
        ]
        student = same[0] if len(same) == 1 else student
    return student, exercise


def format_table(header, rows):
    """Return a table as the text of a CSV file.

    Args:
        header: names of columns.
        rows: lists of str.
    """
    out = io.StringIO(newline="")
    csv.writer(out).writerows([header, *rows])
    return "\ufeff" + out.getvalue()
