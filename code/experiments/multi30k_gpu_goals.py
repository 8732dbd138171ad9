"""How good is a minute of a GPU, into both languages, and how soon?

    python code/experiments/multi30k_gpu_goals.py
    python code/experiments/multi30k_gpu_goals.py --small   a try, anywhere

The runs of multi30k_quality.py with other seeds, without the form of attention
that prepares something for every new shape of a batch, and with the gradients
of a batch recorded and launched as a whole (recorded.py).  Sizes of batches
and times were chosen by multi30k_gpu_recorded.py, on validation sentences.

The clock of a run starts at its first update and stops when the validation
loss is known.  The recording, and three updates of another model, come before;
how long all of that took is kept, too.
"""

import multi30k_quality as quality
from multi30k_gpu_recorded import INTO_ENGLISH, INTO_GERMAN
from needs import in_one_line

NEEDS = "a GPU, Multi30k"
REVISION = 2  # raise it by hand when the settings change
PLAN = {  # seeds 0 to 2, and 0, served before; frozen before the test
    "de-en": (INTO_ENGLISH | {"max_tokens": 4096}, (3, 4, 5)),
    "en-de": (INTO_GERMAN | {"max_tokens": 5000}, (1, 2, 3)),
}


def main():
    """Make all runs and store them."""
    if found := quality.begun(PLAN):
        commit, rows = found
        quality.keep(commit, quality.runs(rows.get, PLAN), rows)


if __name__ == "__main__":
    in_one_line(main)
