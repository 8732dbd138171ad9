"""Write a plan in French."""

from attnbook.data.storybook.french_passes import (
    agree,
    agree_participle,
    contract,
    elide,
)
from attnbook.data.storybook.lexicon_en import ROLES
from attnbook.data.storybook.lexicon_fr import (
    ADJECTIVES,
    DETERMINERS,
    FEMININE,
    HAD,
    NOUNS,
    OTHER,
    PRONOUNS,
    VERBS,
)
from attnbook.data.storybook.plans import IT, THEY, after_and

_FUTURE = ("ai", "as", "a", "ons", "ont")
_IMPERFECT = ("ais", "ais", "ait", "ions", "aient")
_TRADES = frozenset(noun for nouns in ROLES.values() for noun in nouns)
_ENTERED = ("garden", "kitchen", "house", "park", "cave")  # aller dans
_NEVER_CE = ("i", "you", "we")  # je suis un chien, but c'est un chien


def pronoun(phrase):
    """Return the pronoun that stands for a phrase as a subject.

    Args:
        phrase: a `Phrase`.

    Returns:
        "il", "elle", "ils" or "elles"; for a pronoun, its own form.
    """
    if phrase.kind == "pronoun":
        return PRONOUNS[phrase.noun].subject
    return {"m": "il", "f": "elle"}[_gender(phrase)] + "s" * phrase.many


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
        words = _other(clause.time, "time") + [(",", (comma,))]
    if clause.asks:
        words += [("est-ce", ("asks",)), ("que", ("asks",))]
    words += _FRAMES[clause.frame](clause)
    if clause.next:
        words.append(("et", ("join",)))
        words += after_and(_FRAMES[clause.next.frame](clause.next))
    words.append(("?" if clause.asks else ".", ("stop",)))
    return contract(elide(words))


def _other(word, key):
    return [(part, (key,)) for part in OTHER[word]]


def _noun(phrase):
    return (FEMININE if phrase.female else NOUNS)[phrase.noun]


def _gender(phrase):
    known = PRONOUNS if phrase.kind == "pronoun" else NOUNS
    return "f" if phrase.female else known[phrase.noun].gender


def _agreed(quality, phrase):
    """Return an adjective that is said of a phrase.

    An animal that is *gros* would be fat: it is *grand*, an apple is *gros*.
    """
    entry = ADJECTIVES[quality]
    if quality == "big" and phrase.kind != "animal":
        entry = _entry(quality, phrase)
    return agree(entry[1], _gender(phrase), phrase.many, "")


def _entry(word, phrase):
    """Return the adjective for this noun, for its kind, or for all."""
    names = (f"{word}:{phrase.noun}", f"{word}:{phrase.kind}", word)
    return next(ADJECTIVES[name] for name in names if name in ADJECTIVES)


def _adjective(word, phrase, following):
    """Return an adjective's place and its form beside a noun."""
    entry = _entry(word, phrase)
    return entry[0], agree(entry[1], _gender(phrase), phrase.many, following)


def _core(phrase):
    """Write the noun with its adjectives, from the inside out."""
    noun = _noun(phrase)
    form = noun.plural if phrase.many else noun.singular
    words = [(form, (phrase.role + ".noun",))]
    for english in reversed(phrase.adjectives):
        place, form = _adjective(english, phrase, words[0][0])
        word = (form, (phrase.role + "." + english,))
        words = [word] + words if place == "before" else words + [word]
    return words


def _phrase(phrase, tense=""):
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
    form = agree(DETERMINERS[name], _gender(phrase), phrase.many, words[0][0])
    if name == "some" and phrase.many and words[0][1] != noun:
        form = "de"  # de jolis ours
    said = phrase.owner or phrase.determiner
    words = [(form, the if said else noun)] + words
    if phrase.owner:
        words += [("de", the)] + _phrase(phrase.owner)
    return words + _relative(phrase, tense) if phrase.relative else words


def _relative(phrase, tense):
    """Write a relative clause: what happened before the past, *avait vu*."""
    acts, verb, other = phrase.relative
    that, verb = (phrase.role + ".that",), VERBS[verb]
    earlier = tense == "past"
    if acts:
        past = _verb(verb, "past", phrase, phrase.role, earlier=earlier)
        return [("qui", that)] + past + _phrase(other)
    past = _verb(
        verb, "past", other, phrase.role, before=phrase, earlier=earlier
    )
    return [("que", that)] + _phrase(other) + past


def _simple(verb, tense, person):
    """Return a verb without auxiliary."""
    if tense == "present":
        return (verb.i, verb.you, verb.singular, verb.we, verb.plural)[person]
    if tense == "future":
        return verb.future[:-1] + _FUTURE[person]
    return verb.imperfect[:-3] + _IMPERFECT[person]


