"""Does attention learn without the scale?

    python code/experiments/scaling_learning.py

A look-up: 16 keys of 16 numbers, one query that is one of the keys, turned
by a fixed rotation that the model does not know.  Attention with learned
W_Q and W_K must put its weight on that key.  Raw and scaled scores, several
widths d_k and learning rates of plain gradient descent, several seeds.
About six minutes on 2 cores.
"""

import itertools

import torch

from attnbook.tasks.lookup import Lookup, train
from fingerprints import first_losses
from needs import in_one_line
from store import clean_commit, store
from track import track

NEEDS = "nothing"
WIDTHS = (16, 64, 256, 1024)
RATES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
SEEDS = (0, 1, 2, 3, 4)
STEPS = 200


def fingerprint():
    """Return what shows whether the stored result is stale."""
    model = Lookup(WIDTHS[0], False, SEEDS[0])
    return {"losses": first_losses(train, model, RATES[0], STEPS)}


def main():
    """Train every combination and store accuracies and variances."""
    commit = clean_commit()
    rows = []
    plan = itertools.product(WIDTHS, (False, True), RATES)
    for d_k, scaled, rate in track(plan, "rows"):
        runs = [
            train(Lookup(d_k, scaled, seed), rate, STEPS) for seed in SEEDS
        ]
        rows.append(
            {
                "d_k": d_k,
                "scaled": scaled,
                "rate": rate,
                "accuracy": [round(r.last(), 4) for r in runs],
                "variance_first": [round(r.variance[0], 2) for r in runs],
                "variance_last": [round(r.variance[-1], 2) for r in runs],
            }
        )
        print(rows[-1], flush=True)
    store(
        commit,
        f"Look-up accuracy after {STEPS} steps of gradient descent, mean of "
        "the last 20 batches, and the variance of the scores",
        SEEDS,
        "random keys, drawn anew for every batch of 128",
        {"steps": STEPS, "rows": rows},
    )


if __name__ == "__main__":
    torch.set_num_threads(2)
    in_one_line(main)
