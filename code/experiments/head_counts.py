"""How many heads does it take to name two neighbours?

    python code/experiments/head_counts.py

One layer of attention reads 12 random tokens and names the left and the
right neighbour of each.  1, 2, 4 and 8 heads of the same total width; the
answer is linear in what attention returns, or has one hidden layer.  Then
heads of the trained models are removed.  About three minutes on one core.
"""

import itertools

import torch

from attnbook.tasks.neighbours import Neighbours, judge, looks, train, without
from attnbook.training import repro
from fingerprints import first_losses
from needs import in_one_line
from store import clean_commit, store
from track import track

NEEDS = "nothing"
HEADS = (1, 2, 4, 8)
HIDDEN = (None, 64)
SEEDS = (0, 1, 2, 3, 4)
STEPS, BLOCK = 1000, 25


def best_pair(model, heads):
    """Return the smallest loss that two of the heads reach alone."""
    return min(
        judge(without(model, set(range(heads)) - set(pair)))[0]
        for pair in itertools.combinations(range(heads), 2)
    )


def measure(heads, hidden, seed):
    """Train one model; return what is stored about it."""
    model = Neighbours(heads, hidden, seed)
    losses = train(model, STEPS, seed)
    blocks = [losses[i : i + BLOCK] for i in range(0, STEPS, BLOCK)]
    loss, accuracy = judge(model)
    left, right = looks(model)
    removed = [judge(without(model, [head]))[0] for head in range(heads)]
    return {
        "heads": heads,
        "hidden": hidden,
        "seed": seed,
        "parameters": repro.parameter_count(model),
        "curve": [round(sum(block) / BLOCK, 4) for block in blocks],
        "loss": round(loss, 4),
        "accuracy": [round(share, 4) for share in accuracy],
        "left": [round(weight, 3) for weight in left.tolist()],
        "right": [round(weight, 3) for weight in right.tolist()],
        "removed": [round(value, 4) for value in removed],
        "pair": round(best_pair(model, heads), 4) if heads > 1 else None,
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {"losses": first_losses(measure, HEADS[0], HIDDEN[0], SEEDS[0])}


def main():
    """Train every combination and store it."""
    commit = clean_commit()
    runs = []
    plan = itertools.product(HIDDEN, HEADS, SEEDS)
    for hidden, heads, seed in track(plan, "models"):
        runs.append(measure(heads, hidden, seed))
        print({k: v for k, v in runs[-1].items() if k != "curve"}, flush=True)
    store(
        commit,
        f"Naming both neighbours after {STEPS} steps of Adam: loss, accuracy "
        "left and right, weights on the neighbours, loss without a head",
        SEEDS,
        "random tokens, 8 kinds, in rings of 12, drawn anew for every batch "
        "of 64; judged on 1,000 other rows",
        {"steps": STEPS, "block": BLOCK, "runs": runs},
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    in_one_line(main)
