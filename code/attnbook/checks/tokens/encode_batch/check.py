"""Check of the task to turn sentences into a rectangle of ids.

Dimension letters:
    B sentences, T tokens of the longest row.
"""

import itertools
import string
import unicodedata  # noqa: F401 (rows use it)

import torch

from attnbook.checks.engine.asking import require_tensor
from attnbook.checks.engine.calling import SQUEEZED, lost_axis, unanswered
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import Row, table
from attnbook.checks.engine.verdict import Hint, Mistake

SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")
SIGNS = string.punctuation


def encode_batch(sentences, vocab, max_length):
    """Turn sentences into rows of ids, filled up to the longest.

    Args:
        sentences: list of str.
        vocab: dict of token -> id, with the four specials.
        max_length: the most ids of a row, <bos> and <eos> among them.

    Returns:
        The ids, int64 (B, T).
    """
    pad, bos, eos, unk = (vocab[name] for name in SPECIALS)
    marks = SPECIALS
    known = {word: i for word, i in vocab.items() if word not in marks}
    done = []
    for text in sentences:
        words = text.split()
        ids = [known.get(word, unk) for word in words]
        cut = ids[: max_length - 2]
        row = [bos, *cut, eos]
        done.append(row)
    rows = done
    longest = max(map(len, rows))
    filler = pad
    full = [row + [filler] * (longest - len(row)) for row in rows]
    batch = torch.tensor(full)
    return batch


def bracketed(word):
    """Return a word in < and >."""
    return f"<{word.strip('<>')}>"


