"""What the code in the solutions of the exercises prints.

    python code/experiments/run.py solutions

Each solution that prints is run as it stands on the page, after what it takes
from its chapter, in a process of its own.  The numbers that a solution tells
its readers are these.  Those are run whose code has changed since, two at a
time; all take five minutes on two cores.
"""

import ast
import functools
import os
import subprocess
import sys

import jupytext

from attnbook import results
from attnbook.data import storybook
from attnbook.tasks import digits, relations
from attnbook.teaching.exercises import all_exercises
from lab.catalogue import ROOT
from lab.experiment import Experiment
from lab.fingerprints import first_losses, hash_of

SEEDS = range(5)  # none has more; each solution names its own


def printing():
    """Return the exercises whose solutions print something."""
    return [e for e in all_exercises() if "print(" in e.solution_code]


def used_by(node):
    """Return the names that a piece of code uses, a set."""
    return {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}


def made_by(node):
    """Return the names that an import, a function or a class makes, a set."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {x.asname or x.name.partition(".")[0] for x in node.names}
    return {node.name} if hasattr(node, "name") else set()


@functools.cache
def statements(chapter):
    """Return all statements of a chapter's cells, nodes of a syntax tree.

    Args:
        chapter: the stem of its text, as "05_softmax".
    """
    text = jupytext.read(ROOT / f"chapters/text/{chapter}.md")
    cells = (c.source for c in text.cells if c.cell_type == "code")
    return [node for cell in cells for node in ast.parse(cell).body]


def program(exercise):
    """Return what is run for an exercise, as source.

    Args:
        exercise: the `Exercise`.

    Returns:
        The imports, functions and classes of the chapter that the solution
        needs, and the solution.
    """
    used, kept = used_by(ast.parse(exercise.solution_code)), []
    # what a function uses stands above it
    for node in reversed(statements(exercise.chapter)):
        if made_by(node) & used:
            used |= used_by(node)
            kept.append(ast.unparse(node))
    unique = dict.fromkeys(reversed(kept))
    return "\n".join([*unique, "", exercise.solution_code])


def fingerprint():
    """Return what shows whether the stored result is stale."""
    pairs = storybook.splits("fr", train=1, valid=1, test=1000)["test"]
    model = relations.Pointer(16, True, seed=0, length=8)
    return {
        "code": {e.id: hash_of(program(e)) for e in printing()},
        "data": hash_of(
            digits.draw_rows("reverse", 500, seed=999),
            [storybook.sentence(pair.target, "fr") for pair in pairs],
        ),
        "losses": first_losses(relations.train, model, "line", 40),
    }


def printed(number, source):
    """Return the lines that a solution prints.

    Args:
        number: of the exercise, as "4.2".
        source: its `program`.

    Raises:
        RuntimeError: the solution fails.
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", source],
        env=os.environ | {"OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"solution {number}: {done.stderr.strip()}")
    return done.stdout.splitlines()


def measure(run):
    """Run the solutions whose code is new, or all if none is.

    What the others printed is kept, with the commit that printed it: another
    processor would change last digits that the page's words tell.
    """
    old = results.load("solutions")
    codes, values = old["fingerprint"]["code"], old["values"]
    every = {e.id: program(e) for e in printing()}
    due = {i: s for i, s in every.items() if codes.get(i) != hash_of(s)}
    due = due or every
    if run.small:
        due = dict(list(due.items())[:2])
    new = run.each(due.items(), printed, key="{}", workers=2)
    lines = values["lines"] | dict(zip(due, new, strict=True))
    commits = dict.fromkeys(values["lines"], old["commit"])
    commits |= values.get("commits", {}) | dict.fromkeys(due, run.commit)
    return {
        "lines": {i: lines[i] for i in every if i in lines},
        "commits": {i: commits[i] for i in every if i in commits},
    }


EXPERIMENT = Experiment(
    "solutions",
    needs="nothing",
    about="What the code of each solution prints",
    seeds=SEEDS,
    data="what each solution draws",
    measure=measure,
    fingerprint=fingerprint,
    items="solutions",
)
