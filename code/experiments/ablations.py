"""Which parts does a Transformer need in order to learn?

    python code/experiments/ablations.py

Reverse and sort rows of 3 to 8 digits, 300 steps.  One part at a time is
taken out of the model or of its training.  Judged twice on 500 new rows:
every label from the right words before it, and whole rows that the model
writes from its own words.  Then *reverse* once more at a larger learning
rate, with and without warm-up.  Ten minutes on a core
that had other work to do.
"""

import itertools

import torch

from attnbook.probes.ablations import VARIANTS, fit, judge
from attnbook.tasks.digits import draw_rows
from fingerprints import first_losses, hash_of
from needs import in_one_line
from store import clean_commit, store
from track import track

NEEDS = "nothing"
STEPS, SEEDS, RATE, LARGE = 300, (0, 1, 2), 3e-3, 1e-2
TASKS = ("reverse", "sort")
WARMED = ("full", "no warm-up", "post-norm", "post-norm, no warm-up")


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        "data": hash_of([draw_rows(task, 500, seed=999) for task in TASKS]),
        "losses": first_losses(fit, "full", TASKS[0], STEPS, SEEDS[0], RATE),
    }


def main():
    """Train every combination and store it."""
    commit = clean_commit()
    torch.set_num_threads(1)
    plan = list(itertools.product(TASKS, VARIANTS, [RATE], SEEDS))
    plan += itertools.product(["reverse"], WARMED, [LARGE], SEEDS)
    runs = []
    for task, variant, rate, seed in track(plan, "runs"):
        model, curve = fit(variant, task, STEPS, seed, rate)
        found = judge(model, draw_rows(task, 500, seed=999))
        run = {"task": task, "variant": variant, "rate": rate, "seed": seed}
        run |= {name: round(value, 4) for name, value in found.items()}
        runs.append(run | {"curve": [round(x, 3) for x in curve]})
        print({**run, "curve": curve[-1]}, flush=True)
    store(
        commit,
        f"What a Transformer without one part has learned after {STEPS} "
        "steps, judged from the right words before and alone",
        SEEDS,
        "20,000 rows of 3 to 8 digits; judged on 500 new ones",
        {"steps": STEPS, "every": 10, "runs": runs},
    )


if __name__ == "__main__":
    in_one_line(main)
