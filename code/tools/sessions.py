"""The map of chapters to sessions: tables and lists of ``course.md``.

`session_plans` says which chapters, sections and exercises belong to which
session of 90 minutes.  All minutes, objectives and needs come from the
chapters' heads and exercises.  Reading a part of a chapter takes that part of
its minutes: by letters, exercises not counted.
"""

import functools
import re
from collections.abc import Iterator

import yaml

from attnbook.checks import RULES
from attnbook.teaching.exercises import ChapterExercise
from blocks import block, table
from catalogue import known, link, named, ways
from chapter_files import ROOT, notebook_of, texts
from session_plans import PLANS, Session
from symptoms import slugify

HEAD = re.compile(
    r"^\| (?P<needs>.+) \| (?P<read>\d+) minutes, "
    r"exercises (?P<more>\d+) more \| about (?P<run>.+) on .*\|$",
    re.MULTILINE,
)
HEAD_OF_PATH = re.compile(
    r"^\| (?P<needs>.+) \| (?P<path>\d+) minutes, (?P<both>\d+) "
    r"with exercises? (?P<ids>[\d., and]+) \| (?P<deeper>\d+) minutes \| "
    r"(?P<more>\d+) minutes more \| about (?P<run>.+) on .*\|$",
    re.MULTILINE,
)
DEEPER = "Deeper"  # as a section to skip: all whose titles begin with it
LAST_ON_PATH = 11  # the last chapter of the path
AIM = re.compile(r"^\* (\*\*.+?)[;.]?$", re.MULTILINE)
QUESTIONS = ROOT / "book/questions.yml"
CLASS = 90  # minutes of a session
TALK = 30  # of which recall and talk take this much
SECONDS = {"second": 1, "minute": 60}


class Chapter:
    """What the text of one chapter says of itself.

    Attributes:
        path: minutes to read its path, None while it has none.
        both: minutes of the path with its exercises; while there is no path,
            those of the whole text.
        read: minutes to read all of it.
        more: minutes of all exercises.
    """

    def __init__(self, text):
        whole = text.read_text(encoding="utf-8")
        head, *rest = re.split(r"^## ", whole, flags=re.MULTILINE)
        self.name = text.stem
        self.title = re.search(r"^# (.+)$", head, re.MULTILINE)[1]
        found = HEAD_OF_PATH.search(head) or HEAD.search(head)
        if not found:
            raise ValueError(
                f"expected in {text.name} the table of what it needs and "
                "takes, as STYLE.md has it; got none"
            )
        self.path, self.path_ids = None, []
        self.needs, self.run = found["needs"], found["run"]
        self.more = int(found["more"])
        if found.re is HEAD:
            self.read = self.both = int(found["read"])
        else:
            self.path, self.both = int(found["path"]), int(found["both"])
            self.path_ids = re.findall(r"\d+\.\d+", found["ids"])
            self.read = self.path + int(found["deeper"])
            self.more += self.both - self.path
        self.aims = AIM.findall(head.partition("You will be able to")[2])
        self.sections = {part.split("\n", 1)[0]: len(part) for part in rest}
        del self.sections["Exercises"]

    def link(self, heading=""):
        """Return a link to the chapter, or to one of its sections."""
        if heading == DEEPER:
            return f"all that is *{DEEPER}* in {self.link()}"
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
        strange = {*left_out} - {*self.sections, self.path and DEEPER}
        if strange:
            raise ValueError(
                f"expected sections of {self.name}, got {sorted(strange)}"
            )
        deeper = {n for n in self.sections if n.startswith(f"{DEEPER}: ")}
        left = {*left_out} | (deeper if DEEPER in left_out else set())
        path = self.read if self.path is None else self.path
        parts = {path: self.sections.keys() - deeper, self.read - path: deeper}
        kept = 0
        for minutes, names in parts.items():
            sizes = {name: self.sections[name] for name in names}
            whole = sum(sizes.values()) or 1
            kept += minutes * sum(sizes[n] for n in names - left) / whole
        return 5 * round(kept / 5)


@functools.cache
def chapters() -> dict[int, Chapter]:
    """Return the chapters by number."""
    return {int(text.stem[:2]): Chapter(text) for text in texts()}


def chapter(number: int) -> Chapter:
    """Return a chapter.

    Raises:
        ValueError: there is none with this number.
    """
    if number not in chapters():
        raise ValueError(f"expected a chapter's number, got {number}")
    return chapters()[number]


def chosen(ids) -> list[ChapterExercise]:
    """Return exercises by their ids.

    Raises:
        ValueError: an exercise that does not exist.
    """
    strange = [i for i in ids if i not in known()]
    if strange:
        raise ValueError(f"expected ids of exercises, got {strange}")
    return [known()[i] for i in ids]


def spent(ids) -> int:
    """Return the minutes of some exercises."""
    return sum(e.minutes for e in chosen(ids))


def reading(session: Session) -> int:
    """Return the minutes to read before a session."""
    return sum(chapter(n).minutes(s) for n, s in session.skip.items())


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
    return ", ".join(
        f"{link(e, e.id)} {named(e.kind)} {e.minutes}" for e in chosen(ids)
    )