def _verb(
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
            gender = _gender(agreeing)
            participle = agree_participle(participle, gender, many)
        auxiliary = VERBS["be" if verb.moves else "have"]
        time = "past" if earlier else "present"
        finite, last = (
            (_simple(auxiliary, time, person), do),
            [(participle, main)],
        )
    else:
        finite = (_simple(verb, tense, person), do + main)
    return _denied([*clitic, finite], negated) + last


def _denied(words, negated, key="not"):
    """Put *ne ... pas* around a finite verb and its pronouns."""
    return [("ne", (key,)), *words, ("pas", (key,))] if negated else words


def _be(clause, verb="be"):
    """Write *être*, or *avoir* in its place."""
    finite = _simple(VERBS[verb], clause.tense, clause.person)
    return _denied([(finite, ("be",))], clause.negated)


def _doer(clause):
    doer = clause.doer
    if doer.kind == "pronoun":
        return [(pronoun(doer), (doer.role + ".noun",))]
    words = _phrase(doer, clause.tense)
    if clause.partner:
        words += [("et", ("and",))] + _phrase(clause.partner)
    return words


def _spot(spot):
    return _other(spot.preposition, "at") + _phrase(spot.phrase)


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
        finite = _simple(VERBS["can"], clause.tense, clause.person)
        words = _denied([(finite, ("can",))], clause.negated)
        return words + clitics + [(verb.infinitive, ("verb.main",))]
    if clause.object and clause.object.kind == "pronoun":
        before = clause.object
    return _verb(
        *(verb, clause.tense, clause.doer, "verb", clause.negated, clitics),
        before=before,
        person=clause.person,
    )


def _second(clause):
    it = clause.object
    word = "les" if it.many else {"m": "le", "f": "la"}[_gender(it)]
    return [("et", ("and",))] + _verb(
        VERBS[clause.second],
        clause.tense,
        clause.doer,
        "then",
        clitic=[(word, ("it",))],
        before=it,
    )


def _state(state, of, be):
    """Write how something is.

    Args:
        state: a `State` or `Reason`.
        of: the `Phrase` that it is said of.
        be: the finite verb, a list of words.
    """
    degree = _other(state.degree, "degree") if state.degree else []
    form = HAD.get(state.quality) or _agreed(state.quality, of)
    return be + degree + [(form, ("quality",))]


def _reason(clause):
    right, _ = clause.link()
    verb = VERBS["have" if clause.reason.quality in HAD else "be"]
    be = [(_simple(verb, clause.tense, right.person), ("be",))]
    be = _denied(be, clause.reason.negated, "why.not")
    words = [("parce", ("because",)), ("que", ("because",))]
    words.append((pronoun(right), ("it",)))
    return words + _state(clause.reason, right, be)


def _objects(clause):
    """Write the object and who gets it, but for pronouns."""
    words, thing, receiver = [], clause.object, clause.receiver
    if thing and thing.kind != "pronoun":
        words = _phrase(thing, clause.tense)
        if (
            clause.verb == "have"
            and clause.negated
            and thing.determiner == "a"
        ):
            words[0] = ("de", words[0][1])  # je n'ai pas de chien
    if receiver and receiver.kind != "pronoun":
        to = receiver.role + ".noun" if clause.receiver_first else "to"
        words += [("à", (to,))] + _phrase(receiver)
    return words


def _extras(clause):
    """Write what follows verb and object."""
    words = []
    if clause.tool:
        words += [("avec", ("with",))] + _phrase(clause.tool)
    if clause.second:
        words += _second(clause)
    if clause.adverb:
        words += _other(clause.adverb, "adverb")
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
    return (
        _doer(clause)
        + _verb(
            *(VERBS["want"], clause.tense, clause.doer, "wish"),
            negated=clause.negated,
        )
        + [*_clitics(clause), infinitive]
        + _objects(clause)
    )


def _go(clause):
    place = clause.spot.phrase
    to = "dans" if place.noun in _ENTERED else "à"
    return (
        _doer(clause) + _predicate(clause) + [(to, ("at",))] + _phrase(place)
    )


def _is(clause):
    be = _be(clause, "have" if clause.state.quality in HAD else "be")
    return _doer(clause) + _state(clause.state, clause.doer, be)


def _name(clause):
    """Say what somebody is: *elle est reine*, but *c'est une femme*."""
    doer, role = clause.doer, clause.role
    key = (role.role + ".noun", role.role + ".the")
    if _gender(doer) == "f" and role.noun in FEMININE:
        role = role._replace(female=True)
    plain = role.determiner in ("a", "") and not role.adjectives
    if role.noun in _TRADES and plain:
        noun = _noun(role)
        last = [(noun.plural if role.many else noun.singular, key)]
        return _doer(clause) + _be(clause) + last
    if doer.kind != "pronoun" or doer.noun in _NEVER_CE:
        return _doer(clause) + _be(clause) + _phrase(role)
    finite = _simple(VERBS["be"], clause.tense, THEY if role.many else IT)
    be = _denied([(finite, ("be",))], clause.negated)
    return [("ce", (doer.role + ".noun",))] + be + _phrase(role)


def _compare(clause):
    more, quality, other = clause.comparison
    form = HAD.get(quality) or _agreed(quality, clause.doer)
    degree = [
        ("plus" if more else "aussi", ("more",)),
        (form, ("quality",)),
        ("que", ("than",)),
    ]
    be = _be(clause, "have" if quality in HAD else "be")
    return _doer(clause) + be + degree + _phrase(other)


def _exist(clause):
    finite = (_simple(VERBS["have"], clause.tense, IT), ("be",))
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
