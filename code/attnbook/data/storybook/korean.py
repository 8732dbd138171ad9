"""Write a plan in Korean, in the plain style.

A particle is a word of its own, written ``+x`` and glued to the word before
it.  Some choices that Korean leaves open are made once: *the* takes the topic
particle and *a* the subject particle, every plural is marked, *you* is 너 and
a question ends in -니.  *It* is dropped as the subject of a reason, or its
noun is repeated.
"""

from attnbook.data.storybook.hangul import (
    final,
    finite,
    future,
    joined,
    particle,
    question,
)
from attnbook.data.storybook.lexicon_en import NUMBERS
from attnbook.data.storybook.lexicon_ko import (
    ADJECTIVES,
    AUXILIARIES,
    FAILING,
    NOUNS,
    OTHER,
    PRONOUNS,
    VERBS,
    WEARING,
)
from attnbook.data.storybook.plans import ME, WE, YOU, after_and

_BEFORE = ("this", "my", "your", "his", "her", "our", "their")
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


def _adjective(word, phrase):
    names = (f"{word}:{phrase.noun}", f"{word}:{phrase.kind}", word)
    return next(ADJECTIVES[name] for name in names if name in ADJECTIVES)


def _phrase(phrase, extra=()):
    """Write a noun phrase without particle; `extra` keys for the noun."""
    role, the = phrase.role, (phrase.role + ".the",)
    noun = (role + ".noun", *extra)
    if phrase.kind == "pronoun":
        return [(PRONOUNS[phrase.noun], noun)]
    words = _relative(phrase) if phrase.relative else []
    if phrase.owner:
        words += _phrase(phrase.owner) + [("+의", the)]
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
    """Write the adjectives: *small and white*, but for colours like 회색."""
    entries = [_adjective(word, phrase) for word in phrase.adjectives]
    forms = [entry.attributive for entry in entries]
    if len(entries) == 2 and not entries[1].dictionary.endswith("이다"):
        forms[0] = joined(entries[0], "고")
    return [
        (form, (phrase.role + "." + word,))
        for form, word in zip(forms, phrase.adjectives, strict=True)
    ]


def _relative(phrase):
    acts, verb, other = phrase.relative
    that, do, main = (phrase.role + end for end in (".that", ".do", ".main"))
    inner = _marked(other, "object" if acts else "subject")
    return inner + [(VERBS[verb].attributive, (that, do, main))]


def _with(words, name, keys):
    """Add a particle that fits the last word."""
    last = words[-1][0].removeprefix("+")
    return words + [(particle(name, last), keys)]


def _marked(phrase, name):
    return _with(_phrase(phrase), name, (phrase.role + ".noun",))


def _subject(phrase):
    """Write a subject: *the* makes it the topic, *a* does not."""
    indefinite = phrase.determiner in ("a", *NUMBERS) and not phrase.owner
    return _marked(phrase, "subject" if indefinite else "topic")


def _doer(clause):
    if not clause.partner:
        return _subject(clause.doer)
    first = _with(_phrase(clause.doer), "and", ("and",))
    return first + _subject(clause.partner)


def _finish(clause, stem, main, do):
    """Write the predicate, with all that comes at the end of a sentence.

    Args:
        clause: a `Clause`; tells tense, negation, question, *can*.
        stem: a `Stem`.
        main: keys of the stem.
        do: keys of the auxiliary that says the tense.
    """
    words = []
    if clause.can:
        words = [(future(stem), main), ("수", ("can",))]
        stem = AUXILIARIES["there_is_not" if clause.negated else "there_is"]
        main = do = ("can", "not") if clause.negated else ("can",)
    elif clause.negated:
        words = [(joined(stem, "지"), main)]
        stem, main = _not(stem, clause.verb), ("not",)
    return words + _last(clause, stem, main, do)


def _last(clause, stem, main, do):
    """Write the last word, two in the future."""
    if clause.tense == "future":
        return [(future(stem), main), (_ending("것이", clause), do)]
    keys = tuple(dict.fromkeys(do + main))
    if clause.next:
        state = stem.kind == "state"
        form = finite(stem, "present")[:-1] if state else joined(stem, "")
        return [(form + "고", (*keys, "join"))]
    form = (question if clause.asks else finite)(stem, clause.tense)
    return [(form, keys)]


def _ending(word, clause):
    """Add the last syllable of a word whose stem ends in 이."""
    return word + ("니" if clause.asks else "고" if clause.next else "다")


def _not(stem, verb):
    """Return the auxiliary that denies a stem, of the stem's kind."""
    if verb in FAILING:
        return AUXILIARIES["fail"]
    name = "is_not" if stem.kind == "quality" else "do_not"
    return AUXILIARIES[name]._replace(kind=stem.kind)


def _there_is(clause, main, do):
    """Write that something is there or, by another verb, is not."""
    stem = AUXILIARIES["there_is_not" if clause.negated else "there_is"]
    main = main + ("not",) if clause.negated else main
    return _last(clause, stem, main, do)


