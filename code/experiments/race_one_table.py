"""A control of race_multi30k.py: a GRU with one table, as the Transformer has.

    python code/experiments/race_one_table.py
    python code/experiments/race_one_table.py --small    a try, stores nothing

The models of the race have as many parameters each, but the Transformer looks
source and target up in one table and scores words with it, too, and the GRU
without attention has three.  Here it has one, is twice as wide for it, and is
trained with the same batches and steps, on a CPU; one seed, one peak of the
rate.  Takes about half an hour on 2 cores, and nothing of it is kept before
the end.
"""

import argparse

import torch

from fingerprints import first_losses, hash_of_pairs
from needs import in_one_line, need_multi30k
from race import Data, fit, new_model, one_run, scored
from race_multi30k import by_length
from store import clean_commit, store

NEEDS = "Multi30k"
NAME = "GRU, one table"
RATE = 0.004
CPU = torch.device("cpu")


def fingerprint():
    """Return what shows whether the stored result is stale."""
    data = Data("multi30k", False)
    losses = first_losses(fit, data, NAME, 0, RATE, CPU)
    return {"data": hash_of_pairs(data.set), "losses": losses}


def main():
    """Train it, score it on all sentences and by length, and store it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    need_multi30k("de", "en")
    data = Data("multi30k", small)
    commit = None if small else clean_commit()
    run = one_run(data, NAME, 0, RATE, CPU)
    table = new_model(data, NAME, 0).output.weight.numel()
    values = scored(data, run) | by_length(data, {NAME: [run]})
    values["outside_the_table"] = run["parameters"] - table
    if small:
        print(values)
        print("a try: nothing is stored")
        return
    store(
        commit,
        "A GRU with one table for source, target and output, on the track of "
        "race_multi30k",
        [0],
        f"multi30k, {data.set.source} to {data.set.target}, "
        f"{len(data.train_ids):,} training pairs, {len(data.test):,} test "
        "pairs",
        values,
    )


if __name__ == "__main__":
    in_one_line(main)
