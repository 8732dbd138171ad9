"""What can attention not learn with one matrix for queries and keys?

    python code/experiments/run.py shared_projection

Four relations between words (see attnbook.tasks.relations), three models: W_Q
and W_K of their own, one matrix for both, and one matrix for both with the
word itself taken out of its row.  Several widths, lengths and seeds.  About
six minutes on one core.
"""

import itertools

import torch

from attnbook.tasks.relations import RELATIONS, Pointer, train
from lab.experiment import Experiment
from lab.fingerprints import first_losses

SIZES = ((12, 4), (12, 16), (12, 64), (6, 16), (24, 16))  # T, d_k
MODELS = {  # name -> shared, hide_self
    "two matrices": (False, False),
    "one matrix": (True, False),
    "one matrix, self hidden": (True, True),
}
SEEDS = (0, 1, 2, 3, 4)
STEPS, EVERY = 1000, 20


def row_of(relation, name, length, d_k):
    """Train all seeds of one combination and return its row."""
    shared, hide_self = MODELS[name]
    row = {"relation": relation, "model": name, "T": length, "d_k": d_k}
    row.update(share=[], curve=[], self_scores=[])
    for seed in SEEDS:
        model = Pointer(d_k, shared, seed, length, hide_self)
        history = train(model, relation, steps=STEPS)
        last = history.share[-20:]
        row["share"].append(round(sum(last) / len(last), 4))
        row["curve"].append([round(s, 4) for s in history.share[::EVERY]])
        with torch.no_grad():
            scores = model(model.batch()[1]).mean(0)  # (T, T)
        own = scores.diagonal().tolist()
        row["self_scores"].append([round(s, 1) for s in own])
    if d_k != 16 or length != 12:
        del row["curve"]
    if (relation, name) != ("line", "one matrix"):
        del row["self_scores"]
    return row


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        name: first_losses(row_of, RELATIONS[0], name, *SIZES[0])
        for name in MODELS
    }


def plan():
    """Return relation, model, length and width of every row."""
    every = itertools.product(SIZES, RELATIONS, MODELS.items())
    return [
        (relation, name, *size)
        for size, relation, (name, (_, hide_self)) in every
        if not (hide_self and relation == "kind")  # it points to the word
    ]


EXPERIMENT = Experiment(
    "shared_projection",
    needs="nothing",
    about=f"Share of weight in the right place after {STEPS} steps of Adam, "
    "mean of the last 20 batches",
    seeds=SEEDS,
    data="words of a random kind, drawn anew for every batch of 64",
    plan=plan,
    row=row_of,
    values=lambda rows: {"steps": STEPS, "every": EVERY, "rows": rows},
    fingerprint=fingerprint,
    threads=1,
    items="rows",
)
