"""Detect letters that a spreadsheet lost by saving a table as plain CSV.

Excel's *CSV (Comma delimited)* has only the letters of one region, usually
Windows-1252.  Any other becomes a question mark or a similar letter.
"""

import re

from attnbook.teaching.names import normalise_name, strip_marks

REMEDY = (
    "plain CSV cannot hold these letters; in Excel choose Save As, CSV UTF-8 "
    "(Comma delimited)"
)
STRANGE = re.compile("[?\ufffd\x80-\U0010ffff]")
SHOWN = 3  # names


def lose_letters(text):
    """Return a text as plain CSV in Windows-1252 keeps it."""
    return text.encode("cp1252", "replace").decode("cp1252")


def is_left_of(cell, text):
    """Say whether a cell is what plain CSV keeps of a text.

    Args:
        cell: of the table.
        text: the original.
    """
    if not STRANGE.search(cell) and strip_marks(cell) != strip_marks(text):
        return False
    for width in (0, 1, 2):  # letters instead of one
        letters = [
            re.escape(c)
            if c.isascii()
            else "." * (2 if width == 1 and c > "\uffff" else width)
            for c in text
        ]
        if re.fullmatch("".join(letters), cell):
            return True
    return False


def check_letters(cells, keys, file):
    """Refuse a table whose names of students have lost letters.

    Args:
        cells: the names of students in it.
        keys: of students, a set.
        file: its name.

    Raises:
        ValueError: there are such names; the message says what to do.
    """
    cells = {*map(normalise_name, cells)}
    lost = {
        f"{cell} instead of {key}"
        for cell in cells - keys
        for key in keys - cells
        if is_left_of(cell, key)
    }
    if lost:
        raise ValueError(
            f"{file} was left as it is: expected names as they were written, "
            f"got {', '.join(sorted(lost)[:SHOWN])}; {REMEDY}. If the table "
            "is closed already, rename it, grade again, and copy what you "
            f"typed into the new {file}"
        )


def describe_lost_letters(people):
    """Return a list with a sentence on names that have lost letters, if any.

    Args:
        people: dicts with a name, of the table of an LMS.
    """
    lost = [x["name"] for x in people if re.search("[?\ufffd]", x["name"])]
    if not lost:
        return []
    return [
        f"letters are lost in {len(lost)} of {len(people)} names, such as "
        f"{lost[0]}: {REMEDY}, or export the table again"
    ]
