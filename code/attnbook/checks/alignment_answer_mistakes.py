"""What is taken from the words' part of a map, rightly and wrongly.

Dimension letters:
    H heads, T target tokens, S source tokens.
"""

import torch

RIGHT = ""  # the hint of a right choice


def place_in_the_middle(x):
    """Return the place at which half of the weight of a row lies left."""
    return (x.cumsum(-1) < x.sum(-1, keepdim=True) / 2).sum(-1)


def mean_place(x):
    """Return the mean place, rounded."""
    places = torch.arange(x.size(-1), dtype=x.dtype)
    return ((x * places).sum(-1) / x.sum(-1)).round().long()


def greedy_matching(x):
    """Return an alignment in which no column is taken twice."""
    rows = []
    for head in x.tolist():
        taken, places = set(), []
        for row in head:
            free = [n for n in range(len(row)) if n not in taken] or [0]
            places.append(max(free, key=row.__getitem__))
            taken.add(places[-1])
        rows.append(places)
    return torch.tensor(rows)


def choices_of_heads():
    """Return pairs of a hint and a function of weights: heads mixed up."""
    return [
        (
            "you average the heads before you look for the largest weight; "
            "each head has an alignment of its own",
            lambda x: x.mean(0).argmax(-1),
        ),
        (
            "you average the heads and repeat the answer; each head has an "
            "alignment of its own",
            lambda x: x.mean(0).argmax(-1).expand(len(x), -1),
        ),
        (
            "you take the largest over the heads first; each head has an "
            "alignment of its own",
            lambda x: x.amax(0).argmax(-1),
        ),
        (
            "your argmax runs over the heads; for every head and row it must "
            "run over the columns, the last axis",
            lambda x: x.argmax(0),
        ),
        ("you return one head only; return all", lambda x: x[:1].argmax(-1)),
        (
            "you return one head only, without its axis; return all",
            lambda x: x[0].argmax(-1),
        ),
        (
            "your heads have another order",
            lambda x: x.argmax(-1).flip(0),
        ),
        (
            "you return both axes exchanged: (words, heads) instead of "
            "(heads, words)",
            lambda x: x.argmax(-1).T,
        ),
        (
            "you repeat the answer of the first head; each head has an "
            "alignment of its own",
            lambda x: x[:1].argmax(-1).expand(len(x), -1),
        ),
        (
            "you repeat the answer of the last head; each head has an "
            "alignment of its own",
            lambda x: x[-1:].argmax(-1).expand(len(x), -1),
        ),
        (
            "you let the heads vote; each head has an alignment of its own",
            lambda x: x.argmax(-1).mode(0).values.expand(len(x), -1),
        ),
    ]


def choices_of_answers():
    """Return pairs of a hint and a function of weights, (H, T, S)."""
    return [
        (RIGHT, lambda x: x.argmax(-1)),
        *choices_of_heads(),
        (
            "your argmax runs over the rows, the target; for every row it "
            "must run over the columns, the last axis",
            lambda x: x.argmax(-2),
        ),
        ("you take the smallest weight", lambda x: x.argmin(-1)),
        (
            "you take the mean place, rounded; take the place of the largest "
            "weight",
            mean_place,
        ),
        (
            "you take the place in the middle of the weight; take the place "
            "of the largest weight",
            place_in_the_middle,
        ),
        (
            "you normalise over the rows before you look for the largest "
            "weight of a row; take the weights as they are",
            lambda x: (x / x.sum(-2, keepdim=True)).argmax(-1),
        ),
        (
            "you take the second largest weight",
            lambda x: (
                x.argsort(-1)[..., -2] if x.size(-1) > 1 else x.argmax(-1)
            ),
        ),
        (
            "you let one row after the other take a column, so that none is "
            "taken twice; two target words may have one source word",
            greedy_matching,
        ),
        (
            "you compare the weights with a limit; take the place of the "
            "largest weight, however small it is",
            lambda x: (x > 0.5).int().argmax(-1),
        ),
        (
            "your places only grow from word to word; two languages may order "
            "their words differently",
            lambda x: x.argmax(-1).cummax(-1).values,
        ),
        (
            "you sort the places; the place of the first target word comes "
            "first",
            lambda x: x.argmax(-1).sort(-1).values,
        ),
    ]
