"""A trained model with its vocabularies, that reads and writes text.

How sure it is of a translation is the probability of the least probable
word.  Below that of the 2 in 100 validation sentences of which it is least
sure (`find_threshold`, kept in the run's sure.json), it is called unsure.
"""

import torch

from attnbook.data.batches import pad
from attnbook.data.characters import clean_text
from attnbook.data.vocabulary import BOS, EOS, PAD, check_texts
from attnbook.decoding.search import fast_beam_search, fast_greedy
from attnbook.training.runs import RunFolder

UNSURE = 0.02  # share of validation sentences that count as unsure


class Translator:
    """A model that reads and writes text.

    Args:
        model: a model with the interface of `Transformer`.
        source: source vocabulary.
        target: target vocabulary.
        sure_from: the least probability of a sure translation.
    """

    def __init__(self, model, source, target, sure_from=0.0):
        self.model = model.eval()
        self.source, self.target = source, target
        self.sure_from = sure_from

    def encode(self, texts):
        """Return source ids with <eos>, (B, S).

        Args:
            texts: see `translate`.

        Raises:
            ValueError: no list of texts, an empty text, or one that is too
                long.
        """
        check_texts(texts)
        if not len(texts):
            raise ValueError("expected at least one text, got none")
        texts = [clean_text(text) for text in texts]
        rows = [[*self.source.encode(text), EOS] for text in texts]
        limit = self.model.config.max_length
        for text, row in zip(texts, rows, strict=True):
            if len(row) == 1 or len(row) > limit:
                raise ValueError(
                    f"expected a sentence of 1 to {limit - 1} tokens, got "
                    f"{len(row) - 1}: {text[:60]!r}"
                )
        device = next(self.model.parameters()).device
        return pad(rows).to(device)

    def translate(self, texts, width=1, alpha=0.6, longest=None, batch=64):
        """Translate texts, those of similar length together.

        Args:
            texts: a list of str, none of them empty, each written as the
                training texts are.  The storybook's are in small letters,
                words and signs apart by blanks: its `read_text` turns what
                people type into that (`attnbook.data.datasets`).
            width: beam width; 1 is greedy.
            alpha: length penalty of the beam search.
            longest: most tokens to write, at least 1; None for the
                source's length and a half, plus ten.
            batch: sentences per batch, at least 1.

        Returns:
            A list of str, in the order of the texts.

        Raises:
            ValueError: a batch below 1; see `encode`, `greedy` and
                `beam_search`.
        """
        written = [None] * len(texts)
        for group, _, rows in self._batches(
            texts, width, alpha, longest, batch
        ):
            for i, row in zip(group, rows, strict=True):
                written[i] = self.target.decode(row)
        return written

    def translate_surely(self, texts, width=1, alpha=0.6):
        """Translate texts and say how sure the model is of each.

        Args:
            texts: see `translate`.
            width: beam width; 1 is greedy.
            alpha: length penalty of the beam search.

        Returns:
            A list of pairs (translation, probability of its least probable
            word, from 0 to 1), in the order of the texts.

        Raises:
            ValueError: see `translate`.
        """
        written = [None] * len(texts)
        for group, source, rows in self._batches(texts, width, alpha):
            least = self._least_probable(source, rows)
            for i, row, value in zip(group, rows, least, strict=True):
                written[i] = self.target.decode(row), value
        return written

    def _least_probable(self, source, rows):
        """Return the probability of each row's least probable word."""
        target = pad([[BOS, *row, EOS] for row in rows]).to(source.device)
        with torch.inference_mode():
            logits = self.model(source, target[:, :-1])  # (B, T, vocab)
            scores = logits.float().log_softmax(dim=-1)
        words = target[:, 1:]  # (B, T)
        picked = scores.gather(-1, words.unsqueeze(-1)).squeeze(-1)
        picked = picked.masked_fill(words == PAD, 0.0)
        return picked.amin(dim=-1).exp().tolist()

    def _batches(self, texts, width, alpha, longest=None, batch=64):
        """Yield indices of texts, their source ids (B, S), and rows of ids."""
        if batch < 1:
            raise ValueError(f"expected a batch of at least 1, got {batch}")
        self.encode(texts)  # refuse the whole before doing half of it
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for first in range(0, len(order), batch):
            group = order[first : first + batch]
            source = self.encode([texts[i] for i in group])  # (B, S)
            limit = self.model.config.max_length - 1
            most = min(limit, source.size(1) * 3 // 2 + 10)
            most = most if longest is None else longest
            if width == 1:
                rows = fast_greedy(self.model, source, most)
            else:
                rows = fast_beam_search(self.model, source, width, alpha, most)
            yield group, source, rows


def find_threshold(trained, texts):
    """Return the probability from which a translation counts as sure.

    Args:
        trained: a `Translator`.
        texts: sources of validation sentences, a list of str.

    Returns:
        A float: a share `UNSURE` of the texts lies below it.
    """
    found = sorted(value for _, value in trained.translate_surely(texts))
    return found[int(len(found) * UNSURE)]


def load_translator(folder, device=None):
    """Read a trained model from its folder.

    Args:
        folder: a run's folder.
        device: where the model goes; the CPU if None.

    Returns:
        A `Translator` and the run's config, a dict.

    Raises:
        ValueError: no model there, a damaged file, or vocabularies of
            another run.
    """
    folder = RunFolder(folder)
    model, source, target, config = folder.load_model()
    model.to(device or torch.device("cpu"))
    threshold = folder.load_threshold()
    return Translator(model, source, target, threshold), config
