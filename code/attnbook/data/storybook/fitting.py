"""Which adjectives suit a noun."""

from attnbook.data.storybook.lexicon_en import (
    ADJECTIVES,
    DOER_QUALITIES,
    NOUNS,
    TRAITS,
    UNSAID,
)

# What somebody feels, which comes and goes.
_MOODS = ("happy", *DOER_QUALITIES)
_OF_PEOPLE = ("small", "big", "old", "young", "beautiful", "strange")
_OF_PEOPLE += ("clever", "brave", "kind", "famous", "strong", *_MOODS)
_OF_IT = ("small", "big", "beautiful", "strange", *_MOODS, *TRAITS)


def _fitting(noun):
    """Return the adjectives that suit a noun, by group."""
    barred, kind = NOUNS[noun].barred, NOUNS[noun].kind
    groups = {"size": [], "quality": [], "colour": [], "state": []}
    for word, (group, kinds) in ADJECTIVES.items():
        if kind in kinds and word not in barred:
            groups[group].append(word)
    if kind in ("animal", "human"):
        groups["state"] += _MOODS
    groups["state"] += [word for word in TRAITS if noun in TRAITS[word]]
    return groups


FITTING = {noun: _fitting(noun) for noun in NOUNS}


def find_adjectives(phrase):
    """Return the adjectives that can be said of a phrase, after *be*."""
    if phrase.kind == "pronoun":
        return list(_OF_IT if phrase.noun == "it" else _OF_PEOPLE)
    strong = ["strong"] * (phrase.kind in ("animal", "human"))
    fitting = sum(FITTING[phrase.noun].values(), strong)
    return [word for word in fitting if word not in UNSAID]
