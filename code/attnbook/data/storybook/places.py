"""Plans of what is where, and whose.

A rule takes a `Cast` and draws a `Clause`, which knows nothing of word order.
"""

from attnbook.data.storybook import lexicon_en as words
from attnbook.data.storybook.events import GOODS
from attnbook.data.storybook.plans import Clause


def having(cast):
    """Draw who has what: "I have a dog"."""
    mode = cast.mode(0.2, 0.2)
    plural = 0 if mode["negated"] else 0.18
    thing = cast.item("object", ("animal", *GOODS), plural=plural)
    number = cast.one(words.NUMBERS) if thing.many else "a"
    return Clause(
        "having",
        "act",
        cast.being("doer", pronoun=0.5, definite=True, extra=0.1),
        "have",
        cast.tense(),
        **mode,
        object=thing._replace(determiner=number),
    )


def possession(cast):
    """Draw what somebody's animal does or where their things are."""
    doer = cast.item("doer", ("animal", *GOODS))
    doer = doer._replace(owner=cast.owner("doer"), determiner="the")
    if doer.kind == "animal" and cast.chance(0.6):
        verb = cast.one(words.RESTING)
        return Clause(
            *("possession", "act", doer, verb, cast.tense()),
            **cast.mode(0.15, 0),
            adverb=cast.adverb(verb, 0.4),
        )
    if cast.chance(0.4):
        said = doer._replace(adjectives=())
        tense, state = cast.tense(future=False), cast.state(doer)
        return Clause("possession", "is", said, tense=tense, state=state)
    tense = cast.tense(future=False)
    return Clause("possession", "stay", doer, tense=tense, spot=cast.spot())


def place(cast):
    """Draw where somebody or something is: "the cat is in the garden"."""
    if cast.chance(0.3):
        doer = cast.item("doer", GOODS, definite=True)
    else:
        doer = cast.being("doer", pronoun=0.4, definite=True, extra=0.15)
    return Clause(
        "place",
        "stay",
        doer,
        tense=cast.tense(future=False),
        **cast.mode(0.15, 0.2),
        spot=cast.spot(),
    )


def existence(cast):
    """Draw "there is a cat in the garden"."""
    doer = cast.item("doer", ("animal", "animal", "human", *GOODS))
    number = cast.one(words.NUMBERS) if doer.many else "a"
    return Clause(
        "existence",
        "exist",
        doer._replace(determiner=number),
        tense=cast.tense(future=False),
        asks=cast.chance(0.2),
        spot=cast.spot() if cast.chance(0.8) else None,
    )


def clothes(cast):
    """Draw who wears what."""
    mode = cast.mode(0, 0.15)
    return Clause(
        "clothes",
        "act",
        cast.being("doer", human=0.7, pronoun=0.3, plural=0),
        "wear",
        cast.tense(future=False),
        **mode,
        object=cast.item("object", ("clothes",), plural=0, extra=0.6),
    )
