"""Does a run that loses a worker end like one that does not?

    python code/experiments/run.py lost_worker

Two workers under torchrun train the storybook's model for 60 steps, with a
checkpoint every 10, three times: undisturbed; with one worker killed
(kill -9) after the checkpoint of step 20, torchrun starting both anew; and
with everything killed, and the same command given again.  Compares the
files of the weights.  About two minutes on two cores.
"""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from attnbook.command.main import main as attnbook
from attnbook.data import datasets
from lab.experiment import Experiment
from lab.fingerprints import first_losses, hash_of_pairs

SEED, STEPS, EVERY, AFTER = 0, 60, 10, 20
LIMIT = 600  # seconds until a run counts as stuck


def command(folder):
    """Return what starts two workers."""
    torchrun = ["-m", "torch.distributed.run", "--standalone"]
    return [
        *(sys.executable, *torchrun, "--nproc-per-node", "2"),
        *("--max-restarts", "1", "-m", "attnbook", "train"),
        *("--source", "en", "--target", "fr", "--device", "cpu"),
        *("--steps", str(STEPS), "--save-every", str(EVERY)),
        *("--precision", "bf16", "--seed", str(SEED), "--out", str(folder)),
    ]


def start(folder):
    """Start the two workers; return torchrun's process."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command(folder),
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def workers_of(process):
    """Return the process ids of the workers that torchrun has started."""
    found = subprocess.run(
        ["pgrep", "-P", str(process.pid)],
        capture_output=True,
        text=True,
        check=True,
    )
    return [int(line) for line in found.stdout.split()]


def wait_for(folder, step):
    """Wait until the checkpoint of a step is there."""
    end = time.monotonic() + LIMIT
    while not (folder / f"step-{step:08d}").is_dir():
        if time.monotonic() > end:
            raise TimeoutError(f"no checkpoint of step {step} in {folder}")
        time.sleep(0.05)


def last_step(folder):
    """Return the step of the newest checkpoint."""
    return max(int(p.name.removeprefix("step-")) for p in folder.glob("step*"))


def weights(folder):
    """Return the SHA-256 of the finished weights."""
    data = (folder / "model.safetensors").read_bytes()
    return hashlib.sha256(data).hexdigest()


def finish(process, folder):
    """Wait for the end of a run; return the hash of its weights."""
    if process.wait(LIMIT):
        raise RuntimeError(f"torchrun ended with {process.returncode}")
    return weights(folder)


def lose_nobody(folder):
    """Let the run come to its end."""
    return finish(start(folder), folder), None


def lose_one(folder):
    """Kill worker 1 once; torchrun starts both again."""
    process = start(folder)
    wait_for(folder, AFTER)
    os.kill(max(workers_of(process)), signal.SIGKILL)
    kept = last_step(folder)
    return finish(process, folder), kept


def lose_all(folder):
    """Kill the workers and torchrun; give the same command again."""
    process = start(folder)
    wait_for(folder, AFTER)
    ids = workers_of(process)
    process.kill()
    for number in ids:
        os.kill(number, signal.SIGKILL)
    process.wait()
    kept = last_step(folder)
    return finish(start(folder), folder), kept


def fingerprint():
    """Return what shows whether the stored result is stale."""
    with TemporaryDirectory() as folder:
        typed = command(folder)
        options = typed[typed.index("attnbook") + 1 :]
        return {
            "data": hash_of_pairs(datasets.load("storybook", "en", "fr")),
            "losses": first_losses(attnbook, options),
        }


WAYS = {
    "nobody": lose_nobody,
    "one worker": lose_one,
    "all of them": lose_all,
}


def measure(lost):
    """Make one run; return what it went on from, and its weights."""
    with TemporaryDirectory() as folder:
        found, step = WAYS[lost](Path(folder) / lost.replace(" ", "-"))
    return {"lost": lost, "went on from": step, "sha256": found}


EXPERIMENT = Experiment(
    "lost_worker",
    needs="the storybook, two cores",
    about=f"Weights after {STEPS} steps of two workers, of which one or all "
    "were killed on the way",
    seeds=(SEED,),
    data="storybook, English to French, dropout 0.1",
    plan=lambda: [(lost,) for lost in WAYS],
    row=measure,
    values=lambda rows: {"steps": STEPS, "save every": EVERY, "rows": rows},
    fingerprint=fingerprint,
)
