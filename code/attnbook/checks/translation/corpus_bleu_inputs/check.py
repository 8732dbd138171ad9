"""Check of the task to turn ids into what sacreBLEU wants.

A piece that starts a word begins with the sign of a blank, U+2581.
"""

import functools
import itertools  # noqa: F401 (rows use it, and mean)
import numbers
import re
from statistics import mean  # noqa: F401

import sacrebleu
import torch

from attnbook.checks.engine.asking import number_of
from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint, Mistake

PAD, BOS, EOS, UNK = range(4)
ROWS = (list, tuple)
BLANK = "\u2581"


def corpus_bleu_inputs(ids, references, pieces):
    """Turn what a model wrote into the inputs of a corpus BLEU.

    Args:
        ids: rows of ids, perhaps with <bos>, <pad> and <eos>.
        references: one str per row.
        pieces: the piece of each id.

    Returns:
        The translations, a list of str; the references as sacreBLEU wants
        them; the corpus BLEU, a float.
    """
    texts = []
    for whole in ids:
        row = whole
        end = row.index(EOS) if EOS in row else len(row)
        cut = row[:end]
        kept = [i for i in cut if i not in (PAD, BOS)]
        glued = "".join(pieces[i] for i in kept)
        spaced = glued.replace(BLANK, " ")
        text = spaced.strip()
        texts.append(text)
    given = list(references)
    nested = [given]
    score = bleu(texts, references).score
    return texts, nested, score


def bleu(texts, references, **settings):
    """Return what sacreBLEU finds out about texts, one reference each."""
    return scored(tuple(texts), tuple(references), **settings)


@functools.lru_cache(maxsize=5000)
def scored(texts, references, **settings):
    """Return what sacreBLEU finds out; remember it for the next time."""
    metric = sacrebleu.BLEU(force=True, **settings)
    return metric.corpus_score(texts, [references])


def alone(texts, references, **settings):
    """Return the BLEU of every sentence alone."""
    pairs = zip(texts, references, strict=True)
    return [bleu([text], [ref], **settings).score for text, ref in pairs]


def without_empty(texts, references):
    """Return the BLEU of those translations that are not empty."""
    pairs = zip(texts, references, strict=True)
    kept = [(text, ref) for text, ref in pairs if text]
    return bleu(*zip(*kept, strict=True)).score


def lower(texts):
    """Return texts in small letters."""
    return [text.lower() for text in texts]


def tokens(text):
    """Return words and signs of a text, with a blank between them."""
    return " ".join(re.findall(r"\w+|[^\w\s]", text))


