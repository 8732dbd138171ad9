"""Draw the noun phrases of one sentence, no noun twice."""

from attnbook.data.storybook.fitting import FITTING, find_adjectives
from attnbook.data.storybook.lexicon_en import (
    CLOSED,
    KINDS,
    NOUNS,
    NUMBERS,
    OWNED,
    PREPOSITIONS,
    PRONOUNS,
    UNGRADED,
)
from attnbook.data.storybook.plans import Phrase, Spot, State
from attnbook.data.storybook.sampler import Sampler

_DEFINITE = ("the",) * 13 + ("this",) * 3 + ("mine",) * 4
_SINGULAR = ("the",) * 10 + ("a",) * 5 + ("this",) * 2 + ("mine",) * 3
_PLURAL = ("the",) * 10 + ("number",) * 6 + ("this",) * 2 + ("mine",) * 2
_OWNERS = tuple(person.owner for person in PRONOUNS.values())
_OWNERS = tuple(word for word in _OWNERS if word != "its") + ("my", "your")


class Cast(Sampler):
    """Whoever and whatever takes part in one sentence.

    Args:
        rng: the `random.Random` that decides.
    """

    def __init__(self, rng):
        super().__init__(rng)
        self.taken = []

    def state(self, phrase, negated=False):
        """Draw how somebody or something is.

        Args:
            phrase: what it is said of.
            negated: whether the sentence is negated; then no degree.

        Returns:
            A `State`.
        """
        quality = self.one(find_adjectives(phrase))
        plain = negated or quality in UNGRADED
        return State(quality, "" if plain else self.degree())

    def noun(self, nouns, verbs=()):
        """Choose a noun that is not yet in the sentence.

        Args:
            nouns: a tuple of nouns, at least one of them not taken.
            verbs: what is done to it.

        Returns:
            A noun that suits all of the verbs.
        """
        while True:
            noun = self.one(nouns)
            barred = NOUNS[noun].barred if noun in NOUNS else ()
            if noun not in self.taken and not any(v in barred for v in verbs):
                self.taken.append(noun)
                return noun

    def phrase(
        self,
        role,
        nouns,
        verbs=(),
        definite=False,
        plural=0.18,
        extra=0.35,
        moods=True,
    ):
        """Draw a noun phrase.

        Args:
            role: what it is in the sentence; becomes part of its keys.
            nouns: the nouns to choose from.
            verbs: what is done to it; see `noun`.
            definite: whether *a* and numbers are left out.
            plural: share of plurals.
            extra: share of phrases with an adjective.
            moods: whether that may be what it is at the moment, *tired*.

        Returns:
            A `Phrase`.
        """
        noun = self.noun(nouns, verbs)
        kind, many = NOUNS[noun].kind, self.chance(plural)
        if definite or (many and kind == "place"):
            name = self.one(_DEFINITE)
        else:
            name = self.one(_PLURAL if many else _SINGULAR)
        if name == "mine":
            name = self._mine(noun)
        elif name == "number":
            name = self.one(NUMBERS)
        words = self._words(noun, extra, moods)
        return Phrase(role, noun, kind, many, name, words)

    def mine(self):
        """Draw an owner's word: *my*, *your*, *his*, *her*, *our*, *their*."""
        return self.one(_OWNERS)

    def _mine(self, noun):
        """Choose whose; nobody owns a queen, but *our queen* is."""
        if NOUNS[noun].kind != "human" or noun in OWNED:
            return self.mine()
        return "the" if "our" in NOUNS[noun].barred else "our"

    def _words(self, noun, extra, moods):
        """Draw no adjective, one, or one of size and one of colour."""
        groups = FITTING[noun]
        every = groups["size"] + groups["quality"] + groups["colour"]
        if not self.chance(extra):
            return ()
        if moods and groups["state"] and self.chance(0.25):
            return (self.one(groups["state"]),)
        if not every:
            return ()
        sizes = [word for word in groups["size"] if word != "new"]
        if sizes and groups["colour"] and self.chance(0.15):
            return self.one(sizes), self.one(groups["colour"])
        return (self.one(every),)

    def being(self, role, human=0.45, pronoun=0, closed=False, **options):
        """Draw somebody, a human or an animal.

        Args:
            role: see `phrase`.
            human: share of humans.
            pronoun: share of pronouns, *I* or *you*.
            closed: whether those are left out whose pronoun English leaves
                open: a student is he or she.
            options: see `phrase`.

        Returns:
            A `Phrase`.
        """
        if self.chance(pronoun):
            return self.pronoun(role)
        kind = "human" if self.chance(human) else "animal"
        return self.phrase(
            role, (CLOSED if closed else KINDS)[kind], **options
        )

    def pronoun(self, role, words=tuple(PRONOUNS)):
        """Draw a pronoun that is not yet in the sentence.

        Args:
            role: see `phrase`.
            words: pronouns to choose from.

        Returns:
            A `Phrase`.
        """
        word = self.noun(words)
        self.taken += {"i": ["we"], "we": ["i"]}.get(word, [])
        return Phrase(role, word, "pronoun", PRONOUNS[word].many, "")

    def owner(self, role):
        """Draw an owner: "the girl" of "the girl's cat".

        Args:
            role: role of what is owned.

        Returns:
            A `Phrase`.
        """
        role += ".owner"
        return self.being(role, human=0.7, definite=True, plural=0, extra=0)

    def item(self, role, kinds, verbs=(), **options):
        """Draw something of one of several kinds.

        Args:
            role: see `phrase`.
            kinds: names of kinds.
            verbs: see `noun`.
            options: see `phrase`.

        Returns:
            A `Phrase`.
        """
        return self.phrase(role, KINDS[self.one(kinds)], verbs, **options)

    def spot(self):
        """Draw a place with its preposition.

        Returns:
            A `Spot`.
        """
        kind = "site" if self.chance(0.75) else "furniture"
        phrase = self.phrase("spot", KINDS[kind], plural=0, extra=0.15)
        barred = NOUNS[phrase.noun].barred
        fitting = [p for p in PREPOSITIONS[kind] if p not in barred]
        return Spot(self.one(fitting), phrase)

    def way(self):
        """Draw where somebody goes.

        Returns:
            A `Spot`.
        """
        nouns = KINDS["site"]
        return Spot("in", self.phrase("spot", nouns, ("go",), True, 0, 0.15))
