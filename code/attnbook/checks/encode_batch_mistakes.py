"""The wrong batches of ids that the check knows by name."""

import string
from itertools import combinations


def lay(rows, filler, length=None, left=False):
    """Fill rows up to the longest one, or to a length."""
    length = max(map(len, rows)) if length is None else length
    fill = [[filler] * (length - len(row)) for row in rows]
    both = zip(rows, fill, strict=True)
    return [f + row if left else row + f for row, f in both]


def wrong_cuts(ids, bos, eos, pad, n):
    """Return pairs of a hint and the batch of a wrong cut.

    Args:
        ids: the ids of each sentence's words, none cut.
        bos: id of <bos>.
        eos: id of <eos>.
        pad: id of <pad>.
        n: the greatest length of a row.
    """
    whole = [[bos, *row, eos] for row in ids]
    ends = [[bos, *row[max(0, len(row) - n + 2) :], eos] for row in ids]
    edges = "a row without room for all words must keep its first words, "
    too_long = "max_length counts <bos> and <eos> too; your rows are longer"
    late = "a sentence is cut only if it has {} max_length words, but the "
    late += "marks need two places; words[: max_length - 2] needs no if"
    return [
        (
            "the cut takes <eos> away; " + edges + "and <eos> after them",
            lay([row[:n] for row in whole], pad),
        ),
        (
            "long rows are not cut; no row may be longer than max_length",
            lay(whole, pad),
        ),
        *(
            (
                late.format("more than" if more else "at least"),
                lay(
                    [
                        [bos, *(r[: n - 2] if len(r) >= n + more else r), eos]
                        for r in ids
                    ],
                    pad,
                ),
            )
            for more in (0, 1)
        ),
        (
            too_long + " by two",
            lay([[bos, *row[:n], eos] for row in ids], pad),
        ),
        (
            too_long + " by one",
            lay([[bos, *row[: n - 1], eos] for row in ids], pad),
        ),
        (
            "you keep the last words of a long sentence; "
            + edges
            + "then <eos>",
            lay(ends, pad),
        ),
    ]


def wrong_look_ups(sentences, vocab, n):
    """Return pairs of a hint and the batch of a wrong look-up."""
    marks = ("<pad>", "<bos>", "<eos>", "<unk>")
    pad, bos, eos, unk = (vocab[name] for name in marks)
    known = {w: i for w, i in vocab.items() if w not in marks}

    def bare(word):
        return word.strip(string.punctuation)

    low = "words with ids below 4 become unknown, as if these were the "
    low += "specials; compare the word with their names"
    some = "a literal {} in the text becomes that special; a word spelled "
    some += "like any of the four is unknown"
    look_ups = [
        (
            "the word with id 0 becomes unknown: in `vocab.get(w) or unk` 0 "
            "counts as nothing; use vocab.get(w, unk)",
            lambda w: known.get(w) or unk,
        ),
        (low, lambda w: unk if known.get(w, 0) < 4 else known[w]),
        (low, lambda w: unk if vocab.get(w, 0) < 4 else vocab[w]),
        (
            "a word of vocab becomes unknown because it holds a <; only the "
            "four specials do",
            lambda w: unk if "<" in w else known.get(w, unk),
        ),
        (
            "you fall back on small letters; if Frog is not in vocab, it is "
            "unknown, whether frog is there or not",
            lambda w: known.get(w, known.get(w.lower(), unk)),
        ),
        *(
            (
                "you strip punctuation off; if the word with its comma is "
                "not in vocab, it is unknown",
                how,
            )
            for how in (
                lambda w: known.get(w, known.get(bare(w), unk)),
                lambda w: unk if w in marks else known.get(bare(w), unk),
            )
        ),
        *(
            (
                some.format(" and ".join(left)),
                lambda w, left=left: (
                    vocab[w] if w in left else known.get(w, unk)
                ),
            )
            for size in (1, 2)
            for left in combinations(marks[:3], size)
        ),
    ]
    found = []
    for hint, look in look_ups:
        ids = [[look(w) for w in s.split()][: n - 2] for s in sentences]
        found.append((hint, lay([[bos, *row, eos] for row in ids], pad)))
    return found


