"""Write noun phrases in English."""

from attnbook.data.storybook.lexicon_en import NOUNS, PRONOUNS, VERBS


def pronoun(phrase):
    """Return the pronoun that stands for a phrase as a subject.

    Args:
        phrase: a `Phrase`, no singular student, who is he or she.

    Returns:
        "i", "you", "he", "she", "it", "we" or "they".
    """
    if phrase.kind == "pronoun":
        return phrase.noun
    return "they" if phrase.many else NOUNS[phrase.noun].pronoun


def articles(words):
    """Turn *a* into *an* where a vowel follows, in pairs (word, keys)."""
    done = list(words)
    for place, (word, keys) in enumerate(words):
        if word == "a" and words[place + 1][0][0] in "aeiou":
            done[place] = ("an", keys)
    return done


def write_phrase(phrase, subject=False):
    """Write a noun phrase; a pronoun as a subject is *I* and not *me*."""
    role = phrase.role
    if phrase.kind == "pronoun":
        return [(_form(phrase.noun, subject), (role + ".noun",))]
    the = (role + ".the",)
    if phrase.owner:
        words = write_phrase(phrase.owner) + [("'s", the)]
    elif phrase.determiner == "this" and phrase.many:
        words = [("these", the)]
    else:
        words = [(phrase.determiner, the)] if phrase.determiner else []
    words += [(word, (role + "." + word,)) for word in phrase.adjectives]
    noun = NOUNS[phrase.noun].plural if phrase.many else phrase.noun
    words.append((noun, (role + ".noun",)))
    return words + _relative(phrase) if phrase.relative else words


def _form(word, subject):
    return word if subject or word == "this" else PRONOUNS[word].object


def _relative(phrase):
    acts, verb, other = phrase.relative
    who = "who" if acts and phrase.kind == "human" else "that"
    that, main = (phrase.role + end for end in (".that", ".main"))
    past = [(VERBS[verb].past, (phrase.role + ".do", main))]
    other = write_phrase(other)
    return [(who, (that,))] + (past + other if acts else other + past)
