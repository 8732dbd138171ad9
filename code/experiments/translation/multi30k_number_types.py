"""A plain command on a GPU, in every number type; one run is killed.

    python code/experiments/run.py multi30k_number_types

`attnbook train --data multi30k --source de --target en` with a quarter of its
steps, once for each number type that the GPU computes in, side by side: the
seconds are those of a GPU that they share.  The first one is killed, without a
warning, as soon as some checkpoints are there, and begun again.  Seeds,
batches and schedule are the same, so that the number type is all that differs.
"""

import json
import shutil
import subprocess
import sys
import time

from attnbook.decoding.translator import load_translator
from attnbook.training import checkpoint
from attnbook.training.precision import choose_precision
from lab.catalogue import ROOT
from lab.experiment import Experiment
from lab.needs import need_multi30k, number_types
from translation.scoring import scores, translated

FOLDER = ROOT / "runs/number_types"  # git ignores it
STEPS = {"steps": 1000, "warmup": 100, "average": 1}  # a quarter
SMALL = {"steps": 30, "warmup": 5, "save-every": 10, "merges": 600}
SMALL |= {"d-model": 32, "d-ff": 32, "max-tokens": 512}
KILL_AFTER = 400  # steps of the checkpoint after which it is killed
ALPHA = 0.6  # length penalty, what the command's own scores have


def newest(folder):
    """Return the step of the last checkpoint; 0 if there is none."""
    found = checkpoint.steps(folder) if folder.is_dir() else []
    return found[-1][0] if found else 0


def train(words, folder, kill_after):
    """Run a command to its end; return seconds, and when it was killed.

    Args:
        words: the command's.
        folder: of the run; what is in it is removed first.
        kill_after: the step of a checkpoint, or None.

    Returns:
        Seconds, and the last step when it was killed, or None.

    Raises:
        RuntimeError: the command failed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-W", "ignore", "-m", "attnbook", *words]
    start, killed = time.perf_counter(), None
    log = folder.with_suffix(".log")
    with log.open("ab") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file)
        try:
            while process.poll() is None:
                time.sleep(0.05)
                if kill_after and newest(folder) >= kill_after:
                    process.kill()
                    if process.wait() < 0:  # else it had ended by itself
                        killed = newest(folder)
                        process = subprocess.Popen(
                            command, stdout=file, stderr=file
                        )
                    kill_after = None
        finally:
            process.kill()
            process.wait()
    seconds = time.perf_counter() - start
    if process.returncode:
        raise RuntimeError(f"the command failed; see {log}")
    return round(seconds, 1), killed


def one(folder, device, kill_after, more, keep):
    """Train in one number type and score; return a row.

    Args:
        folder: of the run, with the name of the number type.
        device: where the test set is translated.
        kill_after: see `train`.
        more: further options of the command, a list of str.
        keep: which test pairs, a slice.
    """
    precision = folder.name
    words = ["train", "--data", "multi30k", "--source", "de", "--target", "en"]
    words += ["--out", str(folder), "--precision", precision, *more]
    seconds, killed = train(words, folder, kill_after)
    trained, config = load_translator(folder, device)
    last = checkpoint.steps(folder)[-1][1] / "state.json"
    state = json.loads(last.read_text(encoding="utf-8"))
    test = need_multi30k("de", "en").test[keep]
    written, _ = translated(trained, test, 5, ALPHA)
    return {
        "precision": precision,
        "seconds": seconds,
        "killed_after": killed,
        "training": config["training"],
        "history": state["history"],
        "scaler": state["scaler"],
        "test_beam": scores(written, test, "en"),
    }


def measure(run):
    """Train in all number types side by side."""
    changes, kill_after, keep, folder = STEPS, KILL_AFTER, slice(None), FOLDER
    if run.small:
        changes, kill_after, keep = SMALL, 10, slice(8)
        folder = FOLDER / "small"
    more = [w for k, v in changes.items() for w in (f"--{k}", str(v))]
    best = choose_precision("auto", run.device)
    types = sorted(number_types(run.device), key=lambda name: name != best)

    def make(name):
        kill = kill_after if name == types[0] else None
        return one(folder / name, run.device, kill, more, keep)

    plan = [(name,) for name in types]
    return {"runs": run.each(plan, make, "{}", len(types))}


EXPERIMENT = Experiment(
    "multi30k_number_types",
    needs="a GPU, Multi30k",
    about="A plain command, German to English, on a GPU in every number type, "
    "side by side; the first run is killed and begun again",
    data="Multi30k task 1, 29,000 pairs, joint byte pairs",
    measure=measure,
    revision=1,
    items="number types",
)
