"""Do positions work beyond the lengths that a model was trained on?

    python code/experiments/run.py extrapolation

A reader names the digit before each place.  It is trained on rows of 4 to
16 digits and tested on rows of up to 64, with sinusoidal, learned, rotary
and no positions, with and without a causal mask.  About four minutes on one
core.
"""

import itertools

from attnbook.tasks.reader import Reader, accuracy, train
from lab.curves import block_means
from lab.experiment import Experiment
from lab.fingerprints import first_losses

KINDS = ("sinusoidal", "learned", "rotary", "none")
SEEDS = (0, 1, 2)
STEPS, BLOCK = 1000, 25
LENGTHS = (4, 8, 12, 16, 17, 18, 20, 24, 32, 48, 64)


def measure(causal, kind, seed):
    """Train one reader; return what is stored about it."""
    model = Reader(kind, seed, causal)
    losses = train(model, "before", STEPS, seed)
    by_place = {n: accuracy(model, "before", n)[1:] for n in LENGTHS}
    return {
        "kind": kind,
        "causal": causal,
        "seed": seed,
        "curve": block_means(losses, BLOCK),
        "accuracy": [round(by_place[n].mean().item(), 4) for n in LENGTHS],
        "places": [round(x, 4) for x in by_place[64].tolist()],
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        kind: first_losses(measure, False, kind, SEEDS[0]) for kind in KINDS
    }


EXPERIMENT = Experiment(
    "extrapolation",
    needs="nothing",
    about="Share of right answers when a reader of two layers names the digit "
    f"before each place, after {STEPS} steps on rows of 4 to 16 digits",
    seeds=SEEDS,
    data="random digits, 64 new rows of one length per step; tested on 200 "
    "other rows of each length",
    plan=lambda: itertools.product((False, True), KINDS, SEEDS),
    row=measure,
    values=lambda runs: {
        "steps": STEPS,
        "block": BLOCK,
        "lengths": LENGTHS,
        "runs": runs,
    },
    fingerprint=fingerprint,
    threads=1,
    items="readers",
    hide=("curve", "places"),
)
