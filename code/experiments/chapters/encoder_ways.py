"""Does a Transformer learn if no gradient reaches its encoder?

    python code/experiments/run.py encoder_ways

Reverse and sort rows of 3 to 8 digits.  The gradient may pass from the
decoder into the encoder through the keys and the values of cross-attention,
through one of them, or not at all; then the encoder's layers and the source
embeddings stay as they were drawn.  For comparison, a model whose source is
hidden.  About four minutes on one core.
"""

import itertools

from attnbook.probes.gradient_paths import (
    WAYS,
    encoder_gradient,
    fit,
    judge,
    make_model,
)
from attnbook.tasks.digits import draw_rows
from lab.experiment import Experiment
from lab.fingerprints import first_losses, hash_of

STEPS, SEEDS = 500, (0, 1, 2)


def fingerprint():
    """Return what shows whether the stored result is stale."""
    model = make_model("both", SEEDS[0])
    return {
        "data": hash_of(draw_rows("reverse", 500, 998)),
        "losses": first_losses(fit, model, "reverse", STEPS, SEEDS[0]),
    }


def measure(task, seed, way):
    """Train one model; return what is stored about it."""
    hidden = way == "no source"
    model = make_model("both" if hidden else way, seed)
    rows = draw_rows(task, 500, 998, hidden=hidden)
    first = encoder_gradient(model, rows)
    model = fit(model, task, STEPS, seed, hidden)
    right, loss = judge(model, task, hidden=hidden)
    run = {"task": task, "way": way, "seed": seed}
    run |= {"right": round(right, 4), "loss": round(loss, 4)}
    return run | {"first": first, "last": encoder_gradient(model, rows)}


EXPERIMENT = Experiment(
    "encoder_ways",
    needs="nothing",
    about=f"Right labels after {STEPS} steps, by the ways on which the "
    "gradient reaches the encoder",
    seeds=SEEDS,
    data="20,000 rows of 3 to 8 digits; judged on 500 new ones",
    plan=lambda: itertools.product(
        ("reverse", "sort"), SEEDS, (*WAYS, "no source")
    ),
    row=measure,
    values=lambda runs: {"steps": STEPS, "runs": runs},
    fingerprint=fingerprint,
    threads=1,
    items="models",
)
