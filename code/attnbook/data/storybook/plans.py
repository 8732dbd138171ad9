"""What a sentence says, before any language says it.

A plan holds meanings and no word order.  Each language writes it out as a
list of pairs ``(word, keys)``; a key such as ``object.noun`` names a piece
of the plan.  Two words of two languages translate each other if they share
a key: that is the whole alignment, and no reordering can disturb it.
"""

from typing import NamedTuple

# Who a verb agrees with: the places of its forms in a lexicon.
ME, YOU, IT, WE, THEY = range(5)
_PERSONS = {"i": ME, "you": YOU, "we": WE, "they": THEY}


class Phrase(NamedTuple):
    """A noun phrase; `role` makes its keys differ from all others."""

    role: str
    noun: str  # a noun, or a pronoun as a subject: "i", "you", ...
    kind: str  # "pronoun" for a pronoun
    many: bool = False
    determiner: str = "the"  # "" for "students" in "we are students"
    adjectives: tuple = ()
    owner: tuple | None = None  # a Phrase: "the girl" of "the girl's cat"
    relative: tuple | None = None  # a Relative
    female: bool = False  # of a student: a woman, as the subject says

    @property
    def person(self):
        """The person of a verb that agrees with it."""
        return _PERSONS.get(self.noun, THEY if self.many else IT)


class Relative(NamedTuple):
    """A relative clause in the past tense."""

    acts: bool  # whether its noun is the one that acts
    verb: str
    other: Phrase


class Spot(NamedTuple):
    """Where something happens."""

    preposition: str
    phrase: Phrase


class State(NamedTuple):
    """How somebody or something is: "very tired", "not tired"."""

    quality: str
    degree: str = ""  # or "too" or "very"
    negated: bool = False


class Reason(NamedTuple):
    """Why something is done or not done: how the doer or the object is."""

    about: str  # "doer" or "object"
    quality: str
    degree: str = "too"
    negated: bool = False


class Comparison(NamedTuple):
    """More or as: "bigger than the cat", "as big as the cat"."""

    more: bool
    quality: str
    other: Phrase


class Clause(NamedTuple):
    """A whole sentence; `frame` says which order of words it takes."""

    rule: str
    frame: str  # see `_FRAMES` of a language
    doer: Phrase
    verb: str = ""
    tense: str = "past"  # or "present" or "future"
    negated: bool = False
    asks: bool = False  # a question, yes or no
    can: bool = False  # "can" or "could" before the verb
    partner: Phrase | None = None  # "the cat and the dog"
    object: Phrase | None = None
    receiver: Phrase | None = None
    receiver_first: bool = False  # "gave the boy a book"
    tool: Phrase | None = None
    second: str = ""  # "... and hid it"
    time: str = ""
    time_last: bool = False  # in English: "the dog slept yesterday"
    spot: Spot | None = None
    adverb: str = ""
    state: State | None = None
    reason: Reason | None = None
    comparison: Comparison | None = None
    role: Phrase | None = None  # what somebody is: "a student"
    next: tuple | None = None  # a Clause: "... and the dog is hungry"

    @property
    def person(self):
        """The person of the verb."""
        return THEY if self.partner else self.doer.person

    def link(self):
        """Return the phrases that *it* means and does not mean.

        Returns:
            Two phrases, the right one and the wrong one; None for the wrong
            one if there is no object.
        """
        pair = (self.doer, self.object)
        return pair if self.reason.about == "doer" else pair[::-1]


def after_and(words):
    """Give the words of a second clause, (word, keys), keys of their own."""
    return [
        (word, tuple("next." + key for key in keys)) for word, keys in words
    ]
