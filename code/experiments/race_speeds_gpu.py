"""How fast the race's three models train, each alone on a GPU.

    python code/experiments/race_speeds_gpu.py
    python code/experiments/race_speeds_gpu.py --small   a try, anywhere

Models and batches are those of race_multi30k.py, whose runs share the GPU, so
that their times say little.  Here the models take turns.
"""

import argparse

import torch

from needs import in_one_line, need_gpu, need_multi30k
from race import MODELS, Data, pace
from store import clean_commit, store

NEEDS = "Multi30k, a GPU"
REVISION = 1  # raise it by hand when the times are stale


def main():
    """Measure the speeds and store them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    need_multi30k("de", "en")
    torch.set_num_threads(1)
    if small:
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        print(pace(Data("multi30k", True), MODELS, device, 1, 2))
        print("a try: nothing is stored")
        return
    need_gpu()
    commit = clean_commit()
    data = Data("multi30k", False)
    store(
        commit,
        "Target tokens per second of training on a GPU, the models in turn",
        [0],
        f"multi30k, {data.set.source} to {data.set.target}",
        pace(data, MODELS, torch.device("cuda")),
    )


if __name__ == "__main__":
    in_one_line(main)
