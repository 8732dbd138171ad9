"""Does one head's mixture say which neighbour stands on which side?

    python code/experiments/run.py frozen_mixture

One head with a linear answer learns to name both neighbours, as in
`head_counts`.  Then everything but the answer is frozen, and a new answer is
trained on what the head hands over: a linear one, as a control, and one with
a hidden layer.  Five seeds.  About a minute on one core.
"""

import torch
import torch.nn.functional as F
from torch import nn

from attnbook.tasks import neighbours
from lab.experiment import Experiment
from lab.fingerprints import first_losses

STEPS, HIDDEN, SEEDS = 1000, 64, (0, 1, 2, 3, 4)
NEW_ROWS = 1000  # seed of the rows that a new answer sees, above the model's


@torch.no_grad()
def judge(model):
    """Return what is stored about a model's answers to left and right."""
    generator = torch.Generator().manual_seed(12345)
    tokens, target = neighbours.draw_batch(generator, 1000)
    logits = model(tokens)[0]  # (B, T, 2, vocab)
    loss = F.cross_entropy(
        logits.flatten(0, 2), target.flatten(), reduction="none"
    ).view(target.shape)
    hits = (logits.argmax(-1) == target).double()  # (B, T, 2)
    differ = target[..., 0] != target[..., 1]  # (B, T)
    found = {
        "loss": loss.mean((0, 1)),
        "right": hits.mean((0, 1)),
        "right_where_they_differ": hits[differ].mean(0),
    }
    return {
        name: [round(x, 4) for x in y.tolist()] for name, y in found.items()
    }


@torch.no_grad()
def heavier_side(model):
    """Return in how many rows of weights the left neighbour is heavier."""
    generator = torch.Generator().manual_seed(12345)
    weights = model(neighbours.draw_batch(generator, 1000)[0])[1][:, 0]
    here = torch.arange(neighbours.T)
    left, right = (
        weights[:, here, (here + s) % neighbours.T] for s in (-1, 1)
    )
    return round((left > right).double().mean().item(), 4)


def replace_answer(model, answer, seed):
    """Train a new answer on a frozen mixture; return what it answers."""
    model.requires_grad_(False)
    model.answer = answer
    neighbours.train(model, STEPS, seed + NEW_ROWS)
    return judge(model)


def measure(seed):
    """Train one model and two new answers; return its row."""
    model = neighbours.Neighbours(1, seed=seed)
    neighbours.train(model, STEPS, seed)
    left, right = neighbours.measure_looks(model)
    row = {
        "seed": seed,
        "left": round(left.item(), 3),
        "right": round(right.item(), 3),
        "left_heavier": heavier_side(model),
        "as_trained": judge(model),
    }
    torch.manual_seed(seed)
    width, out = neighbours.D, 2 * neighbours.VOCAB
    row["linear"] = replace_answer(model, nn.Linear(width, out), seed)
    hidden = nn.Sequential(
        nn.Linear(width, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, out)
    )
    return row | {"hidden": replace_answer(model, hidden, seed)}


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {"losses": first_losses(measure, SEEDS[0])}


EXPERIMENT = Experiment(
    "frozen_mixture",
    needs="nothing",
    about=f"One head and a linear answer, {STEPS} steps of Adam; then a new "
    f"answer, linear or with {HIDDEN} hidden numbers, on the frozen mixture: "
    "loss and share of right answers, left and right, also where the two "
    "neighbours differ; weights on the neighbours",
    seeds=SEEDS,
    data="random tokens, 8 kinds, in rings of 12, drawn anew for every batch "
    "of 64; judged on 1,000 other rows",
    plan=lambda: [(seed,) for seed in SEEDS],
    row=measure,
    values=lambda runs: {"steps": STEPS, "hidden": HIDDEN, "runs": runs},
    fingerprint=fingerprint,
    threads=1,
    items="models",
)
