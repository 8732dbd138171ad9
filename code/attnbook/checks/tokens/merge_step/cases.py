"""The words on which the check of a merge step judges an answer."""

from attnbook.checks.engine.exercise import Case


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
