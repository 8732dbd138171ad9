"""What every dataset is: pairs of sentences, and how to train on them."""

import hashlib

from attnbook.data.bpe import BytePairs
from attnbook.data.characters import clean_text

MEDIUM = {
    "d_model": 256,
    "num_heads": 8,
    "d_ff": 512,
    "num_encoder_layers": 3,
    "num_decoder_layers": 3,
    "dropout": 0.3,
    "shared_embeddings": True,
    "max_length": 256,
}
LONG = {
    "steps": 4000,
    "max_tokens": 4096,
    "learning_rate": 1e-3,
    "warmup": 400,
    "save_every": 200,
    "average": 5,
}


class Dataset:
    """Sentence pairs, the settings to train on them, and how to read them.

    A new dataset is a new file in this folder with a subclass that has a
    `name` and a `load`; the command finds it there.

    Args:
        source: code of the source language, such as "en".
        target: code of the target language.
        train: (source, target) texts.
        valid: the same, to choose settings on.
        test: the same, to report; empty if there is none.

    Attributes:
        name: what it is called on the command line.
        about: one line for the help.
        options: options of the command that `load` takes, as a dict of
            flag -> arguments of `argparse`; flags that no command has, and
            another dataset only with the same arguments. Those that are not
            typed are not passed.
        model: fields of `TransformerConfig` that suit the data.
        training: fields of `TrainConfig` that suit the data.
        one_translation: whether each sentence has only one, so that exact
            matches can be counted.
        kinds: names of the kinds of sentences, if it knows them.
    """

    name = about = None
    options = {}
    model, training = MEDIUM, LONG
    one_translation = False
    kinds = ()

    def __init__(self, source, target, train, valid, test):
        self.source, self.target = source, target
        self.train, self.valid, self.test = train, valid, test

    @classmethod
    def load(cls, source, target, report=print):
        """Return the dataset in one direction.

        Args:
            source: code of the source language.
            target: code of the target language.
            report: called with a line about what takes long.

        Raises:
            ValueError: languages or files that it does not have.
        """
        raise TypeError(f"expected {cls.__name__} to have a load of its own")

    def learn_vocabularies(self, merges):
        """Learn the vocabularies of both sides, from the training text alone.

        Args:
            merges: byte pairs to merge.

        Returns:
            Source and target vocabulary; here one and the same.
        """
        sides = zip(*self.train, strict=True)
        joint = BytePairs.learn(
            [text for side in sides for text in side], merges
        )
        return joint, joint

    def fingerprint(self, split="train"):
        """Return a short name of the pairs of "train", "valid" or "test"."""
        pairs = getattr(self, split)
        text = "\n".join(side for pair in pairs for side in pair)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]

    @staticmethod
    def read_text(text):
        """Return a reader's sentence as a model of this data expects it."""
        return clean_text(text).strip()

    @staticmethod
    def split_text(text):
        """Return the parts of a reader's line that are translated alone."""
        text = clean_text(text).strip()
        return [text] if text else []

    @staticmethod
    def write_text(text, language):
        """Return a model's output as a reader of the language expects it."""
        return text

    def of_kind(self, kind, count):
        """Return pairs of texts of a kind, a list; `kind` is of `kinds`."""
        raise TypeError(f"expected {type(self).__name__} to know its kinds")

    def rules(self):
        """Return what its translations decide, a text; empty if nothing."""
        return ""

    def words(self):
        """Return the source words by group, a dict; empty if unknown."""
        return {}

    def examples(self):
        """Return a few source texts that show what a model can do."""
        return [source for source, _ in (self.test or self.valid)[:3]]


def encode_pairs(pairs, source, target):
    """Return (source ids, target ids) of every pair of texts."""
    return [(source.encode(s), target.encode(t)) for s, t in pairs]
