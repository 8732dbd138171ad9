"""Check of the task to merge the most frequent pair of symbols."""

import re
import unicodedata  # noqa: F401 (rows use it)
from collections import Counter
from itertools import combinations, pairwise  # noqa: F401 (rows use it)
from numbers import Number

from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint, Mistake
from attnbook.data.paircounts import replace_pair


def merge_step(words):
    """Merge the most frequent pair of neighbouring symbols everywhere.

    Args:
        words: dict of word -> count, the word a tuple of symbols.

    Returns:
        The pair, of equally frequent ones the alphabetically first, and the
        new dict, in which the pair is one symbol.
    """
    found = Counter()
    for word, count in words.items():
        weight = count
        pairs = list(pairwise(word))
        for pair in pairs:
            found[pair] += weight
    counts = found
    best = min(counts, key=lambda pair: (-counts[pair], pair))
    symbol = best[0] + best[1]
    merged = Counter()
    rest = words
    for word, count in rest.items():
        new, place, end = [], 0, len(word)
        while place < end:
            here = word[place : place + 2]
            hit = here == best
            new.append(symbol if hit else word[place])
            place += 1 + hit
        after = tuple(new)
        merged[after] += count
    returned, result = best, dict(merged)
    return returned, result


def without_overlap(word):
    """Return the pairs of a word, none of two equal ones that overlap."""
    pairs, last = [], None
    for pair in pairwise(word):
        last = None if pair == last else pair
        pairs += [pair] * (last is not None)
    return pairs


def by_spelling(counts, place=0):
    """Return the counts where pairs that spell the same text are one."""
    alike = {}
    for pair in counts:
        alike.setdefault("".join(pair), []).append(pair)
    return {p[place]: sum(counts[x] for x in p) for p in alike.values()}


def frequent(symbols):
    """Return the two most frequent symbols, which need not be neighbours."""
    return tuple(s for s, _ in Counter(symbols).most_common(2))


def wordpiece(words, counts):
    """Return the pair whose count is largest beside those of its symbols."""
    single = Counter(s for word, n in words.items() for s in word * n)
    score = {
        (a, b): n / (single[a] * single[b]) for (a, b), n in counts.items()
    }
    return min(score, key=lambda pair: (-score[pair], pair))


def overlapping(word, pair):
    """Replace every pair, those that share a symbol too."""
    merged, hits = [], [p == pair for p in pairwise(word)]
    for place, symbol in enumerate(word):
        if place < len(hits) and hits[place]:
            merged.append("".join(pair))
        elif not (place and hits[place - 1]):
            merged.append(symbol)
    return tuple(merged)


def replaced(word, pair, pattern="{}"):
    """Replace in the text that has spaces between symbols."""
    pattern = pattern.format(re.escape(" ".join(pair)))
    return tuple(re.sub(pattern, "".join(pair), " ".join(word)).split())


def merge(word, pair):
    """Replace a pair, from left to right."""
    return tuple(replace_pair(word, pair, "".join(pair)))


