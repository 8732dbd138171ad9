"""A control of race_multi30k.py: GRUs with one table, as the Transformer has.

    python code/experiments/race_one_table.py
    python code/experiments/race_one_table.py --small    a try, stores nothing

The three models of the race have as many parameters each, but the Transformer
looks source and target up in one table and scores words with it, too, and a
GRU has three.  Here the GRUs share one, are wider for it, and are trained on a
CPU with the same batches and steps; one seed, one peak of the rate.  Finished
runs are kept in runs/rows/ (which git ignores), so the command may be stopped
and given again.  Both take about an hour on 2 cores.
"""

import argparse

import torch

from fingerprints import first_losses, hash_of_pairs
from needs import in_one_line, need_multi30k
from race import Data, fit, new_model, one_run, scored
from race_multi30k import by_length
from rows import Rows
from store import clean_commit, store
from track import track

NEEDS = "Multi30k"
NAMES = ("GRU, one table", "GRU with attention, one table")
RATE = 0.004
CPU = torch.device("cpu")


def fingerprint():
    """Return what shows whether the stored result is stale."""
    data = Data("multi30k", False)
    losses = {n: first_losses(fit, data, n, 0, RATE, CPU) for n in NAMES}
    return {"data": hash_of_pairs(data.set), "losses": losses}


def row_of(data, name):
    """Train one model; return its scores, on all sentences and by length."""
    run = one_run(data, name, 0, RATE, CPU)
    in_table = new_model(data, name, 0).output.weight.numel()
    outside = {"outside_the_table": run["parameters"] - in_table}
    return scored(data, run) | outside | by_length(data, {name: [run]})


def main():
    """Train what is not trained yet; store it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    need_multi30k("de", "en")
    data = Data("multi30k", small)
    if small:
        for name in track(NAMES, "runs"):
            print(row_of(data, name))
        print("a try: nothing is stored")
        return
    commit = clean_commit()
    rows = Rows(commit)
    found = {
        name: rows.get(name, row_of, data, name)
        for name in track(NAMES, "runs")
    }
    store(
        commit,
        "GRUs with one table for source, target and output, on the track of "
        "race_multi30k",
        [0],
        f"multi30k, {data.set.source} to {data.set.target}, "
        f"{len(data.train_ids):,} training pairs, {len(data.test):,} test "
        "pairs",
        found,
        rows,
    )


if __name__ == "__main__":
    in_one_line(main)
