"""Which digits does one vector lose, in copying and in reversing?

    python code/experiments/run.py copy_and_reverse

GRU encoder-decoders without attention copy or reverse rows of 3 to 16
digits.  For each place of rows of 12 digits: the share of right digits.  And
how much of the gradient at the last of 16 digits reaches the first, in the
untrained and in the trained encoder.  Three seeds.  About two minutes on one
core.
"""

import itertools

import torch

from attnbook.data.batches import make_batch
from attnbook.tasks import digits, reversal
from lab.experiment import Experiment
from lab.fingerprints import first_losses, hash_of

STEPS, SEEDS, TASKS = 1000, (0, 1, 2), ("reverse", "copy")


@torch.no_grad()
def right_by_place(model, task):
    """Return the share of right digits at each of 12 places of the source.

    The model is given the right digits before the one that it writes.
    """
    batch = make_batch(digits.draw_rows(task, 500, 10_012, 12, 12))
    best = model(batch.source, batch.target).argmax(dim=-1)  # (B, T)
    right = (best == batch.labels).double().mean(dim=0)[:12]  # without <eos>
    return (right.flip(0) if task == "reverse" else right).tolist()


def gradient_ratio(model):
    """Return the gradient's norm at the first of 16 digits over the last's.

    The gradient is that of the last state's numbers, added up with random
    weights, with respect to the embedded digits.
    """
    source = digits.make_source_batch(reversal.draw_rows(200, 5, 16, 16))
    weights = torch.randn(200, 60, generator=torch.Generator().manual_seed(0))
    x = model.source_embedding(source).detach().requires_grad_()  # (B, S, D)
    states, _ = model.encoder.network(x)  # (B, S, D)
    total = (states[:, -1] * weights).sum()
    norms = torch.autograd.grad(total, x)[0].norm(dim=-1).mean(dim=0)  # (S,)
    return (norms[0] / norms[-2]).item()  # the last one is <eos>


def measure(task, seed):
    """Train one model; return its row of the table."""
    model = reversal.make_model("no attention", seed)
    row = {"task": task, "seed": seed}
    row["before"] = round(gradient_ratio(model), 6)
    pairs = digits.draw_rows(task, 20_000, seed, 3, reversal.LONGEST)
    digits.fit(model, pairs, digits.make_train_config(STEPS, seed))
    row["after"] = round(gradient_ratio(model), 4)
    right = right_by_place(model, task)
    return row | {"right": [round(share, 4) for share in right]}


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        "data": {
            task: hash_of(digits.draw_rows(task, 500, 10_012, 12, 12))
            for task in TASKS
        },
        "losses": {
            task: first_losses(measure, task, SEEDS[0]) for task in TASKS
        },
    }


EXPERIMENT = Experiment(
    "copy_and_reverse",
    needs="nothing",
    about=f"After {STEPS} steps without attention: right digits by their "
    "place in the source, and the gradient at the first digit over that at "
    "the last, before and after training",
    seeds=SEEDS,
    data="20,000 random rows of 3 to 16 digits; 500 fresh rows of 12; a seed "
    "changes rows, first weights and order",
    plan=lambda: itertools.product(TASKS, SEEDS),
    row=measure,
    values=lambda rows: {"steps": STEPS, "rows": rows},
    fingerprint=fingerprint,
    threads=1,
    items="models",
)
