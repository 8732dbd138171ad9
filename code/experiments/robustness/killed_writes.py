"""Does a run end alike that is killed while it writes its checkpoints?

    python code/experiments/run.py killed_writes

The storybook's model trains for 70 steps on one core, with a checkpoint at
every step: once undisturbed, and once killed (kill -9) again and again, each
time a random while after a checkpoint was begun.  Notes what each kill left
half-way, and compares the files of the weights at the end.  Starting the
program takes most of the time: 25 minutes on a busy computer.
"""

import hashlib
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from attnbook.training import checkpoint
from lab.experiment import Experiment

SEED, STEPS, KILLS = 0, 70, 20
LONGEST = 0.2  # seconds from the beginning of a checkpoint to the kill
LIMIT = 600  # seconds until a run counts as stuck


def start(folder):
    """Start the training program; it goes on from the last checkpoint."""
    command = [sys.executable, "-m", "attnbook", "train", "--device", "cpu"]
    command += ["--source", "en", "--target", "fr", "--seed", str(SEED)]
    command += ["--steps", str(STEPS), "--save-every", "1"]
    command += ["--precision", "bf16"]
    return subprocess.Popen(
        [*command, "--out", str(folder)],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def wait_for(path, process):
    """Wait until something is there; say so if it never comes."""
    end = time.monotonic() + LIMIT
    while not path.exists():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"expected {path.name}, it never came")
        time.sleep(1e-4)


def last_step(folder):
    """Return the step of the newest complete checkpoint, 0 without one."""
    return max((step for step, _ in checkpoint.steps(folder)), default=0)


def kill_once(folder, generator):
    """Kill a run at a checkpoint that it has not begun before."""
    goal = min(last_step(folder) + generator.randint(2, 4), STEPS)
    process = start(folder)
    wait_for(folder / f".step-{goal:08d}.partial", process)
    time.sleep(generator.uniform(0, LONGEST))
    process.kill()
    process.wait()
    return {
        "inside a write": bool(list(folder.glob(".step-*.partial"))),
        "files left half-way": len(list(folder.glob(".step-*.partial/*"))),
        "newest whole step": last_step(folder),
    }


def finish(folder):
    """Let a run come to its end; return the hash of its weights."""
    if code := start(folder).wait(LIMIT):
        raise RuntimeError(f"the run ended with {code}")
    data = (folder / "model.safetensors").read_bytes()
    return hashlib.sha256(data).hexdigest()


def measure(run):
    """Train undisturbed and disturbed; a try is killed twice."""
    generator = random.Random(SEED)
    with TemporaryDirectory() as name:
        whole = finish(Path(name) / "whole")
        folder = Path(name) / "killed"
        plan = [(folder, generator)] * (2 if run.small else KILLS)
        kills = run.each(plan, kill_once)
        killed = finish(folder)
    inside = sum(kill["inside a write"] for kill in kills)
    print(f"{inside} of {len(kills)} inside a write; equal: {whole == killed}")
    return {
        "steps": STEPS,
        "kills": kills,
        "inside a write": inside,
        "sha256": {"undisturbed": whole, "killed": killed},
    }


EXPERIMENT = Experiment(
    "killed_writes",
    needs="Linux",
    about=f"Weights after {STEPS} steps, a checkpoint at each, undisturbed "
    f"and killed {KILLS} times about the writing of a checkpoint",
    seeds=(SEED,),
    data="storybook, English to French, dropout 0.1",
    measure=measure,
    revision=1,  # when a kill falls is chance
    items="kills",
)
