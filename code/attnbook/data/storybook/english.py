"""Write a plan in English."""

from attnbook.data.storybook.lexicon_en import (
    COMPARED,
    NOUNS,
    PRONOUNS,
    VERBS,
)
from attnbook.data.storybook.plans import IT, after_and

_BE = {
    "past": ("was", "were", "was", "were", "were"),
    "present": ("am", "are", "is", "are", "are"),
}
_CAN = {"past": "could", "present": "can"}


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


def write(clause):
    """Write a sentence.

    Args:
        clause: a `Clause`.

    Returns:
        A list of pairs (word, keys); see `plans`.
    """
    words, time = [], [(clause.time, ("time",))] if clause.time else []
    if time and not clause.time_last:
        words = [*time, (",", ("comma",))]
    words += _FRAMES[clause.frame](clause)
    if clause.next:
        words.append(("and", ("join",)))
        words += after_and(_FRAMES[clause.next.frame](clause.next))
    if clause.time_last:
        words += time
    words.append(("?" if clause.asks else ".", ("stop",)))
    return _articles(words)


def _articles(words):
    """Turn *a* into *an* where a vowel follows."""
    done = list(words)
    for place, (word, keys) in enumerate(words):
        if word == "a" and words[place + 1][0][0] in "aeiou":
            done[place] = ("an", keys)
    return done


def _phrase(phrase, subject=False):
    role = phrase.role
    if phrase.kind == "pronoun":
        return [(_form(phrase.noun, subject), (role + ".noun",))]
    the = (role + ".the",)
    if phrase.owner:
        words = _phrase(phrase.owner) + [("'s", the)]
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
    other = _phrase(other)
    return [(who, (that,))] + (past + other if acts else other + past)


def _doer(clause):
    words = _phrase(clause.doer, subject=True)
    if clause.partner:
        words += [("and", ("and",))] + _phrase(clause.partner)
    return words


def _predicate(clause, helper, rest):
    """Write subject, helping verb and the rest, in the order of a question.

    Args:
        clause: a `Clause`.
        helper: a pair (word, keys), or None.
        rest: the other words, with the verb.
    """
    if clause.asks:
        return [(helper[0], helper[1] + ("asks",)), *_doer(clause), *rest]
    helpers = [helper] if helper else []
    if clause.negated:
        helpers.append(("not", ("not",)))
    return _doer(clause) + helpers + rest


def _helper(clause, name):
    """Return the helping verb that a clause needs, or None."""
    if clause.can:
        return _CAN[clause.tense], ("can",)
    if clause.tense == "future":
        return "will", (name + ".do",)
    if clause.negated or clause.asks:
        third = clause.person == IT
        present = "does" if third else "do"
        word = "did" if clause.tense == "past" else present
        return word, (name + ".do",)
    return None


def _finite(clause, verb, name):
    """Return the form of a verb without helper, with its keys."""
    form = VERBS[verb].past if clause.tense == "past" else verb
    if clause.tense == "present" and clause.person == IT:
        form = VERBS[verb].third
    return form, (name + ".do", name + ".main")


def _verb(clause, verb, name):
    """Return the helper of a clause and its verb, a list of words."""
    helper = _helper(clause, name)
    if helper:
        return helper, [(verb, (name + ".main",))]
    return None, [_finite(clause, verb, name)]


def _be(clause):
    """Return the helper of a clause with *be*, and the rest of *be*."""
    if clause.tense == "future":
        return ("will", ("be",)), [("be", ("be",))]
    return (_BE[clause.tense][clause.person], ("be",)), []


def _spot(spot):
    words = spot.preposition.split("_")
    return [(word, ("at",)) for word in words] + _phrase(spot.phrase)


def _objects(clause):
    """Write the object and who gets it, in either order."""
    thing = _phrase(clause.object) if clause.object else []
    if not clause.receiver:
        return thing
    receiver = _phrase(clause.receiver)
    if clause.receiver_first:
        return receiver + thing
    return thing + [("to", ("to",))] + receiver


def _extras(clause):
    """Write what follows verb and object."""
    words = []
    if clause.tool:
        words += [("with", ("with",))] + _phrase(clause.tool)
    if clause.second:
        words += [("and", ("and",)), _finite(clause, clause.second, "then")]
        words.append(("them" if clause.object.many else "it", ("it",)))
    if clause.adverb:
        words.append((clause.adverb, ("adverb",)))
    if clause.spot:
        words += _spot(clause.spot)
    if clause.reason:
        words += _reason(clause)
    return words


def _state(state):
    """Write an adjective with its degree."""
    degree = [(state.degree, ("degree",))] if state.degree else []
    return degree + [(state.quality, ("quality",))]


def _reason(clause):
    right, _ = clause.link()
    be = _BE[clause.tense][right.person]
    words = [("because", ("because",)), (pronoun(right), ("it",))]
    words.append((be, ("be",)))
    if clause.reason.negated:
        words.append(("not", ("why.not",)))
    return words + _state(clause.reason)


def _act(clause):
    helper, rest = _verb(clause, clause.verb, "verb")
    rest += _objects(clause) + _extras(clause)
    return _predicate(clause, helper, rest)


def _wish(clause):
    helper, rest = _verb(clause, "want", "wish")
    rest += [("to", ("to",)), (clause.verb, ("verb.main",))]
    return _predicate(clause, helper, rest + _phrase(clause.object))


def _go(clause):
    helper, rest = _verb(clause, "go", "verb")
    rest += [("to", ("at",))] + _phrase(clause.spot.phrase)
    return _predicate(clause, helper, rest)


def _is(clause):
    """Say how somebody is."""
    helper, rest = _be(clause)
    return _predicate(clause, helper, rest + _state(clause.state))


def _name(clause):
    """Say what somebody is."""
    helper, rest = _be(clause)
    return _predicate(clause, helper, rest + _phrase(clause.role))


def _compare(clause):
    more, quality, other = clause.comparison
    if not more:
        first = [("as", ("more",)), (quality, ("quality",))]
    elif COMPARED[quality] == "more":
        first = [("more", ("more",)), (quality, ("quality",))]
    else:
        first = [(COMPARED[quality], ("more", "quality"))]
    than = [("than" if more else "as", ("than",))]
    helper, rest = _be(clause)
    return _predicate(clause, helper, rest + first + than + _phrase(other))


def _exist(clause):
    be = _BE[clause.tense][clause.person]
    there = [("there", ("there",))]
    spot = _spot(clause.spot) if clause.spot else []
    if clause.asks:
        there = [(be, ("be", "asks")), *there]
    else:
        there.append((be, ("be",)))
    return there + _doer(clause) + spot


def _stay(clause):
    helper, rest = _be(clause)
    return _predicate(clause, helper, rest + _spot(clause.spot))


_FRAMES = {
    "act": _act,
    "wish": _wish,
    "go": _go,
    "is": _is,
    "name": _name,
    "compare": _compare,
    "exist": _exist,
    "stay": _stay,
}