MISTAKES = table(r"""
    pairs = [(a, word[word.index(a) + 1]) for a in word[:-1]]
        word.index(a) finds the first a alone; where a word has a symbol twice,
        walk through it with zip or with the place
    weight = 1
        every word counts once, however often it occurs; add the word's count
        to each of its pairs
    weight = found.clear() or count
        only the last word is counted; add up the pairs of all words
    found[pair] = weight
        a pair has the count of its last word; add up those of all words
    found[pair] = max(found[pair], weight)
        a pair has the count of one word; add up those of all words
    found[pair] += weight if pair in found else 1
        a pair that is new counts once; add the word's count there too
    found[pair] += weight * len("".join(pair))
        you multiply the count by the length of the pair; add the word's count
        as it is
    pairs = set(pairwise(word))
        a pair that stands in a word twice must count twice
    pairs = without_overlap(word)
        overlapping pairs count too: a a a holds the pair a a twice
    weight = count / len(word)
        you divide the count by the length of the word; add it as it is
    pairs = list(zip(word, word[1:] + word[:1]))
        you pair the last symbol of a word with its first; count neighbours
    pairs = list(zip(word, word[2:]))
        you pair symbols that stand two places apart; count neighbours
    pairs = [pair for pair in pairwise(word) if pair[0] != pair[1]]
        two equal symbols are a pair too; leave none out
    pairs = list(pairwise(word))[:1]
        you count the first pair of each word alone; count all of them
    pairs = list(zip(word[::2], word[1::2]))
        you count every second pair; a symbol makes a pair with its left
        neighbour and one with its right
    pairs = [tuple(sorted(pair)) for pair in pairwise(word)]
        you sort the two symbols of a pair; their order counts
    pairs = list(combinations(word, 2))
        you count two symbols that stand apart; count neighbours
    pairs = list(pairwise(word))[:-1]
        the last pair of each word is not counted
    pairs = list(pairwise(word))[1:]
        the first pair of each word is not counted
    counts = Counter(pairwise(s for w, n in words.items() for s in w * n))
        pairs are counted across the border of two words; count inside each
        word
    counts = {p: n for p, n in found.items() if len("".join(p)) == 2} or found
        you leave out pairs of longer symbols; they count too
    counts = by_spelling(found)
    counts = by_spelling(found, -1)
        you count joined strings, which takes different pairs that spell the
        same text for one; count tuples
    best = frequent(s for word in words for s in word)
    best = frequent(s for word, n in words.items() for s in word * n)
        you put the two most frequent symbols together; count pairs of
        neighbours
    best = min(counts, key=lambda pair: (counts[pair], pair))
        you take the rarest pair; take the most frequent one
    best = min(counts)
        you ignore the counts: yours is the alphabetically first of all pairs;
        take the most frequent one
    best = max(counts, key=counts.get)
        of equally frequent pairs the alphabetically first one wins; yours is
        the first one in the dict
    best = max(reversed(counts), key=counts.get)
        of equally frequent pairs the alphabetically first one wins; yours is
        the last one in the dict
    best = wordpiece(words, counts)
        you divide the count of the pair by those of its symbols, as WordPiece
        does; take the most frequent pair
    best = max(counts, key=lambda pair: (counts[pair], pair))
        of equally frequent pairs the alphabetically first one wins; yours is
        the last one
    best = min(counts, key=lambda pair: (-counts[pair], "".join(pair)))
        of equally frequent pairs the alphabetically first one wins; compare
        pairs as tuples, not as joined strings
    best = min(counts, key=lambda pair: (-counts[pair], pair[0]))
        of equally frequent pairs the alphabetically first one wins; you
        compare first symbols only; the second one decides where they agree
    best = min(counts, key=lambda pair: (-counts[pair], pair[::-1]))
        of equally frequent pairs the alphabetically first one wins; you
        compare second symbols first
    best = min(counts, key=lambda pair: (-counts[pair], pair[1]))
        of equally frequent pairs the alphabetically first one wins; you
        compare second symbols only
    best = min(counts, key=lambda p: (-counts[p], p[0][0], p[1][0]))
        of equally frequent pairs the alphabetically first one wins; you
        compare first letters only
    best = min(counts, key=lambda p: (-counts[p], [s.lower() for s in p]))
        of equally frequent pairs the alphabetically first one wins; you
        compare without regard to capitals, which come first
    best = min(counts, key=lambda p: (-counts[p], len("".join(p)), p))
        of equally frequent pairs the alphabetically first one wins; you put
        shorter pairs in front
    best = min(counts, key=lambda p: (-counts[p], -len("".join(p)), p))
        of equally frequent pairs the alphabetically first one wins; you put
        longer pairs in front
    symbol = best
        the new symbol is a tuple; join the two strings
    symbol = unicodedata.normalize("NFC", best[0] + best[1])
        you normalise the new symbol; it is the two strings joined, as they are
    symbol = best[1] + best[0]
        the new symbol is joined the wrong way round
    symbol = " ".join(best)
    symbol = "_".join(best)
        the new symbol has something between its two parts
    rest = {w: words[w] for w in words if w[1:]}
        words of a single symbol are gone; they stay as they are
    rest = {w: words[w] for w in words if best in pairwise(w)}
        words without the pair are gone; they stay as they are
    new, place, end = [], 0, len(word) - 1
        the last symbol of a word is lost where it is not merged; walk to the
        end of the word
    hit = "".join(here) == symbol
        two other symbols that spell the same text are merged too; compare
        symbols, not joined strings
    hit = here == best and symbol not in new
        the pair is still there at some places of a word; merge all of them
    hit = here == best and best[0] not in new
        you stop at the first symbol of the pair that stands without its
        partner; go on to the end of the word
    place += 1
        the second symbol of a merged pair is kept as well; after a merge go on
        by two
    after = overlapping(word, best)
        overlapping pairs are merged twice; a symbol that has been merged is
        used up
    after = tuple(replace_pair(word[::-1], best[::-1], symbol)[::-1])
        overlapping pairs are merged from the right; go from left to right
    after = replaced(word, best)
        replacing in a joined string merges the end of a longer symbol (he s
        holds the text e s); compare whole symbols
    after = replaced(word, best, r"(?<!\S){}")
        replacing in a joined string merges the start of a longer symbol (t hat
        starts with t h); (?!\S) must follow, or compare whole symbols
    after = tuple(re.sub(" ".join(best), symbol, " ".join(word)).split())
        a regular expression reads signs such as . ( + as orders; use re.escape
    after = merge(merge(word, best), best[::-1])
        the inverted pair is merged too; order counts
    after = word
        nothing is merged in the new dict
    merged[after] = count
        one of the two counts is lost; add them
    merged[after] = merged[after] or count
        of two counts the first one is kept; add them
    merged[after] = max(count, merged[after])
        of two counts the larger one is kept; add them
    merged[after] += 1
        the counts are gone; every word keeps its own
    returned, result = best[::-1], dict(merged)
        the pair is the wrong way round; the left symbol comes first
    returned, result = best, words | merged
        the words from before the merge are in the new dict too; no
        word may be lost or doubled
    returned, result = best, {"".join(w): n for w, n in words.items()}
        the words are whole strings; keep tuples of symbols
    returned, result = best, {" ".join(w): n for w, n in merged.items()}
        the words are strings with spaces; keep tuples of symbols
""")


