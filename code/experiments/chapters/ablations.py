"""Which parts does a Transformer need in order to learn?

    python code/experiments/run.py ablations

Reverse and sort rows of 3 to 8 digits, 300 steps.  One part at a time is
taken out of the model or of its training.  Judged twice on 500 new rows:
every label from the right words before it, and whole rows that the model
writes from its own words.  Then *reverse* once more at a larger learning
rate, with and without warm-up.  Ten minutes on a core
that had other work to do.
"""

import itertools

from attnbook.probes.ablations import VARIANTS, fit, judge
from attnbook.tasks.digits import draw_rows
from lab.experiment import Experiment
from lab.fingerprints import first_losses, hash_of

STEPS, SEEDS, RATE, LARGE = 300, (0, 1, 2), 3e-3, 1e-2
TASKS = ("reverse", "sort")
WARMED = ("full", "no warm-up", "post-norm", "post-norm, no warm-up")


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        "data": hash_of([draw_rows(task, 500, seed=999) for task in TASKS]),
        "losses": first_losses(fit, "full", TASKS[0], STEPS, SEEDS[0], RATE),
    }


def plan():
    """Return task, variant, rate and seed of every run."""
    return [
        *itertools.product(TASKS, VARIANTS, [RATE], SEEDS),
        *itertools.product(["reverse"], WARMED, [LARGE], SEEDS),
    ]


def measure(task, variant, rate, seed):
    """Train one model; return what is stored about it."""
    model, curve = fit(variant, task, STEPS, seed, rate)
    found = judge(model, draw_rows(task, 500, seed=999))
    run = {"task": task, "variant": variant, "rate": rate, "seed": seed}
    run |= {name: round(value, 4) for name, value in found.items()}
    return run | {"curve": [round(x, 3) for x in curve]}


EXPERIMENT = Experiment(
    "ablations",
    needs="nothing",
    about=f"What a Transformer without one part has learned after {STEPS} "
    "steps, judged from the right words before and alone",
    seeds=SEEDS,
    data="20,000 rows of 3 to 8 digits; judged on 500 new ones",
    plan=plan,
    row=measure,
    values=lambda runs: {"steps": STEPS, "every": 10, "runs": runs},
    fingerprint=fingerprint,
    threads=1,
    hide=("curve",),
)
