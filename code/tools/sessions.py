"""Keep the map of chapters to sessions equal to the chapters.

    python code/tools/sessions.py [--write]

`session_plans` says which chapters, sections and exercises belong to which
session of 90 minutes.  All minutes, objectives and needs on the page
``book/teach/course.md`` come from the chapters' heads and exercises.  Reading
a part of a chapter takes that part of its minutes: by letters, exercises not
counted.  ``--write`` copies chapters -> page; without it a difference is named
and the exit status is 1.
"""

import functools
import re
import sys
from collections.abc import Iterator

from attnbook.checks.rules import RULES
from attnbook.teaching.exercises import Exercise, all_exercises
from catalogue import link, marked, named
from chapter_files import ROOT, keep_equal, notebook_of, texts
from session_plans import PLANS, Session
from symptoms import slugify

PAGE = ROOT / "book/teach/course.md"
BLOCK = re.compile(
    r"(<!-- (needs|table|sessions) ?(\w*) -->\n).*?(<!-- end -->)", re.DOTALL
)
HEAD = re.compile(
    r"^\| (.+) \| (\d+) minutes, exercises (\d+) more \| about (.+) on .*\|$",
    re.MULTILINE,
)
AIM = re.compile(r"^\* (\*\*.+?)[;.]?$", re.MULTILINE)
CLASS = 90  # minutes of a session
TALK = 30  # of which recall and talk take this much
SECONDS = {"second": 1, "minute": 60}


class Chapter:
    """What the text of one chapter says of itself."""

    def __init__(self, text):
        whole = text.read_text(encoding="utf-8")
        head, *rest = re.split(r"^## ", whole, flags=re.MULTILINE)
        self.name = text.stem
        self.title = re.search(r"^# (.+)$", head, re.MULTILINE)[1]
        self.needs, read, more, self.run = HEAD.search(head).groups()
        self.read, self.more = int(read), int(more)
        self.aims = AIM.findall(head.partition("You will be able to")[2])
        self.sections = {part.split("\n", 1)[0]: len(part) for part in rest}
        del self.sections["Exercises"]

    def link(self, heading=""):
        """Return a link to the chapter, or to one of its sections."""
        page = f"../../chapters/{notebook_of(ROOT / f'{self.name}.md').name}"
        anchor = f"#{slugify(heading)}" if heading else ""
        return f"[{heading or self.title}]({page}{anchor})"

    def minutes(self, left_out):
        """Return the minutes to read it without some sections.

        Args:
            left_out: headings.

        Raises:
            ValueError: a section that the chapter does not have.
        """
        strange = [name for name in left_out if name not in self.sections]
        if strange:
            raise ValueError(
                f"expected sections of {self.name}, got {strange}"
            )
        all_of_it = sum(self.sections.values())
        less = sum(self.sections[name] for name in left_out)
        return 5 * round(self.read * (1 - less / all_of_it) / 5)


@functools.cache
def chapters() -> dict[int, Chapter]:
    """Return the chapters by number."""
    return {int(text.stem[:2]): Chapter(text) for text in texts()}


@functools.cache
def known() -> dict[str, Exercise]:
    """Return the exercises by id."""
    return {e.id: e for e in all_exercises(ROOT)}


def spent(ids) -> int:
    """Return the minutes of some exercises.

    Raises:
        KeyError: an exercise that does not exist.
    """
    return sum(known()[i].minutes for i in ids)


def reading(session: Session) -> int:
    """Return the minutes to read before a session."""
    return sum(chapters()[n].minutes(s) for n, s in session.skip.items())


@functools.cache
def ways() -> dict[str, str]:
    """Return who marks each exercise when it is assigned."""
    return marked([*known().values()])


def graded(ids) -> list[int]:
    """Count exercises: graded by command, of these changed, by hand.

    Args:
        ids: of exercises; the seed changes those that have rules, and all
            that are compared with an answer.
    """
    command = [i for i in ids if ways()[i] != "by hand"]
    changed = [i for i in command if i in RULES or ways()[i] == "answer"]
    return [len(command), len(changed), len(ids) - len(command)]


