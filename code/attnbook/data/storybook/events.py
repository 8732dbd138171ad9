"""Plans of what happens: who does what, to what, where and why.

A rule draws a plan and knows nothing of word order.
"""

from attnbook.data.storybook import lexicon_en as words
from attnbook.data.storybook.plans import Clause, Reason, Relative

_GOODS = ("food", "thing", "clothes")
_MOVING = ("push", "pull", "carry", "throw", "lift", "hide")  # "in" = "into"


def reason(cast):
    """Draw "the animal did not cross the street because it was too tired".

    The adjective decides what *it* means, never the position.

    Args:
        cast: a `Cast`.

    Returns:
        A `Clause`.
    """
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
    degree = "too" if cast.chance(0.75) else cast.one(("", "very"))
    return Clause(
        "reason",
        "act",
        doer,
        verb,
        cast.tense(future=False),
        negated=True,
        object=thing,
        reason=Reason(about, quality, degree),
    )


def cause(cast):
    """Draw "the dog sleeps because it is tired", a reason to do something.

    Args:
        cast: a `Cast`.

    Returns:
        A `Clause`.
    """
    if cast.chance(0.25):
        verb = cast.one(tuple(words.OBJECT_CAUSES))
        kind, qualities = words.OBJECT_CAUSES[verb]
        about, kinds = "object", (kind,)
    else:
        verb = cast.one(tuple(words.CAUSES))
        about, qualities = "doer", words.CAUSES[verb]
        kinds = words.VERBS[verb].kinds
        kinds = ("food",) if verb == "steal" else kinds
    quality = cast.one(qualities)
    thing = None
    if kinds != ("-",):
        thing = cast.item(
            "object", kinds, (verb, quality), plural=0.15, extra=0.15,
            moods=False,
        )  # fmt: skip
    denied = about == "doer" and cast.chance(0.12)
    degree = "" if denied else cast.degree()
    why = Reason(about, quality, "very" if degree else "", denied)
    if denied and thing:
        thing = thing._replace(determiner="the")
    return Clause(
        "cause",
        "act",
        cast.being(
            "doer",
            human=0.5,
            pronoun=0.45,
            closed=True,
            definite=True,
            extra=0.15,
            moods=False,
        ),
        verb,
        cast.tense(future=False),
        negated=denied,
        object=thing,
        reason=why,
    )


def scene(cast):
    """Draw who does what, perhaps to what, where and when.

    Args:
        cast: a `Cast`.

    Returns:
        A `Clause`.
    """
    tense, mode = cast.tense(), cast.mode(0.18, 0.15)
    resting = cast.chance(0.3)
    verb = cast.one(words.RESTING if resting else words.TAKING)
    thing = None if resting else _object(cast, verb, mode["negated"])
    still = resting or not (
        thing.kind in ("place", "site", "pronoun")
        or verb in _MOVING + words.FEELING
    )
    still = still and verb != "swim"
    doer = cast.being("doer", pronoun=0.4)
    verb = _unlike_am(verb, doer)
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


def _unlike_am(verb, doer):
    """Return *see* for *I follow*: French *je suis* is also *I am*."""
    return "see" if verb == "follow" and doer.noun == "i" else verb


def _object(cast, verb, definite):
    """Draw an object, sometimes with its owner, sometimes a pronoun."""
    kinds = words.VERBS[verb].kinds
    if "human" in kinds and cast.chance(0.4):
        return cast.pronoun("object")
    thing = cast.item("object", kinds, (verb,), definite=definite)
    if thing.kind in (*_GOODS, "animal") and cast.chance(0.1):
        return thing._replace(owner=cast.owner("object"), determiner="the")
    return thing


def ability(cast):
    """Draw who can or cannot do what.

    Args:
        cast: a `Cast`.

    Returns:
        A `Clause`.
    """
    mode = cast.mode(0.3, 0.25)
    able = [verb for verb in words.TAKING if verb not in words.FEELING]
    resting = cast.chance(0.4)
    verb = cast.one(words.RESTING if resting else able)
    return Clause(
        "ability",
        "act",
        cast.being("doer", pronoun=0.45),
        verb,
        "past" if cast.chance(0.25) else "present",
        **mode,
        can=True,
        object=None if resting else _object(cast, verb, mode["negated"]),
    )


