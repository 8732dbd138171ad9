"""Write verbs in French: tenses, agreement, *ne ... pas*."""

from attnbook.data.storybook.french_passes import agree_participle, gender
from attnbook.data.storybook.lexicon_fr import VERBS

_FUTURE = ("ai", "as", "a", "ons", "ont")
_IMPERFECT = ("ais", "ais", "ait", "ions", "aient")


def conjugate(verb, tense, person):
    """Return a `Verb` without auxiliary; for the person see `plans`."""
    if tense == "present":
        return (verb.i, verb.you, verb.singular, verb.we, verb.plural)[person]
    if tense == "future":
        return verb.future[:-1] + _FUTURE[person]
    return verb.imperfect[:-3] + _IMPERFECT[person]


def write_verb(
    verb,
    tense,
    doer,
    name,
    negated=False,
    clitic=(),
    before=None,
    earlier=False,
    person=None,
):
    """Write a verb.

    Args:
        verb: a `Verb`.
        tense: "past", "present" or "future".
        doer: the `Phrase` that acts.
        name: the first part of its keys.
        negated: whether *ne ... pas* surrounds it.
        clitic: the words of pronouns that precede it.
        before: the `Phrase` of an object that precedes: the participle
            agrees with it.
        earlier: whether it was over before another past.
        person: of the verb, if it is not that of the doer.
    """
    do, main, last = (name + ".do",), (name + ".main",), []
    person = doer.person if person is None else person
    if tense == "past" and not verb.imperfect:
        participle = verb.participle
        agreeing = doer if verb.moves else before
        if agreeing:
            many = agreeing.person >= 3
            participle = agree_participle(participle, gender(agreeing), many)
        auxiliary = VERBS["be" if verb.moves else "have"]
        time = "past" if earlier else "present"
        finite, last = (
            (conjugate(auxiliary, time, person), do),
            [(participle, main)],
        )
    else:
        finite = (conjugate(verb, tense, person), do + main)
    return negate([*clitic, finite], negated) + last


def negate(words, negated, key="not"):
    """Put *ne ... pas* around a finite verb and its pronouns, if negated."""
    return [("ne", (key,)), *words, ("pas", (key,))] if negated else words
