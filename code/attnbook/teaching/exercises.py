"""Read the exercises out of the chapters' texts.

    python -m attnbook.teaching.exercises

An exercise starts with ``### Exercise 4.2 Title``; below stands one HTML
comment ``<!-- exercise id=4.2 kind=code difficulty=2 minutes=10 points=3
objective="..." check=check_NAME forbids="name other" explains=1 path=yes
-->`` and a line that says the same to readers.  ``forbids`` names functions of
PyTorch that an answer must not call when it is graded, ``explains`` how many
of the points are for what the task asks in words beside its function, and
``path`` that it belongs to the chapter's path.  An exercise ends at the next
heading of level 2 or 3.  Folded parts are ``<details>`` whose summary starts
with *Hint 1*, *Hint 2*, *Hint 3*, *Solution* or *Rubric*.
Prints one line per exercise.
"""

import functools
import re
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

from attnbook.teaching.spreadsheet import format_count

KINDS = (
    "predict",
    "trace",
    "parsons",
    "complete",
    "code",
    "debug",
    "investigate",
    "explain",
)
NAMES = {"id", "kind", "difficulty", "minutes", "points", "objective"}
OPTIONAL = {"check", "forbids", "explains", "path"}
HEADING = re.compile(r"^### Exercise (\S+) (.+)$", re.MULTILINE)
COMMENT = re.compile(r"<!--\s*exercise\s+(.*?)-->", re.DOTALL)
FOLD = re.compile(
    r"<details>\s*<summary>(.*?)</summary>(.*?)</details>", re.DOTALL
)
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
COURSE = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, kw_only=True)
class ChapterExercise:
    """One exercise, as its chapter states it."""

    chapter: str  # stem of the text, as 04_scaling
    id: str  # as 4.2
    title: str
    kind: str  # one of KINDS
    difficulty: int  # 1 to 5
    minutes: int
    points: int
    objective: str  # what the learner shows, starting with a verb
    check: str | None  # name of the checker in attnbook.checks
    forbids: tuple[str, ...]  # what a graded answer must not call
    explains: int = 0  # points for words beside a function that is checked
    path: bool = False  # belongs to the chapter's path
    text: str  # the Markdown of the exercise
    stub: str  # the learner's own cell, empty if there is none
    folds: dict[str, str] = field(repr=False)  # summary -> Markdown

    @property
    def line(self) -> str:
        """Return the line that readers see below the heading."""
        kind = "Parsons problem" if self.kind == "parsons" else self.kind
        path = ", on the path" if self.path else ""
        return (
            f"*{kind[0].upper()}{kind[1:]}, difficulty {self.difficulty} of "
            f"5, {format_count(self.minutes, 'minute')}, "
            f"{format_count(self.points, 'point')}{path}.*"
        )

    @property
    def page(self) -> str:
        """Return where the exercise is in the book, from the book's root."""
        heading = f"exercise {self.id} {self.title}".lower()
        anchor = re.sub(r"[^a-z0-9]+", "-", heading).strip("-")  # as Sphinx
        return f"chapters/{self.chapter}.html#{anchor}"

    @property
    def task(self) -> str:
        """Return the Markdown of the task: no heading, hint or solution."""
        text = FOLD.sub("", COMMENT.sub("", self.text.split("\n", 1)[1]))
        text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
        text = text.replace(self.line, "", 1)
        return re.sub(r"\n{3,}", "\n\n", text).strip()

    @property
    def hints(self) -> list[str]:
        """Return the hints, from nudge to line."""
        return [t for s, t in self.folds.items() if s.startswith("Hint")]

    @property
    def solution(self) -> str:
        """Return the Markdown of the solution."""
        return self.folds.get("Solution", "")

    @property
    def solution_code(self) -> str:
        """Return the Python of the solution."""
        return "\n\n".join(PYTHON.findall(self.solution))


