"""From probabilities to a sentence, word by word: greedy and sampling.

Dimension letters:
    B sentences, S source length, W rows per sentence, R = B * W rows, t words
    so far, vocab words of the vocabulary.
"""

import contextlib
import math

import torch

from attnbook.data.vocabulary import BOS, EOS, PAD
from attnbook.decoding.cache import Cache, cached_step
from attnbook.transformer import Transformer


class Stepper:
    """Score the next word of every row, with or without a cache.

    Args:
        model: a model with the interface of `Transformer`.
        source: source ids, int, (B, S).
        width: rows per sentence.
        cached: whether to keep keys and values; None where it is possible.
            A subclass may compute otherwise than the cached step, so only
            a `Transformer` itself can.
    """

    def __init__(self, model, source, width=1, cached=None):
        self.model = model
        rows = torch.arange(len(source), device=source.device)
        rows = rows.repeat_interleave(width)  # (R,)
        memory, mask, _ = model.encode(source)
        self.memory, self.mask = memory[rows], mask[rows]
        possible = type(model) is Transformer
        cached = possible if cached is None else cached
        if cached and not possible:
            raise ValueError(
                "expected a Transformer for decoding with a cache, got "
                f"{type(model).__name__}"
            )
        self.cache = Cache(model, self.memory, self.mask) if cached else None

    def scores(self, written):
        """Return log-probabilities of the next word, float32, (R, vocab).

        Args:
            written: ids so far, beginning with <bos>, (R, t).
        """
        if self.cache is not None:
            logits = cached_step(self.model, written[:, -1:], self.cache)
        else:
            states, _ = self.model.decode(written, self.memory, self.mask)
            logits = self.model.output(states)[:, -1]  # (R, vocab)
        scores = logits.float().log_softmax(dim=-1)  # (R, vocab)
        scores[:, [PAD, BOS]] = -math.inf  # never written
        return scores

    def reorder(self, rows):
        """Continue with these rows, int64, (R,)."""
        if self.cache is not None:
            self.cache.reorder(rows)
        self.memory, self.mask = self.memory[rows], self.mask[rows]


@contextlib.contextmanager
def inference(model, longest):
    """Decode in eval mode and without gradients; refuse a silly length."""
    if not 1 <= longest < model.config.max_length:
        raise ValueError(
            f"expected a longest output of 1 to {model.config.max_length - 1} "
            f"words, got {longest}"
        )
    training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        model.train(training)


def cut_at_eos(rows):
    """Return rows of ids as lists, up to <eos> and without it."""
    lists = [row.tolist() for row in rows]
    return [r[: r.index(EOS)] if EOS in r else r for r in lists]


def generate(model, source, longest, cached, pick):
    """Write one word after the other, as `pick` chooses them.

    Args:
        model: a model with the interface of `Transformer`.
        source: source ids, int, (B, S).
        longest: most words to write.
        cached: see `Stepper`.
        pick: a function of log-probabilities (B, vocab) -> ids (B,).

    Returns:
        B lists of ids, without <bos> and <eos>.
    """
    with inference(model, longest):
        stepper = Stepper(model, source, cached=cached)
        written = torch.full_like(source[:, :1], BOS)  # (B, 1)
        ended = torch.zeros_like(source[:, 0], dtype=torch.bool)  # (B,)
        for _ in range(longest):
            word = pick(stepper.scores(written))  # (B,)
            word = word.masked_fill(ended, EOS)  # (B,)
            written = torch.cat([written, word[:, None]], dim=1)  # (B, t)
            ended = ended | (word == EOS)  # (B,)
            if ended.all():
                break
        return cut_at_eos(written[:, 1:])


def greedy(model, source, longest=100, cached=None):
    """Write the most probable next word, again and again.

    Args:
        model: a model with the interface of `Transformer`.
        source: source ids, int, (B, S).
        longest: most words to write.
        cached: whether to keep keys and values; None where it is possible.

    Returns:
        B lists of ids, without <bos> and <eos>.

    Raises:
        ValueError: longest beyond the model's positions, or a cache asked
            of a model that has none.
    """
    return generate(model, source, longest, cached, lambda p: p.argmax(dim=-1))


def sample(
    model, source, generator, temperature=1.0, longest=100, cached=None
):
    """Draw every next word from its probabilities.

    Args:
        model: a model with the interface of `Transformer`.
        source: source ids, int, (B, S).
        generator: a `torch.Generator` on the source's device.
        temperature: divides the logits; above 0, small is nearly greedy.
        longest: most words to write.
        cached: see `greedy`.

    Returns:
        B lists of ids, without <bos> and <eos>.

    Raises:
        ValueError: see `greedy`, or a temperature that is not above 0.
    """
    if not temperature > 0:
        raise ValueError(f"expected a temperature above 0, got {temperature}")

    def pick(scores):
        weights = (scores / temperature).softmax(dim=-1)  # (B, vocab)
        return torch.multinomial(weights, 1, generator=generator)[:, 0]

    return generate(model, source, longest, cached, pick)
