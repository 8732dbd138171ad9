"""Write a plan in French."""

from attnbook.data.storybook.french_passes import (
    contract,
    elide,
    find_noun,
    gender,
)
from attnbook.data.storybook.french_phrases import (
    inflect,
    pronoun,
    write_other,
    write_phrase,
)
from attnbook.data.storybook.french_verbs import conjugate, negate, write_verb
from attnbook.data.storybook.lexicon_en import ROLES
from attnbook.data.storybook.lexicon_fr import (
    FEMININE,
    HAD,
    PRONOUNS,
    VERBS,
)
from attnbook.data.storybook.plans import IT, THEY, after_and

_TRADES = frozenset(noun for nouns in ROLES.values() for noun in nouns)
_ENTERED = ("garden", "kitchen", "house", "park", "cave")  # aller dans
_NEVER_CE = ("i", "you", "we")  # je suis un chien, but c'est un chien


def write(clause):
    """Write a sentence.

    Args:
        clause: a `Clause`.

    Returns:
        A list of pairs (word, keys); see `plans`.
    """
    words = []
    if clause.time:
        comma = "time" if clause.time_last else "comma"
        words = write_other(clause.time, "time") + [(",", (comma,))]
    if clause.asks:
        words += [("est-ce", ("asks",)), ("que", ("asks",))]
    words += _FRAMES[clause.frame](clause)
    if clause.next:
        words.append(("et", ("join",)))
        words += after_and(_FRAMES[clause.next.frame](clause.next))
    words.append(("?" if clause.asks else ".", ("stop",)))
    return contract(elide(words))


def _be(clause, verb="be"):
    """Write *être*, or *avoir* in its place."""
    finite = conjugate(VERBS[verb], clause.tense, clause.person)
    return negate([(finite, ("be",))], clause.negated)


def _doer(clause):
    doer = clause.doer
    if doer.kind == "pronoun":
        return [(pronoun(doer), (doer.role + ".noun",))]
    words = write_phrase(doer, clause.tense)
    if clause.partner:
        words += [("et", ("and",))] + write_phrase(clause.partner)
    return words


def _spot(spot):
    return write_other(spot.preposition, "at") + write_phrase(spot.phrase)


def _clitics(clause):
    """Write the pronouns that precede the verb."""
    words, to = [], () if clause.receiver_first else ("to",)
    thing, receiver = clause.object, clause.receiver
    if thing and thing.kind == "pronoun":
        form = PRONOUNS[thing.noun].object
        words.append((form, (thing.role + ".noun",)))
    if receiver and receiver.kind == "pronoun":
        form = PRONOUNS[receiver.noun].receiver
        words.append((form, (receiver.role + ".noun", *to)))
    return words


def _predicate(clause):
    """Write the verb, *can* before it, and the pronouns that it takes."""
    verb, clitics, before = VERBS[clause.verb], _clitics(clause), None
    if clause.can:
        finite = conjugate(VERBS["can"], clause.tense, clause.person)
        words = negate([(finite, ("can",))], clause.negated)
        return words + clitics + [(verb.infinitive, ("verb.main",))]
    if clause.object and clause.object.kind == "pronoun":
        before = clause.object
    return write_verb(
        *(verb, clause.tense, clause.doer, "verb", clause.negated, clitics),
        before=before,
        person=clause.person,
    )


def _second(clause):
    it = clause.object
    word = "les" if it.many else {"m": "le", "f": "la"}[gender(it)]
    return [("et", ("and",))] + write_verb(
        VERBS[clause.second],
        clause.tense,
        clause.doer,
        "then",
        clitic=[(word, ("it",))],
        before=it,
    )


def _state(state, of, be):
    """Write how a phrase is: a `State` or `Reason`, after a finite verb."""
    degree = write_other(state.degree, "degree") if state.degree else []
    form = HAD.get(state.quality) or inflect(state.quality, of)
    return be + degree + [(form, ("quality",))]