def aims(session: Session) -> str:
    """Return the objectives of a session, as its chapters state them.

    Raises:
        ValueError: an objective that a chapter does not have.
    """
    own = []
    for number in session.skip:
        every = dict(enumerate(chapter(number).aims, 1))
        some = session.aims.get(number, tuple(every))
        if not set(some) <= set(every):
            raise ValueError(
                f"expected objectives 1 to {len(every)} of chapter {number}, "
                f"got {some}"
            )
        own += [every[i] for i in some]
    return "; ".join(own)


def describe(session: Session, name: str) -> Iterator[str]:
    """Yield the lines of one session."""
    pages = [chapter(n) for n in session.skip]
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
        chapter(n).link(heading)
        for n, headings in session.skip.items()
        for heading in headings
    ]
    yield f"* **Skip.** {'; '.join(left_out) or 'nothing'}.\n"


def sessions(plan: str) -> str:
    """Return all sessions of a plan."""
    word = PLANS[plan].word
    each = enumerate(PLANS[plan].sessions, 1)
    lines = [x for i, one in each for x in describe(one, f"{word} {i}")]
    return "\n".join(lines)


def overview(plan: str) -> str:
    """Return the table of a plan, with its sum."""
    head = ["chapters", "to read", "in class", "homework", "by command"]
    head = [PLANS[plan].word.lower(), *head, "changed", "by hand"]
    lines, sums = [], [0] * 6
    for number, s in enumerate(PLANS[plan].sessions, 1):
        numbers = [reading(s), spent(s.here), spent(s.home), *graded(s.home)]
        sums = [a + b for a, b in zip(sums, numbers, strict=True)]
        names = " and ".join(chapter(n).link() for n in s.skip)
        lines.append([number, names, *numbers])
    rows = table(head, lines, "|---:|---|" + "---:|" * 6)
    return f"{rows}\n| | **in all** | {' | '.join(f'{x:,}' for x in sums)} |"


@block("sessions: chapters")
def front() -> str:
    """Return the front page's table of chapters, each with its question.

    Raises:
        ValueError: the table of contents, the questions and the chapters'
            texts are not about the same chapters.
    """
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    questions = yaml.safe_load(QUESTIONS.read_text("utf-8"))
    names = {f"chapters/{c.name}": n for n, c in chapters().items()}
    lines = []
    for part in contents["parts"]:
        files = [f["file"] for f in part["chapters"]]
        listed = [names.pop(file) for file in files if file in names]
        if listed:
            lines.append(["", f"**{part['caption']}**", "", "", ""])
        for one in listed:
            c = chapter(one)
            title = c.title.removeprefix(f"{one} ")
            name = f"[{title}](../chapters/{c.name}.ipynb)"
            path = c.both if one in on_path() else ""
            minutes = path, c.read + c.more
            lines.append([one, name, questions.pop(one, ""), *minutes])
    if names or questions or not all(row[2] for row in lines if row[0] != ""):
        raise ValueError(
            "expected the same chapters in _toc.yml, book/questions.yml and "
            f"chapters/text, got others: {[*names, *questions]}"
        )
    head = ["", "chapter", "the question that it answers"]
    head += ["the path", "everything"]
    return table(head, lines, "|---|---|---|---:|---:|")


def on_path() -> dict[int, Chapter]:
    """Return the chapters of the path by number."""
    return {n: c for n, c in chapters().items() if n <= LAST_ON_PATH}


@block("sessions: ways")
def ways_through() -> str:
    """Return the ways through the book with their hours."""
    path, every = on_path(), chapters()
    hours = round(sum(c.both for c in path.values()) / 60)
    whole = round(sum(c.read + c.more for c in every.values()) / 60)
    lines = [
        f"**The path, about {hours} hours.** Read chapters {min(path)} to "
        f"{max(path)}, each as far as *What you can do now*, and do the one "
        "or two exercises that are marked *on the path*. At the end you can "
        "build a Transformer and explain each of its parts."
    ]
    missing = [str(n) for n, c in path.items() if c.path is None]
    if missing:
        lines[0] += (
            f" No path is written yet for chapters {', '.join(missing)}: "
            "read their whole text, and leave their exercises."
        )
    lines.append(
        f"**Everything, about {whole} hours.** Open the cards titled "
        "*Deeper* as well, which hold the controls, the proofs and the "
        f"details; do all exercises; and go on to chapter {max(every)}, "
        "through training, translation and a look inside."
    )
    return "\n\n".join(lines)


@block("sessions: needs")
def needs() -> str:
    """Return the table of what each chapter depends on and costs."""
    lines = []
    for one in chapters().values():
        run = re.sub(r" (s|min)\w+", r" \1", one.run)
        read = one.read
        if one.path is not None:
            read = f"{one.path} + {one.read - one.path}"
        lines.append([one.link(), one.needs, read, run, one.more])
    head = ["chapter", "needs", "to read", "to run", "exercises"]
    return table(head, lines, "|---|---|---:|---|---:|")


for plan in PLANS:
    block(f"sessions: list {plan}", plan)(sessions)
    block(f"sessions: table {plan}", plan)(overview)
