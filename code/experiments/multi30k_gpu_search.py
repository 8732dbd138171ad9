"""What helps on Multi30k when a GPU trains for minutes?  Eight settings.

    python code/experiments/multi30k_gpu_search.py
    python code/experiments/multi30k_gpu_search.py --small   a try, anywhere

All trials share one GPU for the same minutes of the clock, English to German,
and are scored on validation sentences.  The test set is never read.  A GPU
that eight programs share is slower for each, so a trial makes fewer updates
than it would alone: what is compared is equal time, not equal updates.

PyTorch chooses the form of attention here.  On an H100 a new shape of a batch
took half a second then, and the trials say more about their shapes than about
their methods; see shapes_of_batches.py.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor

import torch

from multi30k_search import SMALL, run_trial
from needs import in_one_line, need_gpu, need_multi30k
from rows import Rows
from store import clean_commit, store
from track import track

NEEDS = "a GPU, Multi30k"
REVISION = 1  # raise it by hand when a trial means something else
NARROW = {
    "device": "cuda",
    "minutes": 1.6,
    "max_tokens": 4096,
    "any_form": True,
}
WIDE = NARROW | {
    "d_model": 256,
    "d_ff": 512,
    "num_encoder_layers": 3,
    "num_decoder_layers": 3,
}
TRIALS = {
    "narrow": NARROW | {"dropout": 0.15},
    "narrow, R-Drop": NARROW | {"dropout": 0.15, "r_drop": 2.0},
    "narrow, BPE dropout": NARROW | {"bpe_dropout": 0.1},
    "wide": WIDE | {"dropout": 0.3},
    "wide, R-Drop": WIDE | {"dropout": 0.3, "r_drop": 2.0},
    "wide, BPE dropout": WIDE | {"dropout": 0.2, "bpe_dropout": 0.1},
    "wide, both": WIDE | {"dropout": 0.3, "r_drop": 2.0, "bpe_dropout": 0.1},
    "wide, 10,000 tokens": WIDE | {"dropout": 0.3, "max_tokens": 10_000},
}


def side_by_side(trials, make):
    """Run trials at the same time; return name -> what each measured.

    Args:
        trials: name -> changes.
        make: a function of a name and its changes.
    """
    with ThreadPoolExecutor(len(trials)) as pool:
        found = pool.map(make, trials, trials.values())
        done = track(found, "trials", len(trials))
        return dict(zip(trials, done, strict=True))


def tried():
    """Return the trials of a try: small, and on what there is."""
    device = "cuda" if torch.cuda.device_count() else "cpu"
    return {
        name: changes | SMALL | {"device": device, "minutes": 0.05}
        for name, changes in TRIALS.items()
        if name in ("narrow", "wide, both")
    }


def main():
    """Run all trials and store them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    need_multi30k("en", "de")
    if small:
        print(side_by_side(tried(), lambda _, changes: run_trial(changes)))
        print("a try: nothing is stored")
        return
    need_gpu()
    commit = clean_commit()
    rows = Rows(commit)

    def make(name, changes):
        found = rows.get(name, run_trial, changes)
        print(name, found["valid_bleu"], found["updates"], flush=True)
        return found

    found = side_by_side(TRIALS, make)
    store(
        commit,
        "Multi30k, English to German, trials that share one GPU for the same "
        "minutes, scored on validation sentences",
        [0],
        "Multi30k task 1, training and validation pairs",
        {n: {"changes": TRIALS[n], **row} for n, row in found.items()},
        rows,
    )


if __name__ == "__main__":
    in_one_line(main)
