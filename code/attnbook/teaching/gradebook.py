"""The table of marks that a teacher reads, types into, and keeps.

Points of an exercise that is marked by hand are empty until the teacher types
them; any other mark or comment may be overwritten.  What was typed is kept
when the class is graded again.  The last column, *graded*, holds what was
computed, so that a typed mark can be told from a computed one.
"""

import hashlib
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from attnbook.teaching.entries import LOOK
from attnbook.teaching.lost_letters import check_letters, lose_letters
from attnbook.teaching.spreadsheet import (
    escape_formula,
    find_key,
    format_number,
    format_table,
    parse_number,
    read_table,
    unescape_formula,
)

COLUMNS = (
    *("student", "name", "exercise", "points", "maximum"),
    *("status", "comment", "note", "graded"),
)
NEEDED = {"student", "exercise", "points"}
CHANGED = (
    "the answer has changed since its mark was typed; to mark it anew, empty "
    "the points and grade again"
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
        look, mistake: see `results.Result`.
        answer: what the student has typed.
        graded: the column *graded*, if the teacher has edited the row; empty
            if it is to be computed.
        changed: whether the answer has changed since its mark was typed.
        own: the note that the teacher has typed instead of the computed one.
        more: column -> cell, of columns that the teacher has added.
    """

    student: str
    name: str
    exercise: str
    points: float | None
    maximum: float
    status: str
    comment: str = ""
    note: str = ""
    look: str = ""
    mistake: str = ""
    answer: str = ""
    graded: str = ""
    changed: bool = False
    own: str = ""
    more: dict = field(default_factory=dict)

    @property
    def computed(self):
        """Return the column *graded* of a row that nobody has edited."""
        said = digest(escape_formula(self.comment)), digest(self.answer)
        return "/".join([format_number(self.points) or "none", *said])


class Graded(NamedTuple):
    """The column *graded*: the points as computed, digests of all else."""

    points: str = ""
    comment: str = ""
    answer: str = ""
    note: str = ""


def digest(text):
    """Return the first six hexadecimal digits of a text's hash."""
    text = unescape_formula(text)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:6]


def format_csv(rows):
    """Return the table of all rows, the text of a CSV file.

    Args:
        rows: all `Row`.
    """
    more = list(dict.fromkeys(name for row in rows for name in row.more))
    lines = [
        [
            escape_formula(row.student),
            escape_formula(row.name),
            f"Exercise {row.exercise}",  # Excel makes 10.1 of 10.10
            format_number(row.points),
            format_number(row.maximum),
            row.status,
            escape_formula(row.comment),
            escape_formula(row.own or row.note),
            f"{row.graded or row.computed}/{digest(escape_formula(row.note))}",
            *(escape_formula(row.more.get(name, "")) for name in more),
        ]
        for row in rows
    ]
    return format_table([*COLUMNS, *more], lines)


def merge_marks(rows, path):
    """Return the rows with what a teacher has typed into their table.

    Args:
        rows: all `Row`, as computed.
        path: the table that an earlier run wrote and the teacher may have
            edited, a `Path`; it need not exist.

    Raises:
        ValueError: marks that are not numbers from 0 to the maximum, or of an
            unknown student or exercise, each with its line; names of students
            that have lost letters.
    """
    if not path.exists():
        return list(rows)
    header, lines = read_table(path)
    columns = [name.lower() for name in header]
    if not set(columns) >= NEEDED:
        raise ValueError(
            f"expected the columns {sorted(NEEDED)} in {path.name}, got "
            f"{header}"
        )
    known = {(row.student, row.exercise): row for row in rows}
    names = [unescape_formula(x[columns.index("student")]) for _, x in lines]
    check_letters(names, {x for x, _ in known}, path.name)
    typed, problems = {}, []
    for number, cells in lines:
        cell = dict(zip(columns, cells, strict=True))
        more = dict(zip(header, cells, strict=True))
        more = {x: y for x, y in more.items() if x.lower() not in COLUMNS}
        try:
            key, row = _read_line(cell, known, more)
            if key in typed:
                raise ValueError(f"a second row of {' '.join(key)}")
            typed[key] = row
        except ValueError as problem:
            problems.append(f"line {number}: {problem}")
    if problems:
        problems = f"{path.name} was left as it is.", *problems
        raise ValueError("\n".join(problems))
    return [typed.get((x.student, x.exercise)) or x for x in rows]


def _read_line(cell, known, more):
    """Return key and `Row` of one line; ``more`` are the added columns."""
    points = parse_number(cell["points"])
    graded = cell.get("graded", "").strip()
    key = find_key(cell, known)
    if key not in known:
        _check_untyped(key, points, graded)
        return key, None
    row = known[key]
    if points is not None and points > row.maximum:
        raise ValueError(
            f"expected points from 0 to {format_number(row.maximum)}, got "
            f"{format_number(points)}"
        )
    before = Graded(*graded.split("/")[:4])
    graded = "/".join(before[:3])
    if not before.answer:  # the column is lost
        before = Graded(*row.computed.split("/"), before.note)
    comment = unescape_formula(cell.get("comment", row.comment))
    own_points = points is not None and format_number(points) != before.points
    own_comment = _is_typed(comment, before.comment, row.comment)
    note = unescape_formula(cell.get("note", ""))
    own_note = _is_typed(note, before.note or digest(note), row.note)
    row = replace(row, more=more, own=note if own_note else "")
    if not own_points and not own_comment:
        return key, row
    return key, _overwrite(
        row,
        points if own_points else None,
        comment if own_comment else "",
        graded if before.answer != digest(row.answer) else "",
    )


def _is_typed(text, stored, computed):
    """Say whether a teacher has typed a text; ``stored`` is a digest."""
    return digest(text) not in (stored, digest(lose_letters(computed)))


def _check_untyped(key, points, graded):
    """Refuse a typed mark of a student who has left the class."""
    start = f"{format_number(points)}/"
    if points is not None and not graded.startswith(start):
        raise ValueError(
            f"expected a row of this class, got {' '.join(key)}; if the "
            f"student has left, add --withdraw {key[0]}"
        )


def _overwrite(row, points, comment, old):
    """Return a computed row with a typed mark or comment.

    Args:
        row: the computed `Row`.
        points: typed, or None.
        comment: typed, or "".
        old: the column *graded*, if the answer has changed since.
    """
    notes = [row.note]
    if points is not None and row.points is not None:
        notes.append(f"typed by hand; computed: {format_number(row.points)}")
    return replace(
        row,
        points=row.points if points is None else points,
        comment=comment or row.comment,
        note="; ".join(filter(None, [*notes, (LOOK + CHANGED) * bool(old)])),
        look="; ".join(filter(None, [row.look, CHANGED * bool(old)])),
        graded=old or row.computed,
        changed=bool(old),
    )


def add_up_points(rows):
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
