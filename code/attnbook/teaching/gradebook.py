"""The table of marks that a teacher reads, types into, and keeps.

Points of an exercise that is marked by hand are empty until the teacher types
them; any other mark or comment may be typed over.  What was typed is kept when
the class is graded again.  The last column, *graded*, says what the row held
when it was written, which is how a typed mark is told from a computed one.
"""

import hashlib
from dataclasses import dataclass, field, replace

from attnbook.teaching.lost_letters import check_letters, plain
from attnbook.teaching.spreadsheet import (
    harmless,
    key_of_line,
    number_of,
    spelled,
    table_of,
    text_of,
    unharmed,
)

COLUMNS = (
    *("student", "name", "exercise", "points", "maximum"),
    *("status", "comment", "note", "graded"),
)
NEEDED = {"student", "exercise", "points"}
CHANGED = (
    "look at it: the answer has changed since its mark was typed; to mark it "
    "anew, empty the points and grade again"
)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One exercise of one student.

    Attributes:
        student: the student's key.
        name: the student's name, as the LMS shows it.
        exercise: the exercise's id.
        points: from 0 to maximum, None until it is marked by hand.
        maximum: the exercise's points.
        status: one of `results.STATUSES`.
        comment: what the student reads.
        note: what the teacher alone reads.
        mistake: see `results.Result`.
        answer: a short text that changes with the answer.
        graded: what the row held when it was computed; empty: as it is.
        own: what a teacher has typed in the note's place.
        more: column -> cell, of columns that a teacher has added.
    """

    student: str
    name: str
    exercise: str
    points: float | None
    maximum: float
    status: str
    comment: str = ""
    note: str = ""
    mistake: str = ""
    answer: str = ""
    graded: str = ""
    own: str = ""
    more: dict = field(default_factory=dict)

    @property
    def computed(self):
        """Return what the column *graded* says of a row nobody has edited."""
        said = digest(harmless(self.comment)), digest(self.answer)
        return "/".join([spelled(self.points) or "none", *said])


def digest(text):
    """Return six letters that change with a text."""
    text = unharmed(text)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:6]


def csv_of(rows):
    """Return the table of all rows, the text of a CSV file.

    Args:
        rows: all `Row`.
    """
    more = list(dict.fromkeys(name for row in rows for name in row.more))
    lines = [
        [
            harmless(row.student),
            harmless(row.name),
            f"Exercise {row.exercise}",  # Excel makes 10.1 of 10.10
            spelled(row.points),
            spelled(row.maximum),
            row.status,
            harmless(row.comment),
            harmless(row.own or row.note),
            f"{row.graded or row.computed}/{digest(harmless(row.note))}",
            *(harmless(row.more.get(name, "")) for name in more),
        ]
        for row in rows
    ]
    return text_of([*COLUMNS, *more], lines)


def with_marks(rows, path):
    """Return the rows with what a teacher has typed into their table.

    Args:
        rows: all `Row`, as computed.
        path: the table as it was written before and edited since, a `Path`;
            it need not be there.

    Raises:
        ValueError: marks that are no numbers, or outside 0 to maximum, or of
            no student or exercise, each with its line; names of students
            that have lost letters.
    """
    if not path.exists():
        return list(rows)
    header, lines = table_of(path)
    columns = [name.lower() for name in header]
    if not set(columns) >= NEEDED:
        raise ValueError(
            f"expected the columns {sorted(NEEDED)} in {path.name}, got "
            f"{header}"
        )
    known = {(row.student, row.exercise): row for row in rows}
    names = [unharmed(x[columns.index("student")]) for _, x in lines]
    check_letters(names, {x for x, _ in known}, path.name)
    typed, problems = {}, []
    for number, cells in lines:
        cell = dict(zip(columns, cells, strict=True))
        more = dict(zip(header, cells, strict=True))
        more = {x: y for x, y in more.items() if x.lower() not in COLUMNS}
        try:
            key, row = edited(cell, known, more)
            if key in typed:
                raise ValueError(f"a second row of {' '.join(key)}")
            typed[key] = row
        except ValueError as problem:
            problems.append(f"line {number}: {problem}")
    if problems:
        said = f"{path.name} was left as it is."
        raise ValueError("\n".join([said, *problems]))
    return [typed.get((x.student, x.exercise)) or x for x in rows]


def edited(cell, known, more):
    """Return key and `Row` of one line of the table.

    Args:
        cell: column -> text.
        known: key -> computed `Row`.
        more: column -> text, of added columns.

    Raises:
        ValueError: no such row, or no such mark.
    """
    points = number_of(cell["points"])
    graded = cell.get("graded", "").strip()
    key = key_of_line(cell, known)
    if key not in known:
        check_untyped(key, points, graded)
        return key, None
    row = known[key]
    if points is not None and points > row.maximum:
        raise ValueError(
            f"expected points from 0 to {spelled(row.maximum)}, got "
            f"{spelled(points)}"
        )
    was, said, answer, noted = (graded.split("/") + [""] * 4)[:4]
    graded = "/".join([was, said, answer])
    if not answer:  # the column is lost
        was, said, answer = row.computed.split("/")
    comment = unharmed(cell.get("comment", row.comment))
    new = points is not None and spelled(points) != was
    spoken = digest(comment) not in (said, digest(plain(row.comment)))
    note = unharmed(cell.get("note", ""))
    kept = noted or digest(note), digest(plain(row.note))
    own = "" if digest(note) in kept else note
    row = replace(row, more=more, own=own)
    if not new and not spoken:
        return key, row
    return key, overwritten(
        row,
        points if new else None,
        comment * spoken,
        graded if answer != digest(row.answer) else "",
    )


def check_untyped(key, points, graded):
    """Refuse a typed mark of someone who is gone.

    Args:
        key: student and exercise.
        points: a number, or None.
        graded: the column *graded*.

    Raises:
        ValueError: such a mark.
    """
    if points is not None and not graded.startswith(f"{spelled(points)}/"):
        raise ValueError(
            f"expected a row of this class, got {' '.join(key)}; if the "
            f"student has left, add --withdraw {key[0]}"
        )


def overwritten(row, points, comment, old):
    """Return a row with a typed mark or comment.

    Args:
        row: the computed `Row`.
        points: typed, or None.
        comment: typed, or "".
        old: the column *graded*, if the answer has changed since.
    """
    notes = [row.note]
    if points is not None and row.points is not None:
        notes.append(f"typed by hand; computed: {spelled(row.points)}")
    notes.append(CHANGED if old else "")
    return replace(
        row,
        points=row.points if points is None else points,
        comment=comment or row.comment,
        note="; ".join(filter(None, notes)),
        graded=old or row.computed,
    )


def totals(rows):
    """Return per student points and maximum; points None until all are marked.

    Args:
        rows: all `Row`.
    """
    found = {}
    for row in rows:
        points, maximum = found.get(row.student, (0.0, 0.0))
        none = points is None or row.points is None
        points = None if none else round(points + row.points, 2)
        found[row.student] = points, maximum + row.maximum
    return found
