"""Do two processes train what one trains?

    python code/experiments/run.py two_processes

The storybook model without dropout, 50 steps with the same batches, by one
process and by two under torchrun: in float64, where rounding is too small
to matter, and in float32, where it shows how fast two equal runs part that
add in another order.  About a minute on two cores.
"""

import itertools
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from safetensors.torch import load_file, save_file

from attnbook.config import TransformerConfig
from attnbook.data import datasets
from attnbook.training import workers
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train
from attnbook.training.repro import seed_everything
from attnbook.transformer import Transformer
from lab.catalogue import RUN
from lab.experiment import Experiment
from lab.fingerprints import first_losses, hash_of
from lab.progress import track

SEEDS = (0,)
STEPS = (1, 2, 5, 10, 20, 50)
KINDS = {"float64": torch.float64, "float32": torch.float32}
SETTINGS = {"max_tokens": 1024, "warmup": 10, "precision": "fp32"}


class Keep:
    """Keep weights, losses and the first gradient while a model trains."""

    def __init__(self, model):
        self.model, self.kept = model, {}
        self.add("weights", 0)

    def add(self, what, step):
        """Keep the weights or the gradients of a step."""
        for name, p in self.model.named_parameters():
            tensor = p if what == "weights" else p.grad
            self.kept[f"{what} {step} {name}"] = tensor.detach().clone()

    def update(self, step, loss, tokens):
        """Take part in a run as its `Progress`."""
        if step == 1:
            self.add("gradients", step)
        if step in STEPS:
            self.add("weights", step)
            self.kept[f"loss {step} all"] = loss.clone()


def load_data():
    """Return encoded pairs and the sizes of a model for them."""
    dataset = datasets.load("storybook", "en", "fr")
    source, target = dataset.learn_vocabularies(0)
    pairs = datasets.encode_pairs(dataset.train, source, target)
    sizes = {"source_vocab": len(source), "target_vocab": len(target)}
    return pairs, dataset.model | sizes | {"dropout": 0.0}


def fit(kind, seed, pairs, sizes, folder):
    """Train one model; worker 0 writes what `Keep` kept."""
    config = TrainConfig(steps=STEPS[-1], seed=seed, clip=0.0, **SETTINGS)
    seed_everything(seed)
    model = Transformer(TransformerConfig(**sizes)).to(KINDS[kind])
    keep = Keep(model)
    train(model, pairs, config, progress=keep)
    if workers.rank() == 0:
        save_file(keep.kept, folder / f"{kind}-{seed}-{workers.world_size()}")


def fit_all(folder):
    """Train all models, as one of the workers if there are several."""
    data = load_data()
    with workers.join_workers(torch.device("cpu")):
        for seed, kind in track(itertools.product(SEEDS, KINDS), "models"):
            fit(kind, seed, *data, folder)


def start_two(folder):
    """Let torchrun start this experiment twice."""
    torchrun = ["-m", "torch.distributed.run", "--standalone"]
    command = [sys.executable, *torchrun, "--nproc-per-node", "2"]
    command += [RUN, "two_processes", "--dry", "--worker", folder]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run(command, check=True, env=environment)


def part(kept, what, step):
    """Return the tensors of a step, by parameter."""
    start = f"{what} {step} "
    found = {n: t.double() for n, t in kept.items() if n.startswith(start)}
    return {n.removeprefix(start): t for n, t in found.items()}


def norm(tensors):
    """Return the root of the summed squares of many tensors."""
    return sum(t.square().sum() for t in tensors).sqrt().item()


def apart(one, two, step):
    """Return how far two runs are apart after a step.

    The gradient of a bias of the keys is 0 but for rounding: it adds the
    same number to all scores of a query.  These are counted separately.
    """
    start = part(one, "weights", 0)
    a, b = part(one, "weights", step), part(two, "weights", step)
    largest = {n: (a[n] - b[n]).abs().max().item() for n in a}
    keys = {n for n in a if n.endswith("w_k.bias")}
    others = [n for n in a if n not in keys]
    losses = [float(kept[f"loss {step} all"]) for kept in (one, two)]
    moved = norm(a[n] - start[n] for n in others)
    return {
        "step": step,
        "largest in key biases": max(largest[n] for n in keys),
        "largest elsewhere": max(largest[n] for n in others),
        "share of the way": norm(a[n] - b[n] for n in others) / moved,
        "loss": round(losses[0], 4),
        "loss apart": abs(losses[0] - losses[1]),
    }


def row_of(kind, seed, folder):
    """Compare the two runs of a kind and seed."""
    one, two = (load_file(folder / f"{kind}-{seed}-{n}") for n in (1, 2))
    a, b = (part(kept, "gradients", 1) for kept in (one, two))
    return {
        "kind": kind,
        "seed": seed,
        "first gradient apart": norm(a[n] - b[n] for n in a)
        / norm(a.values()),
        "largest gradient of a key bias": max(
            t.abs().max().item() for n, t in a.items() if "w_k.bias" in n
        ),
        "steps": [apart(one, two, step) for step in STEPS],
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    data = load_data()
    return {
        "data": hash_of(data[0]),
        "losses": first_losses(fit, "float32", SEEDS[0], *data, None),
    }


def measure(run):
    """Train both ways and compare; a worker of two only trains.

    Returns:
        What is stored; None of a worker.
    """
    if run.options.worker:
        fit_all(run.options.worker)
        return None
    with TemporaryDirectory() as name:
        folder = Path(name)
        fit_all(folder)
        start_two(folder)
        plan = itertools.product(KINDS, SEEDS, [folder])
        rows = run.each(plan, row_of)
    last = [r["steps"][-1] for r in rows if r["kind"] == "float64"]
    keys = ("largest in key biases", "largest elsewhere")
    first = [r for r in rows if r["kind"] == "float32"]
    return {
        "settings": SETTINGS,
        "float64 after 50 steps": max(x[k] for x in last for k in keys),
        "float32 first gradient": max(
            r["first gradient apart"] for r in first
        ),
        "rows": rows,
    }


EXPERIMENT = Experiment(
    "two_processes",
    needs="the storybook, two cores",
    about="How far the weights of one process and of two are apart, step by "
    "step; share of the way: norm of the difference by that of what was "
    "learned; one seed",
    seeds=SEEDS,
    data="storybook, English to French, the same batches; no dropout, no "
    "clipping, one thread per process",
    measure=measure,
    fingerprint=fingerprint,
    threads=1,
    options=lambda parser: parser.add_argument(
        "--worker", type=Path, help="where one of two workers writes"
    ),
)
