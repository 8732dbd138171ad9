"""What do vocabularies of characters, words and byte pairs cost?

    python code/experiments/run.py vocabulary_sizes

Multi30k, English and German: every vocabulary is learned on the 29,000
training captions and measured on the 1,000 captions of test 2016.  Also
what lower-casing and cutting off punctuation change.  Nothing is random.
Under a minute on one core.
"""

import re
from collections import Counter

from attnbook.data.bpe import BytePairs
from lab.experiment import Experiment
from lab.fingerprints import hash_of_pairs
from lab.needs import need_multi30k
from lab.progress import track

MERGES = (0, 100, 300, 1000, 3000, 10000)
SPECIALS = 4  # <pad> <bos> <eos> <unk>
APART = re.compile(r"\w+|[^\w\s]")  # words and single signs


def blanks(text):
    """Cut a text at white space."""
    return text.split()


def apart(text):
    """Cut a text at white space, and every sign from its word."""
    return APART.findall(text)


def lower(text):
    """Cut a text like `apart`, without capitals."""
    return APART.findall(text.lower())


def bare(text):
    """Keep the words alone, without capitals and signs."""
    return re.findall(r"\w+", text.lower())


CUTS = {"blanks": blanks, "apart": apart, "lower": lower, "bare": bare}


def measure(tokens, known, train_counts):
    """Count what a vocabulary makes of the test texts.

    Args:
        tokens: one list of tokens per test text.
        known: the set of known tokens.
        train_counts: Counter of the training texts' tokens.

    Returns:
        A dict of numbers.
    """
    unknown = [sum(t not in known for t in row) for row in tokens]
    total = sum(map(len, tokens))
    return {
        "vocabulary": SPECIALS + len(known),
        "length": round(total / len(tokens), 3),
        "longest": max(map(len, tokens)),
        "unknown": sum(unknown),
        "tokens": total,
        "texts_with_unknown": sum(n > 0 for n in unknown),
        "seen_once": sum(train_counts[t] == 1 for t in known),
        "never_seen": sum(train_counts[t] == 0 for t in known),
    }


def plain(train, test, cut, smallest=1):
    """Measure a vocabulary of all tokens that a cut finds often enough."""
    counts = Counter(token for text in train for token in cut(text))
    known = {token for token, n in counts.items() if n >= smallest}
    return measure([cut(text) for text in test], known, counts)


def byte_pairs(train, test, merges, other):
    """Measure byte pairs, and how long texts of another language get."""
    vocabulary = BytePairs.learn(train, merges)
    counts = Counter(i for text in train for i in vocabulary.encode(text))
    known = set(range(SPECIALS, len(vocabulary)))
    tokens = [vocabulary.encode(text) for text in test]
    numbers = measure(tokens, known, counts)
    numbers["same_text"] = all(
        vocabulary.decode(row) == text
        for row, text in zip(tokens, test, strict=True)
    )
    length = sum(len(vocabulary.encode(text)) for text in other) / len(other)
    return numbers | {"length_other": round(length, 3)}


def collisions(texts, cut):
    """Count different texts, and how many are left after a cut."""
    raw = {tuple(blanks(text)) for text in texts}
    return {
        "different": len(raw),
        "after": len({tuple(cut(text)) for text in texts}),
    }


def case_pairs(train):
    """Find frequent words that a capital letter tells apart, not at a start.

    Returns:
        How many lower-cased words stand for several spellings, and the ten
        pairs whose rarer spelling is most frequent.
    """
    inner = Counter(word for text in train for word in apart(text)[1:])
    spellings = {}
    for word in inner:
        spellings.setdefault(word.lower(), []).append(word)
    several = [s for s in spellings.values() if len(s) > 1]
    several = [sorted(s, key=lambda w: (-inner[w], w))[:2] for s in several]
    several.sort(key=lambda s: (-inner[s[1]], s))
    shown = [[w, inner[w], v, inner[v]] for w, v in several[:10]]
    return {"merged": len(several), "examples": shown}


def language(name, pairs, side, sizes=MERGES):
    """Measure everything for one language."""
    train, test = (
        [pair[side] for pair in pairs[s]] for s in ("train", "test")
    )
    other = [pair[1 - side] for pair in pairs["test"]]
    rows = [{"kind": "characters", **plain(train, test, list)}]
    for cut in CUTS:
        rows.append({"kind": cut, **plain(train, test, CUTS[cut])})
    rows.append({"kind": "apart_twice", **plain(train, test, apart, 2)})
    for merges in track(sizes, f"{name}: numbers of merges"):
        numbers = byte_pairs(train, test, merges, other)
        rows.append({"kind": "byte pairs", "merges": merges, **numbers})
    for row in rows:
        print(name, row, flush=True)
    return {
        "rows": rows,
        "collisions": {
            cut: collisions(train, CUTS[cut]) for cut in list(CUTS)[1:]
        },
        "case": case_pairs(train),
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {"data": hash_of_pairs(need_multi30k("en", "de"))}


def measure_all(run):
    """Measure both languages; a try with few merges."""
    dataset = need_multi30k("en", "de")
    pairs = {"train": dataset.train, "test": dataset.test}
    merges = MERGES[: 2 if run.small else None]
    return {
        "English": language("English", pairs, 0, merges),
        "German": language("German", pairs, 1, merges),
    }


EXPERIMENT = Experiment(
    "vocabulary_sizes",
    needs="Multi30k",
    about="Size of the vocabulary, tokens per caption and unknown tokens, for "
    "characters, words and byte pairs, and what preprocessing changes",
    data="Multi30k, English and German: learned on the 29,000 training "
    "captions, measured on the 1,000 of test 2016",
    measure=measure_all,
    fingerprint=fingerprint,
)
