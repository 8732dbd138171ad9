"""The wrong vocabularies that the check knows by name."""

import re
import string
from collections import Counter


def numbered(names, start=0):
    """Return a dict of name -> place; a later place wins."""
    return {name: i for i, name in enumerate(names, start=start)}


def sorted_words(counts):
    """Return the words by falling count, equal counts alphabetically."""
    return sorted(counts, key=lambda word: (-counts[word], word))


def wrong_filters(words, specials):
    """Return pairs of a hint and the vocabulary of a wrong filter.

    Args:
        words: the words of the text in the right order, specials among them.
        specials: the special tokens.
    """
    usual = ("<pad>", "<bos>", "<eos>", "<unk>")
    only = "; only a word that equals one of the given specials adds nothing"
    joined, sense = " ".join(specials), "whatever the argument specials holds"
    filters = [
        (
            "you drop every word that stands in < and >" + only,
            lambda w: w[:1] + w[-1:] == "<>",
        ),
        (
            "you drop every word that starts with <" + only,
            lambda w: w[:1] == "<",
        ),
        ("you drop every word that holds a <" + only, lambda w: "<" in w),
        (
            "you drop <pad>, <bos>, <eos> and <unk>, " + sense,
            lambda w: w in usual,
        ),
        *((f"you drop {one}, " + sense, one.__eq__) for one in usual),
        (
            "you lower the words before you compare them with the specials; "
            "<EOS> is a word like any other",
            lambda w: w.lower() in specials,
        ),
        (
            "you drop words that are a part of a special (a is one of <pad>)"
            + only,
            lambda w: w in joined,
        ),
    ]
    found = []
    for hint, drops in filters:
        kept = [word for word in words if not drops(word)]
        new = [word for word in kept if word not in specials]
        found.append((hint, numbered([*specials, *kept])))
        found.append((hint, numbered([*specials, *new])))
    return found


def wrong_ties(counts, seen, ties):
    """Return pairs of a hint and the words in a wrong order of ties.

    Args:
        counts: dict of word -> count.
        seen: the words in the order of the text, specials left out.
        ties: the first words of the hints.
    """
    bare = "are sorted without regard to commas and other signs; sorted() "
    bare += "looks at every sign"
    found = []
    for signs in (",.", ".,!?", string.punctuation):

        def strip(word, signs=signs):
            return -counts[word], word.strip(signs)

        found.append((ties + bare, sorted(seen, key=strip)))
        found.append((ties + bare, sorted(sorted(seen), key=strip)))
    short = sorted(seen, key=lambda w: (-counts[w], len(w), w))
    first = sorted(seen, key=lambda w: (-counts[w], w[0]))
    return [
        *found,
        (ties + "are sorted by their length", short),
        (ties + "are sorted by their first letter alone", first),
    ]


def wrong_words(sentences, specials):
    """Return pairs of a hint and the vocabulary of other words or counts."""
    words = [word for text in sentences for word in text.split()]
    lower = Counter(word.lower() for word in words)
    stripped = Counter(word.strip(string.punctuation) for word in words)
    punctuation = "you cut punctuation off; a word is all that stands "
    punctuation += "between spaces, commas included"
    letters = Counter("".join(sentences))
    once = Counter(word for text in sentences for word in set(text.split()))
    inside = {word: " ".join(sentences).count(word) for word in words}
    return [
        (
            "you count a word once per sentence; count it as often as it "
            "stands there",
            numbered(dict.fromkeys([*specials, *sorted_words(once)])),
        ),
        (
            "text.count(word) finds a word inside others too (on in moon); "
            "count the words that split() gives",
            numbered(dict.fromkeys([*specials, *sorted_words(inside)])),
        ),
        (
            "you number characters; split each sentence into words",
            numbered([*specials, *sorted_words(letters)]),
        ),
        (
            "you lower the capitals; in this task The and the are two words",
            numbered([*specials, *sorted_words(lower)]),
        ),
        *(
            (punctuation, numbered([*specials, *sorted_words(parts)]))
            for parts in (
                Counter(re.findall(r"\w+", " ".join(words))),
                Counter(re.findall(r"\w+|[^\w\s]", " ".join(words))),
            )
        ),
        (
            "you strip punctuation from the ends of words; a word is all "
            "that stands between spaces, commas included",
            numbered([*specials, *sorted_words(stripped)]),
        ),
    ]


def wrong_vocabularies(sentences, specials):
    """Return pairs of a hint and the vocabulary that the mistake gives."""
    words = [word for text in sentences for word in text.split()]
    counts = Counter(words)
    right = [word for word in sorted_words(counts) if word not in specials]
    seen = [word for word in counts if word not in specials]
    first = sentences[0].split() if sentences else []
    ties = "equally frequent words must stand in alphabetical order; yours "
    falling = "the most frequent word comes first after the specials; yours "
    return [
        (
            "it takes the special's id away; it must add nothing",
            numbered([*specials, *sorted_words(counts)]),
        ),
        (
            "the specials are missing; they have the first ids",
            numbered(right),
        ),
        (
            "the specials come after the words; they have the first ids",
            numbered([*right, *specials]),
        ),
        (
            ties + "stand in the order of the text (Counter.most_common does "
            "this), so that shuffled sentences give other ids",
            numbered([*specials, *sorted(seen, key=lambda w: -counts[w])]),
        ),
        (
            ties + "run backwards: reverse=True turns both keys round; use "
            "the count with a minus",
            numbered(
                [
                    *specials,
                    *sorted(seen, key=lambda w: (counts[w], w), reverse=True),
                ]
            ),
        ),
        (
            ties + "are sorted without regard to capitals, sorted() puts "
            "all capitals first",
            numbered(
                [
                    *specials,
                    *sorted(right, key=lambda w: (-counts[w], w.lower())),
                ]
            ),
        ),
        *(
            (hint, numbered([*specials, *order]))
            for hint, order in wrong_ties(counts, seen, ties)
        ),
        *wrong_words(sentences, specials),
        *wrong_filters(sorted_words(counts), specials),
        (
            falling + "are numbered in the order of the text",
            numbered([*specials, *seen]),
        ),
        (
            falling + "are sorted by the alphabet alone",
            numbered([*specials, *sorted(seen)]),
        ),
        (
            falling + "start with the rarest",
            numbered([*specials, *sorted(seen, key=lambda w: (counts[w], w))]),
        ),
        (
            "the ids start at 1; the first special has id 0",
            numbered([*specials, *right], start=1),
        ),
        (
            "your values are counts; return ids",
            dict.fromkeys(specials, 0) | dict(counts),
        ),
        ("your values are counts; return ids", dict(counts)),
        (
            "every occurrence takes a new id, so that there are gaps; give "
            "each word one id",
            numbered([*specials, *words]),
        ),
        (
            "specials and words both start at 0, so that two tokens share an "
            "id",
            numbered(specials) | numbered(right),
        ),
        (
            "rare words are left out; this task keeps every word of the text",
            numbered([*specials, *(w for w in right if counts[w] > 1)]),
        ),
        (
            "you read the first sentence only",
            numbered([*specials, *sorted_words(Counter(first))]),
        ),
    ]
