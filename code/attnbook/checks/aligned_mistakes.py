"""The wrong alignments that the check knows by name.

An alignment is read in three choices: which rows, which columns, and what is
taken from what is left.  Each has its wrong ways, and two or three choices
may be wrong at once.

Dimension letters:
    H heads, T target tokens, S source tokens.
"""

import itertools

import torch

SPECIAL = ("<bos>", "<eos>", "<pad>")
RIGHT = ""  # the hint of a right choice


def words_of(tokens):
    """Return the places of the words, the special tokens left out."""
    return [n for n, token in enumerate(tokens) if token not in SPECIAL]


def choices_of_rows(target):
    """Return pairs of a hint and the places of rows."""
    words, every = words_of(target), list(range(len(target)))
    known = [n for n in words if target[n] != "<unk>"]
    return [
        (RIGHT, [n - 1 for n in words]),
        (
            "you read the row whose input is the word; the row that predicts "
            "it is the one before, whose input is the word before it",
            words,
        ),
        (
            "you keep the row of the last word, which predicts <eos>; there "
            "is one row per target word, and the first reads <bos>",
            [0, *words],
        ),
        (
            "you keep the rows of the padding; only words have an alignment",
            every,
        ),
        (
            "you keep the rows of the padding, and read the row whose input "
            "is the word instead of the one before it",
            every[1:],
        ),
        (
            "you cut off the last row without looking whether it is padding; "
            "count the words of the target",
            every[:-1],
        ),
        (
            "you leave <unk> out of the target; it stands for a word, and "
            "the model predicts it like any other",
            [n - 1 for n in known],
        ),
        (
            "you go two rows back; the row that predicts a word is the one "
            "just before it",
            [max(n - 2, 0) for n in words],
        ),
    ]


def choices_of_columns(source):
    """Return a hint, the places of columns, and what is added to a place."""
    words, every = words_of(source), list(range(len(source)))
    known = [n for n in words if source[n] != "<unk>"]
    return [
        (RIGHT, words, 0),
        (
            "you keep the column of <eos>; leave it out before you look for "
            "the largest weight",
            [n for n in every if source[n] != "<pad>"],
            0,
        ),
        (
            "you keep the columns of the padding and of <eos>; leave both "
            "out before you look for the largest weight",
            every,
            0,
        ),
        (
            "you keep the columns of the padding; only words can be an answer",
            [n for n in every if source[n] != "<eos>"],
            0,
        ),
        (
            "you cut off the last column without looking whether it is "
            "padding; count the words of the source",
            every[:-1],
            0,
        ),
        (
            "your columns are off by one: the source has no <bos>, so its "
            "first word is column 0",
            every[1 : len(words) + 1],
            0,
        ),
        (
            "you leave out the first column; the source has no <bos>, its "
            "first word is column 0",
            words[1:],
            1,
        ),
        (
            "you leave <unk> out of the source, which moves the words after "
            "it; it stands for a word",
            known,
            0,
        ),
        (
            "your places are counted from 1; count them from 0",
            words,
            1,
        ),
    ]


def by_thirds(x):
    """Return the place at which half of the weight of a row lies left."""
    return (x.cumsum(-1) < x.sum(-1, keepdim=True) / 2).sum(-1)


def choices_of_answers():
    """Return pairs of a hint and a function of weights, (H, T, S)."""

    def mean_place(x):
        places = torch.arange(x.size(-1), dtype=x.dtype)
        return ((x * places).sum(-1) / x.sum(-1)).round().long()

    return [
        (RIGHT, lambda x: x.argmax(-1)),
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
            "your argmax runs over the rows, the target; for every row it "
            "must run over the columns, the last axis",
            lambda x: x.argmax(-2),
        ),
        (
            "your argmax runs over the heads; for every head and row it must "
            "run over the columns, the last axis",
            lambda x: x.argmax(0),
        ),
        ("you take the smallest weight", lambda x: x.argmin(-1)),
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
            "you take the mean place, rounded; take the place of the largest "
            "weight",
            mean_place,
        ),
        (
            "you take the place in the middle of the weight; take the place "
            "of the largest weight",
            by_thirds,
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
            "you return both axes exchanged: (words, heads) instead of "
            "(heads, words)",
            lambda x: x.argmax(-1).T,
        ),
        (
            "you let one row after the other take a column, so that none is "
            "taken twice; two target words may have one source word",
            greedy_matching,
        ),
    ]


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


def wrong_alignments(weights, source, target):
    """Return pairs of a hint and an alignment, few mistakes first.

    Args:
        weights: (H, T, S).
        source: the S tokens.
        target: the T tokens.
    """
    choices = itertools.product(
        choices_of_rows(target), choices_of_columns(source)
    )
    found = []
    for (rows_hint, rows), (columns_hint, columns, more) in choices:
        if not rows or not columns:
            continue
        part = weights[:, rows][:, :, columns]  # (H, rows, columns)
        for hint, answer in choices_of_answers():
            hints = [h for h in (hint, rows_hint, columns_hint) if h]
            if hints:
                value = answer(part) + more
                found.append((len(hints), "; and ".join(hints), value))
    return [pair[1:] for pair in sorted(found, key=lambda f: f[0])]
