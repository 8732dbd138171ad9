"""How much of a batch is padding, in random order and in buckets?

    python code/experiments/padding_share.py

Counts padded places of both sides, as the trainer makes its batches, on the
storybook (words) and on Multi30k German to English (8,000 merges).  Set
ATTNBOOK_DATA to a folder that has the files, else they are fetched.
"""

import torch

from attnbook.data import datasets
from attnbook.data.batches import bucket_batches
from fingerprints import hash_of_pairs
from needs import in_one_line, need_multi30k
from store import clean_commit, store
from track import track

NEEDS = "the storybook, Multi30k"
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


def measure(name, pairs):
    """Return one row per budget, way and seed."""
    lengths = [(len(s) + 1, len(t) + 1) for s, t in pairs]
    rows = []
    for budget in track(BUDGETS, f"{name}: budgets"):
        for way in (random_batches, bucket_batches):
            for seed in SEEDS:
                groups = way(lengths, budget, seed)
                rows.append(
                    {
                        "data": name,
                        "max_tokens": budget,
                        "way": way.__name__,
                        "seed": seed,
                        "batches": len(groups),
                        "padding": padding(groups, lengths),
                    }
                )
                print(rows[-1], flush=True)
    return rows


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        "storybook": hash_of_pairs(datasets.load("storybook", "en", "fr")),
        "multi30k": hash_of_pairs(need_multi30k("de", "en")),
    }


def main():
    """Measure both corpora and store what came out."""
    commit = clean_commit()
    rows, longest = [], {}
    for name, dataset in (
        ("storybook", datasets.load("storybook", "en", "fr")),
        ("multi30k", need_multi30k("de", "en")),
    ):
        sides = dataset.learn_vocabularies(8000)
        pairs = datasets.encode_pairs(dataset.train, *sides)
        longest[name] = max(max(map(len, pair)) for pair in pairs)
        rows += measure(name, pairs)
    store(
        commit,
        "Share of padding in batches of random order and in buckets",
        SEEDS,
        "training pairs: storybook en-fr, words; Multi30k de-en, 8,000 joint "
        "byte-pair merges",
        {"rows": rows, "longest": longest},
    )


if __name__ == "__main__":
    in_one_line(main)
