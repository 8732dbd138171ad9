"""Mistakes in greedy decoding: what each of them writes.

Dimension letters:
    B sentences.
"""

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
        "one word too many: longest bounds the words",
        cut(more, eos),
    )
    yield (
        "one word too few: longest words may be written",
        cut(rows[:, :-1], eos),
    )
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
