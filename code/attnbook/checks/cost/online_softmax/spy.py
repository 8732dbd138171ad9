"""Watch which keys an answer reads, in which order, and how many at once.

Dimension letters:
    T queries, S keys, b keys in a block.
"""

import torch

from attnbook.checks.engine.verdict import Mistake
from attnbook.compat import TorchDispatchMode, tree_leaves

WATCHED = 13, 53  # queries and keys of an answer that is watched
WHOLE = (
    "an operation takes all keys at once; cut the scores into blocks first, "
    "and compute with one block at a time"
)
QUERIES = (
    "you cut the queries into blocks; cut the keys, the last axis of the "
    "scores"
)
PIECES = (
    "you cut the keys into `block` pieces; cut them into pieces of `block` "
    "keys (split, not chunk)"
)
OTHER = "you take {} keys at a time where block is {}; use the argument"
TWICE = (
    "you go over the keys more than once; read each block once, and let the "
    "maximum run along"
)


class Reader(TorchDispatchMode):
    """Note what is computed with the scores.

    Args:
        scores: what the answer is called with, float, (T, S).

    Attributes:
        whole: whether an operation computes with as many numbers.
        reads: of each operation on a part of the scores, in order, a list
            of its queries and one of its keys.
    """

    MAY = (
        *("index", "select", "slice", "split", "chunk", "unbind", "gather"),
        *("clone", "copy", "view", "new_", "empty", "zeros", "ones", "full"),
        *("constant_pad", "cat.", "flip."),
    )

    def __init__(self, scores):
        super().__init__()
        self.shape = scores.shape
        self.whole, self.reads = False, []
        self.known = {}  # address -> a tensor of all scores, and their order
        self.learn(scores)

    def learn(self, scores):
        """Note where in memory each score lies."""
        t, s = self.shape
        order = torch.empty_strided(
            (t, s), scores.stride(), dtype=torch.long, device="cpu"
        )
        order.copy_(torch.arange(t * s, device="cpu").view(t, s))
        address = scores.untyped_storage().data_ptr()
        self.known[address] = scores, order

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Run an operation and look at its tensors."""
        out = func(*args, **(kwargs or {}))
        name = func.__name__
        copied = name in ("clone.default", "_to_copy.default")
        if copied and args[0].shape == self.shape and self.knows(args[0]):
            self.learn(out)
        if not func.is_view and not any(word in name for word in self.MAY):
            for x in tree_leaves((args, kwargs, out)):
                if isinstance(x, torch.Tensor) and x.is_floating_point():
                    self.note(x)
        return out

    def knows(self, x):
        """Say whether a tensor is a part of the scores."""
        return x.untyped_storage().data_ptr() in self.known

    def note(self, x):
        """Write down what a tensor of an operation holds."""
        t, s = self.shape
        self.whole |= x.numel() >= t * s or x.shape[-1:] == (s,)
        if not x.numel() or not self.knows(x):
            return
        _, order = self.known[x.untyped_storage().data_ptr()]
        places = order.as_strided(x.shape, x.stride(), x.storage_offset())
        queries, keys = (places // s).unique(), (places % s).unique()
        self.reads.append((queries.tolist(), keys.tolist()))

    def at_once(self):
        """Return the largest number of keys in one operation."""
        return max((len(keys) for _, keys in self.reads), default=0)

    def twice(self, block):
        """Say whether a query meets a block again that it had left."""
        seen = {}
        for queries, keys in self.reads:
            for query in queries:
                past = seen.setdefault(query, [])
                if not past or past[-1] != keys[0] // block:
                    past.append(keys[0] // block)
        return any(len(set(past)) < len(past) for past in seen.values())


def watched(answer, scores, values, block):
    """Return the answer; raise a mistake if it goes over no blocks of keys."""
    reader, size = Reader(scores), scores.size(-1)
    with reader:
        result = answer(scores, values, block)
    found = reader.at_once()
    cut = any(len(q) == block for q, k in reader.reads if len(k) == size)
    if block > 1 and cut:
        raise Mistake(QUERIES)
    if reader.whole or found == size:
        raise Mistake(WHOLE)
    if block > 1 and found == -(-size // block):
        raise Mistake(PIECES)
    if found > block or 1 < found < block:
        raise Mistake(OTHER, found, block)
    if reader.twice(block):
        raise Mistake(TWICE)
    return result
