"""Check of the task to number the words of a training text."""

import itertools  # noqa: F401 (rows use it)
import numbers
import re  # noqa: F401 (rows use it)
import string
import unicodedata  # noqa: F401 (rows use it)
from collections import Counter

from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint, Mistake

SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")
SIGNS = string.punctuation


def build_vocab(train_sentences, specials):
    """Number the specials, and then the words of a text.

    Args:
        train_sentences: list of str.
        specials: tuple or list of special tokens.

    Returns:
        A dict of token -> id: the specials in their order, then the words by
        falling count, those of equal count in alphabetical order.
    """
    texts = train_sentences
    words = [word for text in texts for word in text.split()]
    counts = Counter(words)
    order = sorted(counts, key=lambda word: (-counts[word], word))
    kept = [word for word in order if word not in specials]
    names = [*specials, *kept]
    ids = numbered(names)
    return ids


def numbered(names, start=0):
    """Return a dict of name -> place; a later place wins."""
    return {name: i for i, name in enumerate(names, start)}


def by(counts, key):
    """Return the words by falling count, equal counts by a key."""
    return sorted(counts, key=lambda word: (-counts[word], key(word)))


def without_case(counts):
    """Return for each word the count of all its spellings."""
    sums = Counter()
    for word, times in counts.items():
        sums[word.lower()] += times
    return {word: sums[word.lower()] for word in counts}


