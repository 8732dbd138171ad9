"""A decoder's step that copies no past.

The `cache` of the course keeps keys and values of every row, and copies
them whenever beams change places.  Here a sentence's beams share what they
have in common: keys and values of the source stand there once, those of the
words stay where they were written, and a table says which of them belong to
whose past.  When beams change places, the table is copied and nothing else.
All beams of a sentence are queries of one call of attention.

Dimension letters:
    B sentences, W beams of each, R = B * W rows, H heads, S source length,
    T slots for keys and values of words, K = D / H width of a head,
    D = d_model, V vocabulary.
"""

import torch
import torch.nn.functional as F

from attnbook.attention import fast_attention, is_plain_faster
from attnbook.decoding.unpadded import read

ROOM = 16  # words of every beam for which there is room at first


def as_bias(mask, keys):
    """Return a mask as what is added to scores, 0 or -inf.

    PyTorch's form of attention turns every mask into that; so it is done
    once, and not in every layer.

    Args:
        mask: bool, (B, 1, W, S).
        keys: keys of an attention, (B, H, S, K).

    Returns:
        float, (B, 1, W, S); the mask itself for the plain formula.
    """
    if is_plain_faster(keys, keys):
        return mask
    return keys.new_zeros(mask.shape).masked_fill_(~mask, -torch.inf)


class KeptLayer:
    """A decoder layer with the keys and values that it keeps of a batch.

    Args:
        layer: a `DecoderLayer`.
        memory: output of the encoder, (B, S, D).
        room: number of slots T.
    """

    def __init__(self, layer, memory, room):
        self.layer = layer
        own, cross = layer.self_attention, layer.cross_attention
        joint = own.w_q, own.w_k, own.w_v  # one product instead of three
        self.weight = torch.cat([part.weight for part in joint])  # (3 D, D)
        self.bias = torch.cat([part.bias for part in joint])  # (3 D,)
        source = torch.stack([cross.w_k(memory), cross.w_v(memory)])
        source = self.split(source)  # (2, B, S, D) -> (2, B, H, S, K)
        self.source = source.contiguous()
        shape = (*source.shape[:3], room, source.size(-1))
        self.own = source.new_empty(shape)  # (2, B, H, T, K)

    def split(self, x):
        """Cut the width into heads, (..., W, D) -> (..., H, W, K)."""
        heads = self.layer.self_attention.num_heads
        return x.unflatten(-1, (heads, -1)).transpose(-3, -2)

    def attend_own(self, x, slots, turn, seen):
        """Attend to the words so far, the newest ones included.

        Args:
            x: what asks, (B, W, D).
            slots: where the newest keys and values go, a slice.
            turn: a function that turns queries and keys, or None.
            seen: see `as_bias`, (B, 1, W, T), or None where all is seen.

        Returns:
            (B, W, D).
        """
        joint = F.linear(x, self.weight, self.bias)  # (B, W, 3 D)
        q, k, v = (self.split(part) for part in joint.chunk(3, dim=-1))
        if turn is not None:
            q, k = turn(q), turn(k)  # (B, H, W, K)
        keys, values = self.own
        keys[:, :, slots], values[:, :, slots] = k, v
        past = slice(slots.stop)
        x, _ = fast_attention(q, keys[:, :, past], values[:, :, past], seen)
        x = x.transpose(1, 2).flatten(2)  # (B, H, W, K) -> (B, W, D)
        return self.layer.self_attention.w_o(x)

    def attend_source(self, x, mask):
        """Attend to the source.

        Args:
            x: what asks, (B, W, D).
            mask: see `as_bias`, (B, 1, 1, S), or None where all is seen.

        Returns:
            (B, W, D).
        """
        cross = self.layer.cross_attention
        q = self.split(cross.w_q(x))  # (B, H, W, K)
        x, _ = fast_attention(q, *self.source, mask)
        x = x.transpose(1, 2).flatten(2)  # (B, H, W, K) -> (B, W, D)
        return cross.w_o(x)

    def step(self, x, slots, turn, seen, mask):
        """Update the newest words, (B, W, D), as `DecoderLayer` does.

        Arguments as in `KeptLayer.attend_own` and `attend_source`.
        """
        layer = self.layer
        y = layer.around_self.before(x)
        x = layer.around_self.after(x, self.attend_own(y, slots, turn, seen))
        y = layer.around_cross.before(x)
        x = layer.around_cross.after(x, self.attend_source(y, mask))
        feed = layer.feed_forward
        y = feed.inner(layer.around_feed.before(x)).relu_()
        return layer.around_feed.after(x, feed.outer(y))