def going(cast):
    """Draw who goes where.

    Args:
        cast: a `Cast`.

    Returns:
        A `Clause`.
    """
    tense, mode = cast.tense(), cast.mode(0.15, 0.2)
    time = "" if mode["asks"] else cast.time(tense, mode["negated"])
    return Clause(
        "going",
        "go",
        cast.being("doer", pronoun=0.45),
        "go",
        tense,
        **mode,
        time=time,
        time_last=bool(time) and cast.chance(0.5),
        spot=cast.way(),
    )


def chain(cast):
    """Draw two verbs with one object, *it* the second time.

    Args:
        cast: a `Cast`.

    Returns:
        A `Clause`.
    """
    kind = cast.one(tuple(words.CHAIN_FIRST))
    first = cast.one(words.CHAIN_FIRST[kind])
    second = cast.one(words.CHAIN_SECOND[kind])
    return Clause(
        "chain",
        "act",
        cast.being("doer", pronoun=0.2),
        first,
        cast.tense(future=False),
        object=cast.item(
            "object", (kind,), (first, second, f"{first}_{second}")
        ),
        second=second,
    )


def gift(cast):
    """Draw who gives what to whom, or gives whom what.

    Args:
        cast: a `Cast`.

    Returns:
        A `Clause`.
    """
    mode = cast.mode(0.12, 0.12)
    return Clause(
        "gift",
        "act",
        cast.being("doer", human=0.7, pronoun=0.3),
        cast.one(words.GIVING),
        cast.tense(),
        **mode,
        object=cast.item("object", _GOODS, definite=mode["negated"]),
        receiver=cast.being("receiver", pronoun=0.4),
        receiver_first=cast.chance(0.5),
    )


def relative(cast):
    """Draw a relative clause, at the subject or at the object.

    Args:
        cast: a `Cast`.

    Returns:
        A `Clause`.
    """
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
    verb = _unlike_am(verb, doer)
    return Clause("relative", "act", doer, verb, tense, object=head)


def tool(cast):
    """Draw who does what with which tool.

    Args:
        cast: a `Cast`.

    Returns:
        A `Clause`.
    """
    verb = cast.one(tuple(words.TOOLS))
    tools, nouns = words.TOOLS[verb]
    mode = cast.mode(0.12, 0)
    return Clause(
        "tool",
        "act",
        cast.being("doer", human=0.7, pronoun=0.15),
        verb,
        cast.tense(),
        **mode,
        object=cast.phrase("object", nouns, (verb,), definite=mode["negated"]),
        tool=cast.phrase("tool", tools, plural=0, extra=0),
    )


def wish(cast):
    """Draw who wants to do what.

    Args:
        cast: a `Cast`.

    Returns:
        A `Clause`.
    """
    wanted = [verb for verb in words.TAKING if verb not in words.FEELING]
    verb, mode = cast.one(wanted), cast.mode(0.2, 0.2)
    return Clause(
        "wish",
        "wish",
        cast.being("doer", pronoun=0.45),
        verb,
        cast.tense(future=False),
        **mode,
        object=_object(cast, verb, mode["negated"]),
    )


def pair(cast):
    """Draw two who do something, perhaps together.

    Args:
        cast: a `Cast`.

    Returns:
        A `Clause`.
    """
    verb, tense = cast.one(words.RESTING), cast.tense()
    still = verb != "swim" and cast.chance(0.35)
    return Clause(
        "pair",
        "act",
        cast.being("doer", definite=True, extra=0.15),
        verb,
        tense,
        partner=cast.being("partner", definite=True, extra=0.15),
        adverb="together" if cast.chance(0.3) else cast.adverb(verb, 0.3),
        spot=cast.spot() if still else None,
    )


def joined(cast):
    """Draw two clauses with *and* between them.

    Args:
        cast: a `Cast`.

    Returns:
        A `Clause`.
    """
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
    verb = _unlike_am(verb, doer)
    thing = None if roll < 0.8 else _object(cast, verb, negated)
    return Clause(
        "joined", "act", doer, verb, tense, negated=negated, object=thing
    )
