"""Put totals into the gradebook of Canvas."""

import re

from attnbook.teaching.lms import (
    describe_scaling,
    match_students,
    scale_points,
)
from attnbook.teaching.spreadsheet import (
    format_table,
    parse_number,
    read_table,
)

CANVAS = {  # columns that say who a student is
    "student",
    "lastname",
    "firstname",
    "id",
    "sis user id",
    "sis login id",
    "integration id",
    "root account",
    "section",
}
ASSIGNMENT = re.compile(r"(.*) \((\d+)\)")


def find_column(header, title):
    """Return the number of the column of one assignment of Canvas.

    Args:
        header: names of columns.
        title: of the assignment, in any case; if there is only one column,
            it is taken whatever its title.

    Raises:
        ValueError: none, or several.
    """
    found = {
        place: match[1].strip()
        for place, name in enumerate(header)
        if (match := ASSIGNMENT.fullmatch(name))
    }
    wanted = title.strip().casefold()
    same = [x for x, y in found.items() if y.casefold() == wanted]
    for places in (same, [*found]):
        if len(places) == 1:
            return places[0]
    raise ValueError(
        f"expected one column named {title!r} (and its number), got "
        f"{[*found.values()]}; give the assignment in Canvas that title, or "
        "its column in this file, and leave the number"
    )


def fill_canvas(rows, path, title="", numbers=None):
    """Fill the gradebook that Canvas has exported; Canvas imports it again.

    The format is that of Canvas's own `lib/gradebook_exporter.rb` and
    `gradebook_importer.rb`: columns Student (or LastName, FirstName), ID, SIS
    User ID, SIS Login ID, Section, then *Title (number)* per assignment; one
    row of maxima that begins with *Points Possible*, sometimes below a row
    that says what is hidden.  Only the columns of students and of this
    assignment are written, so nothing else can change.

    Args:
        rows: all `gradebook.Row`.
        path: the exported file, a `Path`.
        title: of the assignment in Canvas.
        numbers: student -> see `lms.number_of_student`.

    Returns:
        The text of a CSV file, and a list of what to tell the teacher.

    Raises:
        ValueError: the file is not an export of Canvas, or lacks the
            assignment.
    """
    header, lines = read_table(path)
    names = [name.casefold() for name in header]
    if not {"id", "section"} <= set(names):
        raise ValueError(
            f"expected the columns ID and Section in {path.name}, got {header}"
        )
    column = find_column(header, title)
    lines = [cells for _, cells in lines]
    id_place = names.index("id")
    people = [read_person(dict(zip(names, x, strict=True))) for x in lines]
    possible = [
        x[column] for x in lines if x[0].strip().startswith("Points Possible")
    ]
    most = parse_number(possible[0]) if possible else None
    found, problems = match_students(rows, people, numbers or {})
    kept = [x for x, name in enumerate(names) if name in CANVAS] + [column]
    said = {}
    for place, (_, points, maximum) in found.items():
        lines[place][column] = scale_points(points, maximum, most)
        said |= dict.fromkeys(describe_scaling(most, maximum))
    absent = sum(
        bool(cells[id_place].strip()) and place not in found
        for place, cells in enumerate(lines)
    )
    problems += said
    problems += [f"{absent} in Canvas left as they are"] * bool(absent)
    problems.append(f"{len(found)} filled in, column {header[column]!r}")
    table = [[cells[x] for x in kept] for cells in lines]
    return format_table([header[x] for x in kept], table), problems


def read_person(cell):
    """Return number, login and name of a row of Canvas."""
    name = cell.get("student") or " ".join(
        [cell.get("lastname", ""), cell.get("firstname", "")]
    )
    return {
        "number": cell["id"].strip(),
        "login": cell.get("sis login id", "").strip(),
        "name": name.strip(),
    }
