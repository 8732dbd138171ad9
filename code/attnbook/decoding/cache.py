"""Decoding one word at a time without computing the past again.

Keys and values of earlier words do not change, because no word looks into
its future; so they are kept.  Queries are not: only the newest one asks.

Dimension letters:
    B batch, H heads, S source length, t words so far, d_k = D / H width of a
    head, D = d_model, vocab target words.
"""

import torch

from attnbook.attention import fast_attention


class KeptAttention:
    """An attention function that keeps keys and values.

    Args:
        grows: whether every call adds its keys and values to the kept
            ones, as the words of the target do.  If not, those of the
            first call stay the only ones, as the words of the source do.
    """

    def __init__(self, grows):
        self.grows = grows
        self.k = self.v = None  # (B, H, t, d_k) each

    def __call__(self, q, k, v, mask=None):
        """Attend; arguments as in `attention.fast_attention`."""
        if self.k is None:
            self.k, self.v = k, v  # (B, H, t, d_k)
        elif self.grows:
            self.k = torch.cat([self.k, k], dim=2)  # (B, H, t, d_k)
            self.v = torch.cat([self.v, v], dim=2)  # (B, H, t, d_k)
        return fast_attention(q, self.k, self.v, mask)

    def reorder(self, rows):
        """Keep these rows of the batch, int64, (B',), in this order."""
        if self.k is not None:
            self.k, self.v = self.k[rows], self.v[rows]


class Cache:
    """Keys and values of a Transformer's decoder, for one batch.

    Args:
        model: a `Transformer`.
        memory: the memory from `model.encode`, (B, S, D).
        memory_mask: its mask, (B, 1, 1, S), or None.
    """

    def __init__(self, model, memory, memory_mask):
        self.length, self.memory, self.mask = 0, memory, memory_mask
        self.layers = [
            (KeptAttention(grows=True), KeptAttention(grows=False))
            for _ in model.decoder.layers
        ]

    def reorder(self, rows):
        """Keep these rows of the batch, in this order.

        Args:
            rows: int64, (B',); a row may occur several times.
        """
        for kept in sum(self.layers, ()):
            kept.reorder(rows)
        self.memory = self.memory[rows]
        self.mask = None if self.mask is None else self.mask[rows]


def cached_step(model, tokens, cache):
    """Score the next word after the newest one.

    Args:
        model: a `Transformer` in eval mode.
        tokens: the newest word of each sentence, int, (B, 1).
        cache: the `Cache`; changed in place.

    Returns:
        The logits, (B, vocab); equal to the model's after the last word of
        the whole sentence.

    Raises:
        ValueError: the sentence is longer than the model's positions.
    """
    decoder = model.decoder
    x = model.target_embedding(tokens, cache.length)  # (B, 1, D)
    for layer, (own, cross) in zip(decoder.layers, cache.layers, strict=True):
        attends = decoder.own(own, cache.length), cross
        x, _, _ = layer(x, cache.memory, (None, cache.mask), attends)
    cache.length += 1
    cache.memory = cache.memory[:, :0]  # projected once; nothing is left
    return model.output(decoder.norm(x))[:, 0]  # (B, 1, vocab) -> (B, vocab)
