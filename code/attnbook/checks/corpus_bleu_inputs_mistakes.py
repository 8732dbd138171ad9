"""The wrong inputs of a BLEU that the check knows by name."""

import itertools
import re

PAD, BOS, EOS, UNK = range(4)
BLANK = "\u2581"


def before_end(row):
    """Return the ids before the first <eos>, without <bos> and <pad>."""
    row = row[: row.index(EOS)] if EOS in row else row
    return [i for i in row if i not in (PAD, BOS)]


def glue(row, pieces):
    """Return the text of pieces."""
    return "".join(pieces[i] for i in row).replace(BLANK, " ").strip()


def right_text(row, pieces):
    """Return the text of one row."""
    return glue(before_end(row), pieces)


def wrong_ends():
    """Return pairs of a hint and a wrong choice of the ids of a row."""
    return [
        (
            "<eos> is left in the translations as a word; it is a mark, cut "
            "the row before it",
            lambda row: row[: row.index(EOS) + 1] if EOS in row else row,
        ),
        (
            "<eos> is left in the translations as a word; it is a mark, cut "
            "the row before it",
            lambda row: (
                [i for i in row if i not in (PAD, BOS)]
                if EOS in row and row[-1] == EOS
                else before_end(row) + [EOS] * (EOS in row)
            ),
        ),
        (
            "<unk> is dropped; what the model wrote counts as it is",
            lambda row: [i for i in before_end(row) if i != UNK],
        ),
        ("the special tokens are left in the translations", lambda row: row),
        (
            "a row is cut at its last <eos>; the first one is the end",
            lambda row: (
                [
                    i
                    for i in row[: len(row) - 1 - row[::-1].index(EOS)]
                    if i not in (PAD, BOS)
                ]
                if EOS in row
                else before_end(row)
            ),
        ),
        (
            "the special tokens are dropped, but what stands after <eos> "
            "stays; the model had ended there",
            lambda row: [i for i in row if i > EOS],
        ),
        (
            "the special tokens are dropped, but what stands after <eos> "
            "stays; the model had ended there",
            lambda row: [i for i in row if i > UNK],
        ),
        (
            "<eos> is cut off only where it stands last; cut at the first one",
            lambda row: [
                i
                for i in (row[:-1] if row[-1:] == [EOS] else row)
                if i not in (PAD, BOS)
            ],
        ),
        (
            "the last id of every row is dropped, whatever it is; a row that "
            "hit its limit ends in a word",
            lambda row: before_end(row[:-1]),
        ),
        (
            "the first id of every row is dropped; <bos> need not be there",
            lambda row: before_end(row[1:]),
        ),
        (
            "the last piece before <eos> is dropped",
            lambda row: before_end(row)[:-1],
        ),
        (
            "<bos> is left in a translation; it is no text",
            lambda row: [
                i
                for i in (row[: row.index(EOS)] if EOS in row else row)
                if i != PAD
            ],
        ),
    ]


def wrong_marks():
    """Return pairs of a hint and a wrong choice around single marks."""

    def until(row, ends):
        return list(itertools.takewhile(lambda i: i not in ends, row))

    return [
        (
            "a row is cut at <pad>; only <eos> ends a row, so leave <pad> "
            "out and read on",
            lambda row: before_end(until(row, (PAD, EOS))),
        ),
        (
            "<pad> is left in a translation; it is no text",
            lambda row: [i for i in until(row, (EOS,)) if i != BOS],
        ),
        (
            "a row that begins with <eos> is not cut; its place is 0, which "
            "counts as false, so ask `2 in row`",
            lambda row: (
                [i for i in row if i > EOS]
                if row[:1] == [EOS]
                else before_end(row)
            ),
        ),
        (
            "a piece that comes twice in a row is written once; what the "
            "model wrote counts as it is",
            lambda row: [i for i, _ in itertools.groupby(before_end(row))],
        ),
        (
            "id 4 is dropped; only the ids 0 to 2 are no text",
            lambda row: [i for i in before_end(row) if i == UNK or i > 4],
        ),
        (
            "the ids 3 and 4 are dropped; only the ids 0 to 2 are no text",
            lambda row: [i for i in before_end(row) if i > 4],
        ),
    ]


def wrong_glues():
    """Return pairs of a hint and a wrong way to make text of pieces."""

    def spaced(row, pieces):
        return " ".join(pieces[i] for i in row)

    def drop_signs(row, pieces):
        return "".join(pieces[i] for i in row).replace(BLANK, "")

    def tokens(row, pieces):
        return " ".join(re.findall(r"\w+|[^\w\s]", glue(row, pieces)))

    loose = "pieces are joined by blanks (sleep s); glue them without one, "
    loose += "the sign U+2581 says where a word starts"
    return [
        (
            "the translations are not detokenised: the pieces stand apart, "
            "with their signs",
            spaced,
        ),
        (loose, lambda r, p: spaced(r, p).replace(BLANK, "").strip()),
        (
            loose,
            lambda r, p: " ".join(spaced(r, p).replace(BLANK, "").split()),
        ),
        (loose, lambda r, p: spaced(r, p).replace(BLANK, " ").strip()),
        (
            "the signs U+2581 are still in the translations; each is a blank",
            lambda r, p: "".join(p[i] for i in r),
        ),
        ("the words run together; each sign U+2581 is a blank", drop_signs),
        (
            "the blank before the first word is left; cut it off with strip()",
            lambda r, p: "".join(p[i] for i in r).replace(BLANK, " "),
        ),
        (
            "a blank stands before commas and full stops; leave the text as "
            "a reader expects it, sacreBLEU cuts it up itself",
            tokens,
        ),
        (
            "the translations are lower-cased; leave both sides as they are",
            lambda r, p: glue(r, p).lower(),
        ),
        (
            "the punctuation is dropped; it is text, and BLEU counts it",
            lambda r, p: re.sub(r"[^\w\s<>]", "", glue(r, p)),
        ),
        (
            "the punctuation is dropped; it is text, and BLEU counts it",
            lambda r, p: re.sub("[.,!?]", "", glue(r, p)),
        ),
        (
            "the full stop at the end is cut off; it is text, and BLEU "
            "counts it",
            lambda r, p: glue(r, p).strip(" ."),
        ),
        (
            "you count the ids from the first real piece; the piece of id i "
            "is pieces[i]",
            lambda r, p: glue([(i + 4) % len(p) for i in r], p),
        ),
        (
            "you join the ids; take the pieces that they stand for",
            lambda r, p: " ".join(map(str, r)),
        ),
        (
            "the first letters are made capital; leave the text as it is",
            lambda r, p: glue(r, p).capitalize(),
        ),
        (
            "every _ becomes a blank; only the sign U+2581 is one",
            lambda r, p: glue(r, p).replace("_", " ").strip(),
        ),
    ]


def wrong_texts():
    """Return pairs of a hint and a wrong function of a row and pieces."""
    found = [
        (hint, lambda row, pieces, f=choose: glue(f(row), pieces))
        for hint, choose in wrong_marks() + wrong_ends()
    ]
    found += [
        (hint, lambda row, pieces, f=join: f(before_end(row), pieces))
        for hint, join in wrong_glues()
    ]
    ends, glues = wrong_ends(), wrong_glues()
    found += [  # two mistakes at once; the text of the row is named first
        (hint, lambda row, pieces, f=choose, g=join: g(f(row), pieces))
        for hint, join in glues
        for _, choose in ends
    ]
    return found
