"""Do positions work beyond the lengths that a model was trained on?

    python code/experiments/extrapolation.py

A reader names the digit before each place.  It is trained on rows of 4 to
16 digits and tested on rows of up to 64, with sinusoidal, learned, rotary
and no positions, with and without a causal mask.  About four minutes on one
core.
"""

import itertools

import torch

from attnbook.tasks.reader import Reader, accuracy, train
from fingerprints import first_losses
from needs import in_one_line
from store import clean_commit, store
from track import track

NEEDS = "nothing"
KINDS = ("sinusoidal", "learned", "rotary", "none")
SEEDS = (0, 1, 2)
STEPS, BLOCK = 1000, 25
LENGTHS = (4, 8, 12, 16, 17, 18, 20, 24, 32, 48, 64)


def measure(kind, causal, seed):
    """Train one reader; return what is stored about it."""
    model = Reader(kind, seed, causal)
    losses = train(model, "before", STEPS, seed)
    blocks = [losses[i : i + BLOCK] for i in range(0, STEPS, BLOCK)]
    by_place = {n: accuracy(model, "before", n)[1:] for n in LENGTHS}
    return {
        "kind": kind,
        "causal": causal,
        "seed": seed,
        "curve": [round(sum(block) / BLOCK, 4) for block in blocks],
        "accuracy": [round(by_place[n].mean().item(), 4) for n in LENGTHS],
        "places": [round(x, 4) for x in by_place[64].tolist()],
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        kind: first_losses(measure, kind, False, SEEDS[0]) for kind in KINDS
    }


def main():
    """Train every combination and store it."""
    commit = clean_commit()
    runs = []
    plan = itertools.product((False, True), KINDS, SEEDS)
    for causal, kind, seed in track(plan, "readers"):
        runs.append(measure(kind, causal, seed))
        shown = {k: runs[-1][k] for k in ("kind", "causal", "seed")}
        print(shown, runs[-1]["accuracy"], flush=True)
    store(
        commit,
        "Share of right answers when a reader of two layers names the digit "
        f"before each place, after {STEPS} steps on rows of 4 to 16 digits",
        SEEDS,
        "random digits, 64 new rows of one length per step; tested on 200 "
        "other rows of each length",
        {"steps": STEPS, "block": BLOCK, "lengths": LENGTHS, "runs": runs},
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    in_one_line(main)
