"""Does a deep stack need a warm-up?

    python code/experiments/run.py warmup
    python code/experiments/run.py warmup_pushed

Twelve encoder layers learn to reverse 8 random tokens: post-norm and
pre-norm, with and without a warm-up of 100 steps, several learning rates of
Adam, several seeds.  The matrices start by Glorot, as in the course's models;
for post-norm also as `nn.Linear` starts them, and by Glorot with quieter
sublayers.  About 15 minutes on one core.

`warmup_pushed` has what the first one left out: pre-norm up to the rates at
which it breaks, from both starts; quieter sublayers with a warm-up; and no
residual at a small rate.  About as long.
"""

import itertools

from attnbook.tasks.depth import (
    Deep,
    gradient_by_layer,
    likeness_by_layer,
    train,
)
from lab.curves import block_means
from lab.experiment import Experiment
from lab.fingerprints import first_losses

RATES = (1e-3, 3e-3, 6e-3)
WARMUPS = (0, 100)
SEEDS = (0, 1, 2)
STEPS, BLOCK = 300, 20


def plan():
    """Return start, pre-norm or not, rate and warm-up of every run."""
    return [
        *itertools.product(["glorot"], [False], (3e-4, *RATES), WARMUPS),
        *itertools.product(["glorot"], [True], RATES, WARMUPS),
        *itertools.product(["pytorch"], [False], RATES, WARMUPS),
        *itertools.product(["quiet"], [False], RATES, [0]),
    ]


def pushed_plan():
    """Return the same of the runs that push further, and residual or not."""
    high = (1e-2, 2e-2)
    return [
        *itertools.product(["glorot"], [True], (*high, 4e-2), WARMUPS),
        *itertools.product(["pytorch"], [True], (*RATES, *high), WARMUPS),
        *itertools.product(["pytorch"], [False], high, [100]),
        *itertools.product(["quiet"], [False], RATES, [100]),
        *itertools.product(["glorot"], [True, False], [3e-4], [0], [False]),
    ]


def measure(start, pre_norm, rate, warmup, seed, residual=True):
    """Train one model; return what is stored about it."""
    model = Deep(pre_norm, residual, start, seed=seed)
    gradient = gradient_by_layer(model)
    before = likeness_by_layer(model)
    losses = train(model, rate, warmup, STEPS, seed)
    return {
        "start": start,
        "norm": "pre" if pre_norm else "post",
        "residual": residual,
        "rate": rate,
        "warmup": warmup,
        "seed": seed,
        "gradient": [round(x, 3) for x in gradient],
        "alike_before": round(before[-1], 4),
        "alike_after": round(likeness_by_layer(model)[-1], 4),
        "curve": block_means(losses, BLOCK),
    }


def fingerprint_of(plan):
    """Return what shows whether the result of a plan is stale."""
    start, pre_norm, rate, warmup = plan()[0]
    model = Deep(pre_norm, start=start, seed=SEEDS[0])
    return {"losses": first_losses(train, model, rate, warmup, STEPS)}


def values(runs):
    """Return what is stored of all rows."""
    return {"steps": STEPS, "block": BLOCK, "runs": runs}


DATA = (
    "rows of 8 random tokens of 20 kinds to be reversed, drawn anew for "
    "every batch of 32"
)

EXPERIMENT = Experiment(
    "warmup",
    needs="nothing",
    about=f"Loss over {STEPS} steps of Adam in stacks of 12 layers, with and "
    "without warm-up; how alike the tokens are before and after",
    seeds=SEEDS,
    data=DATA,
    plan=lambda: [(*one, seed) for one in plan() for seed in SEEDS],
    row=measure,
    values=values,
    fingerprint=lambda: fingerprint_of(plan),
    threads=1,
    items="models",
    hide=("gradient",),
)

PUSHED = Experiment(
    "warmup_pushed",
    needs="nothing",
    about=f"Loss over {STEPS} steps of Adam in stacks of 12 layers at larger "
    "rates, from other starts, and without the residual",
    seeds=SEEDS,
    data=DATA,
    plan=lambda: [
        (*one[:4], seed, *one[4:]) for one in pushed_plan() for seed in SEEDS
    ],
    row=measure,
    values=values,
    fingerprint=lambda: fingerprint_of(pushed_plan),
    threads=1,
    items="models",
    hide=("gradient",),
)
