"""Sentence pairs with gold alignments: draw and translate them."""

import random
from dataclasses import dataclass

from attnbook.data.storybook import english, french, korean
from attnbook.data.storybook.cast import Cast
from attnbook.data.storybook.checking import check_language, check_whole
from attnbook.data.storybook.plans import Clause, Phrase, Reason
from attnbook.data.storybook.rules import WEIGHTS, plan

_WRITE = {"fr": french.write, "ko": korean.write}


@dataclass(frozen=True)
class Pronoun:
    """Where to look to see how *it* or *they* is understood.

    Args:
        pronoun: source position of the pronoun.
        right: source position of the noun that it means.
        wrong: source position of the noun that it could mean, except for
            the adjective.
        adjective: source position of the adjective that decides.
        shown: target position of the word that shows the decision: French
            *il, elle, ils, elles*, or the repeated Korean noun.  None if
            Korean drops it.
        telling: whether the other decision would have changed the
            translation of the pronoun; False where both French nouns have
            one gender.
    """

    pronoun: int
    right: int
    wrong: int
    adjective: int
    shown: int | None
    telling: bool


@dataclass(frozen=True)
class Pair:
    """An English sentence and its translation.

    Args:
        source: the English words.
        target: the words of the translation.
        alignment: pairs (source position, target position), sorted.
        rule: name of the rule that drew it; see `rules`.
        pronoun: a `Pronoun` if English leaves open which of two nouns a
            pronoun means, else None.
    """

    source: tuple
    target: tuple
    alignment: tuple
    rule: str
    pronoun: Pronoun | None = None


def translate(clause, language):
    """Write a plan in English and in another language.

    Args:
        clause: a `Clause`.
        language: "fr" or "ko".

    Returns:
        A `Pair`.

    Raises:
        ValueError: another language.
    """
    check_language(language)
    return align(clause, language, english.write(clause))


def write_texts(clause, language, source):
    """Write a plan as two texts, without the alignment of `align`.

    Args:
        clause: see `translate`.
        language: see `translate`.
        source: what `english.write` wrote.

    Returns:
        The English words and those of the translation, with spaces.
    """
    target = _WRITE[language](clause)
    return tuple(" ".join(word for word, _ in s) for s in (source, target))


def align(clause, language, source):
    """Write a plan as a `Pair`; arguments as in `write_texts`."""
    target = _WRITE[language](clause)
    places = {}
    for place, (_, keys) in enumerate(source):
        for key in keys:
            places.setdefault(key, []).append(place)
    links = {
        (here, there)
        for there, (_, keys) in enumerate(target)
        for key in keys
        for here in places.get(key, ())
    }
    return Pair(
        tuple(word for word, _ in source),
        tuple(word for word, _ in target),
        tuple(sorted(links)),
        clause.rule,
        _pronoun(clause, language, places, target) if clause.reason else None,
    )


def _pronoun(clause, language, places, target):
    right, wrong = clause.link()
    if wrong is None or "pronoun" in (right.kind, wrong.kind):
        return None
    if english.pronoun(right) != english.pronoun(wrong):
        return None
    shown = [n for n, (_, keys) in enumerate(target) if "it" in keys]
    same = language == "fr" and french.pronoun(right) == french.pronoun(wrong)
    return Pronoun(
        places["it"][0],
        places[right.role + ".noun"][0],
        places[wrong.role + ".noun"][0],
        places["quality"][0],
        shown[0] if shown else None,
        not same,
    )


def draw(language, count, seed):
    """Draw sentence pairs.

    Args:
        language: "fr" or "ko".
        count: how many, at least 1; a sentence may come twice.
        seed: whole number of at least 0; the same seed draws the same
            English sentences in both languages.

    Returns:
        A list of `Pair`.

    Raises:
        ValueError: a language, count or seed that is none.
    """
    check_language(language)
    check_whole("count", count, 1)
    check_whole("seed", seed, 0)
    rng = random.Random(seed)
    return [translate(plan(rng), language) for _ in range(count)]


def draw_kind(language, kind, count, seed):
    """Draw sentence pairs of one kind.

    Args:
        language: "fr" or "ko".
        kind: name of a rule, of `rules.WEIGHTS`.
        count: how many, at least 1.
        seed: whole number of at least 0.

    Returns:
        A list of `Pair`.

    Raises:
        ValueError: a language, kind, count or seed that is none.
    """
    check_language(language)
    check_whole("count", count, 1)
    check_whole("seed", seed, 0)
    known = {rule.__name__: rule for rule in WEIGHTS}
    if kind not in known:
        raise ValueError(f"expected a kind of {list(known)}, got {kind!r}")
    rng = random.Random(seed)
    return [translate(known[kind](Cast(rng)), language) for _ in range(count)]


def both_readings(language):
    """Return the course's running sentence, in both readings.

    "The animal didn't cross the street because it was too tired" (or
    "wide") is from Google's blog post on the Transformer, "Transformer: A
    Novel Neural Network Architecture for Language Understanding"
    (Jakob Uszkoreit, 31 August 2017).

    Args:
        language: "fr" or "ko".

    Returns:
        Two `Pair`: *it* is the animal, *it* is the street.

    Raises:
        ValueError: another language.
    """
    animal = Phrase("doer", "animal", "animal")
    street = Phrase("object", "street", "place")
    return tuple(
        translate(
            Clause(
                *("reason", "act", animal, "cross"),
                negated=True,
                object=street,
                reason=Reason(about, quality),
            ),
            language,
        )
        for about, quality in (("doer", "tired"), ("object", "wide"))
    )
