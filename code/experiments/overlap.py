"""How many sentences of a test set stand in the training text.

    python code/experiments/overlap.py

Counts pairs, sources and targets of the validation and the test sentences
that occur in the training text, in small letters and without punctuation.
Takes half a minute.
"""

import re

from attnbook.data import datasets
from fingerprints import hash_of_pairs
from needs import in_one_line, need_multi30k
from store import clean_commit, store

NEEDS = "Multi30k"


def sets():
    """Return the two datasets, by name."""
    return {
        "storybook": datasets.load("storybook", "en", "fr"),
        "multi30k": need_multi30k("en", "de"),
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {name: hash_of_pairs(found) for name, found in sets().items()}


def bare(text):
    """Return a text in small letters, its words alone."""
    return " ".join(re.findall(r"\w+", text.lower()))


def overlap(train, pairs):
    """Return how many pairs, sources and targets occur in training pairs.

    Args:
        train: training pairs of str.
        pairs: those to look for.

    Returns:
        A dict of four counts.
    """
    known = [tuple(map(bare, pair)) for pair in train]
    sources, targets = (set(side) for side in zip(*known, strict=True))
    whole, wanted = set(known), [tuple(map(bare, pair)) for pair in pairs]
    return {
        "pairs": len(wanted),
        "pair": len([pair for pair in wanted if pair in whole]),
        "source": len([s for s, _ in wanted if s in sources]),
        "target": len([t for _, t in wanted if t in targets]),
    }


def main():
    """Count, and store."""
    commit = clean_commit()
    rows = [
        {"data": name, "part": part, **overlap(found.train, pairs)}
        for name, found in sets().items()
        for part, pairs in (
            ("validation", found.valid),
            ("test", found.test),
        )
    ]
    for row in rows:
        print(row)
    store(
        commit,
        "Sentences of validation and test sets that occur in the training "
        "text, in small letters and without punctuation",
        [0],
        "the storybook, English to French, and Multi30k, English to German",
        {"rows": rows},
    )


if __name__ == "__main__":
    in_one_line(main)
