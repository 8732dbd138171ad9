"""What made training fast: from the common loop to ours, one step at a time.

    python code/experiments/speed_steps.py

Each row changes one thing of the row above it.  All rows train on the same
sentences in interleaved rounds; about four minutes on 2 cores.  Set
ATTNBOOK_DATA to a folder that has Multi30k, else it is fetched.
"""

import math
import statistics

import torch
from torch import nn

from attnbook.data.vocabulary import PAD
from attnbook.dropout import Dropout
from attnbook.training import repro
from attnbook.training.precision import choose_precision
from attnbook.transformer import Transformer
from bench.contenders import (
    SIZES,
    Contender,
    Ours,
    TorchTransformer,
    adam,
    best_optimizer,
    bucketed,
    our_model,
    shuffled,
)
from benchmark import load, training_speeds, waiter
from needs import in_one_line
from store import clean_commit, store

NEEDS = "Multi30k"
REVISION = 3  # raise it by hand when the times are stale
ROUNDS, LABELS = 7, 8000


def with_usual_dropout(model):
    """Return the model with PyTorch's dropout in the place of ours."""
    for module in model.modules():
        if type(module) is Dropout:
            module.__class__ = nn.Dropout
    return model


class Whole(Transformer):
    """Our model, whose batches `update` does not cut into halves."""


def whole(model):
    """Return the model, no longer one of those that `halves` can train."""
    model.__class__ = Whole
    return model


def compiled(model):
    """Return our model with its stacks compiled for all shapes at once."""
    model.states = torch.compile(model.states, dynamic=True)
    return model


def rows(pairs, vocab, device):
    """Return name -> `Contender`, from the common loop to ours.

    Args:
        pairs: encoded pairs.
        vocab: vocabulary size.
        device: where it computes.
    """
    size = SIZES["A"]
    best = choose_precision("auto", device)
    random, sorted_ = shuffled(pairs, LABELS), bucketed(pairs, size, LABELS)

    def usual(name, model, batches, precision, optimizer=adam):
        model.to(device)
        return Contender(name, model, batches, precision, optimizer(model))

    def theirs(tied):
        return TorchTransformer(size, vocab, tied)

    def ours():
        return our_model(size, vocab).to(device)

    old = with_usual_dropout
    return {
        "common loop": usual("0", theirs(False), random, "fp32"),
        "length buckets": usual("1", theirs(False), sorted_, "fp32"),
        f"products in {best}": usual("2", theirs(False), sorted_, best),
        "one table for embeddings and output": usual(
            "3", theirs(True), sorted_, best
        ),
        "our layers": usual("4", old(ours()), sorted_, best),
        "fused AdamW": usual("5", old(ours()), sorted_, best, best_optimizer),
        "dropout, four to a draw": usual(
            "6", ours(), sorted_, best, best_optimizer
        ),
        "loss in chunks": Ours("7", whole(ours()), sorted_, best),
        "two halves side by side": Ours("8", ours(), sorted_, best),
        "torch.compile instead of halves": Ours(
            "9", compiled(whole(ours())), sorted_, best
        ),
    }


def padding(batches):
    """Return the share of padding among source and target positions."""
    found = {}
    for side in ("source", "labels"):
        ids = torch.cat([getattr(b, side).flatten() for b in batches])
        found[side] = round((ids == PAD).float().mean().item(), 3)
    return found


def main():
    """Measure every row and store the table."""
    commit = clean_commit()
    repro.seed_everything(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pairs, _, vocab, about = load("multi30k")
    contenders = rows(pairs, vocab, device)
    speeds = training_speeds(contenders, ROUNDS, waiter(device))
    labels = sum(len(target) + 1 for _, target in pairs)  # one epoch
    table, before = [], None
    for name, values in speeds.items():
        row = {
            "change": name,
            "labels_per_second": round(statistics.median(values)),
        }
        if before:
            gains = [a / b for a, b in zip(values, before, strict=True)]
            row["gain"] = round(statistics.median(gains), 2)
            row["least"] = round(min(gains), 2)
            row["most"] = round(max(gains), 2)
        table.append(row)
        before = values
        print(row)
    store(
        commit,
        f"Labels per second of training, median of {ROUNDS} interleaved "
        "rounds; a gain is the median over the rounds of this row by the row "
        "above",
        [0],
        f"{about}, size A, {vocab} tokens",
        {
            "rows": table,
            "padding": {
                "batches of 128 in random order": padding(
                    shuffled(pairs, math.inf)
                ),
                "length buckets": padding(bucketed(pairs, SIZES["A"], labels)),
            },
        },
    )


if __name__ == "__main__":
    in_one_line(main)