def require_counts(words):
    """Refuse what is no dict with numbers."""
    if not isinstance(words, dict):
        raise Mistake("the words must be a dict, not {}", type(words).__name__)
    for count in words.values():
        if not isinstance(count, Number):
            kind = type(count).__name__
            raise Mistake(
                "a count of the new dict must be a number, no {}", kind
            )


def through(answer, words):
    """Return the pair and the dict, or say why they are not there."""
    result = answer(words)
    if unanswered(result):
        return result
    if isinstance(result, dict):
        raise Mistake("you return the dict alone; return (pair, words)")
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        several = isinstance(result, (tuple, list))
        got = len(result) if several else f"one {type(result).__name__}"
        raise Mistake(
            "return two things, the pair and the new dict, not {}", got
        )
    pair, words = result
    if isinstance(pair, str):
        raise Mistake(
            "you return the pair alone; return (pair, words)"
            if isinstance(words, str)
            else "your pair is one string; return it as a tuple of two symbols"
        )
    if isinstance(pair, dict) and isinstance(words, dict):
        raise Mistake(
            "you return two dicts; in the place of the first return the most "
            "frequent pair, a tuple of two symbols"
        )
    if isinstance(pair, dict):
        raise Mistake("you return the dict first; return (pair, words)")
    whole = isinstance(pair, tuple) and all(isinstance(s, str) for s in pair)
    if not whole or len(pair) != 2:
        raise Mistake("the pair must be a tuple of two symbols")
    require_counts(words)
    return pair, dict(words)


def guess(results, rights, inputs):
    """Return what is wrong with a pair or a dict that no row gives."""
    (pair, words), (best, _), (given,) = results, rights, inputs
    if pair != best:
        counts = Counter()
        for word, count in given.items():
            for two in pairwise(word):
                counts[two] += count
        if counts[pair] == counts[best]:
            return (
                "of equally frequent pairs the alphabetically first one wins; "
                "yours is another one. If it comes out of a set, another run "
                "of Python gives another pair"
            )
        return Hint("{} is not the most frequent pair", repr(pair))
    kinds = {type(word).__name__ for word in words} - {"tuple"}
    if kinds:
        return Hint(
            "the words of the new dict must be tuples of symbols, not {}",
            kinds.pop(),
        )
    before, after = sum(given.values()), sum(words.values())
    if before != after:
        return Hint(
            "the counts added up to {} before the merge and add up to "
            "{} after it; no word may be lost or doubled",
            before,
            after,
        )
    changed = ((word, merge(word, best)) for word in given)
    word, after = next((x for x in changed if x[1] not in words), ("", ""))
    wanted = "stay as it is" if word == after else f"be {after} there"
    example = f": {word} must {wanted}" * bool(word)
    return Hint("the pair is right, but the new dict is not{}", example)


def spelled(**counts):
    """Return a dict of words, each cut into its letters."""
    return {tuple(word): count for word, count in counts.items()}