MISTAKES = table(r"""
    texts = train_sentences[:1]
        you read the first sentence only
    texts = dict.fromkeys(train_sentences)
        a sentence that occurs twice counts once; count it each time
    texts = [" ".join(train_sentences).lower()]
        you lower the capitals; in this task The and the are two words
    texts = [t for t in train_sentences if not any(s in t for s in specials)]
        you leave out a sentence that holds a special; its other words count
    texts = [unicodedata.normalize("NFC", text) for text in train_sentences]
    texts = [unicodedata.normalize("NFKC", text) for text in train_sentences]
        you normalise the text, so that words of different characters become
        one; a word is all that stands between spaces, as it is
    texts = [re.sub("[\u200b-\u200d]", "", text) for text in train_sentences]
        you delete signs that cannot be seen; they tell words apart in some
        languages, so keep them
    texts = ["".join(train_sentences)]
        you join the sentences without a space, which glues the last word of
        one to the first of the next
    texts = [text.replace("-", " ") for text in train_sentences]
        you cut words at hyphens; a word is all that stands between spaces
    words = [word for text in texts for word in dict.fromkeys(text.split())]
        you count a word once per sentence; count it as often as it stands
        there
    words = [w for t in texts for w, _ in itertools.groupby(t.split())]
        a word that stands twice in a row counts once; count it each time
    words = [word for text in texts for word in text.split(" ")]
        the empty word has an id; split() without an argument never makes one
    words = "".join(texts)
        you number characters; split each sentence into words
    words = re.findall(r"\w+", " ".join(texts))
    words = re.findall(r"\w+|[^\w\s]", " ".join(texts))
        you cut punctuation off; a word is all that stands between spaces,
        commas included
    words = [w.strip(SIGNS) for text in texts for w in text.split()]
        you strip punctuation from the ends of words; a word is all that stands
        between spaces, commas included
    words = [w for w in " ".join(texts).split() if w.isalpha()]
        you drop words with digits or signs; a word is all that stands between
        spaces
    counts = {word: " ".join(texts).count(word) for word in words}
        text.count(word) finds a word inside others too (on in moon); count the
        words that split() gives
    counts = {word: min(n, 9) for word, n in Counter(words).items()}
        large counts are treated as equal; compare them as they are
    counts = {word: sum(word in text for text in texts) for word in words}
        you count the sentences that hold the text of a word, inside other
        words too; count the words that split() gives
    counts = {w: max(t.split().count(w) for t in texts) for w in words}
        you keep the largest count of a single sentence; add the counts of all
        sentences
    order = by(without_case(counts), str)
        you add up the counts of The and the; each spelling has its own count
    order = list(counts)
        the most frequent word comes first after the specials; yours are
        numbered in the order of the text
    order = sorted(counts)
        the most frequent word comes first after the specials; yours are sorted
        by the alphabet alone
    order = sorted(counts, key=lambda word: (counts[word], word))
        the most frequent word comes first after the specials; yours start with
        the rarest
    order = by(counts, lambda word: 0)
        equally frequent words must stand in alphabetical order; yours stand in
        the order of the text (Counter.most_common does this), so that shuffled
        sentences give other ids
    order = sorted(counts, key=lambda w: (counts[w], w), reverse=True)
        equally frequent words must stand in alphabetical order; yours run
        backwards: reverse=True turns both keys round; use the count with a
        minus
    order = by(counts, str.lower)
        equally frequent words must stand in alphabetical order; yours are
        sorted without regard to capitals, sorted() puts all capitals first
    order = by(counts, lambda word: word.strip(SIGNS))
    order = by(counts, lambda word: (word.strip(SIGNS), word))
        equally frequent words must stand in alphabetical order; yours are
        sorted without regard to commas and other signs; sorted() looks at
        every sign
    order = by(counts, lambda word: (len(word), word))
        equally frequent words must stand in alphabetical order; yours are
        sorted by their length
    order = by(counts, lambda word: word[0])
        equally frequent words must stand in alphabetical order; yours are
        sorted by their first letter alone
    order = by(counts, lambda word: word[:2])
    order = by(counts, lambda word: word[:4])
        equally frequent words must stand in alphabetical order; yours are
        sorted by their first letters alone; compare whole words
    order = sorted(sorted(counts), key=lambda w: str(counts[w]), reverse=True)
        the counts are compared as texts, so that 9 stands before 10; compare
        numbers
    kept = order
        it takes the special's id away; it must add nothing
    kept = [w for w in order if w not in specials and counts[w] > 1]
        rare words are left out; this task keeps every word of the text
    kept = [w for w in order if w not in specials and len(w) > 1]
        you drop words of one letter; this task keeps every word of the text
    kept = [w for w in order if f"<{w.strip('<>')}>" not in specials]
        you compare words with the specials without < and >; mask is a word
        like any other, where <mask> is special
    kept = [word for word in order if word[:1] + word[-1:] != "<>"]
        you drop every word that stands in < and >; only a word that equals one
        of the given specials adds nothing
    kept = [word for word in order if word[:1] != "<"]
        you drop every word that starts with <; only a word that equals one of
        the given specials adds nothing
    kept = [word for word in order if "<" not in word]
        you drop every word that holds a <; only a word that equals one of the
        given specials adds nothing
    kept = [word for word in order if word not in SPECIALS]
    kept = [word for word in order if word not in (*SPECIALS, *specials)]
        you drop <pad>, <bos>, <eos> and <unk>, whatever the argument specials
        holds
    kept = [word for word in order if word != "<eos>"]
        you drop <eos>, whatever the argument specials holds
    kept = [word for word in order if word.lower() not in specials]
        you lower the words before you compare them with the specials; <EOS> is
        a word like any other
    kept = [word for word in order if word not in " ".join(specials)]
        you drop words that are a part of a special (a is one of <pad>); only a
        word that equals one of the given specials adds nothing
    names = kept
        the specials are missing; they have the first ids
    names = [*kept, *specials]
        the specials come after the words; they have the first ids
    names = [*SPECIALS, *kept]
        you number <pad>, <bos>, <eos> and <unk>; the specials are those of the
        argument specials
    names = [*(name.lower() for name in specials), *kept]
        you lower the capitals of the specials; take them as they are given
    names = [*specials, *words]
        every occurrence takes a new id, so that there are gaps; give each word
        one id
    ids = numbered(order, len(specials)) | numbered(specials)
        a word that is spelled like a special uses an id up; the ids must run
        from 0 without a gap
    ids = numbered(specials) | numbered(kept)
        specials and words both start at 0, so that two tokens share an id
    ids = numbered(names, 1)
        the ids start at 1; the first special has id 0
    ids = dict.fromkeys(specials, 0) | counts
    ids = dict(counts)
        your values are counts; return ids
""")


def through(answer, *inputs):
    """Return the dict, or say why it is none of token -> id."""
    vocab = answer(*inputs)
    if unanswered(vocab):
        return vocab
    if not isinstance(vocab, dict):
        kind = type(vocab).__name__
        raise Mistake("you return a {}; return a dict of token -> id", kind)
    if getattr(vocab, "default_factory", 0) or isinstance(vocab, Counter):
        raise Mistake(
            "your {} also answers for words that it does not hold; such a "
            "word must stay without an id, so return dict(...) of it",
            type(vocab).__name__,
        )
    for token, i in vocab.items():
        whole = isinstance(i, numbers.Integral) and not isinstance(i, bool)
        if not isinstance(token, str) or not whole:
            kinds = f"{type(token).__name__} to {type(i).__name__}"
            raise Mistake(
                "your dict goes from {}; it must go from token to id, from "
                "str to int, a whole number",
                kinds,
            )
    return dict(vocab)


