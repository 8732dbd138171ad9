"""Everything that waits for a GPU, what matters most first.

    make gpu                  all that is not stored yet
    make gpu ARGS=--small     a try of each, on any computer; stores nothing

What is missing is said at the beginning, and only what needs it is left out.
A result whose experiment still gives the stored fingerprint is not measured
again; one that fails leaves the others alone.  It may be stopped: the same
command goes on, inside an experiment too, where that one keeps its finished
rows.
"""

import argparse

from attnbook import results
from lab.catalogue import needs_of
from lab.needs import CHECKS, Missing, check
from lab.progress import track
from lab.rerun import start, state_of

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
    """Return what is not here of all that can be looked for, need -> why."""
    found = {}
    for need in CHECKS:
        try:
            check([need])
        except Missing as error:
            found[need] = str(error)
    return found


def is_stored(name):
    """Say whether the result of an experiment is there, fresh."""
    if name not in results.names():
        return False
    return state_of(results.load(name))[0] == "fresh"


def main(words):
    """Run what is not stored and can run here.

    Raises:
        Missing: no GPU, or an experiment was left out or failed.
    """
    parser = argparse.ArgumentParser(
        "run.py gpu", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--small", action="store_true")
    words = ["--small"] if parser.parse_args(words).small else []
    lacking = {} if words else missing()
    if "a GPU" in lacking:
        raise Missing(lacking["a GPU"])
    for need, why in lacking.items():
        print(f"without {need}: {why}", flush=True)
    failed = []
    for name in track(PLAN, "experiments"):
        if not words and is_stored(name):
            print(f"{name} is stored already", flush=True)
            continue
        can = not {*needs_of(name).split(", ")} & {*lacking}
        if not can or not start(name, *words):
            failed.append(name)
    if failed:
        raise Missing(f"did not come to their end: {', '.join(failed)}")
