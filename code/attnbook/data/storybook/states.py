"""Plans of how things are: who is hungry, what, bigger.

A rule takes a `Cast` and draws a `Clause`, which knows nothing of word order.
"""

from attnbook.data.storybook import lexicon_en as words
from attnbook.data.storybook.events import GOODS
from attnbook.data.storybook.fitting import find_adjectives
from attnbook.data.storybook.plans import Clause, Comparison

_TRADES = sum(words.ROLES.values(), ())
_PEOPLE = sum(words.CLASSES.values(), ())


def state(cast):
    """Draw how somebody or something is: "the dog is very hungry"."""
    if cast.chance(0.25):
        doer = cast.item("doer", (*GOODS, "place", "site"), definite=True)
    else:
        doer = cast.being("doer", pronoun=0.45, definite=True, extra=0.15)
    mode = cast.mode(0.2, 0.2)
    said = cast.state(doer, mode["negated"])
    future = doer.kind in ("pronoun", "human", "animal")
    future = future and said.quality != "young"
    return Clause(
        "state",
        "is",
        doer._replace(adjectives=()),
        tense=cast.tense(future),
        **mode,
        state=said,
    )


def naming(cast):
    """Draw what somebody is: "I am a student", "it is a dog"."""
    doer, nouns = _named(cast)
    role = cast.phrase("role", nouns, plural=0, extra=0.15, moods=False)
    if doer.many:
        role = role._replace(many=True, determiner="")
    elif role.noun != "friend" and not (
        doer.noun in ("it", "this") and cast.chance(0.3)
    ):
        role = role._replace(determiner="a")
    if doer.noun == role.determiner == "this":
        role = role._replace(determiner="a")
    if role.noun == "friend":
        role = role._replace(determiner=cast.mine())
        while role.determiner == _owner(doer):
            role = role._replace(determiner=cast.mine())
    if doer.noun == "this":
        tense, mode = "present", cast.mode(0.15, 0.2)
    else:
        tense, mode = cast.tense(doer.noun != "it"), cast.mode(0.2, 0.2)
    return Clause("naming", "name", doer, tense=tense, **mode, role=role)


def _named(cast):
    """Draw of whom something is said, and the nouns that can be said."""
    roll = cast.rng.random()
    if roll < 0.25:
        doer = cast.pronoun("doer", ("i", "you", "we"))
        return doer, (*_TRADES, *_TRADES, *_PEOPLE, "child", "friend")
    if roll < 0.45:
        doer = cast.pronoun("doer", ("he", "she"))
        own = words.ROLES[""] + words.ROLES[doer.noun]
        return doer, (*own, *own, *words.CLASSES[doer.noun], "friend")
    if roll < 0.65:
        word = cast.one(("it", "this"))
        doer = cast.pronoun("doer", ("it",))._replace(noun=word)
        kinds = ("animal", "animal", "food", "thing", "clothes", "tool")
        return doer, words.KINDS[cast.one(kinds)]
    if roll < 0.75:
        doer = cast.pronoun("doer", ("they",))
        return doer, (*_TRADES, *words.KINDS["animal"])
    if roll < 0.9:
        doer = cast.phrase(
            "doer", words.CLOSED["human"], definite=True, extra=0.1
        )
        he = words.NOUNS[doer.noun].pronoun
        return doer, (*words.ROLES[""], *words.ROLES[he])
    doer = cast.phrase("doer", words.KINDS["animal"], definite=True, extra=0)
    return doer, (*words.ROLES[""], "animal", "animal", "friend")


def _owner(doer):
    """Return whose friend one cannot be: *I am my friend*."""
    one = words.PRONOUNS.get(doer.noun)
    return one.owner if one else ""


def comparison(cast):
    """Draw who or what is more of something, or as much of it."""
    both = ("other", "doer")
    if cast.chance(0.7):
        other, doer = (
            cast.being(
                role, pronoun=0.25, definite=True, plural=0.08, extra=0.1
            )
            for role in both
        )
        while other.noun == "it":  # "bigger than it"
            other = cast.pronoun("other")
    else:
        kind = cast.one(("food", "thing", "place", "clothes"))
        other, doer = (
            cast.item(role, (kind,), definite=True, plural=0.08, extra=0)
            for role in both
        )
    fitting = [
        word
        for word in find_adjectives(doer)
        if word in words.COMPARED and word in find_adjectives(other)
    ]
    compared = Comparison(cast.chance(0.65), cast.one(fitting), other)
    return Clause(
        "comparison",
        "compare",
        doer,
        tense="past" if cast.chance(0.2) else "present",
        **cast.mode(0.12, 0.15),
        comparison=compared,
    )