MISTAKES = table(r"""
    row = whole[:-1]
        the last id of every row is dropped, whatever it is; a row that hit its
        limit ends in a word
    row = whole[1:]
        the first id of every row is dropped; <bos> need not be there
    end = row.index(EOS) + 1 if EOS in row else len(row)
    end = len(row)
        <eos> is left in the translations as a word; it is a mark, cut the row
        before it
    end = len(row) - 1 - row[::-1].index(EOS) if EOS in row else len(row)
        a row is cut at its last <eos>; the first one is the end
    end = (EOS in row and row.index(EOS)) or len(row)
    end = [*row, EOS].index(EOS) or len(row); kept = [i for i in cut if i > 2]
        a row that begins with <eos> is not cut; its place is 0, which counts
        as false, so ask `2 in row`
    end = next((n for n, i in enumerate(row) if i in (PAD, EOS)), len(row))
        a row is cut at <pad>; only <eos> ends a row, so leave <pad> out and
        read on
    cut = row[:-1] if row[-1:] == [EOS] else row
        <eos> is cut off only where it stands last; cut at the first one
    kept = row
        the special tokens are left in the translations
    kept = [i for i in row if i > EOS]
    kept = [i for i in row if i > UNK]
        the special tokens are dropped, but what stands after <eos> stays; the
        model had ended there
    kept = [i for i in cut if i > UNK]
        <unk> is dropped; what the model wrote counts as it is
    kept = [i for i in cut if i != PAD]
    kept = cut
        <bos> is left in a translation; it is no text
    kept = [i for i in cut if i != BOS]
        <pad> is left in a translation; it is no text
    kept = [i for i in cut if i not in (PAD, BOS)][:-1]
        the last piece before <eos> is dropped
    kept = [i for i, _ in itertools.groupby(cut) if i > EOS]
        a piece that comes twice in a row is written once; what the model wrote
        counts as it is
    kept = [i for i in cut if i == UNK or i > 4]
        id 4 is dropped; only the ids 0 to 2 are no text
    kept = [i for i in cut if i > 4]
        the ids 3 and 4 are dropped; only the ids 0 to 2 are no text
    glued = "".join(pieces[(i + 4) % len(pieces)] for i in kept)
        you count the ids from the first real piece; the piece of id i is
        pieces[i]
    glued = " ".join(str(i) for i in kept)
        you join the ids; take the pieces that they stand for
    glued = " ".join(pieces[i] for i in kept); spaced = glued
        the translations are not detokenised: the pieces stand apart, with
        their signs
    glued = " ".join(pieces[i].replace(BLANK, "") for i in kept)
    glued = " ".join(pieces[i] for i in kept)
    glued = " ".join(" ".join(pieces[i].strip(BLANK) for i in kept).split())
        pieces are joined by blanks (sleep s); glue them without one, the sign
        U+2581 says where a word starts
    spaced = glued
        the signs U+2581 are still in the translations; each is a blank
    spaced = glued.replace(BLANK, "")
        the words run together; each sign U+2581 is a blank
    spaced = tokens(glued.replace(BLANK, " "))
        a blank stands before commas and full stops; leave the text as a reader
        expects it, sacreBLEU cuts it up itself
    spaced = glued.replace(BLANK, " ").replace(" .", ".")
        the blank before a full stop is taken out; what the model wrote counts
        as it is
    spaced = glued.replace(BLANK, " ").replace("_", " ")
        every _ becomes a blank; only the sign U+2581 is one
    text = spaced
        the blank before the first word is left; cut it off with strip()
    text = spaced.strip().lower()
        the translations are lower-cased; leave both sides as they are
    text = spaced.strip().capitalize()
    text = spaced.strip()[:1].upper() + spaced.strip()[1:]
        the first letters are made capital; leave the text as it is
    text = re.sub(r"[^\w\s<>]", "", spaced).strip()
    text = re.sub("[.,!?]", "", spaced).strip()
        the punctuation is dropped; it is text, and BLEU counts it
    text = spaced.strip(" .")
        the full stop at the end is cut off; it is text, and BLEU counts it
    given = lower(references)
        the references are lower-cased; leave both sides as they are
    given = [tokens(text) for text in references]
    given = [tokens(text).split() for text in references]
        the references are cut into tokens; leave the text as it is
    given = [" ".join(references)]
        the references are joined to one text; keep one per sentence
    given = sorted(references)
        the references are sorted; keep their order
    nested = [[text] for text in given]
        the references are nested per sentence, which sacreBLEU reads as many
        references for the first sentence alone; it wants one list of all
        references, inside of a list
    nested = given
        the references are a flat list; sacreBLEU wants a list of sets of
        references, so put your list into a list
    nested = [[given]]
    nested = [[[text] for text in given]]
        the references are nested once too often
    score = mean(alone(texts, references, effective_order=True))
    score = mean(alone(texts, references))
        the score is the mean of the BLEU of single sentences; corpus BLEU
        counts the n-grams of all sentences first
    score = bleu(texts, references).score / 100
        the score is a share; sacreBLEU's goes from 0 to 100
    score = bleu(texts, references).score * 100
        the score is multiplied by 100 once more; sacreBLEU's goes from 0 to
        100
    score = bleu(references, texts).score
        translations and references have changed places in the score
    score = sacrebleu.corpus_bleu(texts, [[x] for x in references]).score
        the score is that of references nested per sentence: sacreBLEU scores
        the first sentence alone, without a warning
    score = bleu(texts, references, lowercase=True).score
        the score ignores capitals; leave lowercase at False
    score = bleu(lower(texts), references).score
        the score is that of lower-cased translations alone
    score = bleu(texts, lower(references)).score
        the score is that of lower-cased references alone
    score = bleu(texts, references, smooth_method="none").score
        the score is made without smoothing; leave it as sacreBLEU has it
    score = bleu(texts, references, smooth_method="add-k").score
        the score is made with another smoothing; leave it as sacreBLEU has it
    score = bleu(texts, references, smooth_method="floor").score
        the score is made with smooth_method='floor'; leave smoothing as
        sacreBLEU has it
    score = bleu(texts, references, tokenize="none").score
        the score is made with tokenize='none'; leave sacreBLEU's own tokeniser
        on
    score = bleu(texts, references, tokenize="intl").score
    score = bleu(texts, references, tokenize="zh").score
        the score is made with another tokeniser; leave sacreBLEU's own
    score = bleu(texts, references, tokenize="char").score
        the score compares letters, with tokenize='char'; leave sacreBLEU's own
        tokeniser on
    score = sacrebleu.corpus_chrf(texts, [references]).score
        the score is chrF, not BLEU
    score = bleu([" ".join(texts)], [" ".join(references)]).score
        the score is that of one long text; hand over one str per sentence
    score = bleu(texts[:1], references[:1]).score
        the score is that of the first sentence alone
    score = bleu(texts[-1:], references[-1:]).score
        the score is the BLEU of the last sentence alone
    score = bleu(texts, references, max_ngram_order=2).score
        the score stops at 2-grams; BLEU counts up to 4
    score = bleu(texts, references, max_ngram_order=3).score
        the score stops at 3-grams; BLEU counts up to 4
    score = bleu(texts, references).score if all(texts) else 0.0
        the score is 0 as soon as one translation is empty; leave it to
        sacreBLEU
    score = 100.0 * (texts == references)
        the score is 0 or 100 whatever was written
    score = bleu(texts, references, effective_order=True).score
        the score is made with effective_order, which is for single sentences;
        leave it as sacreBLEU has it
    score = bleu(texts, references).bp
        the score is the brevity penalty alone; take .score
    score = bleu(texts, references).precisions[0]
        the score is the share of 1-grams alone; take .score
    score = mean(bleu(texts, references).precisions)
        the score is the mean of the four shares; BLEU multiplies them, so take
        .score
    score = bleu(texts, references).score / bleu(texts, references).bp
        the score lacks the penalty for being short; take .score
    score = without_empty(texts, references)
        empty translations are left out of the score; they count too
""")