class FastStepper:
    """Score the next words of a batch's beams.

    At first the beams of a sentence are alike: there is one of each.

    Args:
        model: a `Transformer`.
        source: source ids, int, (B, S).
        width: beams of each sentence W.
        longest: most words to write.
    """

    def __init__(self, model, source, width, longest):
        self.model, self.width = model, width
        memory, mask = read(model, source)
        room = min(ROOM, longest) * width
        self.layers = [
            KeptLayer(layer, memory, room) for layer in model.decoder.layers
        ]
        self.mask = None
        if not mask.all():
            self.mask = as_bias(mask, self.layers[0].source[0])
        self.length = 0  # words so far
        self.seen = mask.new_ones(len(source), width, 0)  # (B, W, T)
        one = torch.eye(width, dtype=torch.bool, device=source.device)
        self.newest = one.expand(len(source), width, width)  # (B, W, W)

    def logits(self, words):
        """Return the logits of the next words.

        Args:
            words: the newest words, int, (B, 1) at first, then (B, W).

        Returns:
            (B, 1, V) at first, then (B, W, V).
        """
        return self.model.output(self.states(words))

    def states(self, words):
        """Return what the output layer reads, (B, 1, D), then (B, W, D)."""
        count = words.size(1)
        if self.seen.size(2) + count > self.layers[0].own.size(3):
            self.make_room()
        used = self.seen.size(2)
        new = self.newest if self.length else self.newest.new_ones(1, 1, 1)
        new = new.expand(len(words), self.width, count)
        self.seen = torch.cat([self.seen, new], dim=2)  # (B, W, T)
        slots, seen = slice(used, used + count), None
        if self.width > 1:
            keys = self.layers[0].own[0, :, :, : slots.stop]
            seen = as_bias(self.seen[:, None, :count], keys)  # (B, 1, W, T)
        turn = self.turn if self.model.decoder.rotary is not None else None
        x = self.model.target_embedding(words.view(-1, 1), self.length)
        x = x.view(*words.shape, -1)  # (R, 1, D) -> (B, W, D)
        for layer in self.layers:
            x = layer.step(x, slots, turn, seen, self.mask)
        self.length += 1
        return self.model.decoder.norm(x)  # (B, W, D)

    def turn(self, x):
        """Turn vectors of the newest position, (B, H, W, K)."""
        x = x.unsqueeze(-2)  # (B, H, W, 1, K)
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
            shape = [*layer.own.shape]
            if used + self.width > shape[3] // 2:
                shape[3] *= 2
            own = layer.own.new_empty(shape)  # (2, B, H, T, K)
            old = layer.own.transpose(2, 3)  # (2, B, T, H, K)
            own[:, :, :, :used] = old[:, sentences, order].transpose(2, 3)
            layer.own = own

    def keep(self, sentences):
        """Go on with these sentences alone, int64, (B',)."""
        used = self.seen.size(2)
        self.seen, self.newest = self.seen[sentences], self.newest[sentences]
        self.mask = None if self.mask is None else self.mask[sentences]
        for layer in self.layers:
            layer.source = layer.source[:, sentences]  # (2, B', H, S, K)
            shape = [*layer.own.shape]
            shape[1] = len(sentences)
            own = layer.own.new_empty(shape)  # (2, B', H, T, K)
            own[:, :, :, :used] = layer.own[:, sentences, :, :used]
            layer.own = own