def wrong_batches(sentences, vocab, n):
    """Return pairs of a hint and the batch that the mistake gives."""
    pad, bos, eos, unk = (
        vocab[name] for name in ("<pad>", "<bos>", "<eos>", "<unk>")
    )
    special = {pad, bos, eos, unk}

    def look(sentence, other=unk, gap=None):
        ids = [vocab.get(word, other) for word in sentence.split(gap)]
        return [other if i in special else i for i in ids]

    cut = [look(s)[: n - 2] for s in sentences]
    rows = [[bos, *row, eos] for row in cut]
    longest = max(map(len, rows))
    shortest = min(map(len, rows))
    known = [[w for w in s.split() if w in vocab] for s in sentences]
    dropped = [look(" ".join(words))[: n - 2] for words in known]
    plain = [
        [bos, *[vocab.get(w, unk) for w in s.split()][: n - 2], eos]
        for s in sentences
    ]
    lower = [[bos, *look(s.lower())[: n - 2], eos] for s in sentences]
    letters = [look(" ".join(s.replace(" ", "")))[: n - 2] for s in sentences]
    unknown_pad = [[bos, *look(s, pad)[: n - 2], eos] for s in sentences]
    gaps = [[bos, *look(s, gap=" ")[: n - 2], eos] for s in sentences]
    inside = [row[:-1] + [pad] * (longest - len(row)) + [eos] for row in rows]
    return [
        *wrong_look_ups(sentences, vocab, n),
        ("no row ends in <eos>", lay([row[:-1] for row in rows], pad)),
        ("no row starts with <bos>", lay([row[1:] for row in rows], pad)),
        ("neither <bos> nor <eos> is there", lay(cut, pad)),
        (
            "you exchanged <bos> and <eos>",
            lay([[eos, *row, bos] for row in cut], pad),
        ),
        (
            "the padding stands in front; it comes last in each row",
            lay(rows, pad, left=True),
        ),
        (
            "the padding stands inside the sentence, before <eos>; fill up "
            "after <eos>",
            inside,
        ),
        (
            "an unknown word becomes <pad>, and a model that skips padding "
            "would never see that a word was there; use <unk>",
            lay(unknown_pad, pad),
        ),
        (
            "unknown words are dropped, which closes the gap as if nothing "
            "had been there; use <unk>",
            lay([[bos, *row, eos] for row in dropped], pad),
        ),
        (
            "you fill up to max_length; fill up to the longest row only",
            lay(rows, pad, max(n, longest)),
        ),
        (
            "you cut every row to the shortest; fill up to the longest",
            [row[:shortest] for row in rows],
        ),
        (
            "you fill up with <eos>; the filler is <pad>",
            lay(rows, eos),
        ),
        (
            "you fill up with <unk>; the filler is <pad>",
            lay(rows, unk),
        ),
        (
            'split(" ") makes empty words where spaces stand twice and of an '
            "empty sentence; split() does not",
            lay(gaps, pad),
        ),
        (
            "you fill up with 0; that need not be the id of <pad>",
            lay(rows, 0),
        ),
        (
            "the ids of the specials are those of another vocabulary; look "
            "them up in vocab",
            lay(
                [[1, *[3 if i == unk else i for i in row], 2] for row in cut],
                0,
            ),
        ),
        (
            "the rows have changed places; row i is sentence i",
            lay(sorted(rows, key=len), pad),
        ),
        (
            "the rows have changed places, longest first; row i is sentence i",
            lay(sorted(rows, key=len, reverse=True), pad),
        ),
        (
            "you look up characters; split each sentence into words",
            lay([[bos, *row, eos] for row in letters], pad),
        ),
        (
            "you lower the capitals; The and the are two words here",
            lay(lower, pad),
        ),
        (
            "a word of the text that is spelled like a special becomes that "
            "special, so a text can end itself; such a word is unknown",
            lay(plain, pad),
        ),
        *wrong_cuts([look(s) for s in sentences], bos, eos, pad, n),
    ]
