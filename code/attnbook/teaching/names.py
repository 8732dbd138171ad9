"""Names of people, compared whole first, and loosely only where one fits.

A mark that belongs to a letter, such as a vowel sign, makes another name, so
marks are kept.  Only those of Latin, Greek and Cyrillic letters are often left
out, so that a name without them may be the same one.
"""

import re
import unicodedata

TURNS = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]")
JOINS = "\u00ad\u200b\u200c\u200d\u2060"  # seen by how letters join, or not
OWN = ("LATIN", "GREEK", "CYRILLIC")  # letters whose marks are left out
PLAIN = {"đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ø": "o"}
PLAIN |= {"æ": "ae", "œ": "oe", "þ": "th"}


def written(name):
    """Return a name as it is written, in one form (Unicode, UAX 15)."""
    return " ".join(unicodedata.normalize("NFC", TURNS.sub("", name)).split())


def whole(name):
    """Return a name in one form without capitals; all marks are kept."""
    return written(unicodedata.normalize("NFD", written(name)).casefold())


def words_of(name):
    """Return the words of a name: runs of letters, their marks, digits."""
    kept = [
        c if unicodedata.category(c)[0] in "LMN" or c in JOINS else " "
        for c in whole(name)
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


def loose(name):
    """Return the words of a name without such marks, in the alphabet's order.

    Args:
        name: in any form.
    """
    words = map(letters_of, words_of(name))
    return " ".join(sorted("".join(x for x, _ in word) for word in words))


def may_be(one, other):
    """Say whether one name may be another, of which marks are left out.

    Where both have marks on a letter, and other ones, they are two names.

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
    return loose(one) == loose(other) and all(
        a == b or not (a and b)
        for pair in zip(*words, strict=True)
        for (_, a), (_, b) in zip(*pair, strict=True)
    )