def _second(clause):
    """Write two verbs; the first shows no tense."""
    first, verb = ("verb.do", "verb.main", "and"), VERBS[clause.verb]
    form = joined(verb, "고") if clause.verb in _THEN else verb.linking
    second = finite(VERBS[clause.second], clause.tense)
    return [(form, first), (second, ("then.do", "then.main"))]


def _predicate(clause):
    if clause.second:
        return _second(clause)
    do, main = ("verb.do",), ("verb.main",)
    if clause.verb == "have":
        return _there_is(clause, main, do)
    if clause.verb == "wear":  # it has been put on and is still worn
        form = joined(WEARING[clause.object.noun], "고")
        stem = AUXILIARIES["there_is"]
        return [(form, main)] + _finish(clause, stem, main, do)
    return _finish(clause, VERBS[clause.verb], main, do)


def _spot(spot, last):
    """Write a place; the particle `last` says whether one acts there."""
    at, words = ("at",), _phrase(spot.phrase)
    position = OTHER[spot.preposition]
    if position != "-":
        words.append((position, at))
    return words + [(last, at)]


def _degree(state):
    return [(OTHER[state.degree], ("degree",))] if state.degree else []


def _reason(clause):
    """Write the reason clause, which precedes the verb."""
    reason, (right, _) = clause.reason, clause.link()
    stem, why = _adjective(reason.quality, right), _degree(reason)
    keys = ("quality",)
    if reason.negated:
        why.append((joined(stem, "지"), keys))
        stem, keys = AUXILIARIES["is_not"], ("why.not",)
    why.append((stem.linking, (*keys, "because", "be")))
    thing = _marked(clause.object, "object") if clause.object else []
    if reason.about == "doer":
        return why + thing
    return _with(_phrase(right, ("it",)), "subject", ("it",)) + why


def _objects(clause):
    """Write who gets something, with what, why, and the object."""
    words = []
    if clause.receiver:
        to = clause.receiver.role + ".noun" if clause.receiver_first else "to"
        words += _phrase(clause.receiver) + [("+에게", (to,))]
    if clause.tool:
        words += _with(_phrase(clause.tool), "with", ("with",))
    if clause.reason:
        return words + _reason(clause)
    if clause.object:
        name = "subject" if clause.verb == "have" else "object"
        words += _marked(clause.object, name)
    return words


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
    verb = joined(VERBS[clause.verb], "고")
    words = _doer(clause) + _marked(clause.object, "object")
    words.append((verb, ("to", "verb.main")))
    own = (ME, WE, YOU) if clause.asks else (ME, WE)
    clause = clause._replace(verb="want")
    if clause.person in own:
        return words + _finish(clause, AUXILIARIES["i_want"], main, do)
    words.append(("싶어", main))
    return words + _finish(clause, AUXILIARIES["wants"], main, do)


def _go(clause):
    return _doer(clause) + _spot(clause.spot, "+에") + _predicate(clause)


def _is(clause):
    quality = clause.state.quality
    stem = _adjective(quality, clause.doer)
    words = _doer(clause) + _degree(clause.state)
    if stem.dictionary == stem.attributive + "이다":  # a colour that is a noun
        noun = (stem.attributive, ("quality",))
        return words + _copula(clause, noun, ("quality",))
    return words + _finish(clause, stem, ("quality",), ("be",))


def _copula(clause, last, keys):
    """Write *is* after a noun: 이다, and 이 아니다.

    Args:
        clause: a `Clause`.
        last: the word that it is glued to, with its keys.
        keys: those of the noun.
    """
    be, consonant = ("be",), final(last[0].removeprefix("+")) != 0
    words = [last]
    if clause.negated:
        words = _with(words, "subject", keys)
        return words + _last(clause, AUXILIARIES["be_not"], (*be, "not"), be)
    if clause.tense == "future":
        return words + [("+일", be), (_ending("것이", clause), be)]
    if clause.next:
        return words + [("+이고" if consonant else "+고", (*be, "join"))]
    if clause.tense == "past":
        form = "+이었" if consonant else "+였"
    else:
        form = "+이" if consonant else "+"
    return words + [(_ending(form, clause), be)]


def _name(clause):
    *words, last = _phrase(clause.role)
    keys = (clause.role.role + ".noun",)
    if clause.tense == "future":  # what one will be, one becomes: 될 것이다
        words = _with([*words, last], "subject", keys)
        stem = AUXILIARIES["become"]
        return _doer(clause) + words + _finish(clause, stem, ("be",), ("be",))
    return _doer(clause) + words + _copula(clause, last, keys)


def _compare(clause):
    more, quality, other = clause.comparison
    stem = _adjective(quality, clause.doer)
    if more:
        degree = [("+보다", ("than",)), ("더", ("more",))]
    else:
        degree = [("+만큼", ("more", "than"))]
    last = _finish(clause, stem, ("quality",), ("be",))
    return _doer(clause) + _phrase(other) + degree + last


def _exist(clause):
    spot = _spot(clause.spot, "+에") if clause.spot else []
    last = _there_is(clause, ("there",), ("be",))
    return spot + _doer(clause) + last


def _stay(clause):
    spot = _spot(clause.spot, "+에")
    return _doer(clause) + spot + _there_is(clause, ("be",), ("be",))


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
