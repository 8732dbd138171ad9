"""How many heads does it take to name two neighbours?

    python code/experiments/run.py head_counts

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
    measure_looks,
    remove_heads,
    train,
    zero_rows,
)
from attnbook.training import repro
from lab.curves import block_means
from lab.experiment import Experiment
from lab.fingerprints import first_losses

HEADS = (1, 2, 4, 8)
HIDDEN = (None, 64)
SEEDS = (0, 1, 2, 3, 4)
STEPS, BLOCK = 1000, 25
DRAWS = 20  # random sets of rows for each model


def best_pair(model, heads):
    """Return the smallest loss that two of the heads reach alone."""
    return min(
        judge(remove_heads(model, set(range(heads)) - set(pair)))[0]
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
        judge(zero_rows(model, rows))[0]
        for rows in random_rows(width, DRAWS, seed)
    ]
    pairs = math.comb(heads, 2)
    kept = min(
        judge(zero_rows(model, rows))[0]
        for rows in random_rows(D - 2 * width, pairs, seed)
    )
    return {
        "random_removed": [round(value, 4) for value in removed],
        "random_pair": round(kept, 4),
    }


def measure(hidden, heads, seed):
    """Train one model; return what is stored about it."""
    model = Neighbours(heads, hidden, seed)
    losses = train(model, STEPS, seed)
    loss, accuracy = judge(model)
    left, right = measure_looks(model)
    removed = [judge(remove_heads(model, [head]))[0] for head in range(heads)]
    return {
        "heads": heads,
        "hidden": hidden,
        "seed": seed,
        "parameters": repro.parameter_count(model),
        "curve": block_means(losses, BLOCK),
        "loss": round(loss, 4),
        "accuracy": [round(share, 4) for share in accuracy],
        "left": [round(weight, 3) for weight in left.tolist()],
        "right": [round(weight, 3) for weight in right.tolist()],
        "removed": [round(value, 4) for value in removed],
        "pair": round(best_pair(model, heads), 4) if heads > 1 else None,
    } | (control(model, heads, seed) if heads > 1 else {})


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {"losses": first_losses(measure, HIDDEN[0], HEADS[0], SEEDS[0])}


EXPERIMENT = Experiment(
    "head_counts",
    needs="nothing",
    about=f"Naming both neighbours after {STEPS} steps of Adam: loss, "
    "accuracy left and right, weights on the neighbours, loss without a head "
    "or without as many random rows of W_O",
    seeds=SEEDS,
    data="random tokens, 8 kinds, in rings of 12, drawn anew for every batch "
    "of 64; judged on 1,000 other rows",
    plan=lambda: itertools.product(HIDDEN, HEADS, SEEDS),
    row=measure,
    values=lambda runs: {
        "steps": STEPS,
        "block": BLOCK,
        "draws": DRAWS,
        "runs": runs,
    },
    fingerprint=fingerprint,
    threads=1,
    items="models",
    hide=("curve",),
)