def lasting(times) -> str:
    """Return the sum of times such as "3 minutes" and "40 seconds"."""
    words = [time.split() for time in times]
    total = sum(int(n) * SECONDS[unit.rstrip("s")] for n, unit in words)
    minutes, seconds = divmod(total, 60)
    parts = [f"{minutes} minute{'s' * (minutes > 1)}"] * bool(minutes)
    return " and ".join(parts + [f"{seconds} seconds"] * bool(seconds))


def listed(ids) -> str:
    """Return exercises as links with their minutes."""
    every = [known()[i] for i in ids]
    return ", ".join(
        f"{link(e, e.id)} {named(e.kind)} {e.minutes}" for e in every
    )


def aims(session: Session) -> str:
    """Return the objectives of a session, as its chapters state them."""
    own = []
    for number in session.skip:
        every = chapters()[number].aims
        own += [every[i] for i in session.aims.get(number, range(len(every)))]
    return "; ".join(own)


def block(session: Session, name: str) -> Iterator[str]:
    """Yield the lines of one session."""
    pages = [chapters()[n] for n in session.skip]
    titles = [page.title for page in pages]
    if len(titles) == 1:
        titles = [titles[0].partition(" ")[2]]
    yield f"### {name}: {'; '.join(titles)}\n"
    runs = lasting(p.run for p in pages)
    needs = "; ".join(p.needs for p in pages)
    yield (
        f"Before it: {' and '.join(p.link() for p in pages)}, "
        f"{reading(session)} minutes to read, {runs} to run. Needs {needs}.\n"
    )
    yield f"* **Objectives.** {aims(session)}."
    some = {"In class": session.here, "Homework": session.home}
    for words, ids in some.items():
        yield f"* **{words}, {spent(ids)} minutes.** {listed(ids)}."
    out = name.lower().replace(" ", "-")
    yield (
        "* **To assign the homework.** `attnbook assign --exercises "
        f"{' '.join(session.home)} --out {out}`"
    )
    yield f"* **For an exam.** {listed(session.exam)}."
    left_out = [
        chapters()[n].link(heading)
        for n, headings in session.skip.items()
        for heading in headings
    ]
    yield f"* **Skip.** {'; '.join(left_out) or 'nothing'}.\n"


def sessions(plan: str) -> Iterator[str]:
    """Yield the lines of all sessions of a plan."""
    word = PLANS[plan].word
    for number, session in enumerate(PLANS[plan].sessions, 1):
        yield from block(session, f"{word} {number}")


def table(plan: str) -> Iterator[str]:
    """Yield the rows of a plan, with its sum."""
    whole = PLANS[plan]
    word = whole.word.lower()
    yield (
        f"| {word} | chapters | to read | in class | homework | by command | "
        "changed | by hand |"
    )
    yield "|---:|---|" + "---:|" * 6
    sums = [0] * 6
    for number, s in enumerate(whole.sessions, 1):
        numbers = [reading(s), spent(s.here), spent(s.home), *graded(s.home)]
        sums = [a + b for a, b in zip(sums, numbers, strict=True)]
        names = " and ".join(chapters()[n].link() for n in s.skip)
        yield f"| {number} | {names} | {' | '.join(map(str, numbers))} |"
    yield f"| | **in all** | {' | '.join(f'{x:,}' for x in sums)} |"


def needs(_: str) -> Iterator[str]:
    """Yield the rows of what each chapter depends on and costs."""
    yield "| chapter | needs | to read | to run | exercises |"
    yield "|---|---|---:|---|---:|"
    for one in chapters().values():
        run = re.sub(r" (s|min)\w+", r" \1", one.run)
        yield (
            f"| {one.link()} | {one.needs} | {one.read} | {run} | {one.more} |"
        )


def main(arguments: list[str]) -> int:
    """Check or write the page; return the exit status."""
    parts = {part.__name__: part for part in (needs, table, sessions)}

    def written(found: re.Match) -> str:
        lines = "\n".join(parts[found[2]](found[3]))
        return f"{found[1]}\n{lines.strip()}\n\n{found[4]}"

    new = BLOCK.sub(written, PAGE.read_text(encoding="utf-8"))
    return keep_equal(PAGE, new, "the chapters", "--write" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
