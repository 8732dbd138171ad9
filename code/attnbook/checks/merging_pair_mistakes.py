"""The wrong pairs that the check of a merge step knows by name."""

from collections import Counter
from itertools import pairwise


def pairs_of(words, weigh=True):
    """Count neighbouring symbols, by default times the word's count."""
    counts = Counter()
    for word, count in words.items():
        for pair in pairwise(word):
            counts[pair] += count if weigh else 1
    return counts


def first(counts):
    """Return the most frequent pair, ties alphabetical."""
    return min(counts, key=lambda pair: (-counts[pair], pair))


def without_overlap(word):
    """Yield the pairs of a word, none of two equal ones that overlap."""
    last = None
    for pair in pairwise(word):
        if pair == last:
            last = None
            continue
        last = pair
        yield pair


def frequent_symbols(words, weigh=True):
    """Return the two most frequent symbols, which need not be neighbours."""
    counts = Counter()
    for word, count in words.items():
        counts.update(word * (count if weigh else 1))
    return tuple(symbol for symbol, _ in counts.most_common(2))


def wrong_ties(counts):
    """Return pairs of a hint and the pair that a wrong order of ties gives.

    Args:
        counts: dict of pair -> count, in the order of the words.
    """
    ties = "of equally frequent pairs the alphabetically first one wins; "

    def best(key):
        return min(counts, key=lambda pair: (-counts[pair], *key(pair)))

    return [
        (
            ties + "yours is the first one in the dict",
            max(counts, key=counts.get),
        ),
        (
            ties + "yours is the last one",
            max(counts, key=lambda pair: (counts[pair], pair)),
        ),
        (
            ties + "compare pairs as tuples, not as joined strings",
            best(lambda pair: ("".join(pair),)),
        ),
        (
            ties + "you compare first symbols only; the second one decides "
            "where they agree",
            best(lambda pair: pair[:1]),
        ),
        (
            ties + "you compare second symbols first",
            best(lambda pair: pair[::-1]),
        ),
        (
            ties + "you compare second symbols only",
            best(lambda pair: pair[1:]),
        ),
        (
            ties + "you put shorter pairs in front",
            best(lambda pair: (len(pair[0] + pair[1]), pair)),
        ),
        (
            ties + "you put longer pairs in front",
            best(lambda pair: (-len(pair[0] + pair[1]), pair)),
        ),
    ]


def by_spelling(counts, last=False):
    """Return the best pair where pairs that spell the same are one.

    Args:
        counts: dict of pair -> count.
        last: whether the last pair of a spelling stands for it.
    """
    sums, pairs = Counter(), {}
    for pair, count in counts.items():
        text = "".join(pair)
        sums[text] += count
        pairs[text] = pair if last else pairs.get(text, pair)
    return first({pairs[text]: count for text, count in sums.items()})


def wrong_pairs(words):
    """Return pairs of a hint and the pair that the mistake chooses."""
    counts = pairs_of(words)
    once, apart, joined, copies = Counter(), Counter(), [], []
    for word, count in words.items():
        for pair in set(pairwise(word)):
            once[pair] += count
        for pair in without_overlap(word):
            apart[pair] += count
        joined.extend(word)
        copies.extend(word * count)
    borders = "pairs are counted across the border of two words; count "
    borders += "inside each word"
    symbols = "you put the two most frequent symbols together; count pairs "
    symbols += "of neighbours"
    return [
        *wrong_ties(counts),
        *(
            (
                "you count joined strings, which takes different pairs that "
                "spell the same text for one; count tuples",
                by_spelling(counts, last),
            )
            for last in (False, True)
        ),
        (
            "every word counts once, however often it occurs; add the word's "
            "count to each of its pairs",
            first(pairs_of(words, weigh=False)),
        ),
        (symbols, frequent_symbols(words)),
        (symbols, frequent_symbols(words, weigh=False)),
        (borders, first(Counter(pairwise(joined)))),
        (borders, first(Counter(pairwise(copies)))),
        (
            "overlapping pairs count too: a a a holds the pair a a twice",
            first(apart),
        ),
        (
            "a pair that stands in a word twice must count twice",
            first(once),
        ),
        (
            "you take the rarest pair; take the most frequent one",
            min(counts, key=lambda pair: (counts[pair], pair)),
        ),
        (
            "the pair is the wrong way round; the left symbol comes first",
            first(counts)[::-1],
        ),
    ]
