"""Keep the catalogue of all exercises equal to the chapters.

    python code/tools/catalogue.py [--write]

The page ``book/teach/catalogue.md`` lists every exercise with what its
chapter states of it, and the controls of a filter.  ``--write`` copies
chapters -> page; without it a difference is named and the exit status is 1.
"""

import importlib
import re
import sys
from collections.abc import Iterator

from attnbook.teaching.exercises import KINDS, Exercise, all_exercises
from chapter_files import ROOT, keep_equal, notebook_of
from symptoms import slugify

PAGE = ROOT / "book/teach/catalogue.md"
BLOCK = re.compile(
    r"(<!-- (sums|controls|exercises) -->\n).*?(<!-- end -->)", re.DOTALL
)
MARKED = ("checker", "answer", "by hand")
VARIANTS = "attnbook.teaching.variants.chapter_"
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


def link(e: Exercise, up: str = "../..") -> str:
    """Return a link to an exercise on its chapter's page.

    Args:
        e: an exercise.
        up: the way from the page to the course's folder.
    """
    name = notebook_of(ROOT / f"{e.chapter}.md").name
    anchor = slugify(f"Exercise {e.id} {e.title}")
    return f"[{e.title}]({up}/chapters/{name}#{anchor})"


def varied(number: int) -> dict:
    """Return the variants of a chapter, by exercise; {} if it has none."""
    name = f"{VARIANTS}{number:02}"
    try:
        return importlib.import_module(name).VARIANTS
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return {}


def marked(e: Exercise) -> str:
    """Return who marks an exercise when it is assigned, one of `MARKED`."""
    if e.check:
        return "checker"
    stated = e.kind in ("predict", "trace", "parsons")
    number = int(e.id.partition(".")[0])
    return "answer" if stated and e.id in varied(number) else "by hand"


def row(e: Exercise) -> str:
    """Return one row of the table."""
    cells = e.id, f"{link(e)}<br>{e.objective}", e.kind, e.difficulty
    return f"| {' | '.join(map(str, cells))} | {e.minutes} | {e.points} | " + (
        f"{marked(e)} |"
    )


def exercises(found: list[Exercise]) -> Iterator[str]:
    """Yield the lines of the table of all exercises."""
    yield (
        "| nr | exercise, and what it shows | kind | difficulty | minutes | "
        "points | marked |"
    )
    yield "|---|---|---|---:|---:|---:|---|"
    yield from map(row, found)


def summed(name: str, some: list[Exercise]) -> str:
    """Return a row that counts some exercises."""
    counts = [sum(marked(e) == how for e in some) for how in MARKED]
    numbers = len(some), sum(e.minutes for e in some)
    numbers += sum(e.points for e in some), *counts
    return f"| {name} | {' | '.join(map(str, numbers))} |"


def sums(found: list[Exercise]) -> Iterator[str]:
    """Yield the lines of the table that counts each kind."""
    yield f"| kind | exercises | minutes | points | {' | '.join(MARKED)} |"
    yield "|---|" + "---:|" * 6
    for kind in KINDS:
        some = [e for e in found if e.kind == kind]
        if some:
            yield summed(kind, some)
    yield summed("**all**", found)


def select(name: str, first: str, options: list[str]) -> str:
    """Return a native control: one of several, or none of them."""
    rest = "".join(f"<option>{option}</option>" for option in options)
    return f'<select name="{name}"><option value="">{first}</option>{rest}' + (
        "</select>"
    )


def controls(found: list[Exercise]) -> Iterator[str]:
    """Yield the controls, which show where the page's script runs."""
    kinds = [kind for kind in KINDS if any(e.kind == kind for e in found)]
    chapters = list(dict.fromkeys(e.id.partition(".")[0] for e in found))
    levels = sorted({str(e.difficulty) for e in found})
    verbs = sorted({e.objective.split()[0] for e in found})
    box = '<label><input type="checkbox" name="kind" value="{0}"> {0}</label>'
    yield CONTROLS.format(
        kinds="\n".join(box.format(kind) for kind in kinds),
        chapters=select("chapter", "all", chapters),
        difficulties=select("difficulty", "any", levels),
        marked=select("marked", "any way", list(MARKED)),
        objectives=select("verb", "any", verbs),
    )


def main(arguments: list[str]) -> int:
    """Check or write the page; return the exit status."""
    found = all_exercises(ROOT)
    parts = {part.__name__: part for part in (sums, controls, exercises)}

    def written(block: re.Match) -> str:
        lines = "\n".join(parts[block[2]](found))
        return f"{block[1]}\n{lines}\n\n{block[3]}"

    new = BLOCK.sub(written, PAGE.read_text(encoding="utf-8"))
    return keep_equal(PAGE, new, "the chapters", "--write" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
