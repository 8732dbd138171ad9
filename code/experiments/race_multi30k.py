"""The race on real sentences, German to English.  Needs a GPU.

    python code/experiments/race_multi30k.py
    python code/experiments/race_multi30k.py --small    a try, on any computer

Takes the options of race.py.  It has not run on a GPU yet.
"""

from needs import in_one_line
from race import fingerprint as of_race
from race import main

NEEDS = "Multi30k, a GPU"


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return of_race("multi30k")


if __name__ == "__main__":
    in_one_line(main, "multi30k")