def through(answer, ids, references, pieces):
    """Return the three parts up to the first wrong one, and right ones."""
    result = answer(ids, references, pieces)
    if unanswered(result):
        return result
    parts = texts, given, score = parts_of(result, ids)
    rights = corpus_bleu_inputs(ids, references, pieces)
    wrong = [a != b for a, b in zip(parts[:2], rights, strict=False)]
    if any(wrong):
        first = wrong.index(True)
        parts = (*rights[:first], parts[first], *rights[first + 1 :])
        return (*parts[:2], torch.tensor(rights[2], dtype=torch.float64))
    score = score_of(score, rights[2])
    return texts, given, torch.tensor(score, dtype=torch.float64)


def parts_of(result, ids):
    """Return the three parts of a result, or say what is missing."""
    three = "three things: translations, references and score"
    if isinstance(result, numbers.Real):
        raise Mistake("you return the score alone; return {}", three)
    if not isinstance(result, ROWS) or len(result) != 3:
        size = len(result) if isinstance(result, ROWS) else "one"
        raise Mistake("return {}; you return {}", three, size)
    texts, given, score = result
    nested = isinstance(texts, ROWS) and [isinstance(x, ROWS) for x in texts]
    require_order(texts, given, nested == [True] and len(ids) > 1)
    if isinstance(texts, str):
        raise Mistake(
            "the translations are one long text; sacreBLEU wants a list with "
            "one str per sentence"
        )
    if nested and any(nested):
        raise Mistake(
            "a translation is a list of pieces; glue them to one str, "
            "sacreBLEU cuts it up itself"
        )
    kinds = [type(x).__name__ for x in texts if not isinstance(x, str)]
    if not isinstance(texts, ROWS) or kinds:
        kind = "of " + kinds[0] if kinds else type(texts).__name__
        raise Mistake("the translations must be a list of str, not {}", kind)
    if not isinstance(given, (*ROWS, str)):
        raise Mistake(
            "the references must be a list with one list of str, not {}",
            type(given).__name__,
        )
    given = [list(x) if isinstance(x, ROWS) else x for x in given]
    return list(texts), given, score


