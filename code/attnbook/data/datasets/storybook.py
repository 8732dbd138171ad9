"""The storybook as a dataset: made by a grammar, words are the tokens."""

import functools
import re

from attnbook.data import storybook
from attnbook.data.characters import clean_text
from attnbook.data.datasets.base import Dataset
from attnbook.data.storybook import corpus
from attnbook.data.storybook import lexicon_en as lexicon
from attnbook.data.storybook.checking import check_whole
from attnbook.data.storybook.rules import WEIGHTS
from attnbook.data.vocabulary import WordVocabulary

# What people write, and how the grammar writes it.
_SHORT = (
    (r"[\"\u201c\u201d\u00ab\u00bb()]", " "),
    (r"[.!]+", " . "),
    (r"[?]+", " ? "),
    (r",", " , "),
    (r"\bcan(?:'t|not)\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"\bi'm\b", "i am"),
    (r"'re\b", " are"),
    (r"'ll\b", " will"),
    (r"\b(it|he|she|this|there)'s\b", r"\1 is"),
    (r"'s\b", " 's"),
)
# English leaves these open; here each has one answer.
_RULES = {
    "fr": """\
French: I, we, they, and an it of which nothing else is said, are masculine;
you is one person, tu.  A question begins with est-ce que.  Can is pouvoir,
like and love are both aimer.  What happened is in the passé composé, what was
so in the imparfait.""",
    "ko": """\
Korean: the plain style, with 너 for you and -니 at the end of a question.
The takes 은 or 는, a and numbers take 이 or 가, a plural takes 들.  He, she,
it and they are 그, 그녀, 그것 and 그들.""",
}
_ASKING = frozenset(
    [
        "am",
        "are",
        "is",
        "was",
        "were",
        "do",
        "does",
        "did",
        "can",
        "could",
        "will",
    ]
)
_TIMES = frozenset(word for words in lexicon.TIMES.values() for word in words)


@functools.lru_cache(maxsize=4)
def draw_texts(language, seed, train):
    """Return all parts as texts; drawn once, since that takes seconds.

    Args:
        language: of the target.
        seed: see `storybook.splits`.
        train: number of pairs to train on; the other parts are the same,
            whatever it is.

    Returns:
        A dict of name -> tuple of pairs of texts.
    """
    parts = storybook.splits(
        language, train=train, seed=seed, held_out=1, form=corpus.write_texts
    )
    return {name: tuple(pairs) for name, pairs in parts.items()}


class Storybook(Dataset):
    """English to French or Korean, without a download."""

    name = "storybook"
    about = "made by a grammar, no download; words are the tokens"
    model = {
        "d_model": 128,
        "num_heads": 4,
        "d_ff": 256,
        "num_encoder_layers": 2,
        "num_decoder_layers": 2,
        "dropout": 0.05,
        "max_length": 64,
    }
    training = {"steps": 1600, "learning_rate": 4e-3}
    one_translation = True
    kinds = tuple(rule.__name__ for rule in WEIGHTS)

    def __init__(self, source, target, seed, pairs):
        self.source, self.target, self.seed = source, target, seed
        self.pairs = pairs

    @functools.cached_property
    def train(self):
        """The pairs to train on, drawn when they are first looked at."""
        return list(draw_texts(self.target, self.seed, self.pairs)["train"])

    # Without the pairs to train on, which take ten times as long to draw.
    @functools.cached_property
    def valid(self):
        """The pairs to choose settings on."""
        return list(draw_texts(self.target, self.seed, 1)["valid"])

    @functools.cached_property
    def test(self):
        """The pairs to report on."""
        return list(draw_texts(self.target, self.seed, 1)["test"])

    @classmethod
    def load(cls, source, target, report=print, seed=0, pairs=80_000):
        """Return the storybook; arguments as in `Dataset`, and two more.

        Args:
            source: "en".
            target: "fr" or "ko".
            report: not called.
            seed: see `storybook.splits`.
            pairs: number of pairs to train on, the first of those that a
                larger number gives.

        Raises:
            ValueError: languages or a number that it does not have.
        """
        if source != "en" or target not in ("fr", "ko"):
            raise ValueError(
                "expected the storybook from en to fr or ko, got "
                f"{source} to {target}"
            )
        check_whole("pairs", pairs, 1)
        return cls(source, target, seed, pairs)

    def learn_vocabularies(self, merges):
        """Collect the words of each side; there are no merges."""
        source, target = zip(*self.train, strict=True)
        return WordVocabulary.learn(source), WordVocabulary.learn(target)

    @staticmethod
    def read_text(text):
        """Return a sentence as the grammar writes it.

        In small letters, words and signs apart, *isn't* as *is not*, *it's*
        as *it is*; a sign at the end, where there is none.

        Args:
            text: one sentence, as people type it.
        """
        text = clean_text(text).lower().replace("\u2019", "'")
        for short, full in _SHORT:
            text = re.sub(short, full, text)
        words = text.split()
        if words and words[-1] not in (".", "?"):
            words.append("?" if words[0] in _ASKING else ".")
        if len(words) > 2 and words[0] in _TIMES and words[1] != ",":
            words.insert(1, ",")
        return " ".join(words)

    @staticmethod
    def split_text(text):
        """Return the sentences of a text, one by one."""
        parts = re.split(r"(?<=[.?!])\s+", clean_text(text).strip())
        return [part for part in parts if re.search(r"\w", part)]

    @staticmethod
    def write_text(text, language):
        """Return the words as a sentence."""
        return storybook.sentence(tuple(text.split()), language)

    def of_kind(self, kind, count):
        """Return pairs of texts that one rule of the grammar drew."""
        pairs = storybook.draw_kind(self.target, kind, count, seed=0)
        return [(" ".join(p.source), " ".join(p.target)) for p in pairs]

    def rules(self):
        """Return what is decided where English leaves it open, a text."""
        return _RULES[self.target]

    def words(self):
        """Return the nouns by kind, the verbs and the adjectives."""
        groups = {f"{kind} nouns": n for kind, n in lexicon.KINDS.items()}
        adjectives = dict.fromkeys((*lexicon.ADJECTIVES, *lexicon.COMPARED))
        return groups | {
            "verbs": tuple(lexicon.VERBS),
            "adjectives": tuple(adjectives),
        }

    def examples(self):
        """Return both readings of the animal sentence."""
        pairs = storybook.both_readings(self.target)
        return [" ".join(pair.source) for pair in pairs]
