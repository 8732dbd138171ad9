"""What does a processor without bf16 need for what the book does in bf16?

    python code/experiments/no_bfloat16.py
    python code/experiments/no_bfloat16.py --small   a try

Training in fp32 side by side: PyTorch's `nn.Transformer` at its best, the loop
of chapter 12, and what `attnbook train` does on such a processor.  The parts
of a step: the gradients, PyTorch's Muon, which rounds to bfloat16, and the
course's.  Then the speedrun with more minutes, and the command of 20 minutes
of multi30k_two_cores.py to its end, German to English, one seed each.
Nothing else should run beside it.
"""

import argparse
import json
import statistics
import subprocess
import sys
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
from bench.contenders import SIZES
from bench.ways import RECORD, WAYS, Runner
from benchmark import contender, load, options_of, training_speeds
from multi30k_two_cores import SEEDS, SETTINGS, SMALL, make_row, pattern
from needs import Missing, in_one_line, need_multi30k
from rows import Rows
from speed_steps import whole
from speedrun import FOLDER, MERGES
from store import ROOT, clean_commit, store
from track import track

NEEDS = "Multi30k, two cores without bf16, a quiet machine"
REVISION = 2  # raise it by hand when the settings change
DIRECTION, BUDGET = "de-en", "20"
MINUTES = (8.0, 11.0)  # of the speedrun; the second if the first fails
ROUNDS = 5


def labels_per_second(small):
    """Return the speeds of three ways to train, size -> way -> a list."""
    cpu, options = torch.device("cpu"), options_of([])
    pairs, _, vocab, _ = load("multi30k")
    found = {}
    for size in list(SIZES.values())[: 1 if small else None]:
        shared = size, pairs, vocab, cpu, options
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
    path = ROOT / "code/experiments/speedrun.py"
    words = [sys.executable, "-W", "ignore", str(path)]
    words += ["--small"] if small else ["--minutes", str(minutes)]
    before = set(FOLDER.glob("record-*.json"))
    subprocess.run(words, check=True)
    if small:
        return {}
    (path,) = set(FOLDER.glob("record-*.json")) - before
    record = json.loads(path.read_text(encoding="utf-8"))
    del record["translations"]
    return record


def main():
    """Measure what is not kept yet; store it when all is there."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    need_multi30k(*DIRECTION.split("-"))
    if has_bfloat16(torch.device("cpu")) and not small:
        raise Missing("expected a processor without bf16, got one with it")
    commit = None if small else clean_commit()
    rows = None if small else Rows(commit)
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
        make, *arguments = jobs[name]
        if name == "longer speedrun" and values["speedrun"].get("reached"):
            continue
        if small:
            values[name] = make(*arguments)
        else:
            values[name] = rows.get(name, make, *arguments)
        print(name, str(values[name])[:200], flush=True)
    if small:
        print("nothing is stored")
        return
    store(
        commit,
        "Multi30k, German to English, on two cores without bf16: speed, parts "
        "of a step, the speedrun, and the command of 20 minutes to its end",
        sorted({0, seed}),
        "Multi30k task 1, 29,000 pairs, joint byte pairs",
        values,
        rows,
    )


if __name__ == "__main__":
    in_one_line(main)