def read_settings(text: str, where: str) -> dict[str, str]:
    """Return the fields of the comment under an exercise's heading."""
    found = COMMENT.search(text)
    if not found:
        raise ValueError(f"{where}: expected <!-- exercise ... -->, got none")
    try:
        words = shlex.split(found[1])
    except ValueError as error:
        raise ValueError(f"{where}: expected closed quotes, {error}") from None
    loose = [word for word in words if "=" not in word]
    if loose:
        raise ValueError(f"{where}: expected name=value, got {loose}")
    values = dict(word.split("=", 1) for word in words)
    if not NAMES <= set(values) <= NAMES | OPTIONAL:
        raise ValueError(
            f"{where}: expected the fields {sorted(NAMES)} (and "
            f"{', '.join(sorted(OPTIONAL))}), got {sorted(values)}"
        )
    if values.get("path", "no") not in ("yes", "no"):
        raise ValueError(
            f"{where}: expected path=yes or no, got path={values['path']}"
        )
    return values


def take_numbers(values: dict[str, str], where: str) -> dict[str, int]:
    """Take the fields that are whole numbers out of a comment's fields."""
    names = ("difficulty", "minutes", "points", "explains")
    try:
        return {name: int(values.pop(name, 0)) for name in names}
    except ValueError as error:
        raise ValueError(f"{where}: expected whole numbers, {error}") from None


def make_exercise(
    chapter: str, heading: re.Match, text: str, stub: str
) -> ChapterExercise:
    """Return one exercise, refusing one that lacks something."""
    where = f"{chapter}, exercise {heading[1]}"
    values = read_settings(text, where)
    if values["id"] != heading[1] or values["kind"] not in KINDS:
        raise ValueError(
            f"{where}: expected id={heading[1]} and a kind out of {KINDS}, "
            f"got id={values['id']} kind={values['kind']}"
        )
    numbers, check = take_numbers(values, where), values.pop("check", None)
    explains = numbers["explains"]
    if explains and not (check and 0 < explains < numbers["points"]):
        raise ValueError(
            f"{where}: expected explains beside a check, above 0 and below "
            f"the points, got explains={explains}"
        )
    return ChapterExercise(
        chapter=chapter,
        title=heading[2].strip(),
        text=text,
        stub=stub,
        folds={s.strip(): t.strip() for s, t in FOLD.findall(text)},
        check=check,
        path=values.pop("path", "no") == "yes",
        forbids=tuple(values.pop("forbids", "").split()),
        **numbers,
        **values,
    )


def exercises_of(path: Path) -> list[ChapterExercise]:
    """Return the exercises of one text, in order."""
    return list(parse(path.stem, path.read_text(encoding="utf-8")))


@functools.lru_cache(maxsize=64)
def parse(chapter: str, page: str) -> tuple[ChapterExercise, ...]:
    """Return the exercises of a chapter, given its name and its text."""
    found, heading, text, stub = [], None, "", ""

    def finish() -> None:
        if heading is not None:
            found.append(make_exercise(chapter, heading, text, stub))

    import jupytext  # not among what the package needs for all else

    for cell in jupytext.reads(page, fmt="md:myst").cells:
        if cell.cell_type == "code":
            stub = stub or cell.source
            continue
        parts = re.split(r"^(?=###? )", cell.source, flags=re.MULTILINE)
        for part in parts:
            if re.match(r"###? ", part):
                finish()
                heading, text, stub = HEADING.match(part), "", ""
            text += part + "\n"
    finish()
    marked = len(COMMENT.findall(page))
    if marked != len(found):
        raise ValueError(
            f"{chapter}: expected a heading '### Exercise ID Title' above "
            f"each of {marked} comments, found {len(found)}"
        )
    return tuple(found)


def all_exercises(course: Path = COURSE) -> list[ChapterExercise]:
    """Return the exercises of all chapters, in order.

    Args:
        course: a checkout of the course.

    Raises:
        ValueError: it has no texts of chapters.
    """
    texts = sorted((course / "chapters/text").glob("[0-9][0-9]_*.md"))
    if not texts:
        raise ValueError(
            f"expected a checkout of the course, with chapters/text, got "
            f"{course}; clone the repository and run pip install -e . there"
        )
    return [exercise for path in texts for exercise in exercises_of(path)]


def main() -> int:
    """Print a table of all exercises."""
    for e in all_exercises():
        print(
            f"{e.id:>5}  {e.kind:<12} difficulty {e.difficulty}  "
            f"{e.minutes:>3} min  {format_count(e.points, 'point'):<9}  "
            f"{e.check or '-':<26} {e.title}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
