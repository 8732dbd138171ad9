"""Which digit does a rotary reader name where it is wrong?

    python code/experiments/run.py clock_repeats

A reader with rotary positions names the digit before each place.  It is
trained on rows of 4 to 16 digits and asked on rows of 64: is a wrong answer
the digit at a distance where the two fastest hands nearly repeat what they
say one place back?  With base 10000 they repeat after 19 places, with base
62800 after 25.  About two minutes on one core.
"""

import itertools

import torch

from attnbook.positions import RotaryPositions
from attnbook.tasks.reader import Reader, draw, train
from lab.experiment import Experiment
from lab.fingerprints import first_losses

SEEDS = (0, 1, 2)
STEPS, ROWS, LENGTH = 1000, 500, 64
READERS = ((10000, False), (10000, True), (62800, False))  # base, causal
DISTANCES = range(-52, 53)  # places back; negative: ahead
STRETCHES = {"1 to 19": (1, 19), "20 to 38": (20, 38), "46 to 63": (46, 63)}


def change_base(model, base):
    """Let the hands of all rotary positions turn at the speeds of a base."""
    for part in model.modules():
        if isinstance(part, RotaryPositions):
            length, hands = part.cos.shape
            speeds = base ** (-torch.arange(hands).double() / hands)
            angle = torch.arange(length).double()[:, None] * speeds
            part.cos.copy_(angle.cos())
            part.sin.copy_(angle.sin())


def named(tokens, answers, wrong, first, last):
    """Return for each distance the share of wrong answers that name it.

    Only wrong answers at places from first to last count, and of these only
    such as have a digit at this distance; None: there are none.
    """
    shares = []
    for distance in DISTANCES:
        places = torch.arange(first, last + 1)
        places = places[(places >= distance) & (places - distance < LENGTH)]
        same = answers[:, places] == tokens[:, places - distance]
        counted = wrong[:, places]
        share = same[counted].float().mean().item() if counted.any() else None
        shares.append(None if share is None else round(share, 3))
    return shares


def measure(reader, seed):
    """Train one reader; return what is stored about it."""
    base, causal = reader
    model = Reader("rotary", seed, causal)
    change_base(model, base)
    train(model, "before", STEPS, seed)
    generator = torch.Generator().manual_seed(12345)
    tokens, labels = draw("before", ROWS, LENGTH, generator)
    with torch.no_grad():
        answers = model(tokens).argmax(-1)  # (B, T)
    wrong = answers != labels
    accuracy = 1 - wrong[:, 1:].float().mean(0)
    return {
        "base": base,
        "causal": causal,
        "seed": seed,
        "places": [round(x, 4) for x in accuracy.tolist()],
        "named": {
            name: named(tokens, answers, wrong, *places)
            for name, places in STRETCHES.items()
        },
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {"10000": first_losses(measure, READERS[0], SEEDS[0])}


EXPERIMENT = Experiment(
    "clock_repeats",
    needs="nothing",
    about="Which digit a rotary reader names where it is wrong, on rows of "
    f"{LENGTH} digits, after {STEPS} steps on rows of 4 to 16 digits",
    seeds=SEEDS,
    data=f"random digits, 64 new rows of one length per step; {ROWS} other "
    f"rows of {LENGTH}",
    plan=lambda: itertools.product(READERS, SEEDS),
    row=measure,
    values=lambda runs: {
        "steps": STEPS,
        "distances": [*DISTANCES],
        "runs": runs,
    },
    fingerprint=fingerprint,
    threads=1,
    items="readers",
    hide=("places", "named"),
)