MISTAKES = table("""
    pad, bos, eos, unk = range(4)
    ids = [known.get(word, 3) for word in words]
        the ids of the specials are those of another vocabulary; look them up
        in vocab
    marks = ()
        a word of the text that is spelled like a special becomes that special,
        so a text can end itself; such a word is unknown
    known = {w: i for w, i in vocab.items() if i > 3}
    known = {w: i for w, i in vocab.items() if i > 3 and w not in marks}
        words with ids below 4 become unknown, as if these were the specials;
        compare the word with their names
    known = {w: i for w, i in vocab.items() if bracketed(w) not in marks}
        a word of vocab becomes unknown because it is spelled like a special
        without < and >; pad is a word like any other
    known = {w: i for w, i in vocab.items() if w.lower() not in marks}
        you lower the words before you compare them with the specials; <PAD>
        in vocab is a word like any other
    known = {w: i for w, i in vocab.items() if "<" not in w}
        a word of vocab becomes unknown because it holds a <; only the four
        specials do
    words = text.split(" ")
        split(" ") makes empty words where spaces stand twice and of an empty
        sentence; split() does not
    words = list(dict.fromkeys(text.split()))
        a word that comes twice in a sentence is written once; write it each
        time
    words = [word for word, _ in itertools.groupby(text.split())]
        a word that stands twice in a row is written once; write it each time
    words = text.replace(" ", "")
        you look up characters; split each sentence into words
    words = unicodedata.normalize("NFC", text).split()
    words = unicodedata.normalize("NFKC", text).split()
        you normalise the text; a word whose characters are not those of a word
        in vocab is unknown, even if they look alike
    words = text.lower().split()
        you lower the capitals; The and the are two words here
    ids = [known.get(word) or unk for word in words]
        the word with id 0 becomes unknown: in `vocab.get(w) or unk` 0 counts
        as nothing; use vocab.get(w, unk)
    ids = [known.get(w, known.get(w.lower(), unk)) for w in words]
        you fall back on small letters; if Frog is not in vocab, it is unknown,
        whether frog is there or not
    ids = [known.get(w, known.get(w.strip(SIGNS), unk)) for w in words]
        you strip punctuation off; if the word with its comma is not in vocab,
        it is unknown
    ids = [known.get(word, pad) for word in words]
        an unknown word becomes <pad>, and a model that skips padding would
        never see that a word was there; use <unk>
    ids = [known[word] for word in words if word in known]
        unknown words are dropped, which closes the gap as if nothing had been
        there; use <unk>
    cut = ids
        long rows are not cut; no row may be longer than max_length
    cut = ids[: max_length - 2] if len(ids) > max_length else ids
        a sentence is cut only if it has more than max_length words, but the
        marks need two places; words[: max_length - 2] needs no if
    cut = ids[: max_length - 2] if len(ids) >= max_length else ids
        a sentence is cut only if it has at least max_length words, but the
        marks need two places; words[: max_length - 2] needs no if
    cut = ids[: max_length - 2 or None]
        where max_length is 2 there is room for no word; yours keeps all, as
        ids[:None] does
    cut = ids[: max(1, max_length - 2)]
        where max_length is 2 there is room for no word; yours keeps one
    cut = ids[:max_length]
        max_length counts <bos> and <eos> too; your rows are longer by two
    cut = ids[: max_length - 1]
        max_length counts <bos> and <eos> too; your rows are longer by one
    cut = ids[: max_length - 3]
        your rows are shorter by one than max_length allows
    cut = ids[max(0, len(ids) - max_length + 2) :]
        you keep the last words of a long sentence; a row without room for all
        words must keep its first words, then <eos>
    row = [bos, *ids, eos][:max_length]
        the cut takes <eos> away; a row without room for all words must keep
        its first words, and <eos> after them
    row = [bos, *cut]
        no row ends in <eos>
    row = [*cut, eos]
        no row starts with <bos>
    row = cut
        neither <bos> nor <eos> is there
    row = [eos, *cut, bos]
    row = [eos, *cut, eos]
    row = [bos, *cut, bos]
        <bos> and <eos> are exchanged, at one end at least: <bos> starts a row,
        <eos> ends it
    longest = max_length
        you fill up to max_length; fill up to the longest row only
    longest = min(max(t.count(" ") for t in sentences) + 3, max_length)
        the length of the rows counts the empty words that split(" ") makes;
        measure the rows themselves
    full = [(r + [pad] * longest)[: max(map(len, rows[:-1]))] for r in rows]
        the longest row is looked for without the last one; ask all rows
    longest = max(len(text.split()) for text in sentences) + 2
        you fill up to the longest sentence as it was before the cut; fill up
        to the longest row
    filler = eos
        you fill up with <eos>; the filler is <pad>
    filler = unk
        you fill up with <unk>; the filler is <pad>
    filler = 0
        you fill up with 0; that need not be the id of <pad>
    filler = -1
    filler = -100
        you fill up with a number that is no id; the filler is <pad>
    full = [[filler] * (longest - len(row)) + row for row in rows]
        the padding stands in front; it comes last in each row
    full = [r[:-1] + [filler] * (longest - len(r)) + r[-1:] for r in rows]
        the padding stands inside the sentence, before <eos>; fill up after
        <eos>
    full = [(r + [pad] * (longest - len(r)))[:-1] + [eos] for r in rows]
        the last place of every row becomes <eos>, behind the padding too
    full = [row[: min(map(len, rows))] for row in rows]
        you cut every row to the shortest; fill up to the longest
    rows = sorted(done, key=len, reverse=True)
        the rows have changed places, longest first; row i is sentence i
    batch = torch.tensor(full).T
        the batch is transposed; each sentence is a row
""") + tuple(
    Row(
        f"marks = {[name for name in SPECIALS if name not in left]}",
        f"a literal {' and '.join(left)} in the text becomes that special; a "
        "word spelled like any of the four is unknown",
    )
    for size in (1, 2)
    for left in itertools.combinations(SPECIALS[:3], size)
)


def through(answer, *inputs):
    """Return the batch as lists, or say why it is no batch."""
    right = encode_batch(*inputs)
    batch = answer(*inputs)
    if unanswered(batch):
        return batch
    require_tensor(batch, right, "the batch")
    if batch.dtype != torch.long:
        raise Mistake(
            "the batch holds {}; ids are torch.long, the whole numbers "
            "that pick rows",
            batch.dtype,
        )
    if lost_axis(batch, right.shape):
        raise Mistake(SQUEEZED)
    if batch.dim() != 2:
        raise Mistake(
            "the batch has {} axes; it needs two, sentences and places",
            batch.dim(),
        )
    return batch.tolist()


