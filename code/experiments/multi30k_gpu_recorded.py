"""Which batches and which time, with recorded gradients?  On a GPU.

    python code/experiments/multi30k_gpu_recorded.py
    python code/experiments/multi30k_gpu_recorded.py --small   a try, anywhere

Trials that have the GPU for themselves, one after the other, scored on
validation sentences; the test set is never read.  They choose the settings of
multi30k_gpu_goals.py.
"""

import argparse

import torch

from multi30k_gpu_search import WIDE
from multi30k_search import SMALL
from needs import in_one_line, need_gpu, need_multi30k
from rows import Rows
from store import clean_commit, store
from track import track
from trial import BASE, trial

NEEDS = "a GPU, Multi30k"
REVISION = 1  # raise it by hand when a trial means something else
QUICK = WIDE | {"any_form": False, "warm_up": 3, "recorded": True}
INTO_ENGLISH = QUICK | {"minutes": 0.15, "dropout": 0.1}
INTO_ENGLISH |= {"source": "de", "target": "en"}
INTO_GERMAN = QUICK | {"minutes": 0.95, "dropout": 0.3, "r_drop": 2.0}
INTO_GERMAN |= {"max_tokens": 10_000}
TRIALS = {
    "English, 10,000": INTO_ENGLISH | {"max_tokens": 10_000},
    "English, 4,096": INTO_ENGLISH | {"max_tokens": 4096},
    "German, 10,000": INTO_GERMAN,
    "German, 5,000": INTO_GERMAN | {"max_tokens": 5000},
}


def main():
    """Run all trials and store them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    need_multi30k("de", "en")
    need_multi30k("en", "de")
    if small:
        device = "cuda" if torch.cuda.device_count() else "cpu"
        little = SMALL | {"device": device, "minutes": 0.05, "warm_up": 1}
        print(trial(BASE | TRIALS["German, 10,000"] | little))
        print("a try: nothing is stored")
        return
    need_gpu()
    commit = clean_commit()
    rows, values = Rows(commit), {}
    for name, changes in track(TRIALS.items(), "trials"):
        found = rows.get(name, trial, BASE | changes)
        print(name, found["valid_bleu"], found["updates"], flush=True)
        values[name] = {"changes": changes, **found}
    store(
        commit,
        "Multi30k, trials with recorded gradients, one after the other on a "
        "GPU, scored on validation sentences",
        [0],
        "Multi30k task 1, training and validation pairs",
        values,
        rows,
    )


if __name__ == "__main__":
    in_one_line(main)
