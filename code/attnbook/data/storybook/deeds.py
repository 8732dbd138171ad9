"""Plans of more that happens: giving, wishing, going, being able.

A rule takes a `Cast` and draws a `Clause`, which knows nothing of word order.
"""

from attnbook.data.storybook import lexicon_en as words
from attnbook.data.storybook.events import GOODS, draw_thing
from attnbook.data.storybook.plans import Clause


def ability(cast):
    """Draw who can or cannot do what."""
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
        object=None if resting else draw_thing(cast, verb, mode["negated"]),
    )


def going(cast):
    """Draw who goes where."""
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
    """Draw two verbs with one object, *it* the second time."""
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
    """Draw who gives what to whom, or gives whom what."""
    mode = cast.mode(0.12, 0.12)
    return Clause(
        "gift",
        "act",
        cast.being("doer", human=0.7, pronoun=0.3),
        cast.one(words.GIVING),
        cast.tense(),
        **mode,
        object=cast.item("object", GOODS, definite=mode["negated"]),
        receiver=cast.being("receiver", pronoun=0.4),
        receiver_first=cast.chance(0.5),
    )


def tool(cast):
    """Draw who does what with which tool."""
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
    """Draw who wants to do what."""
    wanted = [verb for verb in words.TAKING if verb not in words.FEELING]
    verb, mode = cast.one(wanted), cast.mode(0.2, 0.2)
    return Clause(
        "wish",
        "wish",
        cast.being("doer", pronoun=0.45),
        verb,
        cast.tense(future=False),
        **mode,
        object=draw_thing(cast, verb, mode["negated"]),
    )


def pair(cast):
    """Draw two who do something, perhaps together."""
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
