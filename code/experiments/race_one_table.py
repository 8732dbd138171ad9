"""A control of race_multi30k.py: GRUs with one table, as the Transformer has.

    python code/experiments/race_one_table.py
    python code/experiments/race_one_table.py --small    a try, stores nothing

The models of the race have as many parameters each, but the Transformer looks
source and target up in one table and scores words with it, too, and the GRUs
have three.  Here they have one, are about twice as wide for it, and are
trained with the same batches and steps, on a CPU in 32 bits; one seed each,
the GRU with attention two.  So is the Transformer, whose runs of the race
were in 16.  A run takes about half an hour on 2 cores.  Finished ones are
kept, so the command may be stopped and given again.
"""

import argparse

import torch

from fingerprints import first_losses, hash_of_pairs
from needs import in_one_line, need_multi30k
from race import Data, fit, new_model, one_run, scored
from race_multi30k import by_length
from rows import Rows
from store import clean_commit, store

NEEDS = "Multi30k"
RATE = 0.004
RUNS = [  # a model and its seed
    ("GRU, one table", 0),
    ("GRU with attention, one table", 0),
    ("Transformer", 0),  # in 32 bits, as the others are
    ("GRU with attention, one table", 1),
]
CPU = torch.device("cpu")


def race_data(small):
    """Return the race's data, to be trained on in 32 bits, as in chapter 12.

    Args:
        small: whether it is a try.
    """
    data = Data("multi30k", small)
    data.training = data.training | {"precision": "fp32"}
    return data


def fingerprint():
    """Return what shows whether the stored result is stale."""
    data = race_data(False)
    losses = {
        name: first_losses(fit, data, name, 0, RATE, CPU)
        for name in dict(RUNS)
    }
    return {"data": hash_of_pairs(data.set), "losses": losses}


def measured(data, name, seed):
    """Return a run with its scores on all sentences and by length."""
    run = one_run(data, name, seed, RATE, CPU)
    table = new_model(data, name, seed).output.weight.numel()
    found = scored(data, run) | by_length(data, {name: [run]})
    return found | {"outside_the_table": run["parameters"] - table}


def main():
    """Train and score each, and store them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    need_multi30k("de", "en")
    data = race_data(small)
    if small:
        for name, seed in RUNS:
            print(measured(data, name, seed))
        print("a try: nothing is stored")
        return
    rows = Rows(commit := clean_commit())
    runs = [
        rows.get(f"{name}, seed {seed}", measured, data, name, seed)
        for name, seed in RUNS
    ]
    store(
        commit,
        "GRUs with one table for source, target and output, and the "
        "Transformer, on the track of race_multi30k, in 32 bits",
        sorted({seed for _, seed in RUNS}),
        f"multi30k, {data.set.source} to {data.set.target}, "
        f"{len(data.train_ids):,} training pairs, {len(data.test):,} test "
        "pairs",
        {"runs": runs},
        rows,
    )


if __name__ == "__main__":
    in_one_line(main)
