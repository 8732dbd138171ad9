"""Does training notice the wrong merge if the lengths are mixed?

    python code/experiments/merge_lengths.py

The models of merge_bug.py, with 8 to 12 digits, one length for each batch,
in place of always 12.  Beside them one layer of attention alone, which names
both neighbours of every token in a ring, with one length and with mixed ones.
About four minutes on one core.
"""

import itertools

import torch

from attnbook import multihead
from attnbook.tasks import neighbours
from fingerprints import first_losses
from merge_bug import MERGES, SEEDS, STEPS, judge, train
from needs import in_one_line
from store import clean_commit, store
from track import track

NEEDS = "nothing"
LENGTHS = {"12": (12,), "8 to 12": (8, 9, 10, 11, 12)}
RING_STEPS = 1200
PLAN = (
    ("one layer", "neighbours", "12"),
    ("one layer", "neighbours", "8 to 12"),
    ("reader", "copy", "8 to 12"),
    ("reader", "reverse", "8 to 12"),
    ("writer", "reverse", "8 to 12"),
)


def ring(lengths, seed):
    """Train one layer with four heads; return its share of right answers.

    The mean over the lengths, of the neighbour that it names less often.
    """
    model = neighbours.Neighbours(4, seed=seed)
    losses = neighbours.train(model, RING_STEPS, seed, lengths=lengths)
    worse = [min(neighbours.judge(model, length=n)[1]) for n in lengths]
    mean = sum(worse) / len(worse)
    return {"loss": round(losses[-1], 4), "at_once": round(mean, 4)}


def run(kind, task, lengths, seed):
    """Train one model; return what is stored about it."""
    if kind == "one layer":
        return ring(lengths, seed)
    model, loss = train(kind, task, lengths, seed)
    return {"loss": round(loss, 4)} | judge(model, kind, task, lengths)


def fingerprint():
    """Return what shows whether the stored result is stale."""
    lengths = LENGTHS["8 to 12"]
    return {
        "ring": first_losses(ring, lengths, SEEDS[0]),
        "reader": first_losses(train, "reader", "copy", lengths, SEEDS[0]),
    }


def main():
    """Train every combination and store it."""
    commit = clean_commit()
    runs = []
    plan = itertools.product(PLAN, MERGES, SEEDS)
    for (kind, task, length), merge, seed in track(plan, "models"):
        multihead.merge_heads = MERGES[merge]  # looked up at every call
        about = {"kind": kind, "task": task, "length": length}
        about |= {"merge": merge, "seed": seed}
        runs.append(about | run(kind, task, LENGTHS[length], seed))
        print(runs[-1], flush=True)
    store(
        commit,
        "Share of right answers, right and wrong merge, trained with one "
        "length and with mixed lengths; mean over the lengths",
        SEEDS,
        "random digits or tokens, drawn anew for every batch of 64, one "
        "length for each batch; judged on 500 or 1,000 rows of every length",
        {"steps": STEPS, "ring_steps": RING_STEPS, "runs": runs},
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    in_one_line(main)
