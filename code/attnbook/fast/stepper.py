"""`decoding.cache.cached_step`, which copies no past.

The cache of the course keeps keys and values of every row, and copies
them whenever beams change places.  Here a sentence's beams share what they
have in common: keys and values of the source stand there once, those of the
words stay where they were written, and a table says which of them belong to
whose past.  When beams change places, the table is copied and nothing else.
All beams of a sentence are queries of one call of attention.

Dimension letters:
    B sentences, W beams of each, R = B * W rows, H heads, S source length,
    T slots for keys and values of words, d_k = D / H width of a head,
    D = d_model, vocab words of the vocabulary.
"""

import torch

from attnbook.data.vocabulary import BOS, PAD
from attnbook.fast.layers import FastLayer, as_bias, attend, source_pairs

ROOM = 16  # words of every beam for which there is room at first


class CachedLayer(FastLayer):
    """A decoder layer with its KV cache of a batch.

    Args:
        layer: a `DecoderLayer`.
        weights: see `layers.join`.
        pair: keys and values of the source, (B, H, S, d_k) each.
        room: number of slots T.
    """

    def __init__(self, layer, weights, pair, room):
        super().__init__(layer, weights)
        self.source = torch.stack(pair)  # (2, B, H, S, d_k)
        shape = (*self.source.shape[:3], room, self.source.size(-1))
        self.cache = self.source.new_empty(shape)  # (2, B, H, T, d_k)

    def step(self, x, slots, turn, seen, mask):
        """Update the newest words as `DecoderLayer` does.

        Args:
            x: what asks, (B, W, D).
            slots: where the newest keys and values go, a slice.
            turn: a function that turns queries and keys, or None.
            seen: see `as_bias`, (B, 1, W, T), or None where all is seen.
            mask: the same of the source, (B, 1, 1, S).

        Returns:
            (B, W, D).
        """

        def attend_past(q, k, v):
            if turn is not None:
                q, k = turn(q), turn(k)  # (B, H, W, d_k)
            keys, values = self.cache
            keys[:, :, slots], values[:, :, slots] = k, v
            past = slice(slots.stop)
            return attend(q, keys[:, :, past], values[:, :, past], seen)

        x = self.attend_self(x, attend_past)
        return self.feed(self.attend_source(x, *self.source, mask))


class BeamStepper:
    """What the steppers of a batch's beams have in common.

    At first the beams of a sentence are alike: one of each is computed.

    Attributes:
        width: beams of each sentence W.
        length: words so far.
    """

    def scores(self, written):
        """Return log-probabilities of the next words, as `Stepper` does.

        Args:
            written: ids so far, beginning with <bos>, int, (R, t).

        Returns:
            float32, (R, vocab).
        """
        words = written[:, -1].view(-1, self.width)  # (B, W)
        words = words if self.length else words[:, :1]  # (B, 1) at first
        scores = self.logits(words).float().log_softmax(dim=-1)
        scores[..., [PAD, BOS]] = -torch.inf  # never written
        return scores.expand(-1, self.width, -1).flatten(0, 1)  # (R, vocab)


