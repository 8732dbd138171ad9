"""Write noun phrases in Korean, with their particles."""

from attnbook.data.storybook.hangul import add_ending, particle
from attnbook.data.storybook.lexicon_en import NUMBERS
from attnbook.data.storybook.lexicon_ko import (
    ADJECTIVES,
    NOUNS,
    OTHER,
    PRONOUNS,
    VERBS,
)

_BEFORE = ("this", "my", "your", "his", "her", "our", "their")


def find_adjective(word, phrase):
    """Return the `Stem` of an English adjective for a phrase."""
    names = (f"{word}:{phrase.noun}", f"{word}:{phrase.kind}", word)
    return next(ADJECTIVES[name] for name in names if name in ADJECTIVES)


def write_phrase(phrase, extra=()):
    """Write a noun phrase without particle; extra: more keys for the noun."""
    role, the = phrase.role, (phrase.role + ".the",)
    noun = (role + ".noun", *extra)
    if phrase.kind == "pronoun":
        return [(PRONOUNS[phrase.noun], noun)]
    words = _relative(phrase) if phrase.relative else []
    if phrase.owner:
        words += write_phrase(phrase.owner) + [("+의", the)]
    elif phrase.determiner in _BEFORE:
        words.append((OTHER[phrase.determiner], the))
    words += _adjectives(phrase)
    entry = NOUNS[phrase.noun]
    words.append((entry.word, noun))
    if phrase.determiner in NUMBERS:
        words += [(OTHER[phrase.determiner], the), (entry.counter, the)]
    elif phrase.many:
        words.append(("+들", noun))
    return words


def _adjectives(phrase):
    """Write the adjectives: *small and white*, except colours like 회색."""
    entries = [find_adjective(word, phrase) for word in phrase.adjectives]
    forms = [entry.attributive for entry in entries]
    if len(entries) == 2 and not entries[1].dictionary.endswith("이다"):
        forms[0] = add_ending(entries[0], "고")
    return [
        (form, (phrase.role + "." + word,))
        for form, word in zip(forms, phrase.adjectives, strict=True)
    ]


def _relative(phrase):
    acts, verb, other = phrase.relative
    that, do, main = (phrase.role + end for end in (".that", ".do", ".main"))
    inner = mark_phrase(other, "object" if acts else "subject")
    return inner + [(VERBS[verb].attributive, (that, do, main))]


def add_particle(words, name, keys):
    """Add the particle of `hangul.particle` that fits the last word."""
    last = words[-1][0].removeprefix("+")
    return words + [(particle(name, last), keys)]


def mark_phrase(phrase, name):
    """Write a phrase with a particle of `hangul.particle`."""
    return add_particle(write_phrase(phrase), name, (phrase.role + ".noun",))


def subject(phrase):
    """Write a subject: *the* makes it the topic, *a* does not.

    Args:
        phrase: a `Phrase`.
    """
    indefinite = phrase.determiner in ("a", *NUMBERS) and not phrase.owner
    return mark_phrase(phrase, "subject" if indefinite else "topic")