def _reason(clause):
    right, _ = clause.link()
    verb = VERBS["have" if clause.reason.quality in HAD else "be"]
    be = [(conjugate(verb, clause.tense, right.person), ("be",))]
    be = negate(be, clause.reason.negated, "why.not")
    words = [("parce", ("because",)), ("que", ("because",))]
    words.append((pronoun(right), ("it",)))
    return words + _state(clause.reason, right, be)


def _objects(clause):
    """Write the object and who gets it, except pronouns."""
    words, thing, receiver = [], clause.object, clause.receiver
    if thing and thing.kind != "pronoun":
        words = write_phrase(thing, clause.tense)
        if (
            clause.verb == "have"
            and clause.negated
            and thing.determiner == "a"
        ):
            words[0] = ("de", words[0][1])  # je n'ai pas de chien
    if receiver and receiver.kind != "pronoun":
        to = receiver.role + ".noun" if clause.receiver_first else "to"
        words += [("à", (to,))] + write_phrase(receiver)
    return words


def _extras(clause):
    """Write what follows verb and object."""
    words = []
    if clause.tool:
        words += [("avec", ("with",))] + write_phrase(clause.tool)
    if clause.second:
        words += _second(clause)
    if clause.adverb:
        words += write_other(clause.adverb, "adverb")
    if clause.spot:
        words += _spot(clause.spot)
    if clause.reason:
        words += _reason(clause)
    return words


def _act(clause):
    words = _doer(clause) + _predicate(clause) + _objects(clause)
    return words + _extras(clause)


def _wish(clause):
    infinitive = (VERBS[clause.verb].infinitive, ("to", "verb.main"))
    want = (VERBS["want"], clause.tense, clause.doer, "wish", clause.negated)
    words = _doer(clause) + write_verb(*want)
    return words + [*_clitics(clause), infinitive] + _objects(clause)


def _go(clause):
    place = clause.spot.phrase
    to = "dans" if place.noun in _ENTERED else "à"
    words = _doer(clause) + _predicate(clause) + [(to, ("at",))]
    return words + write_phrase(place)


def _is(clause):
    be = _be(clause, "have" if clause.state.quality in HAD else "be")
    return _doer(clause) + _state(clause.state, clause.doer, be)


def _name(clause):
    """Say what somebody is: *elle est reine*, but *c'est une femme*."""
    doer, role = clause.doer, clause.role
    key = (role.role + ".noun", role.role + ".the")
    if gender(doer) == "f" and role.noun in FEMININE:
        role = role._replace(female=True)
    plain = role.determiner in ("a", "") and not role.adjectives
    if role.noun in _TRADES and plain:
        noun = find_noun(role)
        last = [(noun.plural if role.many else noun.singular, key)]
        return _doer(clause) + _be(clause) + last
    if doer.kind != "pronoun" or doer.noun in _NEVER_CE:
        return _doer(clause) + _be(clause) + write_phrase(role)
    finite = conjugate(VERBS["be"], clause.tense, THEY if role.many else IT)
    be = negate([(finite, ("be",))], clause.negated)
    return [("ce", (doer.role + ".noun",))] + be + write_phrase(role)


def _compare(clause):
    more, quality, other = clause.comparison
    form = HAD.get(quality) or inflect(quality, clause.doer)
    degree = [
        ("plus" if more else "aussi", ("more",)),
        (form, ("quality",)),
        ("que", ("than",)),
    ]
    be = _be(clause, "have" if quality in HAD else "be")
    return _doer(clause) + be + degree + write_phrase(other)


def _exist(clause):
    finite = (conjugate(VERBS["have"], clause.tense, IT), ("be",))
    words = [("il", ("there",)), ("y", ("there",)), finite]
    return words + _doer(clause) + (_spot(clause.spot) if clause.spot else [])


def _stay(clause):
    return _doer(clause) + _be(clause) + _spot(clause.spot)


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
