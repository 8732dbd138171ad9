"""What made training fast: from the common loop to ours, one step at a time.

    python code/experiments/run.py speed_steps

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
from lab.experiment import Experiment
from speed.bench.contenders import (
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
from speed.benchmark import loaded, training_speeds
from speed.clock import waiter

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


def measure(run):
    """Measure every row; a try on a few sentences of the storybook."""
    repro.seed_everything(0)
    pairs, _, vocab, _ = loaded(run)
    contenders = rows(pairs, vocab, run.device)
    speeds = training_speeds(
        contenders, 1 if run.small else ROUNDS, waiter(run.device)
    )
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
    return {
        "rows": table,
        "padding": {
            "batches of 128 in random order": padding(
                shuffled(pairs, math.inf)
            ),
            "length buckets": padding(bucketed(pairs, SIZES["A"], labels)),
        },
    }


EXPERIMENT = Experiment(
    "speed_steps",
    needs="Multi30k",
    about=f"Labels per second of training, median of {ROUNDS} interleaved "
    "rounds; a gain is the median over the rounds of this row by the row "
    "above",
    data="multi30k de->en, size A, 8260 tokens",
    measure=measure,
    revision=3,
)
