"""What does a Transformer lose without positions, or with bad ones?

    python code/experiments/run.py blind_to_order

A small Transformer reverses or sorts 3 to 8 digits, with positions on both
sides, on one side, or on none.  Then a reader names the digit before each
place, with embeddings of three sizes, and with two bugs: a doubled exponent,
and positions that count the rows of the batch.  About four minutes on one
core.
"""

import itertools
import math

import torch
from torch import nn

from attnbook.positions import NoPositions, SinusoidalPositions, sinusoids
from attnbook.tasks import digits
from attnbook.tasks.ordering import fit, make_model
from attnbook.tasks.reader import Reader, accuracy, train
from lab.curves import block_means
from lab.experiment import Experiment
from lab.fingerprints import first_losses, hash_of

SEEDS = (0, 1, 2)
STEPS, READER_STEPS, BLOCK = 400, 600, 25
D = 64
SIZES = {"0.165": 0.165, "1": 1.0, "sqrt(64) = 8": 8.0}  # after the factor


class ByBatch(NoPositions):
    """Count the rows of the batch in the place of the tokens."""

    def forward(self, x, start=0):
        """Add the position of the row, (B, 1, D), to x, (B, T, D)."""
        return x + sinusoids(len(x), x.size(-1))[:, None]


def doubled():
    """Return positions whose exponent is doubled."""
    part = SinusoidalPositions(D, 128)
    position = torch.arange(128, dtype=torch.float64)
    even = torch.arange(0, D, 2, dtype=torch.float64)
    angle = position[:, None] * 10000 ** (-2 * even / D)
    part.table = torch.stack([angle.sin(), angle.cos()], -1).flatten(1).float()
    return part


def translate(task, source, target, seed):
    """Train one Transformer; return what is stored about it."""
    model = fit(make_model(source, target, seed), task, seed, STEPS)
    shares = digits.accuracy(model, digits.draw_rows(task, 300, 999))
    return {
        "task": task,
        "source": source,
        "target": target,
        "seed": seed,
        "rows": round(shares[0], 4),
        "digits": round(shares[1], 4),
    }


def read(name, seed):
    """Train one changed reader; return what is stored about it."""
    model = Reader("sinusoidal", seed)
    CHANGES[name](model)
    losses = train(model, "before", READER_STEPS, seed)
    return {
        "name": name,
        "seed": seed,
        "curve": block_means(losses, BLOCK),
        "accuracy": round(accuracy(model, "before", 16)[1:].mean().item(), 4),
    }


def resized(size):
    """Return a change: embeddings of this size, the factor included."""

    def change(model):
        with torch.no_grad():
            nn.init.normal_(model.embedding.table.weight)
            model.embedding.table.weight *= size / math.sqrt(D)

    return change


CHANGES = {name: resized(size) for name, size in SIZES.items()}
CHANGES["doubled"] = lambda m: setattr(m.embedding, "add", doubled())
CHANGES["by batch"] = lambda m: setattr(m.embedding, "add", ByBatch())


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        "data": hash_of(digits.draw_rows("reverse", 300, 999)),
        "translators": first_losses(translate, "reverse", True, True, 0),
        "readers": first_losses(read, "1", 0),
    }


def measure(run):
    """Train every combination; a try one of each kind."""
    count = 1 if run.small else None
    sides = True, False
    translators = itertools.product(("reverse", "sort"), sides, sides, SEEDS)
    readers = itertools.product(CHANGES, SEEDS)
    plans = {
        "translators": (translate, translators),
        "readers": (read, readers),
    }
    return {"block": BLOCK, "steps": READER_STEPS} | {
        name: run.each(itertools.islice(plan, count), make, items=name)
        for name, (make, plan) in plans.items()
    }


EXPERIMENT = Experiment(
    "blind_to_order",
    needs="nothing",
    about=f"Reversing and sorting 3 to 8 digits after {STEPS} steps with and "
    "without positions; naming the digit before each place after "
    f"{READER_STEPS} steps with embeddings of several sizes and with bugs",
    seeds=SEEDS,
    data="random digits; judged on 300 rows and on 200 rows of 16",
    measure=measure,
    fingerprint=fingerprint,
    threads=1,
    hide=("curve",),
)
