"""Everything that waits for a GPU, what matters most first.

    make gpu                  all that is not stored yet
    make gpu ARGS=--small     a try of each, on any computer; stores nothing

What is missing is said at the beginning, and only what needs it is left out.
A result whose script still gives the stored fingerprint is not measured
again; a script that fails leaves the others alone.  It may be stopped: the
same command goes on, inside a script too, where that one keeps its finished
rows.
"""

import argparse
import subprocess
import sys
from functools import partial
from pathlib import Path

from attnbook import results
from bench import peers
from needs import Missing, in_one_line, need_gpu, need_multi30k
from rerun import needs_of, state_of
from store import ROOT
from track import track

FOLDER = Path(__file__).parent
PLAN = (
    "new_shapes_gpu",
    "multi30k_gpu_recorded",
    "multi30k_gpu_goals",
    "multi30k_number_types",
    "benchmark_gpu",
    "race_multi30k",
    "race_speeds_gpu",
    "recorded_gpu",
    "attention_forms_gpu",
    "attention_cost_gpu",
    "multi30k_gpu_search",
    "multi30k_quality",
)


def missing():
    """Return what is not here of all that scripts need, need -> why."""
    checks = {
        "a GPU": need_gpu,
        "Multi30k": partial(need_multi30k, "de", "en"),
        "the other libraries": partial(peers.note_absent, stored=True),
    }
    found = {}
    for need, check in checks.items():
        try:
            check()
        except Missing as error:
            found[need] = str(error)
    return found


def is_stored(name):
    """Say whether the result that a script would store is there, fresh."""
    if name not in results.names():
        return False
    return state_of(results.load(name))[0] == "fresh"


def start(name, *arguments):
    """Run one script; say whether it came to its end."""
    command = [sys.executable, "-W", "ignore", FOLDER / f"{name}.py"]
    process = subprocess.Popen([*command, *arguments], cwd=ROOT)
    try:
        return process.wait() == 0
    except KeyboardInterrupt:
        process.wait()  # it got the signal, too, and ends in one line
        raise


def main():
    """Run what is not stored and can run here.

    Raises:
        Missing: no GPU, or a script was left out or failed.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    words = ["--small"] if parser.parse_args().small else []
    lacking = {} if words else missing()
    if "a GPU" in lacking:
        raise Missing(lacking["a GPU"])
    for need, why in lacking.items():
        print(f"without {need}: {why}", flush=True)
    failed = []
    for name in track(PLAN, "scripts"):
        if not words and is_stored(name):
            print(f"{name} is stored already", flush=True)
            continue
        can = not {*needs_of(name).split(", ")} & {*lacking}
        if not can or not start(name, *words):
            failed.append(name)
    if failed:
        raise Missing(f"did not come to their end: {', '.join(failed)}")


if __name__ == "__main__":
    in_one_line(main)
