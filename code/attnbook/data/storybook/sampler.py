"""Draw what a sentence has beside its noun phrases: tense, time, manner."""

from attnbook.data.storybook.lexicon_en import ADVERBS, DEGREES, DENIED, TIMES


class Sampler:
    """Draw what is left to chance.

    Args:
        rng: the `random.Random` that decides.
    """

    def __init__(self, rng):
        self.rng = rng

    def chance(self, share):
        """Decide something that is true in a share of all cases.

        Args:
            share: a number from 0 to 1.

        Returns:
            A bool.
        """
        return self.rng.random() < share

    def one(self, choices):
        """Return one of several choices.

        Args:
            choices: a list or tuple.
        """
        return self.rng.choice(choices)

    def tense(self, future=True):
        """Draw a tense.

        Args:
            future: whether it may be the future.

        Returns:
            "past", "present" or "future".
        """
        roll = self.rng.random()
        if future and roll < 0.15:
            return "future"
        return "present" if roll < 0.45 else "past"

    def time(self, tense, negated):
        """Draw when it happens, mostly nothing.

        Args:
            tense: see `tense`.
            negated: whether it does not happen.

        Returns:
            An adverb or "".
        """
        time = self.one(TIMES[tense]) if self.chance(0.15) else ""
        return "" if negated and time in DENIED else time

    def mode(self, denial, question):
        """Draw whether a sentence is negated or a question, never both.

        Args:
            denial: share of negated sentences.
            question: share of questions.

        Returns:
            A dict with the keys "negated" and "asks".
        """
        roll = self.rng.random()
        return {
            "negated": roll < denial,
            "asks": denial <= roll < denial + question,
        }

    def degree(self):
        """Draw a degree, mostly none.

        Returns:
            "", "too" or "very".
        """
        return self.one(DEGREES) if self.chance(0.4) else ""

    def adverb(self, verb, share):
        """Draw in what manner it happens.

        Args:
            verb: what happens.
            share: share of sentences with an adverb, where one fits.

        Returns:
            An adverb or "".
        """
        fitting = [word for word, verbs in ADVERBS.items() if verb in verbs]
        return self.one(fitting) if fitting and self.chance(share) else ""