class FastStepper(BeamStepper):
    """Score the next words of a batch's beams.

    Args:
        model: a `Transformer`.
        source: source ids, int, (B, S).
        width: beams of each sentence W.
        longest: most words to write.
    """

    def __init__(self, model, source, width, longest):
        self.model, self.width = model, width
        memory, mask, _ = model.encode(source)
        weights, room = {p: p for p in model.parameters()}, min(ROOM, longest)
        layers = model.decoder.layers
        pairs = source_pairs(model.decoder, memory, weights)
        self.layers = [
            CachedLayer(layer, weights, pair, room * width)
            for layer, pair in zip(layers, pairs, strict=True)
        ]
        self.dtype = memory.dtype
        self.mask = None if mask.all() else as_bias(mask, self.dtype)
        self.length = 0  # words so far
        self.seen = mask.new_ones(len(source), width, 0)  # (B, W, T)
        one = torch.eye(width, dtype=torch.bool, device=source.device)
        self.newest = one.expand(len(source), width, width)  # (B, W, W)

    def logits(self, words):
        """Return the logits of the next words.

        Args:
            words: the newest words, int, (B, 1) at first, then (B, W).

        Returns:
            (B, 1, vocab) at first, then (B, W, vocab).
        """
        return self.model.output(self.states(words))

    def states(self, words):
        """Return what the output layer reads, (B, 1, D), then (B, W, D)."""
        count = words.size(1)
        if self.seen.size(2) + count > self.layers[0].cache.size(3):
            self.make_room()
        used = self.seen.size(2)
        new = self.newest if self.length else self.newest.new_ones(1, 1, 1)
        new = new.expand(len(words), self.width, count)
        self.seen = torch.cat([self.seen, new], dim=2)  # (B, W, T)
        slots, seen = slice(used, used + count), None  # (B, 1, W, T)
        if self.width > 1:
            seen = as_bias(self.seen[:, None, :count], self.dtype)
        turn = self.turn if self.model.decoder.rotary is not None else None
        x = self.model.target_embedding(words.view(-1, 1), self.length)
        x = x.view(*words.shape, -1)  # (R, 1, D) -> (B, W, D)
        for layer in self.layers:
            x = layer.step(x, slots, turn, seen, self.mask)
        self.length += 1
        return self.model.decoder.norm(x)  # (B, W, D)

    def turn(self, x):
        """Turn vectors of the newest position, (B, H, W, d_k)."""
        x = x.unsqueeze(-2)  # (B, H, W, 1, d_k)
        return self.model.decoder.rotary(x, self.length).squeeze(-2)

    def reorder(self, rows):
        """Go on with these beams, int64, (R,)."""
        if self.width > 1:
            self.seen = self.seen.flatten(0, 1)[rows].view_as(self.seen)

    def make_room(self):
        """Forget what no beam remembers; if that is little, add slots."""
        alive = self.seen.any(dim=1)  # (B, T)
        used = int(alive.sum(dim=1).max())
        order = alive.byte().argsort(dim=1, descending=True, stable=True)
        order = order[:, :used]  # (B, T')
        index = order[:, None].expand(-1, self.width, -1)
        self.seen = self.seen.gather(2, index)  # (B, W, T')
        sentences = torch.arange(len(order), device=order.device)[:, None]
        for layer in self.layers:
            shape = [*layer.cache.shape]
            if used + self.width > shape[3] // 2:
                shape[3] *= 2
            cache = layer.cache.new_empty(shape)  # (2, B, H, T, d_k)
            old = layer.cache.transpose(2, 3)  # (2, B, T, H, d_k)
            cache[:, :, :, :used] = old[:, sentences, order].transpose(2, 3)
            layer.cache = cache

    def keep(self, sentences):
        """Go on with these sentences alone, int64, (B',)."""
        used = self.seen.size(2)
        self.seen, self.newest = self.seen[sentences], self.newest[sentences]
        self.mask = None if self.mask is None else self.mask[sentences]
        for layer in self.layers:
            layer.source = layer.source[:, sentences]  # (2, B', H, S, d_k)
            shape = [*layer.cache.shape]
            shape[1] = len(sentences)
            cache = layer.cache.new_empty(shape)  # (2, B', H, T, d_k)
            cache[:, :, :, :used] = layer.cache[:, sentences, :, :used]
            layer.cache = cache


class EnsembleStepper(BeamStepper):
    """Score the next words of a batch's beams by several models.

    Args:
        ensemble: an `Ensemble` of `Transformer`.
        source: source ids, int, (B, S).
        width: beams of each sentence W.
        longest: most words to write.
    """

    def __init__(self, ensemble, source, width, longest):
        self.ensemble, self.width = ensemble, width
        self.steppers = [
            FastStepper(model, source, width, longest)
            for model in ensemble.models
        ]

    @property
    def length(self):
        """Return how many words there are so far."""
        return self.steppers[0].length

    def logits(self, words):
        """Return the logarithm of the mean probability of the next words.

        Arguments as in `FastStepper.logits`, and its shapes.
        """
        states = [stepper.states(words) for stepper in self.steppers]
        return self.ensemble.output(states)

    def reorder(self, rows):
        """Go on with these beams, int64, (R,)."""
        for stepper in self.steppers:
            stepper.reorder(rows)

    def keep(self, sentences):
        """Go on with these sentences alone, int64, (B',)."""
        for stepper in self.steppers:
            stepper.keep(sentences)
