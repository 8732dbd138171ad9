"""Is every grade of a class the one that it should be?

    python code/experiments/run.py graded_class

Two hundred students hand in three assignments, as Canvas, Moodle and Google
Classroom name their files: right in several styles, wrong in the ways of the
catalogue, blank, corrupted, hostile, mangled by editors, late, double, and
what stands folded on the page.  What each deserves is known beforehand, see
`tests/simulated_class.py`.  Notes every grade that is another one, and the
seconds of collecting and grading.  Then draws assignments from forty seeds,
and asks how often an answer to one is right for another.
"""

import collections
import contextlib
import csv
import io
import itertools
import random
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

from attnbook.teaching.assign import assign
from attnbook.teaching.bundle import Bundle
from attnbook.teaching.collect import collect
from attnbook.teaching.exercises import all_exercises
from attnbook.teaching.grade import grade
from attnbook.teaching.grader import Grader
from attnbook.teaching.seeds import derive_key
from attnbook.teaching.tasks import BY_HAND, WITH_VARIANTS, make_tasks
from lab.catalogue import ROOT
from lab.experiment import Experiment

sys.path.append(str(ROOT / "tests"))
from simulated_class import Class, right_source  # noqa: E402

STUDENTS, WORKERS = 200, 2
SEED = "two hundred students"
ASSIGNMENTS = {
    "canvas": {"chapters": [4]},
    "moodle": {"chapters": [10]},
    "drive": {},  # `plain`
}
SEEDS, PAIRS = 40, 60  # of the second part; pairs of seeds per exercise
AUTOMATIC = ("function", "values", "order")


def quietly(function, *args, **more):
    """Call a function without what it prints; return it and the seconds."""
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        found = function(*args, **more)
    return found, round(time.perf_counter() - start, 1)


def plain():
    """Return the exercises that are judged as they stand on the page."""
    ids = [
        e.id for e in all_exercises()
        if e.check and int(e.id.split(".")[0]) not in WITH_VARIANTS
        and e.check.removeprefix("check_") not in BY_HAND
    ]  # fmt: skip
    return {"ids": ids}


def row_of(style, folder, students):
    """Return what came out for one assignment."""
    work = folder / style
    bundle = assign(work, seed=SEED, **ASSIGNMENTS[style] or plain())
    released = nbformat.read(work / bundle.notebook, 4)
    whole = Class(bundle, released, students, style)
    whole.write(folder / f"{style}.zip")
    _, collecting = quietly(collect, folder / f"{style}.zip", work)
    run, grading = quietly(grade, work, WORKERS)
    again, _ = quietly(grade, work, WORKERS)
    text = (work / "grades/grades.csv").read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(text.splitlines()))
    different = [[*map(str, d)] for d in whole.differences(rows)]
    return {
        "files named as by": style,
        "tasks": [task.id for task in bundle.tasks],
        "students": dict(kinds_of(whole)),
        "answers judged": run.new,
        "functions judged": sum(
            student.sources.get(task.id) is not None
            for student in whole.students
            for task in whole.functions
        ),
        "mistakes of the catalogue": {
            id: min(count, len(whole.wrongs[id]))
            for id, count in whole.given.items()
        },
        "statuses": dict(collections.Counter(r["status"] for r in rows)),
        "other grades than expected": len(different),
        "these": different[:20],
        "changed by grading again": again.changed,
        "collect, seconds": collecting,
        "grade, seconds": grading,
    }


def kinds_of(whole):
    """Count the students of each kind."""
    return collections.Counter(
        student.kind.split(":")[0] for student in whole.students
    )


# ------------------------------------------------------ two seeds side by side
def bundle_of(task, seed):
    """Return a `Bundle` of one task."""
    return Bundle(
        assignment="x", title="x", due=None, seed=seed, version="0",
        notebook="x", tasks=(task,),
    )  # fmt: skip


def passes(task, other, seed):
    """Say whether the solution of another seed's task is right for one."""
    if task.form == "values":
        return task.answers == other.answers
    if task.form == "order":
        return task.order == other.order
    _, held_out = Grader(bundle_of(task, seed)).checks(task)
    names = {}
    exec(right_source(other), names)
    return bool(held_out(names[other.name]))


def side_by_side(exercise, count):
    """Return how often one seed's solution is right for another seed."""
    seeds = [f"seed {n}" for n in range(count)]
    made = {seed: make_tasks(exercise, derive_key(seed))[0] for seed in seeds}
    tasks = {seed: one.task for seed, one in made.items()}
    pairs = [*itertools.permutations(seeds, 2)]
    same = sum(alike(tasks[a], tasks[b]) for a, b in pairs) / len(pairs)
    chosen = random.Random(0).sample(pairs, min(PAIRS, len(pairs)))
    with contextlib.redirect_stdout(io.StringIO()):
        right = sum(passes(tasks[b], tasks[a], b) for a, b in chosen)
    return {
        "exercise": exercise.id,
        "form": tasks[seeds[0]].form,
        "asked alike": round(same, 4),
        "of these pairs": len(chosen),
        "answers that pass": right,
    }


def alike(one, two):
    """Say whether two tasks ask for the same."""
    return (one.rules, one.answers, one.order) == (
        two.rules, two.answers, two.order,
    )  # fmt: skip


def measure(run):
    """Grade the class and compare the seeds; a try has few students."""
    count, seeds = (20, 2) if run.small else (STUDENTS, SEEDS)
    with TemporaryDirectory() as folder:
        plan = [(style, Path(folder), count) for style in ASSIGNMENTS]
        rows = run.each(plan, row_of, items="classes")
    exercises = [
        e for e in all_exercises()
        if int(e.id.split(".")[0]) in WITH_VARIANTS
        and make_tasks(e, derive_key("any"))[0].task.form in AUTOMATIC
    ]  # fmt: skip
    plan = [(e, seeds) for e in exercises]
    return {
        "workers": WORKERS,
        "classes": rows,
        "seconds in all": round(
            sum(r["collect, seconds"] + r["grade, seconds"] for r in rows), 1
        ),
        "two seeds": run.each(plan, side_by_side, items="exercises"),
    }


EXPERIMENT = Experiment(
    "graded_class",
    needs="Linux, two cores",
    about="grades of a simulated class of 200 in three assignments beside "
    "those that were expected, and answers of one seed under another",
    seeds=(SEED,),
    data="tests/answers, as tests/simulated_class.py hands them in",
    measure=measure,
    revision=2,
    threads=1,
)