def all_pairs(letters, count):
    """Return all words of two different letters, equally frequent.

    So many that the order of a set does not start with the right one.
    """
    return {(a, b): count for a in letters for b in letters if a != b}


def renamed(draws, words):
    """Return words, or others that have as much in common."""
    times, letters = draws.number(1, 1, 4), "".join(map("".join, words))
    return {
        tuple(draws.ciphered(symbol, letters) for symbol in word): times
        * count
        for word, count in words.items()
    }


def cases(draws):
    """Yield all cases."""
    for shown, words in (
        ("", spelled(net=5, hen=3, the=6, eat=3, hat=5)),
        (
            "right for words of one length, but not for others: ",
            spelled(sing=7, ring=3, ink=2, old=4, cold=4, told=2, fold=1),
        ),
        (
            "right, but not where a pair stands in a word twice: ",
            spelled(banana=3, can=1, cab=4, bad=1),
        ),
        (
            "right, but not where a pair stands in a word several times: ",
            spelled(ononono=3, noonon=1, no=2),
        ),
        (
            "right, but not where a symbol of the pair stands without the "
            "other one in front of it: ",
            spelled(tath=4, ahth=3, that=1),
        ),
        (
            "right, but not where a pair has two equal symbols: ",
            spelled(see=4, bee=3, se=2),
        ),
        (
            "right, but not where two pairs overlap: ",
            spelled(aaaaa=2, baaa=1, cd=8, aab=1),
        ),
        (
            "right, but not where a word has a single symbol: ",
            {("a",): 9, ("b", "c"): 1, ("the",): 5},
        ),
        (
            "right, but not where several pairs are equally frequent: ",
            all_pairs("owtendialm", 3),
        ),
        (
            "right, but not where pairs inside words are equally frequent: ",
            spelled(mad=2, bog=2, dip=2),
        ),
        (
            "right, but not where capitals are equally frequent: ",
            spelled(Ta=3, at=3, un=3, Ab=2),
        ),
        (
            "right for letters, but not for other signs: ",
            {("o", "."): 4, ("o", "n"): 3, ("(", "o"): 1},
        ),
        (
            "right, but not where two signs look like one when joined: ",
            {("\u1103", "\u1169"): 4, ("o", "n"): 3},
        ),
        (
            "right for single letters, but not for longer symbols: ",
            {("he", "s"): 2, ("e", "s", "t"): 4, ("w", "e", "s"): 3},
        ),
        (
            "right, but not where a longer symbol starts like one of the "
            "pair: ",
            {("t", "h"): 5, ("t", "hat"): 2, ("s", "t", "h", "e"): 1},
        ),
        (
            "right, but not where two pairs spell the same text: ",
            {("d", "e"): 5, ("a", "bc"): 3, ("ab", "c"): 4},
        ),
        (
            "right, but not where other symbols spell the same text: ",
            {("ab", "c"): 3, ("a", "bc"): 2, ("d", "e"): 1},
        ),
        (
            "right, but not where an equally frequent pair is shorter: ",
            {("b", "f"): 3, ("abc", "d"): 3, ("b", "e"): 3},
        ),
        (
            "right, but not where pairs of longer symbols are equally "
            "frequent: ",
            {("a", "bc"): 2, ("ab", "a"): 2, ("b", "c"): 2},
        ),
        (
            "right, but not where two words become the same: ",
            {("on", "o", "n"): 3, ("o", "n", "o", "n"): 5, ("on", "on"): 4}
            | {("o", "n"): 4, ("on",): 3, ("n", "o"): 2, ("s", "on"): 1},
        ),
        (
            "right, but not where many pairs of longer symbols are equally "
            "frequent: ",
            all_pairs(("un", "o", "he", "an", "ing", "s", "al", "t", "er"), 2),
        ),
        (
            "right, but not where counts are large: ",
            spelled(ab=40, cdxyz=60, ef=50, gh=2, ce=2, cea=1, aa=1),
        ),
    ):
        yield Case(shown, (renamed(draws, words),))


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=merge_step,
        returns={"the pair": "", "the new dict": ""},
        takes=("",),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        asked=None,
        combine=(
            "weight",
            "counts",
            "symbol",
            "rest",
            "(new, place, end)",
            "hit",
            "place",
            "after",
            "merged[after]",
            "(returned, result)",
        ),
        guess=guess,
        through=through,
    )


check_merge_step = check(exercise)
