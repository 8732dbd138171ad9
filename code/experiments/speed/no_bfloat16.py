"""What does a processor without bf16 need for what the book does in bf16?

    python code/experiments/run.py no_bfloat16

Training in fp32 side by side: PyTorch's `nn.Transformer` at its best, the loop
of chapter 12, and what `attnbook train` does on such a processor.  The parts
of a step: the gradients, PyTorch's Muon, which rounds to bfloat16, and the
course's.  Then the speedrun with more minutes, and the command of 20 minutes
of multi30k_two_cores.py to its end, German to English, one seed each.
Nothing else should run beside it.
"""

import statistics
import time

import torch

from attnbook.data import datasets
from attnbook.training.muon import (
    MOMENTUM,
    NS_STEPS,
    WideMuon,
    is_inner_matrix,
)
from attnbook.training.precision import has_bfloat16
from lab.experiment import Experiment
from lab.needs import Missing, need_multi30k
from lab.progress import track
from speed.attempt import MERGES, alone
from speed.bench.build import contender
from speed.bench.contenders import SIZES
from speed.bench.ways import RECORD, WAYS, Runner
from speed.benchmark import LABELS, load, training_speeds
from speed.speed_steps import whole
from translation.multi30k_two_cores import (
    SEEDS,
    SETTINGS,
    SMALL,
    make_row,
    pattern,
)

DIRECTION, BUDGET = "de-en", "20"
MINUTES = (8.0, 11.0)  # of the speedrun; the second if the first fails
ROUNDS = 5


def labels_per_second(small):
    """Return the speeds of three ways to train, size -> way -> a list."""
    cpu = torch.device("cpu")
    pairs, _, vocab, _ = load("multi30k")
    found = {}
    for size in list(SIZES.values())[: 1 if small else None]:
        shared = size, pairs, vocab, cpu, LABELS["cpu"] // size.part
        ways = {
            "torch-best": contender("torch-best", "fp32", *shared),
            "plain": contender("ours", "fp32", *shared),
            "ours": contender("ours", "fp32", *shared),
        }
        whole(ways["plain"].model)
        found[size.name] = training_speeds(ways, ROUNDS, lambda: None)
    return found


def step_seconds():
    """Return the median seconds of the parts of a step, a dict."""
    data = need_multi30k(*DIRECTION.split("-"))
    vocab, _ = data.learn_vocabularies(MERGES)
    pairs = datasets.encode_pairs(data.train, vocab, vocab)
    runner = Runner(WAYS[RECORD], len(vocab))
    named = runner.model.named_parameters()
    inner = [p for name, p in named if is_inner_matrix(name, p)]
    parts = {
        name: cls(
            inner,
            lr=1e-4,
            momentum=MOMENTUM,
            ns_steps=NS_STEPS,
            adjust_lr_fn="match_rms_adamw",
        ).step
        for name, cls in (("torch", torch.optim.Muon), ("ours", WideMuon))
    }
    runner.contender.optimizer.step = lambda: None  # the gradients alone
    stream = runner.stream(pairs)
    parts = {"gradients": lambda: runner.step(next(stream)[1], 0)} | parts
    found = {name: [] for name in parts}
    for _ in track(range(ROUNDS + 1), "rounds"):
        for name, part in parts.items():
            start = time.perf_counter()
            part()
            found[name].append(time.perf_counter() - start)
    return {  # the first round warms up
        name: round(statistics.median(seconds[1:]), 3)
        for name, seconds in found.items()
    }


def speedrun(minutes, small):
    """Return the record of a speedrun in a process of its own."""
    words = ["--small"] if small else ["--minutes", str(minutes)]
    record = alone(*words)
    return {k: v for k, v in record.items() if k != "translations"}


def measure(run):
    """Measure what is not kept yet.

    Raises:
        Missing: the processor has bf16.
    """
    small = run.small
    if has_bfloat16(run.device) and not small:
        raise Missing("expected a processor without bf16, got one with it")
    seed = SEEDS[BUDGET][0]
    options = SETTINGS[BUDGET] | (SMALL if small else {})
    keep = slice(0, 40 if small else None)
    jobs = {
        "labels_per_second": (labels_per_second, small),
        "step_seconds": (step_seconds,),
        "speedrun": (speedrun, MINUTES[0], small),
        "longer speedrun": (speedrun, MINUTES[1], small),
        "run": (make_row, DIRECTION, BUDGET, options, seed, keep),
    }
    values = {"direction": DIRECTION, "command": pattern(DIRECTION, BUDGET)}
    for name in track(jobs, "parts"):
        if name == "longer speedrun" and values["speedrun"].get("reached"):
            continue
        values[name] = run.get(name, *jobs[name])
        print(name, str(values[name])[:200], flush=True)
    return values


EXPERIMENT = Experiment(
    "no_bfloat16",
    needs="Multi30k, two cores without bf16, a quiet machine",
    about="Multi30k, German to English, on two cores without bf16: speed, "
    "parts of a step, the speedrun, and the command of 20 minutes to its end",
    seeds=(0, SEEDS[BUDGET][0]),
    data="Multi30k task 1, 29,000 pairs, joint byte pairs",
    measure=measure,
    revision=2,
)
