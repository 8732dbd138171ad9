"""The catalogue: every exercise with what its chapter states of it.

The page ``book/teach/catalogue.md`` has the list, the controls of a filter,
and how many exercises there are of each kind.
"""

import functools

from attnbook.teaching.bundle import Task
from attnbook.teaching.exercises import KINDS, ChapterExercise, all_exercises
from attnbook.teaching.tasks import make_tasks
from blocks import block, table
from chapter_files import ROOT, notebook_of
from symptoms import slugify

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


@functools.cache
def known() -> dict[str, ChapterExercise]:
    """Return all exercises by id."""
    return {e.id: e for e in all_exercises(ROOT)}


@functools.cache
def ways() -> dict[str, str]:
    """Return who marks each exercise when it is assigned, out of `WAYS`."""
    # How it is answered does not depend on the seed.
    every = {i: make_tasks(e, bytes(32)) for i, e in known().items()}
    return {i: way(made[0].task) for i, made in every.items()}


def way(task: Task) -> str:
    """Return who marks a task; some functions no grader can call."""
    called = task.form != "function" or task.check
    return MARKED[task.form] if called else MARKED["text"]


def link(e: ChapterExercise, words: str) -> str:
    """Return a link to an exercise on its chapter's page.

    Args:
        e: an exercise.
        words: of the link.
    """
    name = notebook_of(ROOT / f"{e.chapter}.md").name
    anchor = slugify(f"Exercise {e.id} {e.title}")
    return f"[{words}](../../chapters/{name}#{anchor})"


def named(kind: str) -> str:
    """Return a kind of exercise as prose writes it."""
    return kind.replace("parsons", "Parsons")


@block("catalogue: exercises")
def exercises() -> str:
    """Return the table of all exercises."""
    head = "nr", "exercise, and what it shows", "kind", "difficulty"
    lines = []
    for e in known().values():
        path = ", on the path" if e.path else ""  # the search finds it
        name = f"{link(e, e.title)}<br>{e.objective}{path}"
        numbers = e.difficulty, e.minutes, e.points
        lines.append([e.id, name, named(e.kind), *numbers, ways()[e.id]])
    return table(
        [*head, "minutes", "points", "marked"],
        lines,
        "|---|---|---|---:|---:|---:|---|",
    )


def summed(name: str, some: list[ChapterExercise]) -> list:
    """Return the cells of a row that counts some exercises."""
    counts = [sum(ways()[e.id] == how for e in some) for how in WAYS]
    minutes, points = sum(e.minutes for e in some), sum(e.points for e in some)
    return [name, len(some), f"{minutes:,}", points, *counts]


@block("catalogue: sums")
def sums() -> str:
    """Return the table that counts each kind."""
    found = [*known().values()]
    kinds = {kind: [e for e in found if e.kind == kind] for kind in KINDS}
    lines = [summed(named(kind), some) for kind, some in kinds.items() if some]
    head = ["kind", "exercises", "minutes", "points", *WAYS]
    lines.append(summed("**all**", found))
    return table(head, lines, "|---|" + "---:|" * 6)


def select(name: str, first: str, options: list[str]) -> str:
    """Return a native control: one of several, or none of them."""
    rest = "".join(f"<option>{option}</option>" for option in options)
    return f'<select name="{name}"><option value="">{first}</option>{rest}' + (
        "</select>"
    )


@block("catalogue: controls")
def controls() -> str:
    """Return the controls, which show where the page's script runs."""
    found = known().values()
    kinds = [kind for kind in KINDS if any(e.kind == kind for e in found)]
    chapters = list(dict.fromkeys(e.id.partition(".")[0] for e in found))
    levels = sorted({str(e.difficulty) for e in found})
    verbs = sorted({e.objective.split()[0] for e in found})
    box = '<label><input type="checkbox" name="kind" value="{0}"> {0}</label>'
    return CONTROLS.format(
        kinds="\n".join(box.format(named(kind)) for kind in kinds),
        chapters=select("chapter", "all", chapters),
        difficulties=select("difficulty", "any", levels),
        marked=select("marked", "any way", list(WAYS)),
        objectives=select("verb", "any", verbs),
    )
