"""How many sentences of a test set stand in the training text.

    python code/experiments/run.py overlap

Counts pairs, sources and targets of the validation and the test sentences
that occur in the training text, in small letters and without punctuation.
Takes half a minute.
"""

import itertools
import re

from attnbook.data import datasets
from lab.experiment import Experiment
from lab.fingerprints import hash_of_pairs
from lab.needs import need_multi30k


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


def measure(run):
    """Count in every part of both datasets."""
    found = sets()
    plan = itertools.product(found, ("validation", "test"))

    def one(name, part):
        own = found[name]
        pairs = own.valid if part == "validation" else own.test
        return {"data": name, "part": part, **overlap(own.train, pairs)}

    return {"rows": run.each(plan, one)}


EXPERIMENT = Experiment(
    "overlap",
    needs="Multi30k",
    about="Sentences of validation and test sets that occur in the training "
    "text, in small letters and without punctuation",
    data="the storybook, English to French, and Multi30k, English to German",
    measure=measure,
    fingerprint=fingerprint,
)
