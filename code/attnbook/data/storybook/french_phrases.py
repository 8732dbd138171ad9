"""Write noun phrases in French: articles, adjectives, relative clauses."""

from attnbook.data.storybook.french_passes import agree, find_noun, gender
from attnbook.data.storybook.french_verbs import write_verb
from attnbook.data.storybook.lexicon_fr import (
    ADJECTIVES,
    DETERMINERS,
    OTHER,
    PRONOUNS,
    VERBS,
)


def pronoun(phrase):
    """Return the pronoun that stands for a phrase as a subject.

    Args:
        phrase: a `Phrase`.

    Returns:
        "il", "elle", "ils" or "elles"; for a pronoun, its own form.
    """
    if phrase.kind == "pronoun":
        return PRONOUNS[phrase.noun].subject
    return {"m": "il", "f": "elle"}[gender(phrase)] + "s" * phrase.many


def inflect(quality, phrase):
    """Return an adjective that is said of a phrase.

    An animal that is *gros* would be fat: it is *grand*, an apple is *gros*.

    Args:
        quality: an English adjective.
        phrase: a `Phrase`.
    """
    entry = ADJECTIVES[quality]
    if quality == "big" and phrase.kind != "animal":
        entry = _entry(quality, phrase)
    return agree(entry[1], gender(phrase), phrase.many, "")


def _entry(word, phrase):
    """Return the adjective for this noun, for its kind, or for all."""
    names = (f"{word}:{phrase.noun}", f"{word}:{phrase.kind}", word)
    return next(ADJECTIVES[name] for name in names if name in ADJECTIVES)


def _adjective(word, phrase, following):
    """Return an adjective's place and its form beside a noun."""
    entry = _entry(word, phrase)
    return entry[0], agree(entry[1], gender(phrase), phrase.many, following)


def _core(phrase):
    """Write the noun with its adjectives, from the inside out."""
    noun = find_noun(phrase)
    form = noun.plural if phrase.many else noun.singular
    words = [(form, (phrase.role + ".noun",))]
    for english in reversed(phrase.adjectives):
        place, form = _adjective(english, phrase, words[0][0])
        word = (form, (phrase.role + "." + english,))
        words = [word] + words if place == "before" else words + [word]
    return words


def write_phrase(phrase, tense=""):
    """Write a noun phrase, a pronoun in its stressed form.

    Args:
        phrase: a `Phrase`.
        tense: of the main clause, for the tense of a relative clause.
    """
    the = (phrase.role + ".the",)
    if phrase.kind == "pronoun":
        return [(PRONOUNS[phrase.noun].stressed, (phrase.role + ".noun",))]
    words, noun = _core(phrase), (phrase.role + ".noun",)
    name = "the" if phrase.owner else phrase.determiner or "some"
    form = agree(DETERMINERS[name], gender(phrase), phrase.many, words[0][0])
    if name == "some" and phrase.many and words[0][1] != noun:
        form = "de"  # de jolis ours
    said = phrase.owner or phrase.determiner
    words = [(form, the if said else noun)] + words
    if phrase.owner:
        words += [("de", the)] + write_phrase(phrase.owner)
    return words + _relative(phrase, tense) if phrase.relative else words


def _relative(phrase, tense):
    """Write a relative clause: what happened before the past, *avait vu*."""
    acts, verb, other = phrase.relative
    that, verb = (phrase.role + ".that",), VERBS[verb]
    earlier = tense == "past"
    if acts:
        past = write_verb(verb, "past", phrase, phrase.role, earlier=earlier)
        return [("qui", that)] + past + write_phrase(other)
    past = write_verb(
        verb, "past", other, phrase.role, before=phrase, earlier=earlier
    )
    return [("que", that)] + write_phrase(other) + past


def write_other(word, key):
    """Return the words of an adverb or preposition, all with one key."""
    return [(part, (key,)) for part in OTHER[word]]
