"""Students who have left the class: their rows wait in a table of their own.

Who stands in it is graded no more, whether there is a file or not.
"""

from attnbook.teaching.names import written
from attnbook.teaching.results import write
from attnbook.teaching.spreadsheet import key_of_line, table_of, text_of

WITHDRAWN = "withdrawn.csv"


def by_student(path, keys):
    """Return the header of a table and its lines, pairs of a key and cells.

    Args:
        path: of a table of marks, a `Path`; it need not be there.
        keys: of students who may be in it.

    Raises:
        ValueError: it is no table of marks.
    """
    if not path.is_file():
        return [], []
    header, lines = table_of(path)
    columns = [name.lower() for name in header]
    if "student" not in columns:
        raise ValueError(
            f"expected the column student in {path.name}, got {header}"
        )
    place, known = columns.index("student"), {(key, "") for key in keys}
    cells = [line for _, line in lines]
    names = [{"student": x[place], "exercise": ""} for x in cells]
    found = [key_of_line(name, known)[0] for name in names]
    return header, [*zip(found, cells, strict=True)]


def withdrawn(grades, keys):
    """Return who of some students has been withdrawn, a set of keys.

    Args:
        grades: the folder of the tables, a `Path`.
        keys: of students.
    """
    return {key for key, _ in by_student(grades / WITHDRAWN, keys)[1]} & {
        *keys
    }


def withdraw(grades, keys):
    """Move students from the table of marks to that of the withdrawn.

    Arguments as in `withdrawn`.

    Raises:
        ValueError: a student who is in neither.
    """
    keys = [*map(written, keys)]
    header, lines = by_student(grades / "grades.csv", keys)
    before, gone = by_student(grades / WITHDRAWN, keys)
    unknown = {*keys} - {key for key, _ in [*lines, *gone]}
    if unknown:
        raise ValueError(
            "expected students as grades.csv names them in its first column, "
            f"got {', '.join(sorted(unknown))}"
        )
    both = list(dict.fromkeys([*before, *header]))
    moved = [dict(zip(before, x, strict=True)) for _, x in gone]
    moved += [dict(zip(header, x, strict=True)) for key, x in lines
              if key in keys]  # fmt: skip
    rows = [tuple(row.get(name, "") for name in both) for row in moved]
    write(grades / WITHDRAWN, text_of(both, dict.fromkeys(rows)))
    if header:
        kept = [cells for key, cells in lines if key not in keys]
        write(grades / "grades.csv", text_of(header, kept))


def without_file(grades, keys):
    """Return a sentence on each student of the table who has no file now.

    Arguments as in `withdrawn`; the keys are those who have a file.
    """
    found = [key for key, _ in by_student(grades / "grades.csv", keys)[1]]
    return [
        f"{key}: has no file any more, and is taken out of the table"
        for key in dict.fromkeys(found)
        if key not in keys
    ]
