"""Everything that waits for a GPU, what matters most first.

    make gpu                  all that is not stored yet
    make gpu ARGS=--small     a try of each, on any computer; stores nothing

What is missing is said at the beginning.  A result whose script still gives
the stored fingerprint is not measured again; one that fails leaves the
others alone.  It may be stopped: the same command goes on, inside a script
too, where that one keeps its finished rows.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from attnbook import results
from bench import peers
from needs import Missing, in_one_line, need_gpu, need_multi30k
from rerun import state_of
from store import ROOT
from track import track

FOLDER = Path(__file__).parent
PLAN = (
    "multi30k_quality",
    "benchmark_gpu",
    "attention_forms_gpu",
    "attention_cost_gpu",
    "race_multi30k",
)


def need_everything():
    """Say now what a script would miss later.

    Raises:
        Missing: no GPU, or no Multi30k.
    """
    need_gpu()
    need_multi30k("de", "en")
    peers.note_absent(stored=False)


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
    """Run what is not stored.

    Raises:
        Missing: what is needed is not there, or a script failed.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    words = ["--small"] if parser.parse_args().small else []
    if not words:
        need_everything()
    failed = []
    for name in track(PLAN, "scripts"):
        if not words and is_stored(name):
            print(f"{name} is stored already", flush=True)
        elif not start(name, *words):
            failed.append(name)
    if failed:
        raise Missing(f"did not come to their end: {', '.join(failed)}")


if __name__ == "__main__":
    in_one_line(main)
