"""The wrong alignments that the check knows by name.

An alignment is read in three choices: which rows, which columns, and what is
taken from what is left.  Each has its wrong ways, and two or three choices
may be wrong at once.

Dimension letters:
    H heads, T target tokens, S source tokens.
"""

import itertools

import torch

from attnbook.checks.alignment_answer_mistakes import RIGHT, choices_of_answers

SPECIAL = ("<bos>", "<eos>", "<pad>")


def words_of(tokens):
    """Return the places of the words, the special tokens left out."""
    return [n for n, token in enumerate(tokens) if token not in SPECIAL]


def choices_of_rows(target, others):
    """Return pairs of a hint and the places of rows.

    Args:
        target: the T tokens.
        others: how many words the source has.
    """
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
        (
            "you count the rows from the end, where the padding stands; "
            "count from the start",
            every[-len(words) :],
        ),
        (
            "you count the rows by the words of the source; rows are the "
            "target's",
            every[:others],
        ),
    ]


def choices_of_columns(source, others):
    """Return a hint, the places of columns, and what they are taken for.

    Args:
        source: the S tokens.
        others: how many words the target has.
    """
    words, every = words_of(source), list(range(len(source)))
    known = [n for n in words if source[n] != "<unk>"]
    return [
        (RIGHT, words, None),
        (
            "you keep the column of <eos>; leave it out before you look for "
            "the largest weight",
            [n for n in every if source[n] != "<pad>"],
            None,
        ),
        (
            "you keep the columns of the padding and of <eos>; leave both "
            "out before you look for the largest weight",
            every,
            None,
        ),
        (
            "you keep the columns of the padding; only words can be an answer",
            [n for n in every if source[n] != "<eos>"],
            None,
        ),
        (
            "you leave <eos> out and keep the columns of the padding; only "
            "words can be an answer",
            [n for n in every if source[n] != "<eos>"],
            [n for n in every if source[n] != "<eos>"],
        ),
        (
            "you cut off the last column without looking whether it is "
            "padding; count the words of the source",
            every[:-1],
            None,
        ),
        (
            "your columns are off by one: the source has no <bos>, so its "
            "first word is column 0",
            every[1 : len(words) + 1],
            None,
        ),
        (
            "you leave out the first column; the source has no <bos>, its "
            "first word is column 0",
            words[1:],
            words[1:],
        ),
        (
            "you leave <unk> out of the source, which moves the words after "
            "it; it stands for a word",
            known,
            None,
        ),
        (
            "you never answer with the place of <unk>; it stands for a word",
            known,
            known,
        ),
        (
            "you leave out the first column, and count the places from the "
            "second; the source has no <bos>, its first word is column 0",
            words[1:],
            None,
        ),
        (
            "you count the columns by the words of the target; columns are "
            "the source's",
            every[:others],
            None,
        ),
        (
            "your places are counted from 1; count them from 0",
            words,
            [n + 1 for n in words],
        ),
    ]


def table_of_places(places, length):
    """Return a table from the index among the columns to the place."""
    more = range(places[-1] + 1, places[-1] + 1 + length)
    return torch.tensor([*places, *more])


def wrong_orders(weights, source, target):
    """Return pairs of a hint and an alignment: a step at the wrong time.

    Args:
        weights: (H, T, S).
        source: the S tokens.
        target: the T tokens.
    """
    rows = [n - 1 for n in words_of(target)]
    m = len(words_of(source))
    best = weights[:, rows].argmax(-1)  # among all columns
    shares = weights / weights.sum(1, keepdim=True)
    moved = (
        "you look for the largest weight among all columns and move it to a "
        "word afterwards; leave the special tokens out first"
    )
    apart = (
        "you set each head against the others first; take the weights as "
        "they are"
    )
    normalised = (
        "you normalise each column over the whole map first; take the "
        "weights as they are"
    )
    return [
        (moved, best % m),
        (moved, best.clamp(max=m - 1)),
        (moved, best.where(best < m, 0)),
        (apart, (weights / weights.sum(0))[:, rows, :m].argmax(-1)),
        (apart, (weights - weights.mean(0))[:, rows, :m].argmax(-1)),
        (
            "you return the diagonal; look at the weights",
            torch.arange(len(rows)).clamp(max=m - 1).repeat(len(weights), 1),
        ),
        (normalised, shares[:, rows, :m].argmax(-1)),
        (normalised, weights.softmax(1)[:, rows, :m].argmax(-1)),
    ]


def wrong_alignments(weights, source, target):
    """Return pairs of a hint and an alignment, few mistakes first.

    Args:
        weights: (H, T, S).
        source: the S tokens.
        target: the T tokens.
    """
    choices = itertools.product(
        choices_of_rows(target, len(words_of(source))),
        choices_of_columns(source, len(words_of(target))),
    )
    found = [(1, *pair) for pair in wrong_orders(weights, source, target)]
    for (rows_hint, rows), (columns_hint, columns, places) in choices:
        if not rows or not columns:
            continue
        part = weights[:, rows][:, :, columns]  # (H, rows, columns)
        table = table_of_places(places or range(len(columns)), weights.size(1))
        for hint, answer in choices_of_answers():
            hints = [h for h in (hint, rows_hint, columns_hint) if h]
            if hints:
                value = table[answer(part)]
                found.append((len(hints), "; and ".join(hints), value))
    return [pair[1:] for pair in sorted(found, key=lambda f: f[0])]
