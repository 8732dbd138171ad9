"""What helps on Multi30k when time is short?  One change at a time.

    python code/experiments/multi30k_search.py
    python code/experiments/multi30k_search.py --only AdamW "4,000 merges"
    python code/experiments/multi30k_search.py --small   a try

The base has the sizes of multi30k_two_cores.py for 75 minutes, and less
dropout.  Every trial has eight minutes of one core, English to German.  Two
run side by side, and all are scored on validation sentences.  The test set is
never read.  Finished trials are kept: what was stopped goes on where it was.
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from needs import in_one_line, need_multi30k
from rows import Rows
from store import clean_commit, store
from track import track
from trial import BASE

NEEDS = "Multi30k"
REVISION = 6  # raise it by hand when a trial means something else
HERE = Path(__file__).resolve().parent
TRIALS = {
    "base": {"alphas": [0.0, 0.6, 1.0, 2.0, 3.0]},
    "base, seed 1": {"seed": 1},
    "base, seed 2": {"seed": 2},
    "AdamW": {
        "optimizer": "adamw",
        "learning_rate": 2e-3,
        "weight_decay": 0.01,
    },
    "dropout 0.2": {"dropout": 0.2},
    "smoothing 0": {"smoothing": 0.0},
    "4,000 merges": {"merges": 4000},
    "small letters": {"lower_case": True},
    "BPE dropout 0.1": {"bpe_dropout": 0.1},
    "2 + 2 layers": {"num_encoder_layers": 2, "num_decoder_layers": 2},
    "3 + 3 layers, 256 wide": {
        "num_encoder_layers": 3,
        "num_decoder_layers": 3,
        "d_model": 256,
        "d_ff": 512,
    },
    "batches of 1,024": {"max_tokens": 1024},
    "batches that grow": {"max_tokens": 1024, "grow": 2},
    "the rate falls late": {"end": "late"},
    "sublayers start at 0": {"zero_start": True},
    "exponential average": {"average": 0.97},
    "R-Drop": {"r_drop": 1.0},
    "AdamW, rate 0.005": {"optimizer": "adamw", "weight_decay": 0.01},
    "weight decay 0.01": {"weight_decay": 0.01},
    "batches of 4,096": {"max_tokens": 4096},
    "12,000 merges": {"merges": 12000},
    "5 rounds of Muon": {"products": 5},
}
SMALL = {"minutes": 0.1, "merges": 600, "d_model": 32, "d_ff": 32}


def run_trial(changes):
    """Return what one trial measures, in a process of its own."""
    words = [sys.executable, str(HERE / "trial.py"), json.dumps(changes)]
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    done = subprocess.run(
        words, env=os.environ | threads, stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)


def main():
    """Run all trials that are not kept yet; store them when all are there."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="+", choices=list(TRIALS))
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    need_multi30k("de", "en")
    commit = None if options.small else clean_commit()
    rows = None if options.small else Rows(commit)
    if rows is not None:
        rows.seconds /= 2  # two were made side by side

    def make(name):
        changes = TRIALS[name] | (SMALL if options.small else {})
        if rows is None:
            found = run_trial(changes)
        else:
            found = rows.get(name, run_trial, changes)
        print(name, found["valid_bleu"]["2.0"], found["updates"], flush=True)
        return found

    names = options.only or list(TRIALS)
    with ThreadPoolExecutor(2) as pool:
        done = track(pool.map(make, names), "trials", len(names))
        found = list(done)
    if options.small or options.only:
        print("nothing is stored" if options.small else "the rows are kept")
        return
    trials = {
        name: {"changes": TRIALS[name], **row}
        for name, row in zip(names, found, strict=True)
    }
    store(
        commit,
        "Multi30k, one change at a time, equal minutes of one core, scored on "
        "validation sentences",
        sorted({0, *(t["seed"] for t in TRIALS.values() if "seed" in t)}),
        "Multi30k task 1, training and validation pairs",
        {"base": BASE, "trials": trials},
        rows,
    )


if __name__ == "__main__":
    in_one_line(main)
