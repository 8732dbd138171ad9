"""Do 9 s of a GPU reach 36.5 into English, and 105 s 41.0 into German?

    python code/experiments/multi30k_gpu_goals.py
    python code/experiments/multi30k_gpu_goals.py --small   a try, anywhere

The runs of multi30k_quality.py with three other seeds each, and without the
form of attention that prepares something for every new shape of a batch.  Each
is a process of its own, which warms up with three updates of another model,
so that no run profits from the one before.  It has not run on a GPU yet.
"""

import torch

from multi30k_quality import PLAN, begun, keep, runs
from multi30k_search import run_trial
from needs import in_one_line

NEEDS = "a GPU, Multi30k"
REVISION = 1  # raise it by hand when the settings change
CHANGES = {"any_form": False, "warm_up": 3}
SEEDS = {"de-en": (3, 4, 5), "en-de": (1, 2, 3)}  # 0 to 2, and 0, served
GOALS = {d: (changes | CHANGES, SEEDS[d]) for d, (changes, _) in PLAN.items()}


def main():
    """Make all runs and store them."""
    if found := begun(GOALS):
        commit, rows = found
        card = torch.cuda.get_device_name()

        def get(key, *arguments):
            return rows.get(f"{key} on {card}", *arguments)

        keep(commit, runs(get, GOALS, run_trial), rows)


if __name__ == "__main__":
    in_one_line(main)
