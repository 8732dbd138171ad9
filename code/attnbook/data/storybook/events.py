"""Plans of what happens: who does what, to what, where and why.

A rule takes a `Cast` and draws a `Clause`, which knows nothing of word order.
"""

from attnbook.data.storybook import lexicon_en as words
from attnbook.data.storybook.plans import Clause, Reason, Relative

GOODS = ("food", "thing", "clothes")
_MOVING = ("push", "pull", "carry", "throw", "lift", "hide")  # "in" = "into"


def reason(cast):
    """Draw "the animal did not cross the street because it was too tired"."""
    # the adjective decides what *it* means, never the position
    about = "doer" if cast.chance(0.5) else "object"
    if about == "doer":
        quality = cast.one(tuple(words.DOER_QUALITIES))
        kind = cast.one(words.DOER_QUALITIES[quality])
        verbs, nouns = words.REASON_VERBS[kind], words.KINDS[kind]
    else:
        kind = cast.one(("place", "food", "thing"))
        quality = cast.one(words.QUALITIES_OF[kind])
        _, verbs, nouns = words.OBJECT_QUALITIES[quality]
    verb = cast.one(verbs)
    doer = cast.being(
        "doer",
        human=0.3,
        pronoun=0.2,
        closed=True,
        definite=True,
        extra=0.25,
        moods=False,
        verbs=(quality,),
    )
    thing = cast.phrase(
        "object", nouns, (verb,), definite=True, extra=0.2, moods=False
    )
    degree = cast.one(("too",) * 6 + ("", "very"))
    return Clause(
        *("reason", "act", doer, verb, cast.tense(future=False)),
        negated=True,
        object=thing,
        reason=Reason(about, quality, degree),
    )


def cause(cast):
    """Draw "the dog sleeps because it is tired", a reason to do something."""
    verb, kinds, why = _why(cast)
    plain = {"plural": 0.15, "extra": 0.15, "moods": False}
    definite, thing = why.negated, None
    if kinds != ("-",):
        known = (verb, why.quality)
        thing = cast.item("object", kinds, known, definite=definite, **plain)
    doer = cast.being(
        *("doer", 0.5, 0.45), closed=True, definite=True, **plain
    )
    return Clause(
        *("cause", "act", doer, verb, cast.tense(future=False)),
        negated=why.negated,
        object=thing,
        reason=why,
    )


def _why(cast):
    """Draw a verb, the kinds of its object, and a reason for it.

    A negated reason is one for not doing it.
    """
    if cast.chance(0.25):
        verb = cast.one(tuple(words.OBJECT_CAUSES))
        kind, qualities = words.OBJECT_CAUSES[verb]
        about, kinds = "object", (kind,)
    else:
        verb = cast.one(tuple(words.CAUSES))
        about, qualities = "doer", words.CAUSES[verb]
        kinds = ("food",) if verb == "steal" else words.VERBS[verb].kinds
    negated = about == "doer" and cast.chance(0.12)
    degree = "very" if not negated and cast.chance(0.4) else ""
    return verb, kinds, Reason(about, cast.one(qualities), degree, negated)


def scene(cast):
    """Draw who does what, perhaps to what, where and when."""
    tense, mode = cast.tense(), cast.mode(0.18, 0.2)
    resting = cast.chance(0.3)
    verb = cast.one(words.RESTING if resting else words.TAKING)
    thing = None if resting else draw_thing(cast, verb, mode["negated"])
    still = resting or not (
        thing.kind in ("place", "site", "pronoun")
        or verb in _MOVING + words.FEELING
    )
    still = still and verb != "swim"
    doer = cast.being("doer", pronoun=0.4)
    verb = avoid_am(verb, doer)
    timeless = mode["asks"] or verb in words.FEELING
    time = "" if timeless else cast.time(tense, mode["negated"])
    return Clause(
        "scene",
        "act",
        doer,
        verb,
        tense,
        **mode,
        object=thing,
        time=time,
        time_last=bool(time) and cast.chance(0.5),
        spot=cast.spot() if still and cast.chance(0.3) else None,
        adverb=cast.adverb(verb, 0.4),
    )


def avoid_am(verb, doer):
    """Return *see* for *I follow*: French *je suis* is also *I am*."""
    return "see" if verb == "follow" and doer.noun == "i" else verb


def draw_thing(cast, verb, definite):
    """Draw an object, sometimes with its owner, sometimes a pronoun."""
    kinds = words.VERBS[verb].kinds
    if "human" in kinds and cast.chance(0.4):
        return cast.pronoun("object")
    thing = cast.item("object", kinds, (verb,), definite=definite)
    if thing.kind in (*GOODS, "animal") and cast.chance(0.1):
        return thing._replace(owner=cast.owner("object"), determiner="the")
    return thing


def relative(cast):
    """Draw a relative clause, at the subject or at the object."""
    role = "doer" if cast.chance(0.6) else "object"
    head = cast.being(role, extra=0.15)
    indefinite = not head.many and cast.chance(0.3)
    animate = [
        verb
        for verb in words.TAKING
        if "human" in words.VERBS[verb].kinds and verb != "like"
    ]
    head = head._replace(
        determiner="a" if indefinite else "the",
        relative=Relative(
            cast.chance(0.5),
            cast.one(animate),
            cast.being(role + ".other", extra=0),
        ),
    )
    if role == "doer":
        verb = cast.one(words.RESTING)
        return Clause("relative", "act", head, verb, cast.tense())
    doer = cast.being("doer", pronoun=0.2, definite=True, extra=0.15)
    verb, tense = cast.one(animate), cast.tense()
    verb = avoid_am(verb, doer)
    return Clause("relative", "act", doer, verb, tense, object=head)


def joined(cast):
    """Draw two clauses with *and* between them."""
    tense = cast.tense(future=False)
    first, second = _short(cast, tense), _short(cast, tense)
    while (
        first.verb == second.verb != ""
        or second.doer.noun in ("it", "he", "she", "they")
        and first.doer.kind != "pronoun"  # *he* would be the first doer
    ):
        second = _short(cast, tense)
    return first._replace(next=second)


def _short(cast, tense):
    """Draw a short clause: how somebody is, or what they do."""
    doer = cast.being("doer", pronoun=0.35, definite=True, extra=0.1)
    negated, roll = cast.chance(0.12), cast.rng.random()
    if roll < 0.45:
        state = cast.state(doer, negated)
        return Clause(
            "joined", "is", doer, "", tense, negated=negated, state=state
        )
    verb = cast.one(words.RESTING if roll < 0.8 else words.TAKING)
    verb = avoid_am(verb, doer)
    thing = None if roll < 0.8 else draw_thing(cast, verb, negated)
    return Clause(
        "joined", "act", doer, verb, tense, negated=negated, object=thing
    )
