"""Does attention learn without the scale, and is it the scale that helps?

    python code/experiments/run.py scaling_learning

A look-up: 16 keys of 16 numbers, one query that is one of the keys, turned
by a fixed rotation that the model does not know.  Attention with learned
W_Q and W_K must put its weight on that key.  Three forms: raw scores, scaled
scores, and the control, raw scores whose first W_Q and W_K are smaller, so
that they start with the scores of the scaled form.  Several widths d_k and
several numbers of keys; learning rates of plain gradient descent.  The
scaled form takes sqrt(d_k) times the rate of the others, because its steps
are then those of the control.  Raw and scaled go on to a rate of 256 as one
would type it.  About 20 minutes on one core.
"""

import itertools

from attnbook.tasks.lookup import Lookup, train
from lab.experiment import Experiment
from lab.fingerprints import first_losses

FORMS = ("raw", "smaller start", "scaled")
STEPS = 200

WIDTHS = (16, 32, 64, 128, 256, 512, 1024)  # with 16 keys
RATES = [2 ** (power / 2) for power in range(-20, 17)]
LAST, LAST_TYPED = 16, 257  # rates in the raw form's unit, and as typed
SEEDS = (0, 1, 2, 3, 4)

KEYS = (4, 64, 256, 1024)  # at width 64
KEYS_RATES = [rate for rate in RATES if rate <= LAST][::2]
KEYS_SEEDS = SEEDS[:3]


def typed(form, d_k, rate):
    """Return the rate as one would type it."""
    return rate * d_k**0.5 if form == "scaled" else rate


def is_planned(form, d_k, rate):
    """Return whether a form is trained at a rate with 16 keys."""
    last = 0 if form == "smaller start" else LAST_TYPED
    return rate <= LAST or typed(form, d_k, rate) <= last


def run(form, d_k, num_keys, rate, seed):
    """Train one model; return its history."""
    start = d_k**-0.25 if form == "smaller start" else 1.0
    model = Lookup(d_k, form == "scaled", seed, start, num_keys)
    return train(model, typed(form, d_k, rate), STEPS)


def measure(form, d_k, num_keys, rate, seeds):
    """Return one row: the accuracy of every seed, the mean variances."""
    runs = [run(form, d_k, num_keys, rate, seed) for seed in seeds]
    first, last = (
        sum(r.variance[at] for r in runs) / len(runs) for at in (0, -1)
    )
    return {
        "form": form,
        "d_k": d_k,
        "keys": num_keys,
        "rate": rate,  # of the raw forms; times sqrt(d_k) if scaled
        "accuracy": [round(r.last(), 4) for r in runs],
        "variance_first": round(first, 2),
        "variance_last": round(last, 2),
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        form: first_losses(run, form, WIDTHS[0], 16, RATES[0], SEEDS[0])
        for form in FORMS
    }


def plan():
    """Return form, width, keys, rate and seeds of every row."""
    widths = itertools.product(FORMS, WIDTHS, [16], RATES, [SEEDS])
    keys = itertools.product(FORMS[:2], [64], KEYS, KEYS_RATES, [KEYS_SEEDS])
    return [*(p for p in widths if is_planned(*p[:2], p[3])), *keys]


EXPERIMENT = Experiment(
    "scaling_learning",
    needs="nothing",
    about=f"Look-up accuracy after {STEPS} steps of gradient descent, mean of "
    "the last 20 batches, and the variance of the scores; raw, scaled, "
    "and raw with a smaller start",
    seeds=SEEDS,
    data="random keys, drawn anew for every batch of 128",
    plan=plan,
    row=measure,
    key="{}, d_k {}, {} keys, rate {}",
    values=lambda rows: {
        "steps": STEPS,
        "seeds_with_more_keys": KEYS_SEEDS,
        "rows": rows,
    },
    fingerprint=fingerprint,
    threads=1,
    items="rows",
)
