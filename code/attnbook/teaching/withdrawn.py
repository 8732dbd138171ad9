"""Keep the rows of students who have left the class in a separate table.

Students in it are no longer graded, even if they have handed in a file.
"""

from attnbook.teaching.names import normalise_name
from attnbook.teaching.results import write
from attnbook.teaching.spreadsheet import find_key, format_table, read_table

WITHDRAWN = "withdrawn.csv"


def read_by_student(path, keys):
    """Return the header of a table and its lines, pairs of a key and cells.

    Args:
        path: of a table of marks, a `Path`; it need not exist.
        keys: of students who may be in it.

    Raises:
        ValueError: the file is not a table of marks.
    """
    if not path.is_file():
        return [], []
    header, lines = read_table(path)
    columns = [name.lower() for name in header]
    if "student" not in columns:
        raise ValueError(
            f"expected the column student in {path.name}, got {header}"
        )
    place, known = columns.index("student"), {(key, "") for key in keys}
    cells = [line for _, line in lines]
    names = [{"student": x[place], "exercise": ""} for x in cells]
    found = [find_key(name, known)[0] for name in names]
    return header, [*zip(found, cells, strict=True)]


def find_withdrawn(grades, keys):
    """Return which students have been withdrawn, a set of keys.

    Args:
        grades: the folder of the tables, a `Path`.
        keys: of students.
    """
    return {key for key, _ in read_by_student(grades / WITHDRAWN, keys)[1]} & {
        *keys
    }


def withdraw(grades, keys):
    """Move students from the table of marks to that of the withdrawn.

    Arguments as in `find_withdrawn`.

    Raises:
        ValueError: a student who is in neither table.
    """
    keys = [*map(normalise_name, keys)]
    header, lines = read_by_student(grades / "grades.csv", keys)
    before, gone = read_by_student(grades / WITHDRAWN, keys)
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
    write(grades / WITHDRAWN, format_table(both, dict.fromkeys(rows)))
    if header:
        kept = [cells for key, cells in lines if key not in keys]
        write(grades / "grades.csv", format_table(header, kept))


def describe_missing(grades, keys):
    """Return a sentence on each student in the table who has no file.

    Arguments as in `find_withdrawn`; the keys are of students with a file.
    """
    found = [key for key, _ in read_by_student(grades / "grades.csv", keys)[1]]
    return [
        f"{key}: has no file any more, and is taken out of the table"
        for key in dict.fromkeys(found)
        if key not in keys
    ]
