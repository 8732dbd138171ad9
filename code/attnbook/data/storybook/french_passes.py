"""What French words do to their neighbours: elision, contraction, agreement.

The passes run over finished sentences, elision first: *de l'homme* must
have lost its *le* before *de le* is looked for.
"""

from attnbook.data.storybook.lexicon_fr import (
    ASPIRATED,
    FEMININE,
    NOUNS,
    PRONOUNS,
)

_VOWELS = frozenset("aeiouâéèêîôœ")
_ELIDED = {
    word: word[:-1] + "'"
    for word in ("le", "la", "ne", "de", "que", "je", "me", "te", "ce")
}
_CONTRACTED = {
    ("à", "le"): "au",
    ("à", "les"): "aux",
    ("de", "le"): "du",
    ("de", "les"): "des",
}
_ARTICLES = ("le", "les")


def begins_with_vowel(word):
    """Tell whether a word makes the word before it elide.

    Args:
        word: a French word in small letters.

    Returns:
        True for a vowel and for a mute h, False for an aspirated h.
    """
    if word[0] == "h":
        return word not in ASPIRATED
    return word[0] in _VOWELS


def find_noun(phrase):
    """Return the `lexicon_fr.Noun` of a phrase, that of a woman if it is."""
    return (FEMININE if phrase.female else NOUNS)[phrase.noun]


def gender(phrase):
    """Return the gender of a phrase or pronoun, "m" or "f"."""
    if phrase.kind == "pronoun":
        return PRONOUNS[phrase.noun].gender
    return find_noun(phrase).gender


def agree(forms, gender, many, following):
    """Choose the form of an adjective or determiner.

    Args:
        forms: an `Agreeing` of the lexicon.
        gender: "m" or "f".
        many: whether the noun is in the plural.
        following: the next word, or "" if that does not matter.

    Returns:
        The form.
    """
    masculine = gender == "m"
    if many:
        return forms.masculine_plural if masculine else forms.feminine_plural
    special = forms.masculine_vowel if masculine else forms.feminine_vowel
    if special and following and begins_with_vowel(following):
        return special
    return forms.masculine if masculine else forms.feminine


def agree_participle(participle, gender, many):
    """Let a participle agree with the object that stands before it.

    Args:
        participle: its masculine singular.
        gender: "m" or "f", of the object.
        many: whether the object is in the plural.

    Returns:
        The participle with its endings; a final s takes no other.
    """
    feminine = participle + "e" if gender == "f" else participle
    return feminine + "s" if many and feminine[-1] != "s" else feminine


def elide(words):
    """Shorten *le, la, ne, de, que, je, me, te, ce* before a vowel.

    Args:
        words: a list of pairs (word, keys).

    Returns:
        A new list of the same length.
    """
    done = list(words)
    for place, (word, keys) in enumerate(words[:-1]):
        if word in _ELIDED and begins_with_vowel(words[place + 1][0]):
            done[place] = (_ELIDED[word], keys)
    return done


def contract(words):
    """Join *à* and *de* with a following *le* or *les*.

    Args:
        words: a list of pairs (word, keys), elided.

    Returns:
        A new list; a joined word has the keys of both.
    """
    done = []
    for word, keys in words:
        follows = done and word in _ARTICLES
        both = _CONTRACTED.get((done[-1][0], word)) if follows else None
        if both:
            done[-1] = (both, done[-1][1] + keys)
        else:
            done.append((word, keys))
    return done
