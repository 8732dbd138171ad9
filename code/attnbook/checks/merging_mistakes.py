"""The wrong merges that the check of a merge step knows by name."""

from collections import Counter
from itertools import pairwise

from attnbook.paircounts import replace_pair


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
    ties = "of equally frequent pairs the alphabetically first one wins; "
    return [
        (
            "every word counts once, however often it occurs; add the word's "
            "count to each of its pairs",
            first(pairs_of(words, weigh=False)),
        ),
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
            ties + "yours is the first one in the dict",
            max(counts, key=counts.get),
        ),
        (
            ties + "yours is the last one",
            max(counts, key=lambda pair: (counts[pair], pair)),
        ),
        (
            "you take the rarest pair; take the most frequent one",
            min(counts, key=lambda pair: (counts[pair], pair)),
        ),
        (
            "the pair is turned round; the left symbol comes first",
            first(counts)[::-1],
        ),
    ]


def from_the_right(word, pair, new):
    """Replace a pair from right to left."""
    flipped = replace_pair(word[::-1], pair[::-1], new)
    return flipped[::-1]


def overlapping(word, pair, new):
    """Replace every pair, those that share a symbol too."""
    merged, hits = [], [p == pair for p in pairwise(word)]
    for place, symbol in enumerate(word):
        if place < len(hits) and hits[place]:
            merged.append(new)
        elif not (place and hits[place - 1]):
            merged.append(symbol)
    return merged


def only_once(word, pair, new):
    """Replace the first pair alone."""
    for place, found in enumerate(pairwise(word)):
        if found == pair:
            return [*word[:place], new, *word[place + 2 :]]
    return word


def in_text(word, pair, new):
    """Replace in the text that has blanks between symbols."""
    return " ".join(word).replace(" ".join(pair), new).split(" ")


def both_ways(word, pair, new):
    """Replace the pair and the pair turned round."""
    turned = pair[1] + pair[0]
    return replace_pair(replace_pair(word, pair, new), pair[::-1], turned)


def wrong_merges(words, pair):
    """Return pairs of a hint and the dict that the mistake gives."""
    new = pair[0] + pair[1]

    def merge(how, symbol=new):
        merged = Counter()
        for word, count in words.items():
            merged[tuple(how(word, pair, symbol))] += count
        return merged

    right = merge(replace_pair)
    last = {tuple(replace_pair(w, pair, new)): n for w, n in words.items()}
    holds = {w: n for w, n in right.items() if new in w}
    keys = {"".join(word): n for word, n in words.items()}
    spaced = {" ".join(word): n for word, n in right.items()}
    return [
        (
            "overlapping pairs are merged twice; a symbol that has been "
            "merged is used up",
            merge(overlapping),
        ),
        (
            "overlapping pairs are merged from the right; go from left to "
            "right",
            merge(from_the_right),
        ),
        (
            "only the first place in a word is merged; merge all of them",
            merge(only_once),
        ),
        (
            "replacing in a joined string merges the end of a longer symbol "
            "(he s holds the text e s); compare whole symbols",
            merge(in_text),
        ),
        (
            "the pair turned round is merged too; order counts",
            merge(both_ways),
        ),
        (
            "the new symbol is a tuple; join the two strings",
            merge(replace_pair, pair),
        ),
        (
            "the new symbol is joined the wrong way round",
            merge(replace_pair, pair[1] + pair[0]),
        ),
        (
            "the new symbol has something between its two parts",
            merge(replace_pair, " ".join(pair)),
        ),
        ("nothing is merged in the new dict", dict(words)),
        (
            "words without the pair are gone; they stay as they are",
            holds,
        ),
        (
            "the counts are gone; every word keeps its own",
            dict.fromkeys(right, 1),
        ),
        (
            "one of the two counts is lost; add them",
            last,
        ),
        ("the words are whole strings; keep tuples of symbols", keys),
        ("the words are strings with blanks; keep tuples of symbols", spaced),
    ]
