"""Write a plan in Korean, in the plain style.

A particle is a word of its own, written ``+x`` and glued to the word before
it.  Some choices that Korean leaves open are made once: *the* takes the topic
particle and *a* the subject particle, every plural is marked, *you* is 너 and
a question ends in -니, one about the future in -ㄹ까, or -ㄹ 거니 if it asks
*you*.  Who asks about oneself says 내가.  *It* is dropped as
the subject of a reason, or its noun is repeated.
"""

from attnbook.data.storybook.hangul import add_ending, finite
from attnbook.data.storybook.korean_endings import copula, finish, there_is
from attnbook.data.storybook.korean_phrases import (
    add_particle,
    find_adjective,
    mark_phrase,
    subject,
    write_phrase,
)
from attnbook.data.storybook.lexicon_en import NUMBERS
from attnbook.data.storybook.lexicon_ko import (
    AUXILIARIES,
    NOUNS,
    OTHER,
    VERBS,
    WEARING,
)
from attnbook.data.storybook.plans import ME, WE, YOU, after_and

_THEN = ("clean",)  # then: -서 would say *because*


def write(clause):
    """Write a sentence.

    Args:
        clause: a `Clause`.

    Returns:
        A list of pairs (word, keys); see `plans`.
    """
    words = []
    if clause.time:
        words = [(OTHER[clause.time], ("time",))]
    words += _FRAMES[clause.frame](clause)
    if clause.next:
        words += after_and(_FRAMES[clause.next.frame](clause.next))
    words.append(("?" if clause.asks else ".", ("stop",)))
    return words


def _doer(clause):
    if clause.doer.person == ME and clause.asks and clause.verb != "have":
        keys = (clause.doer.role + ".noun",)
        return [("내", keys), ("+가", keys)]
    if not clause.partner:
        return subject(clause.doer)
    first = add_particle(write_phrase(clause.doer), "and", ("and",))
    return first + subject(clause.partner)


def _second(clause):
    """Write two verbs; the first shows no tense."""
    first, verb = ("verb.do", "verb.main", "and"), VERBS[clause.verb]
    form = add_ending(verb, "고") if clause.verb in _THEN else verb.linking
    second = finite(VERBS[clause.second], clause.tense)
    return [(form, first), (second, ("then.do", "then.main"))]


def _predicate(clause):
    if clause.second:
        return _second(clause)
    do, main = ("verb.do",), ("verb.main",)
    if clause.verb == "have":
        return there_is(clause, main, do)
    if clause.verb == "wear":  # it has been put on and is still worn
        form = add_ending(WEARING[clause.object.noun], "고")
        stem = AUXILIARIES["there_is"]
        return [(form, main)] + finish(clause, stem, main, do)
    return finish(clause, VERBS[clause.verb], main, do)


def _spot(spot, last):
    """Write a place; the particle `last` says whether one acts there."""
    at, words = ("at",), write_phrase(spot.phrase)
    position = OTHER[spot.preposition]
    if position != "-":
        words.append((position, at))
    return words + [(last, at)]


def _degree(state):
    return [(OTHER[state.degree], ("degree",))] if state.degree else []


def _reason(clause):
    """Write the reason clause, which precedes the verb."""
    reason, (right, _) = clause.reason, clause.link()
    stem, why = find_adjective(reason.quality, right), _degree(reason)
    keys = ("quality",)
    if reason.negated:
        why.append((add_ending(stem, "지"), keys))
        stem, keys = AUXILIARIES["is_not"], ("why.not",)
    why.append((stem.linking, (*keys, "because", "be")))
    thing = mark_phrase(clause.object, "object") if clause.object else []
    if reason.about == "doer":
        return why + thing
    return add_particle(write_phrase(right, ("it",)), "subject", ("it",)) + why


def _objects(clause):
    """Write who gets something, with what, why, and the object."""
    words = []
    if clause.receiver:
        noun = (clause.receiver.role + ".noun",)
        if clause.receiver.noun == "it":  # 그것 is a thing, and gets nothing
            words += [(OTHER["the"], noun), (NOUNS["animal"].word, noun)]
        else:
            words += write_phrase(clause.receiver)
        words.append(("+에게", noun if clause.receiver_first else ("to",)))
    if clause.tool:
        words += add_particle(write_phrase(clause.tool), "with", ("with",))
    if clause.reason:
        return words + _reason(clause)
    if clause.verb == "have":
        return words + _had(clause)
    return words + (
        mark_phrase(clause.object, "object") if clause.object else []
    )


def _had(clause):
    """Write what somebody has: 반지가 두 개, the number after the particle."""
    words = write_phrase(clause.object)
    end = len(words)
    if clause.object.determiner in NUMBERS and not clause.negated:
        end -= 2
    keys = (clause.object.role + ".noun",)
    return add_particle(words[:end], "subject", keys) + words[end:]


def _act(clause):
    words = _doer(clause)
    if clause.spot:
        words += _spot(clause.spot, "+에서")
    words += _objects(clause)
    if clause.adverb:
        words.append((OTHER[clause.adverb], ("adverb",)))
    return words + _predicate(clause)


def _wish(clause):
    """Say what somebody wants: 싶다 of oneself, 싶어 하다 of others."""
    main, do = ("wish.main",), ("wish.do",)
    verb = add_ending(VERBS[clause.verb], "고")
    words = _doer(clause) + mark_phrase(clause.object, "object")
    words.append((verb, ("to", "verb.main")))
    own = (ME, WE, YOU) if clause.asks else (ME, WE)
    clause = clause._replace(verb="want")
    if clause.person in own:
        return words + finish(clause, AUXILIARIES["i_want"], main, do)
    words.append(("싶어", main))
    return words + finish(clause, AUXILIARIES["wants"], main, do)


def _go(clause):
    return _doer(clause) + _spot(clause.spot, "+에") + _predicate(clause)


def _is(clause):
    quality = clause.state.quality
    stem = find_adjective(quality, clause.doer)
    words = _doer(clause) + _degree(clause.state)
    if stem.dictionary == stem.attributive + "이다":  # a colour that is a noun
        noun = (stem.attributive, ("quality",))
        return words + copula(clause, noun, ("quality",))
    return words + finish(clause, stem, ("quality",), ("be",))


def _name(clause):
    role = clause.role
    *words, last = write_phrase(role)
    keys = (role.role + ".noun",)
    if clause.doer.noun in ("it", "this") and role.determiner == "the":
        words = [(OTHER["the"], (role.role + ".the",)), *words]
    if clause.tense == "future":  # what one will be, one becomes: 될 것이다
        words = add_particle([*words, last], "subject", keys)
        stem = AUXILIARIES["become"]
        return _doer(clause) + words + finish(clause, stem, ("be",), ("be",))
    return _doer(clause) + words + copula(clause, last, keys)


def _compare(clause):
    more, quality, other = clause.comparison
    stem = find_adjective(quality, clause.doer)
    if more:
        degree = [("+보다", ("than",)), ("더", ("more",))]
    else:
        degree = [("+만큼", ("more", "than"))]
    last = finish(clause, stem, ("quality",), ("be",))
    return _doer(clause) + write_phrase(other) + degree + last


def _exist(clause):
    spot = _spot(clause.spot, "+에") if clause.spot else []
    last = there_is(clause, ("there",), ("be",))
    return spot + _doer(clause) + last


def _stay(clause):
    spot = _spot(clause.spot, "+에")
    return _doer(clause) + spot + there_is(clause, ("be",), ("be",))


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
