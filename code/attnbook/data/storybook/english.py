"""Write a plan in English."""

from attnbook.data.storybook.english_phrases import (
    articles,
    pronoun,
    write_phrase,
)
from attnbook.data.storybook.lexicon_en import COMPARED, VERBS
from attnbook.data.storybook.plans import IT, after_and

_BE = {
    "past": ("was", "were", "was", "were", "were"),
    "present": ("am", "are", "is", "are", "are"),
}
_CAN = {"past": "could", "present": "can"}


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
    return articles(words)


def _doer(clause):
    words = write_phrase(clause.doer, subject=True)
    if clause.partner:
        words += [("and", ("and",))] + write_phrase(clause.partner)
    return words


def _predicate(clause, helper, rest):
    """Write subject, helping verb and the rest, in the order of a question."""
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
    return [(word, ("at",)) for word in words] + write_phrase(spot.phrase)


def _objects(clause):
    """Write the object and who gets it, in either order."""
    thing = write_phrase(clause.object) if clause.object else []
    if not clause.receiver:
        return thing
    receiver = write_phrase(clause.receiver)
    if clause.receiver_first:
        return receiver + thing
    return thing + [("to", ("to",))] + receiver


def _extras(clause):
    """Write what follows verb and object."""
    words = []
    if clause.tool:
        words += [("with", ("with",))] + write_phrase(clause.tool)
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
    return _predicate(clause, helper, rest + write_phrase(clause.object))


def _go(clause):
    helper, rest = _verb(clause, "go", "verb")
    rest += [("to", ("at",))] + write_phrase(clause.spot.phrase)
    return _predicate(clause, helper, rest)


def _is(clause):
    """Say how somebody is."""
    helper, rest = _be(clause)
    return _predicate(clause, helper, rest + _state(clause.state))


def _name(clause):
    """Say what somebody is."""
    helper, rest = _be(clause)
    return _predicate(clause, helper, rest + write_phrase(clause.role))


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
    return _predicate(
        clause, helper, rest + first + than + write_phrase(other)
    )


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