def require_order(texts, given, wrapped):
    """Refuse translations that look like references, or sit in a list."""
    sets = isinstance(given, ROWS) and all(isinstance(x, ROWS) for x in given)
    if wrapped and sets:
        raise Mistake("the translations are nested once too often")
    if wrapped or isinstance(texts, numbers.Real):
        raise Mistake(
            "the three things are not in order: translations first, then the "
            "references, then the score"
        )


def score_of(score, right):
    """Return a score as a number, or say why it is none."""
    if type(score).__name__.endswith("Score"):
        raise Mistake(
            "your score is sacreBLEU's whole result; take its .score"
        )
    try:
        score = float(number_of(score, "the corpus BLEU"))
    except Mistake as mistake:
        raise Mistake("the score: {}", mistake.hint) from None
    near = abs(score - right) < 1e-5
    if not near and any(score == round(right, n) for n in range(4)):
        raise Mistake("you round the score; leave that to who prints it")
    return score


def guess(results, rights, inputs):
    """Say what is wrong with a part that no row gives."""
    texts, given, _ = results
    if texts != rights[0]:
        return wrong_texts(texts, rights[0])
    if given != rights[1]:
        return (
            "the references must be a list of sets of references; here one "
            "set, a list of all references in their order, as they were given"
        )
    return (
        "the score is not sacreBLEU's corpus BLEU of your translations and "
        "references with its own settings"
    )


def wrong_texts(texts, right):
    """Say what is wrong with translations."""
    if len(texts) != len(right):
        return Hint(
            "{} rows, but {} translations; an empty one and one that "
            "comes twice count too",
            len(right),
            len(texts),
        )
    if sorted(texts) == sorted(right):
        return "the translations are not in the order of the rows"
    pairs = list(zip(texts, right, strict=True))
    if any(a != b and a.split() == b.split() for a, b in pairs):
        return (
            "a translation has blanks at its ends or two in a row; cut them "
            "off with strip(), and glue pieces without a blank"
        )
    return wrong_letters(texts, pairs)


def wrong_letters(texts, pairs):
    """Say what is wrong in the letters of translations."""
    for mark in ("<pad>", "<bos>", "<eos>"):
        if any(mark in text for text in texts):
            return Hint("{} is left in a translation; it is no text", mark)
    if any("<unk>" in b and "<unk>" not in a for a, b in pairs):
        return "<unk> is replaced; what the model wrote counts as it is"
    if all(a.replace(" ", "") == b.replace(" ", "") for a, b in pairs):
        return (
            "blanks stand where they should not, or are missing; each sign "
            "U+2581 is one, and nothing else adds or takes one"
        )
    if all(b == a or (b.startswith(a) and len(b) > 99) for a, b in pairs):
        return "a long row is cut short; only <eos> ends it"
    if any({c for c in b if not c.isascii()} - {*a} for a, b in pairs):
        return (
            "a letter beyond a to z is lost or changed; take the pieces as "
            "they are"
        )
    number = [a == b for a, b in pairs].index(False)
    return Hint(
        "translation {} is not the text of its row: cut at <eos>, "
        "glue the pieces, make the sign U+2581 a blank",
        number,
    )


def cut(draws, text):
    """Return pieces, written with _ for U+2581 and ~ for _."""
    return draws.ciphered(text).replace("_", BLANK).replace("~", "_").split()


PIECES = (
    "<pad> <bos> <eos> <unk> _The _the _dog _cat _sleep _in _on _a _bed _run "
    "_away _old _A _man _Two _bird _sing _here _and s . , ing 's ~ x _ _Zo "
    "\u00e9 \u2026"
)


def pieces_of(draws):
    """Return the vocabulary, a list; special tokens come first."""
    pieces = cut(draws, PIECES)
    return pieces[:4] + draws.shuffled(pieces[4:])