def guess(results, rights, inputs):
    """Say where the first wrong id stands."""
    (got,), (want,) = results, rights
    if len(got) != len(want):
        return Hint("there are {} sentences, but {} rows", len(want), len(got))
    if len(got[0]) != len(want[0]):
        return Hint(
            "your rows have {} ids; the longest sentence with its "
            "marks, after the cut, says how many there must be",
            len(got[0]),
        )
    if len(got) > 1 and all(row == got[0] for row in got):
        return "all rows are the same; [row] * n is one list, n times over"
    if sorted(got) == sorted(want):
        return "the rows have changed places; row i is sentence i"
    number = [a == b for a, b in zip(got, want, strict=True)].index(False)
    pairs = zip(got[number], want[number], strict=True)
    place = [a == b for a, b in pairs].index(False)
    return Hint("the first wrong id is in row {} at place {}", number, place)


WORDS = ("the", "frog", "sings", "to", "a", "moon", "old", "wolf", "The")
# A word has the id 0, and no special has one of the ids 0 to 3.
FEW = ("moon", "the", "<b>", "old", "frog", "sings", "a", "Tom")
ODD = ("a", "<eos>s", "1848", "b4", "frog", "pad", "<PAD>", "\ub3d9")


def cases(draws):
    """Yield all cases."""
    words, few, odd = (
        draws.shuffled(tuple(map(draws.ciphered, x)))
        for x in (WORDS, FEW, ODD)
    )
    usual = {name: i for i, name in enumerate((*SPECIALS, *words))}
    other = {name: 17 - i for i, name in enumerate((*words, *SPECIALS))}
    late = {name: i for i, name in enumerate((*few, *SPECIALS))}
    odd = {name: i for i, name in enumerate((*SPECIALS, *odd))}
    for shown, vocab, max_length, *sentences in (
        ("", usual, 12,
         "the frog sings", "a xylophone sings to the old moon", "The wolf"),
        ("right for short sentences, but not where max_length cuts: ",
         usual, 6,
         "the old frog sings to a moon", "a wolf sings",
         "a frog sings to the", "the moon sings to the wolf",
         "the wolf sings to the old moon the frog", "moon"),
        ("right for one vocabulary, but not where the specials have other "
         "ids: ", other, 9,
         "The moon", "the frog yodels to The wolf", "a frog"),
        ("right, but not for as many sentences as ids in a row: ", usual, 4,
         "the frog", "old moon", "a zebra", "the the"),
        ("right, but not for an empty sentence or more than one space: ",
         usual, 8, "", "  the   frog ", "a"),
        ("right, but not where max_length has room for no word: ", usual, 2,
         "the frog", "a"),
        ("right, but not where the text holds a literal special: ", usual, 9,
         "the frog <eos> sings <bos> to", "<pad> the <unk> wolf"),
        ("right, but not where words of the vocabulary hold a < or have "
         "small ids: ", late, 9,
         "moon <b> the frog", "old <b> the sings <bos>", "a moon"),
        ("right, but not where only a look-alike of a word is in vocab: ",
         late, 9, "Frog a frog", "Moon frog, tom"),
        ("right, but not where a sentence occurs twice: ", usual, 9,
         "a frog sings", "the moon", "a frog sings"),
        ("right, but not where a row with unknown words is cut: ", usual, 6,
         "the zebra and the yak sing to a frog", "a moon"),
        ("right, but not where words of vocab hold digits or a special: ",
         odd, 9, "a <eos>s frog", "1848 b4 a frog"),
        ("right, but not where a word of vocab is nearly a special: ", odd, 9,
         "a pad frog", "<PAD> b4"),
        ("right, but not where characters only look alike: ", odd, 9,
         "\ub3d9 a \u1103\u1169\u11bc", "frog"),
        ("right once, but not for the same sentences and another max_length: ",
         usual, 4, "the frog", "a"),
        ("right once, but not for the same sentences and another vocab: ",
         other, 4, "the frog", "a"),
        ("right for several sentences, but not for a single one: ", usual, 9,
         "the wolf sings"),
    ):  # fmt: skip
        yield Case(
            shown, ([*map(draws.ciphered, sentences)], vocab, max_length)
        )


NEW = "; this word is not in vocab, and unknown words get the id of <unk>"


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=encode_batch,
        returns={"the batch": ""},
        takes=("", "", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        asked=None,
        errors={"KeyError: 'xylophone'": f"KeyError: 'xylophone'{NEW}"},
        through=through,
        guess=guess,
    )


check_encode_batch = check(exercise)
