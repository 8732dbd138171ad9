"""How good on real text, and how soon, on a GPU?  The first runs.

    python code/experiments/multi30k_quality.py
    python code/experiments/multi30k_quality.py --small   a try, stores nothing

Each run has the GPU for itself and ends after a time that is set before; then
the test set is translated, once.  The settings were frozen by a commit before
that: batches of 10,000 tokens because of multi30k_gpu_search.py, and R-Drop
where there is time for it, because with the wide model its trial there lost
next to nothing although every sentence passes twice.

The clock of a run starts at its first step and stops when the validation loss
is known.  Reading the data, learning the byte pairs and a warm-up, a short run
that is thrown away, come before.  Finished runs are kept: what was stopped
goes on where it was.

PyTorch chooses the form of attention here.  On an H100 each new shape of a
batch took half a second then, and the runs of nine seconds learned nothing.
multi30k_gpu_goals.py is the same without that, with other seeds.
"""

import argparse
import statistics

import torch

from multi30k_gpu_search import WIDE
from multi30k_search import SMALL
from multi30k_two_cores import scores
from needs import in_one_line, need_gpu, need_multi30k
from rows import Rows
from store import clean_commit, store
from track import track
from trial import BASE, trial

NEEDS = "a GPU, Multi30k"
REVISION = 2  # raise it by hand when the settings change
WIDTHS = {"test_greedy": 1, "test_beam": 5}
LARGE = WIDE | {"max_tokens": 10_000}
PLAN = {  # direction -> changes of a trial, and seeds; frozen before the test
    "de-en": (LARGE | {"minutes": 0.15, "dropout": 0.1}, (0, 1, 2)),
    "en-de": (LARGE | {"minutes": 1.75, "dropout": 0.3, "r_drop": 2.0}, (0,)),
}
# Lower-cased BLEU on Moses tokens, test 2016, and the seconds to reach it in.
GOALS = {"de-en": (36.5, (30, 10)), "en-de": (41.0, (240, 60))}


def options_of(direction, changes, seed):
    """Return the options of a trial.

    Args:
        direction: such as "de-en".
        changes: of `trial.BASE`.
        seed: of the run.
    """
    source, target = direction.split("-")
    languages = {"source": source, "target": target}
    return BASE | changes | languages | {"seed": seed, "test": True}


def scored(direction, found, test):
    """Return what a trial measured, with scores in the place of its texts.

    Args:
        direction: such as "de-en".
        found: what `trial` returned.
        test: test pairs.
    """
    language = direction.split("-")[1]
    ways = {
        name: scores(found["test"][str(width)], test, language)
        for name, width in WIDTHS.items()
    }
    return {k: v for k, v in found.items() if k != "test"} | ways


def moses(row):
    """Return the main score of a run."""
    return row["test_beam"]["lowercased_moses_bleu"]["score"]


def summary(direction, changes, rows):
    """Return runs with their goal, and whether all of them reached it.

    Args:
        direction: such as "de-en".
        changes: of `trial.BASE`.
        rows: what `scored` returned for each run.
    """
    goal, limits = GOALS[direction]
    slowest = max(row["seconds"] for row in rows)
    reached = min(map(moses, rows)) >= goal
    return {
        "changes": changes,
        "goal": goal,
        "within_seconds": limits,
        "runs": rows,
        "mean": round(statistics.mean(map(moses, rows)), 2),
        "slowest_seconds": slowest,
        "reached_within": [n for n in limits if reached and slowest <= n],
    }


def runs(get, plan, make=trial):
    """Make the runs of a plan, one after the other; return them by direction.

    Args:
        get: `Rows.get`, or a function like it.
        plan: see `PLAN`.
        make: a function of options that makes a run.
    """
    values = {direction: [] for direction in plan}
    jobs = [(d, seed) for d, (_, seeds) in plan.items() for seed in seeds]
    for direction, seed in track(jobs, "runs"):
        options = options_of(direction, plan[direction][0], seed)
        found = get(f"{direction} {seed}", make, options)
        test = need_multi30k(*direction.split("-")).test
        row = {"seed": seed} | scored(direction, found, test)
        print(direction, row["seconds"], row["updates"], flush=True)
        print(row["valid_bleu"], moses(row), flush=True)
        values[direction].append(row)
    return {d: summary(d, plan[d][0], rows) for d, rows in values.items()}


def tried(plan):
    """Make one run of each direction, small, on what there is."""
    device = "cuda" if torch.cuda.device_count() else "cpu"
    little = SMALL | {"device": device, "minutes": 0.05}
    plan = {d: (changes | little, (0,)) for d, (changes, _) in plan.items()}
    print(runs(lambda _, make, options: make(options), plan))
    print("a try: nothing is stored")


def begun(plan):
    """Return commit and `Rows` for the runs of a plan; None after a try.

    Args:
        plan: see `PLAN`.

    Raises:
        Missing: no data, no GPU, or a changed tree.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    for direction in plan:
        need_multi30k(*direction.split("-"))
    if small:
        tried(plan)
        return None
    need_gpu()
    commit = clean_commit()
    return commit, Rows(commit)


def main():
    """Make all runs and store them."""
    if found := begun(PLAN):
        commit, rows = found
        warm_up = options_of("de-en", PLAN["de-en"][0] | {"minutes": 0.05}, 0)
        trial(warm_up | {"test": False})
        keep(commit, runs(rows.get, PLAN), rows)


def keep(commit, values, rows):
    """Store what the runs gave.

    Args:
        commit: what `clean_commit` returned.
        values: what `runs` returned.
        rows: the `Rows` they came from; the translations stay there.
    """
    seeds = {r["seed"] for found in values.values() for r in found["runs"]}
    store(
        commit,
        "Multi30k from scratch on a GPU, against the clock; test 2016 once "
        "per run",
        sorted(seeds),
        "Multi30k task 1, 29,000 pairs, joint byte pairs",
        values,
        rows,
        last=False,
    )


if __name__ == "__main__":
    in_one_line(main)