def case(draws, shown, *pairs, reverse=False):
    """Return a case of pairs of what is written and the reference.

    With `reverse` the vocabulary has the reverse order, but for specials.
    """
    pieces = pieces_of(draws)
    if reverse:
        pieces = [*pieces[:4], *pieces[:3:-1]]
    rows = [[pieces.index(x) for x in cut(draws, text)] for text, _ in pairs]
    given = [draws.ciphered(ref) for _, ref in pairs]
    return Case(shown, (rows, given, pieces), 2e-7)


DOG = (
    "_The _dog _sleep s _in _the _old _bed . <eos>",
    "The dog sleeps on the old bed.",
)
CAT = (
    "_A _cat _run s _away , _and _the _dog _sleep s . <eos>",
    "A cat runs away, and the dog sleeps.",
)
BIRDS = (
    "_Two _bird s _sing _here . <eos> <pad> <pad>",
    "Two birds sing here.",
)
MAN = (
    "_The _man 's _cat _sleep ing _in _the _bed . <eos> _a <eos>",
    "The man's cat sleeps in the bed.",
)
RUNS = "_The _dog _run s _and _A", "The dog runs."


def cases(draws):
    """Yield all cases."""
    yield case(draws, "", DOG, CAT, BIRDS, MAN, RUNS)
    yield case(
        draws,
        "right, but not where the vocabulary has another order: ",
        *(RUNS, MAN, BIRDS, CAT, DOG),
        reverse=True,
    )
    for where, *pairs in (
        ("a translation is empty, or ends in a blank",
         DOG, ("<eos> _a <eos>", CAT[1]),
         ("_Two _bird s _sing . _ <eos>", BIRDS[1])),
        ("a row begins with <bos>",
         *(("<bos> " + text, ref) for text, ref in (DOG, CAT, BIRDS))),
        ("<unk> was written",
         ("_The <unk> _sleep s <unk> _bed . <eos>", DOG[1]), CAT),
        ("two rows are equal", DOG, (DOG[0], CAT[1]), CAT),
        ("a text holds a real underscore",
         ("_The _dog ~ x . <eos>", "The dog_x."), DOG),
        ("few words agree",
         ("_A _cat _sing . <eos>", "A cat."), ("_The _bird s <eos>", RUNS[1])),
        ("no text has four words",
         ("_A _cat . <eos>", "A cat."),
         ("_The _bird <eos>", "The bird runs.")),
        ("a row without <eos> is filled up with <pad>",
         DOG, ("_The _dog _run s . <pad> <pad>", RUNS[1])),
        ("the model wrote <pad> itself",
         ("<bos> _The <pad> _dog _run s <pad> . <eos>", RUNS[1]), DOG),
        ("the model repeats itself",
         ("_The _the _dog _dog _run s . . <eos>", RUNS[1]), DOG),
        ("a row is very long",
         ("_The _dog _run s . " * 60 + "<eos>", " ".join([RUNS[1]] * 60)),
         DOG),
        ("a letter has an accent",
         ("_A _old _Zo \u00e9 \u2026 <eos>", "A old Zo\u00e9\u2026"), DOG),
        ("a text begins with a small letter",
         ("_a _cat _run s . <eos>", "A cat runs."), DOG),
        ("the model wrote a blank before a full stop",
         ("_Two _bird s _sing _ . <eos>", "Two birds sing."), DOG),
    ):  # fmt: skip
        yield case(draws, f"right, but not where {where}: ", *pairs)


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=corpus_bleu_inputs,
        returns={"translations": "", "references": "", "the score": ""},
        takes=("", "", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        asked=None,
        errors={
            "is not in list": "a row without <eos> has no place to cut; ask "
            "first whether it is there",
            "element of `hyps`": "a translation is no str; glue the pieces of "
            "a row to one str, sacreBLEU cuts it up itself",
            "`refs` should be a sequence": "the references are nested once "
            "too often in the score; sacreBLEU wants a list of lists of str",
        },
        through=through,
        guess=guess,
    )


check_corpus_bleu_inputs = check(exercise)
