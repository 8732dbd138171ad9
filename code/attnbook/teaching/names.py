"""Compare names of people: exactly first, then without accents.

A mark on a letter, such as a vowel sign, makes a different name, so marks are
kept.  Only those of Latin, Greek and Cyrillic letters are often left out, so a
name without them may be the same.
"""

import re
import unicodedata

TURNS = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]")
JOINS = "\u00ad\u200b\u200c\u200d\u2060"  # seen by how letters join, or not
OWN = ("LATIN", "GREEK", "CYRILLIC")  # letters whose marks are left out
PLAIN = {"đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ø": "o"}
PLAIN |= {"æ": "ae", "œ": "oe", "þ": "th"}


def normalise_name(name):
    """Return a name in Unicode's normal form C (UAX 15), its case kept."""
    return " ".join(unicodedata.normalize("NFC", TURNS.sub("", name)).split())


def fold_name(name):
    """Return a name in lower case and one form; all marks are kept."""
    return normalise_name(
        unicodedata.normalize("NFD", normalise_name(name)).casefold()
    )


def words_of(name):
    """Return the words of a name: runs of letters, their marks, digits."""
    kept = [
        c if unicodedata.category(c)[0] in "LMN" or c in JOINS else " "
        for c in fold_name(name)
    ]
    return "".join(kept).split()


def letters_of(word):
    """Return the letters of a word, pairs of a letter and its marks.

    Args:
        word: one of `words_of`.  Marks are those that are often left out;
            others are letters.
    """
    found = []
    for c in unicodedata.normalize("NFD", word):
        mark = unicodedata.combining(c) and found
        if c in JOINS:
            continue
        if mark and unicodedata.name(found[-1][0], "").startswith(OWN):
            found[-1] = found[-1][0], found[-1][1] + c
        else:
            first, *more = PLAIN.get(c, c)
            found.append((first, c * (c in PLAIN)))
            found += [(letter, "") for letter in more]
    return found


def strip_marks(name):
    """Return a name without the marks that are often left out, words sorted.

    Args:
        name: in any form.
    """
    words = map(letters_of, words_of(name))
    return " ".join(sorted("".join(x for x, _ in word) for word in words))


def may_be_same(one, other):
    """Say whether two names may be the same if marks were left out.

    Different marks on the same letter make different names.

    Args:
        one: a name.
        other: a name.
    """
    words = [
        sorted(
            map(letters_of, words_of(name)), key=lambda w: [x for x, _ in w]
        )
        for name in (one, other)
    ]
    return strip_marks(one) == strip_marks(other) and all(
        a == b or not (a and b)
        for pair in zip(*words, strict=True)
        for (_, a), (_, b) in zip(*pair, strict=True)
    )
