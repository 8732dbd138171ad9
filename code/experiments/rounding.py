"""How far does rounding alone move what a few seeds say?

    python code/experiments/rounding.py

Runs of `ablations.py` with and without clipping, each seed three times: with
PyTorch's own operations as for processors with AVX-512, with AVX2 and with
neither.  Rows and their order are equal; of all else only last digits differ.
Two processes at a time; six minutes on two cores.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import torch

from attnbook.probes.ablations import fit, judge
from attnbook.tasks.digits import draw_rows
from fingerprints import first_losses, hash_of
from needs import Missing, in_one_line
from store import clean_commit, store
from track import track

NEEDS = "a processor with AVX-512"
STEPS, SEEDS, RATE = 300, (0, 1, 2), 3e-3
TASKS, VARIANTS = ("reverse", "sort"), ("full", "no clipping")
KINDS = ("AVX512", "AVX2", "DEFAULT")  # as PyTorch names them


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        "data": hash_of([draw_rows(task, 500, seed=999) for task in TASKS]),
        "losses": first_losses(fit, "full", TASKS[1], STEPS, SEEDS[0], RATE),
    }


def runs_here():
    """Return all runs as this process adds."""
    torch.set_num_threads(1)
    kind = torch.backends.cpu.get_cpu_capability()
    plan = [(t, v, s) for t in TASKS for v in VARIANTS for s in SEEDS]
    runs = []
    for task, variant, seed in track(plan, f"runs, {kind}"):
        model, curve = fit(variant, task, STEPS, seed, RATE)
        found = judge(model, draw_rows(task, 500, seed=999))
        runs.append(
            {"kind": kind, "task": task, "variant": variant, "seed": seed}
            | {name: round(value, 4) for name, value in found.items()}
            | {"curve": [round(x, 3) for x in curve]}
        )
    return runs


def runs_of(kind):
    """Return all runs as a kind of processor adds, in a process of its own.

    Args:
        kind: one of `KINDS`.
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, "here"],
        env=os.environ | {"ATEN_CPU_CAPABILITY": kind.lower()},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)


def main():
    """Run each kind in its process and store what came out."""
    commit = clean_commit()
    own = torch.backends.cpu.get_cpu_capability()
    if own != KINDS[0]:
        raise Missing(f"expected {NEEDS}, got one with {own}")
    with ThreadPoolExecutor(2) as pool:
        runs = [run for some in pool.map(runs_of, KINDS) for run in some]
    store(
        commit,
        "The same seeds as three kinds of processors add, with and without "
        f"clipping, after {STEPS} steps",
        SEEDS,
        "20,000 rows of 3 to 8 digits; judged on 500 new ones",
        {"steps": STEPS, "every": 10, "runs": runs},
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["here"]:
        print(json.dumps(runs_here()))
    else:
        in_one_line(main)
