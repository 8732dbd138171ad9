"""Mistakes in greedy decoding: what each of them writes.

Dimension letters:
    B sentences.
"""

import torch

from attnbook.checks.greedy_toy import cut, write


def short(rows, count):
    """Return rows without what lies beyond a count."""
    return [row[:count] for row in rows]


def wrong_greedy(make, source, bos, eos, longest):
    """Yield pairs of a hint and what the mistake writes.

    Args:
        make: returns a fresh `Toy` in eval mode.
        source: (B, S).
        bos: id of the start.
        eos: id of the end.
        longest: most words.
    """
    given = source, bos, eos
    rows = write(make(), *given, longest)  # (B, n)
    more = write(make(), *given, longest + 1)  # (B, n + 1)
    right = cut(rows, eos)
    train = cut(write(make().train(), *given, longest), eos)
    first = cut(write(make(), *given, longest, place=0), eos)
    before = cut(write(make(), *given, longest, place=-2), eos)
    alone = cut(write(make(), *given, longest, last_only=True), eos)
    yield (
        "the model is in train mode, where dropout disturbs it; call "
        "model.eval() before the loop",
        train,
    )
    yield (
        "you read the logits of the first place at every step; the next "
        "word's are at the last place, logits[:, -1]",
        first,
    )
    yield "you read one place too early; the last one is -1", before
    yield (
        "only the newest word is fed, so the model forgets those before; "
        "feed all words so far, <bos> included",
        alone,
    )
    yield from wrong_rows(rows, right, bos, eos)
    yield (
        "one word too many: longest bounds the words",
        cut(more, eos),
    )
    yield (
        "one word too few: longest words may be written, and a row without "
        "<eos> keeps them all",
        cut(rows[:, :-1], eos),
    )
    yield from wrong_lists(right, eos)
    yield from wrong_ends(rows, right, eos)
    yield from wrong_choices(make, *given, longest)
    yield from wrong_in_train_mode(make, *given, longest)


def wrong_rows(rows, right, bos, eos):
    """Yield pairs of a hint and rows that are cut at a wrong place."""
    yield (
        "your rows still begin with <bos>; cut it off",
        [[bos, *row] for row in right],
    )
    yield (
        "your rows still hold <eos>; cut there, without it",
        cut(rows, eos, keep=1),
    )
    yield (
        "your rows hold <bos> in front and <eos> behind; cut both off",
        [[bos, *row] for row in cut(rows, eos, keep=1)],
    )
    yield (
        "a row goes on behind its <eos>; cut it at the first <eos>",
        rows.tolist(),
    )
    yield (
        "only the last id is cut off; a row that ended earlier goes on "
        "behind its <eos>",
        rows[:, :-1].tolist(),
    )
    yield (
        "<eos> is taken out, but the words behind it stay; cut the row there",
        [[i for i in row if i != eos] for row in rows.tolist()],
    )
    yield (
        "your rows begin with <bos> and go on behind <eos>; cut both off",
        [[bos, *row] for row in rows.tolist()],
    )
    yield (
        "a row is cut at its last <eos>; cut it at the first",
        [last(row, eos) for row in rows.tolist()],
    )


def last(row, eos):
    """Return a row up to its last <eos>."""
    return row[: len(row) - 1 - row[::-1].index(eos)] if eos in row else row


def wrong_lists(right, eos):
    """Yield pairs of a hint and right rows that were spoilt."""
    ends = [len(row) for row in right]
    yield (
        "all rows stop when the first one ends; go on until every row has "
        "its <eos>",
        short(right, min(ends)),
    )
    yield (
        "the loop stops when the first sentence of the batch ends, and the "
        "others are cut short; wait for every row",
        short(right, ends[0]),
    )
    yield "every row is written for the first source", [right[0]] * len(right)
    yield "the last word of each row is lost", [row[:-1] for row in right]
    yield "the first word of each row is lost", [row[1:] for row in right]
    yield "the words stand in reverse order", [row[::-1] for row in right]
    yield (
        "the shortest rows come first; keep the order of the sources",
        sorted(right, key=len),
    )
    filled = [row + [0] * (max(ends) - len(row)) for row in right]
    yield (
        "short rows are filled up; each list ends where its words end",
        filled,
    )
    filled = [row + [eos] * (max(ends) - len(row)) for row in right]
    yield "short rows are filled up with <eos>; cut them there", filled
    yield (
        "ids that are 0 are lost; 0 is a word like another",
        [[i for i in row if i] for row in right],
    )
    yield (
        "a word that occurs twice in a row is written once; keep both",
        [list(dict.fromkeys(row)) for row in right],
    )


def wrong_ends(rows, right, eos):
    """Yield pairs of a hint and rows that stop or end wrongly."""
    whole = rows.tolist()
    yield (
        "a row without <eos> comes back empty; it keeps its longest words",
        [r if eos in row else [] for r, row in zip(right, whole, strict=True)],
    )
    yield (
        "<eos> is put behind a row that never ended; leave it as it is",
        [
            r if eos in row else [*r, eos]
            for r, row in zip(right, whole, strict=True)
        ],
    )
    for count in range(len(whole[0])):
        seen = sum(row[:count].count(eos) for row in whole)
        if seen >= len(whole):
            yield (
                "the loop stops once B <eos> are written, but an ended row "
                "may write several; note which rows have ended",
                [r[:count] for r in right],
            )
            return


def wrong_choices(make, source, bos, eos, longest):
    """Yield pairs of a hint and what another choice writes."""
    given = source, bos, eos, longest

    def flat(logits):
        return (logits.argmax() % logits.size(1)).expand(len(logits))

    choices = {
        "the second best words; the best stands first": lambda x: x.topk(
            2
        ).indices[:, 1],
        "one word is chosen for the whole batch; each row has its own, with "
        "argmax(dim=-1)": flat,
        "the softmax is taken over the sentences; words compete along the "
        "last axis": lambda x: x.softmax(0).argmax(-1),
        "<bos> is hidden with the logit 0, which may be the largest": (
            lambda x: x.index_fill(1, torch.tensor([bos]), 0.0).argmax(-1)
        ),
        "the least probable words; take argmax, not argmin": lambda x: (
            x.argmin(-1)
        ),
        "the word with id 0 is never written; it is a word like another": (
            lambda x: x.index_fill(1, torch.tensor([0]), -9e9).argmax(-1)
        ),
    }
    for hint, pick in choices.items():
        yield hint, cut(write(make(), *given, pick=pick), eos)


def wrong_in_train_mode(make, source, bos, eos, longest):
    """Yield pairs of a hint and what two mistakes write."""
    rows = write(make().train(), source, bos, eos, longest)
    more = "the model is in train mode, call model.eval(); besides, "
    lists = cut(rows, eos)
    yield more + "your rows begin with <bos>", [[bos, *row] for row in lists]
    yield more + "your rows still hold <eos>", cut(rows, eos, keep=1)
    yield more + "a row goes on behind its <eos>", rows.tolist()
    yield (
        more + "your rows begin with <bos> and go on behind <eos>",
        [[bos, *row] for row in rows.tolist()],
    )
