"""Letters that a table lost when a spreadsheet saved it as plain CSV.

Excel's *CSV (Comma delimited)* holds the letters of one region, on most
computers those of Windows-1252.  Any other becomes a question mark, or a
letter that looks like it.
"""

import re

from attnbook.teaching.names import loose, written

REMEDY = (
    "plain CSV cannot hold these letters; in Excel choose Save As, CSV UTF-8 "
    "(Comma delimited)"
)
STRANGE = re.compile("[?\ufffd\x80-\U0010ffff]")
SHOWN = 3  # names


def plain(text):
    """Return what is left of a text in Windows-1252."""
    return text.encode("cp1252", "replace").decode("cp1252")


def is_left_of(cell, text):
    """Say whether a cell is what plain CSV has left of a text.

    Args:
        cell: as it stands in the table.
        text: as it was written.
    """
    if not STRANGE.search(cell) and loose(cell) != loose(text):
        return False
    for width in (0, 1, 2):  # letters in the place of one
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
        cells: the names of students that stand in it.
        keys: of students, a set.
        file: its name.

    Raises:
        ValueError: such names, and the remedy.
    """
    cells = {*map(written, cells)}
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


def lost_letters(people):
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
