"""How much of a batch is padding, in random order and in buckets?

    python code/experiments/run.py padding_share

Counts padded places of both sides, as the trainer makes its batches, on the
storybook (words) and on Multi30k German to English (8,000 merges).  Set
ATTNBOOK_DATA to a folder that has the files, else they are fetched.
"""

import itertools

import torch

from attnbook.data import datasets
from attnbook.data.batches import bucket_batches
from lab.experiment import Experiment
from lab.fingerprints import hash_of_pairs
from lab.needs import need_multi30k

SEEDS = (0, 1, 2)
BUDGETS = (1024, 2048, 4096)


def random_batches(lengths, max_tokens, seed):
    """Fill batches in random order up to the same bound."""
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(lengths), generator=generator).tolist()
    groups, group, widest = [], [], 0
    for i in order:
        width = max(widest, *lengths[i])
        if group and width * (len(group) + 1) > max_tokens:
            groups.append(group)
            group, width = [], max(lengths[i])
        group.append(i)
        widest = width
    return [*groups, group]


def padding(groups, lengths):
    """Return the share of places, of both sides, that hold padding."""
    places = real = 0
    for group in groups:
        for side in (0, 1):
            sizes = [lengths[i][side] for i in group]
            places += max(sizes) * len(sizes)
            real += sum(sizes)
    return round(1 - real / places, 4)


def row_of(name, lengths, budget, way, seed):
    """Return how much padding one way leaves."""
    groups = way(lengths, budget, seed)
    return {
        "data": name,
        "max_tokens": budget,
        "way": way.__name__,
        "seed": seed,
        "batches": len(groups),
        "padding": padding(groups, lengths),
    }


def corpora():
    """Return the datasets, by name."""
    return {
        "storybook": datasets.load("storybook", "en", "fr"),
        "multi30k": need_multi30k("de", "en"),
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {name: hash_of_pairs(one) for name, one in corpora().items()}


def measure(run):
    """Measure both corpora."""
    rows, longest = [], {}
    for name, dataset in corpora().items():
        sides = dataset.learn_vocabularies(8000)
        pairs = datasets.encode_pairs(dataset.train, *sides)
        longest[name] = max(max(map(len, pair)) for pair in pairs)
        lengths = [(len(s) + 1, len(t) + 1) for s, t in pairs]
        ways = random_batches, bucket_batches
        plan = itertools.product([name], [lengths], BUDGETS, ways, SEEDS)
        rows += run.each(plan, row_of, items=f"{name}: rows")
    return {"rows": rows, "longest": longest}


EXPERIMENT = Experiment(
    "padding_share",
    needs="the storybook, Multi30k",
    about="Share of padding in batches of random order and in buckets",
    seeds=SEEDS,
    data="training pairs: storybook en-fr, words; Multi30k de-en, 8,000 joint "
    "byte-pair merges",
    measure=measure,
    fingerprint=fingerprint,
)
