"""Keep the catalogue of all exercises equal to the chapters.

    python code/tools/catalogue.py [--write]

The page ``book/teach/catalogue.md`` lists every exercise with what its
chapter states of it, and the controls of a filter.  ``--write`` copies
chapters -> page; without it a difference is named and the exit status is 1.
"""

import re
import sys
from collections.abc import Iterator

from attnbook.teaching.bundle import Task
from attnbook.teaching.exercises import KINDS, Exercise, all_exercises
from attnbook.teaching.tasks import made
from chapter_files import ROOT, keep_equal, notebook_of
from symptoms import slugify

PAGE = ROOT / "book/teach/catalogue.md"
BLOCK = re.compile(
    r"(<!-- (sums|controls|exercises) -->\n).*?(<!-- end -->)", re.DOTALL
)
MARKED = {
    "function": "checker",
    "values": "answer",
    "order": "answer",
    "text": "by hand",
}
WAYS = tuple(dict.fromkeys(MARKED.values()))
CONTROLS = """```{{raw}} html
<link rel="stylesheet" href="../../_static/catalogue.css">
<form class="atn-catalogue" hidden>
<fieldset><legend>Kind</legend>
{kinds}
</fieldset>
<div>
<label>Search <input type="search" name="words"></label>
<label>Chapter {chapters}</label>
<label>Difficulty {difficulties}</label>
<label>Minutes, at most
<input type="number" name="minutes" min="1" max="60"></label>
<label>Marked {marked}</label>
<label>Objective {objectives}</label>
<button type="reset">Show all</button>
</div>
<p role="status"></p>
<p class="atn-command" hidden>
<code></code> <button type="button">Copy</button></p>
</form>
<script src="../../_static/catalogue.js" defer></script>
```"""


def link(e: Exercise, words: str) -> str:
    """Return a link to an exercise on its chapter's page.

    Args:
        e: an exercise.
        words: of the link.
    """
    name = notebook_of(ROOT / f"{e.chapter}.md").name
    anchor = slugify(f"Exercise {e.id} {e.title}")
    return f"[{words}](../../chapters/{name}#{anchor})"


def marked(found: list[Exercise]) -> dict[str, str]:
    """Return who marks each exercise when it is assigned, out of `WAYS`.

    Args:
        found: exercises; how they are answered does not depend on the seed.
    """
    tasks = [made(e, bytes(32)).task for e in found]
    return {task.id: way(task) for task in tasks}


def way(task: Task) -> str:
    """Return who marks a task; some functions no grader can call."""
    called = task.form != "function" or task.check
    return MARKED[task.form] if called else MARKED["text"]


def named(kind: str) -> str:
    """Return a kind of exercise as prose writes it."""
    return kind.replace("parsons", "Parsons")


def row(*cells: object) -> str:
    """Return one row of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def exercises(found: list[Exercise], ways: dict) -> Iterator[str]:
    """Yield the lines of the table of all exercises."""
    yield (
        "| nr | exercise, and what it shows | kind | difficulty | minutes | "
        "points | marked |"
    )
    yield "|---|---|---|---:|---:|---:|---|"
    for e in found:
        name = f"{link(e, e.title)}<br>{e.objective}"
        numbers = e.difficulty, e.minutes, e.points
        yield row(e.id, name, named(e.kind), *numbers, ways[e.id])


def summed(name: str, some: list[Exercise], ways: dict) -> str:
    """Return a row that counts some exercises."""
    counts = [sum(ways[e.id] == how for e in some) for how in WAYS]
    minutes, points = sum(e.minutes for e in some), sum(e.points for e in some)
    return row(name, len(some), f"{minutes:,}", points, *counts)


def sums(found: list[Exercise], ways: dict) -> Iterator[str]:
    """Yield the lines of the table that counts each kind."""
    yield row("kind", "exercises", "minutes", "points", *WAYS)
    yield "|---|" + "---:|" * 6
    for kind in KINDS:
        some = [e for e in found if e.kind == kind]
        if some:
            yield summed(named(kind), some, ways)
    yield summed("**all**", found, ways)


def select(name: str, first: str, options: list[str]) -> str:
    """Return a native control: one of several, or none of them."""
    rest = "".join(f"<option>{option}</option>" for option in options)
    return f'<select name="{name}"><option value="">{first}</option>{rest}' + (
        "</select>"
    )


def controls(found: list[Exercise], _: dict) -> Iterator[str]:
    """Yield the controls, which show where the page's script runs."""
    kinds = [kind for kind in KINDS if any(e.kind == kind for e in found)]
    chapters = list(dict.fromkeys(e.id.partition(".")[0] for e in found))
    levels = sorted({str(e.difficulty) for e in found})
    verbs = sorted({e.objective.split()[0] for e in found})
    box = '<label><input type="checkbox" name="kind" value="{0}"> {0}</label>'
    yield CONTROLS.format(
        kinds="\n".join(box.format(named(kind)) for kind in kinds),
        chapters=select("chapter", "all", chapters),
        difficulties=select("difficulty", "any", levels),
        marked=select("marked", "any way", list(WAYS)),
        objectives=select("verb", "any", verbs),
    )


def main(arguments: list[str]) -> int:
    """Check or write the page; return the exit status."""
    found = all_exercises(ROOT)
    ways = marked(found)
    parts = {part.__name__: part for part in (sums, controls, exercises)}

    def written(block: re.Match) -> str:
        lines = "\n".join(parts[block[2]](found, ways))
        return f"{block[1]}\n{lines}\n\n{block[3]}"

    new = BLOCK.sub(written, PAGE.read_text(encoding="utf-8"))
    return keep_equal(PAGE, new, "the chapters", "--write" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
