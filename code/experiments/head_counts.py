"""How many heads does it take to name two neighbours?

    python code/experiments/head_counts.py

One layer of attention reads 12 random tokens and names the left and the
right neighbour of each.  1, 2, 4 and 8 heads of the same total width; the
answer is linear in what attention returns, or has one hidden layer.  Then
heads of the trained models are removed; and, as a control, as many rows of
W_O drawn at random.  About five minutes on one core.
"""

import itertools
import math

import torch

from attnbook.tasks.neighbours import (
    D,
    Neighbours,
    judge,
    looks,
    train,
    without,
    without_rows,
)
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
DRAWS = 20  # random sets of rows for each model


def best_pair(model, heads):
    """Return the smallest loss that two of the heads reach alone."""
    return min(
        judge(without(model, set(range(heads)) - set(pair)))[0]
        for pair in itertools.combinations(range(heads), 2)
    )


def random_rows(count, draws, seed):
    """Return sets of different rows of W_O, drawn at random."""
    generator = torch.Generator().manual_seed(seed)
    return [
        torch.randperm(D, generator=generator)[:count].tolist()
        for _ in range(draws)
    ]


def control(model, heads, seed):
    """Return losses without random rows, and the best kept rows.

    Removed are as many rows as one head has.  Kept are as many as two have,
    in as many draws as there are pairs of heads.
    """
    width = D // heads
    removed = [
        judge(without_rows(model, rows))[0]
        for rows in random_rows(width, DRAWS, seed)
    ]
    pairs = math.comb(heads, 2)
    kept = min(
        judge(without_rows(model, rows))[0]
        for rows in random_rows(D - 2 * width, pairs, seed)
    )
    return {
        "random_removed": [round(value, 4) for value in removed],
        "random_pair": round(kept, 4),
    }


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
    } | (control(model, heads, seed) if heads > 1 else {})


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
        "left and right, weights on the neighbours, loss without a head or "
        "without as many random rows of W_O",
        SEEDS,
        "random tokens, 8 kinds, in rings of 12, drawn anew for every batch "
        "of 64; judged on 1,000 other rows",
        {"steps": STEPS, "block": BLOCK, "draws": DRAWS, "runs": runs},
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    in_one_line(main)
