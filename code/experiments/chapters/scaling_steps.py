"""How far do starts get, by the weight on the answer, over steps and rates?

    python code/experiments/run.py scaling_steps

The look-up of `scaling_learning` at width 1024, without the division, from
three starts: *usual*; *both small*, W_Q and W_K times d_k ** -0.25, which are
the steps of the scaled form in another unit; and *one small*, W_Q alone times
d_k ** -0.5, which has the same first scores as *both small* and another
gradient.  The first two also with the cross-entropy of the right key instead
of the squared error, because the Jacobian of the softmax is no factor of its
gradient.  What is measured is the mean weight on the right key, which is what
attention mixes by, and the share of right keys, over the last 20 batches
before a number of steps.  About 3 minutes on one core.
"""

import itertools

import torch
from torch.nn import functional

from attnbook.tasks.lookup import Lookup
from lab.experiment import Experiment
from lab.fingerprints import first_losses

WIDTH = 1024
FORMS = {  # the loss, the factor on W_Q, the factor on W_K
    "usual": ("squared error", 1.0, 1.0),
    "both small": ("squared error", WIDTH**-0.25, WIDTH**-0.25),
    "one small": ("squared error", WIDTH**-0.5, 1.0),
    "usual, cross-entropy": ("cross-entropy", 1.0, 1.0),
    "both small, cross-entropy": (
        "cross-entropy",
        WIDTH**-0.25,
        WIDTH**-0.25,
    ),
}
RATES = [2.0**power for power in range(-12, 5)]
STEPS = (25, 50, 100, 200, 400, 800)
LAST = 20  # batches
SEEDS = (0, 1, 2)


def make_model(form, seed):
    """Return an untrained model."""
    _, on_queries, on_keys = FORMS[form]
    model = Lookup(WIDTH, scaled=False, seed=seed)
    with torch.no_grad():
        model.w_q *= on_queries
        model.w_k *= on_keys
    return model


def train(form, rate, seed, steps):
    """Train one model; return weight and hits of every step."""
    kind, model = FORMS[form][0], make_model(form, seed)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    curves = {"weight": [], "hits": []}
    for _ in range(steps):
        query, keys, answer = model.batch()
        turned = query @ (model.w_q @ model.w_k.T)  # (B, 1, D)
        scores = (turned @ keys.transpose(-2, -1)).squeeze(1)  # (B, S)
        weights = scores.softmax(-1).nan_to_num()  # (B, S), 0 if diverged
        right = functional.one_hot(answer, model.num_keys)
        loss = (weights - right).square().sum(-1).mean()
        if kind == "cross-entropy":
            loss = functional.cross_entropy(scores, answer)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        curves["weight"].append((weights * right).sum(-1).mean().item())
        hit = scores.argmax(-1) == answer
        curves["hits"].append(hit.float().mean().item())
    return curves


def measure(form, rate):
    """Return one row: for every seed, weight and accuracy by steps."""
    runs = [train(form, rate, seed, STEPS[-1]) for seed in SEEDS]
    return {"form": form, "rate": rate} | {
        name: [
            [round(sum(run[kind][n - LAST : n]) / LAST, 4) for n in STEPS]
            for run in runs
        ]
        for name, kind in (("weight", "weight"), ("accuracy", "hits"))
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        form: first_losses(train, form, RATES[0], SEEDS[0], STEPS[0])
        for form in FORMS
    }


def plan():
    """Return form and rate of every row; cross-entropy starts early."""
    every = itertools.product(FORMS, RATES)
    return [(f, r) for f, r in every if "cross" not in f or r <= RATES[8]]


EXPERIMENT = Experiment(
    "scaling_steps",
    needs="nothing",
    about="The look-up without the division at width 1024: weight on the "
    "right key and accuracy after 25 to 800 steps of gradient descent, for "
    "three starts and two losses",
    seeds=SEEDS,
    data="random keys, drawn for every batch of 128",
    plan=plan,
    row=measure,
    key="{}, rate {}",
    values=lambda rows: {"steps": STEPS, "rows": rows},
    fingerprint=fingerprint,
    threads=1,
    items="rows",
)
