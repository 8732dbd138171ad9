"""Check of the task to merge the most frequent pair of symbols."""

from attnbook.checks.engine.calling import call
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.merging_mistakes import wrong_merges
from attnbook.checks.merging_pair_mistakes import first, pairs_of, wrong_pairs
from attnbook.data.bpe import merge_step


def spelled(**counts):
    """Return a dict of words, each cut into its letters."""
    return {tuple(word): count for word, count in counts.items()}


def all_pairs(letters, count):
    """Return all words of two different letters, equally frequent.

    So many that the order of a set does not start with the right one.
    """
    return {(a, b): count for a in letters for b in letters if a != b}


STAGES = (
    ("", spelled(net=5, hen=3, the=6, eat=3, hat=5)),
    (
        "right for words of one length, but not for others: ",
        spelled(sing=7, ring=3, ink=2, old=4, cold=4, told=2, fold=1),
    ),
    (
        "right for some words, but not where one word is very frequent: ",
        spelled(at=9, bat=1, sun=2, run=2, fun=2, bun=2, ate=1),
    ),
    (
        "right, but not where a pair stands in a word twice: ",
        spelled(banana=3, can=1, cab=4, bad=1),
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
        "right for single letters, but not for longer symbols: ",
        {("he", "s"): 2, ("e", "s", "t"): 4, ("w", "e", "s"): 3},
    ),
    (
        "right, but not where a longer symbol starts like one of the pair: ",
        {("t", "h"): 5, ("t", "hat"): 2, ("s", "t", "h", "e"): 1},
    ),
    (
        "right, but not where two pairs spell the same text: ",
        {("d", "e"): 5, ("a", "bc"): 3, ("ab", "c"): 4},
    ),
    (
        "right, but not where other symbols spell the same text: ",
        {("ab", "c"): 3, ("a", "bc"): 2, ("d",): 1},
    ),
    (
        "right, but not where an equally frequent pair is shorter: ",
        {("b", "f"): 3, ("abc", "d"): 3, ("b", "e"): 3},
    ),
    (
        "right, but not where pairs of longer symbols are equally frequent: ",
        {("a", "bc"): 2, ("ab", "a"): 2, ("b", "c"): 2},
    ),
    (
        "right, but not where two words become the same: ",
        {("o", "n"): 4, ("on",): 3, ("n", "o"): 2, ("s", "on"): 1},
    ),
    (
        "right, but not where many pairs of longer symbols are equally "
        "frequent: ",
        all_pairs(("un", "o", "he", "ing", "s", "al", "t", "er", "an"), 2),
    ),
)


def pair_and_words(result):
    """Return the pair and the dict, or say why they are not there."""
    if isinstance(result, dict):
        raise Mistake("you return the dict alone; return (pair, words)")
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise Mistake(
            "return two things, the pair and the new dict, not one "
            f"{type(result).__name__}"
        )
    pair, words = result
    if isinstance(pair, str) and isinstance(words, str):
        raise Mistake("you return the pair alone; return (pair, words)")
    if isinstance(pair, dict):
        raise Mistake("you return the dict first; return (pair, words)")
    if isinstance(pair, str):
        raise Mistake(
            "your pair is one string; return it as a tuple of two symbols"
        )
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise Mistake("the pair must be a tuple of two symbols")
    if not isinstance(words, dict):
        raise Mistake(f"the words must be a dict, not {type(words).__name__}")
    return pair, words


def judge_pair(pair, given):
    """Raise the mistake in a pair that is not the right one."""
    for hint, wrong in wrong_pairs(given):
        if pair == wrong:
            raise Mistake(hint)
    counts = pairs_of(given)
    if pair in counts and counts[pair] == counts[first(counts)]:
        raise Mistake(
            "of equally frequent pairs the alphabetically first one wins; "
            "yours is another one. If it comes out of a set, another run of "
            "Python gives another pair"
        )
    raise Mistake(f"{pair!r} is not the most frequent pair")


def judge_words(words, given):
    """Raise a mistake in the kind of keys or in the sum of the counts."""
    for word in words:
        if not isinstance(word, tuple):
            raise Mistake(
                "the words of the new dict must be tuples of symbols, not "
                f"{type(word).__name__}"
            )
    if all(isinstance(n, int) for n in words.values()):
        before, after = sum(given.values()), sum(words.values())
        if before != after:
            raise Mistake(
                f"the counts added up to {before} before the merge and add "
                f"up to {after} after it; no word may be lost or doubled"
            )
    raise Mistake("the pair is right, but the new dict is not")


@checker
def check_merge_step(answer):
    """Check exercise ``merge_step(words) -> (pair, words)``.

    Args:
        answer: a function of a dict of word -> count, the word a tuple of
            symbols, that returns the most frequent pair of neighbours and
            the dict in which this pair is one symbol.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, given in STAGES:
        result = call(answer, given)
        best, merged = merge_step(given)
        try:
            pair, words = pair_and_words(result)
            if pair != best:
                judge_pair(pair, given)
            if words != merged:
                for hint, wrong in wrong_merges(given, best):
                    if words == wrong:
                        raise Mistake(hint)
                judge_words(words, given)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