def guess(results, rights, inputs):
    """Say which tokens, ids or places are wrong."""
    (vocab,), (right,), (sentences, specials) = results, rights, inputs
    for token in [token for token in right if token not in vocab]:
        if token in specials:
            return Hint(
                "the special {} has no id; all of them come first", repr(token)
            )
        return Hint("the word {} of the text has no id", repr(token))
    for token in [token for token in vocab if token not in right]:
        return Hint(
            "{} has an id, but is neither a given special nor a word "
            "of these sentences",
            repr(token),
        )
    ids = sorted(vocab.values())
    if len(set(ids)) < len(ids):
        return "two tokens share one id; decoding could not work"
    if ids != list(range(len(ids))):
        return Hint(
            "the ids must run from 0 without a gap; yours start at {} "
            "and end at {} for {} tokens",
            ids[0],
            ids[-1],
            len(ids),
        )
    return wrong_order(sorted(vocab, key=vocab.get), sentences, specials)


def wrong_order(names, sentences, specials):
    """Say what is wrong with the order of the right tokens."""
    first, words = names[: len(specials)], names[len(specials) :]
    if first != list(specials):
        return (
            "the specials must have the first ids, and keep the order in "
            "which they come"
        )
    text = " ".join(sentences).split()
    counts = [text.count(word) for word in words]
    if counts == sorted(counts, reverse=True):
        return (
            "words of equal count stand in an order that is neither "
            "alphabetical nor that of the text. If it is that of a set, "
            "another run of Python gives other ids. Sort them alphabetically"
        )
    return (
        "the order of the ids is neither by count nor by the alphabet nor by "
        "place in the text. A set has no order that lasts: another run of "
        "Python may give other ids. Sort by falling count"
    )


# Neither the usual ones nor sorted, and too many for a set's lucky order.
OTHERS = ("<unk>", "</s>", "<s>", "<ko>", "<en>", "<mask>", "<CLS>", "<fr>")
OTHERS += ("<de>", "<sep>", "<empty>", "<date>")


def cases(draws):
    """Yield all cases."""
    for shown, specials, *sentences in (
        ("", SPECIALS,
         "wolf and moon and the hill",
         "the old frog sang to the moon over hill and well",
         "then every bird sang because fish grew kind",
         "the wolf ran on and on to the hill"),
        ("right for one list of specials, but not for another: ", OTHERS,
         "you saw two kites", "two owls saw three kites by the lake"),
        ("right, but not where words begin alike: ", SPECIALS,
         "lanterns lantern landing land"),
        ("right, but not for a text with capitals and commas: ", SPECIALS,
         "The cat, the dog and Tom", "the dog sees the cat",
         "Don't come, dog!"),
        ("right, but not where spaces stand twice or at an end: ", SPECIALS,
         "  two  spaces ", "", "two   here"),
        ("right, but not where a word of the text is spelled like a special: ",
         SPECIALS,
         "a page about <eos> says <eos> and <eos> again", "a page"),
        ("right, but not where words only look like the specials: ", OTHERS,
         "a <b> tag and <eos> and <EOS> <UNK> <unk>",
         "2<3 dog, cat <3 <date> <eos> <en>, mask"),
        ("right for a tuple of specials, but not for a list: ", list(OTHERS),
         "the wolf and the owl", "an owl"),
        ("right, but not where a sentence occurs twice: ", SPECIALS,
         "a bee", "a bee", "cat cat cow cow bee"),
        ("right, but not where a word occurs ten times: ", SPECIALS,
         "cow bee " * 10 + "cow " * 2, "ant " * 9, "dog"),
        ("right, but not where a word stands twice in a row: ", SPECIALS,
         "ant bee bee"),
        ("right, but not for words with digits, hyphens and other signs: ",
         SPECIALS, "a well-known nation, na\u00efve nation 1848",
         "it\u2019s 12 \ufb01gs \u2013 no"),
        ("right, but not where characters differ that look alike: ",
         SPECIALS, "\ub3d9 \u1103\u1169\u11bc \ub3d9", "\u1103\u1169\u11bc"),
        ("right, but not where a word holds a sign that cannot be seen: ",
         SPECIALS, "\u0645\u06cc\u200c\u0634\u0648\u062f a",
         "\u0645\u06cc\u0634\u0648\u062f a"),
        ("right, but not without any special: ", (), "owl bee owl"),
        ("right, but not without any sentence: ", SPECIALS),
        ("right, but not for a text of 120 different words: ", SPECIALS,
         " ".join(draws.shuffled([*map(str, range(120))]))),
    ):  # fmt: skip
        yield Case(
            shown,
            ([*map(draws.ciphered, sentences)], draws.shuffled(specials)),
        )


HELP = "specials may be a tuple or a list; [*specials, *words] takes both"


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=build_vocab,
        returns={"the vocabulary": ""},
        takes=("", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        asked=None,
        errors={"can only concatenate": HELP},
        differ="two calls with the same sentences give other ids; sort words "
        "alphabetically, and by no set, hash or id()",
        through=through,
        guess=guess,
    )


check_build_vocab = check(exercise)
