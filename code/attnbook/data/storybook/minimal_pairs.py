"""Minimal pairs: one adjective differs, and turns *it* round.

"The animal didn't cross the street because it was too tired", and the same
with "wide".  Nothing else differs, so what a model does differently, it
does because of that one word.
"""

import random
from dataclasses import dataclass

from attnbook.data.storybook import lexicon_en as words
from attnbook.data.storybook.cast import Cast
from attnbook.data.storybook.checking import check_language, check_whole
from attnbook.data.storybook.corpus import (
    Pair,
    both_readings,
    translate,
)
from attnbook.data.storybook.events import reason
from attnbook.data.storybook.partition import find_split, is_held_out
from attnbook.data.storybook.plans import Reason

UNSEEN = ("test", "held_out")  # no model was trained on these


@dataclass(frozen=True)
class MinimalPair:
    """Two readings of one sentence, and where their translations part.

    Args:
        doer: the `Pair` in which *it* is who does it, "too tired".
        object: the `Pair` in which *it* is what it is done to, "too wide".
        step: index of the first target word that differs: French *il* or
            *elle*; in Korean the word after the doer.
    """

    doer: Pair
    object: Pair
    step: int

    @property
    def readings(self):
        """Return both pairs."""
        return self.doer, self.object

    @property
    def answers(self):
        """Return the two words at which the translations part."""
        return self.doer.target[self.step], self.object.target[self.step]


def make_minimal_pair(doer, object):
    """Make a minimal pair of two readings.

    Args:
        doer: a `Pair` in which *it* is the doer.
        object: the same sentence with the other adjective.

    Returns:
        `MinimalPair`.

    Raises:
        ValueError: sources that differ in more than the adjective.
    """
    both = zip(doer.source, object.source, strict=True)
    differ = [n for n, (one, two) in enumerate(both) if one != two]
    if doer.pronoun is None or differ != [doer.pronoun.adjective]:
        raise ValueError(
            "expected sources that differ in the adjective alone, got "
            f"differences at {differ}"
        )
    targets = zip(doer.target, object.target, strict=False)
    step = next(n for n, (one, two) in enumerate(targets) if one != two)
    return MinimalPair(doer, object, step)


def running_pair(language):
    """Return the running sentence, tired and wide, as a `MinimalPair`."""
    return make_minimal_pair(*both_readings(language))


def fitting_reasons(clause):
    """Return the adjectives that suit doer and object, two lists."""
    thing, barred = clause.object, words.NOUNS[clause.doer.noun].barred
    doer = [
        q for q, kinds in words.DOER_QUALITIES.items() if thing.kind in kinds
    ]
    object = [
        quality
        for quality, (kind, verbs, nouns) in words.OBJECT_QUALITIES.items()
        if kind == thing.kind
        and clause.verb in verbs
        and thing.noun in nouns
        and quality not in barred
    ]
    return doer, object


def _readings(clause, about, qualities):
    """Yield the clause with each adjective and its split."""
    for quality in qualities:
        reading = clause._replace(reason=Reason(about, quality))
        yield reading, find_split(translate(reading, "fr").source)


def _draw(rng, home):
    """Draw two readings of one clause, and the French pronoun of the first.

    None if the nouns have one gender, if no pronoun leaves both open, or if
    one of the sentences is not from the splits.
    """
    clause = reason(Cast(rng))
    if clause.doer.kind == "pronoun":
        return None
    doer, object = fitting_reasons(clause)
    if not doer or not object:
        return None
    pair = translate(clause._replace(reason=Reason("doer", doer[0])), "fr")
    if pair.pronoun is None or not pair.pronoun.telling:
        return None
    if "test" not in home and not is_held_out(pair.source):
        return None
    both = []
    for about, qualities in (("doer", doer), ("object", object)):
        drawn = _readings(clause, about, qualities)
        unseen = [reading for reading, place in drawn if place in home]
        if not unseen:
            return None
        both.append(rng.choice(unseen))
    return *both, pair.target[pair.pronoun.shown].rstrip("s")


def draw_minimal_pairs(language, count, seed, home=("test",)):
    """Draw minimal pairs of which no model has seen either sentence.

    The two nouns have two genders in French.  In half of the pairs the
    doer is *il*, in half *elle*: neither pronoun gives the reading away.
    The same seed gives the same English sentences in both languages.

    Args:
        language: "fr" or "ko".
        count: how many, an even number; no sentence comes twice.
        seed: whole number of at least 0.
        home: the splits that may be drawn from, out of `UNSEEN`.

    Returns:
        A list of `MinimalPair`, *il* and *elle* by turns.

    Raises:
        ValueError: a language, count, seed or split that is none.
    """
    check_language(language)
    check_whole("count", count, 2)
    check_whole("seed", seed, 0)
    if count % 2 or not home or set(home) - set(UNSEEN):
        raise ValueError(
            f"expected an even count and splits out of {UNSEEN}, got {count} "
            f"and {home!r}"
        )
    rng, seen = random.Random(seed), set()
    halves = {"il": [], "elle": []}
    while min(map(len, halves.values())) < count // 2:
        drawn = _draw(rng, home)
        if drawn is None or len(halves[drawn[2]]) == count // 2:
            continue
        pair = make_minimal_pair(*(translate(r, language) for r in drawn[:2]))
        sources = {reading.source for reading in pair.readings}
        if not sources & seen:
            seen |= sources
            halves[drawn[2]].append(pair)
    by_turns = zip(halves["il"], halves["elle"], strict=True)
    return [pair for both in by_turns for pair in both]
