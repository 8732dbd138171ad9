"""What the three checks of layers share: the parts of a layer, and sizes.

Dimension letters:
    B batch, H heads, T target length, S source length, D = d_model.
"""

import torch
import torch.nn.functional as F

from attnbook.attention import scaled_dot_product_attention
from attnbook.checks.engine.calling import close
from attnbook.checks.engine.exercise import Case
from attnbook.multihead import merge_heads, split_heads

HEADS = 2
F32, F64 = torch.float32, torch.float64
ALONE = "right for three sentences, but not for one: "
LARGE = "right for small numbers, but not for large ones: "
OTHER = "right for one batch, but not for another of the same sizes: "
SIZES = {  # what to say when the answer fails: B, T, S, D, type, factor
    "": (3, 4, 5, 6, F32, 1.0),
    "right while all sizes differ, but not when B = T = S = D: ": (
        (4, 4, 4, 4, F32, 1.0)
    ),
    ALONE: (1, 5, 3, 4, F32, 1.0),
    "right for several words, but not for one: ": (3, 1, 1, 6, F32, 1.0),
    "right for float32, but not for float64: ": (2, 4, 5, 6, F64, 1.0),
    LARGE: (2, 4, 5, 6, F32, 1000.0),
    OTHER: (3, 4, 5, 6, F32, 0.5),
}
PAIR = (
    "an attention returns a pair, (output, weights), and the stream takes "
    "the output alone: [0]"
)
ERRORS = {
    "and 'tuple'": PAIR,
    "got a tuple, not": PAIR,
    "size of tensor": "two sizes do not fit; add to the stream what has its "
    "shape: the output of an attention, [0], and neither its weights nor the "
    "memory; an output is as long as the queries, which come from the stream",
    "at least one True": "the mask of an attention hides a whole row: it is "
    "upside down (True = may attend), or not its own mask as it is",
    "a mask among": "an attention gets a mask among its tensors; its inputs "
    "are q, k, v, mask, in this order",
    "keys for": "keys and values of an attention differ in length; a key and "
    "its value belong to one word, in cross_attention to one of the memory",
    "self_attention got a mask for": "the mask of self_attention does not fit "
    "its keys; they are the normed stream, and it has a mask of its own",
    "cross_attention got a mask for": "the mask of cross_attention does not "
    "fit its keys: the target asks and the memory is asked, with a mask of "
    "its own",
}
DIFFER = (
    "two calls with the same inputs differ; leave dropout out, it is on while "
    "training only"
)


def stream(draws, batch, length, d_model, dtype, seed):
    """Draw a stream, (B, T, D), that is not contiguous."""
    generator = draws.seeded(seed)
    x = torch.randn(d_model, length, batch, generator=generator)
    return x.permute(2, 1, 0).to(dtype)


def words(draws, batch, length, turn=0):
    """Return a padding mask, (B, 1, 1, length).

    As in every batch, one sentence is as long as all places: the last, so
    that the mask of the first is another one than no mask.  A sentence alone
    has its last place hidden all the same.  `turn` moves the other lengths on.
    """
    shorter = max(length - 1, 1)
    counts = draws.shuffled(
        [1 + (i + turn) % shorter for i in range(batch - 1)]
    )
    counts.append(shorter if batch == 1 else length)
    places = torch.arange(length)
    mask = places < torch.tensor(counts)[:, None]  # (B, length)
    return mask[:, None, None, :]


def cases(inputs, sizes):
    """Yield the cases: `inputs` is a function of sizes, see `SIZES`."""
    for shown, given in sizes.items():
        yield Case(shown, inputs(*given), 1e-9 if F64 in given else 1e-5)


def guess(results, rights, inputs):
    """Return a hint for numbers that no row explains, or None."""
    if close(results[0], rights[0], 1e-2):
        return None
    return (
        "the parts that you are given do not make this: something is left "
        "out, used twice, scaled, cut off or masked in another way, or a part "
        "reads another stream than it should"
    )


class Parts:
    """What the learner's function gets: parts by name."""

    def __init__(self, **parts):
        self.__dict__.update(parts)
        for name, part in parts.items():
            part.__qualname__ = name  # what an error calls it

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        return "parts"

    def __getattr__(self, name):
        known = ", ".join(self.__dict__)
        raise AttributeError(f"parts has no {name}; it has {known}")


def require_tensors(name, *given):
    """Raise an error, by the name of the part, for what is no tensor."""
    for x in given:
        if not isinstance(x, torch.Tensor):
            kind = type(x).__name__
            raise TypeError(f"{name} got a {kind}, not a tensor")


def random_norm(d_model, generator, name="norm"):
    """Return a layer norm with gain and bias of its own."""
    gain, bias = 1 + torch.rand(2, d_model, generator=generator)

    def norm(y):  # the name that the page gives it
        require_tensors(name, y)
        gains, biases = gain.to(y.dtype), 1 - bias.to(y.dtype)
        # With a large epsilon, a stream that was scaled on the way shows.
        return F.layer_norm(y, (d_model,), gains, biases, eps=1e-3)

    return norm


def random_attention(d_model, generator, name):
    """Return a multi-head attention with random projections."""
    w = torch.randn(4, d_model, d_model, generator=generator)
    w = w / d_model**0.5

    def attention(q, k, v, mask=None):
        require_tensors(name, q, k, v)
        if torch.bool in (q.dtype, k.dtype, v.dtype):
            raise TypeError(f"{name} got a mask among its tensors")
        if mask is not None and not isinstance(mask, torch.Tensor):
            kind = type(mask).__name__
            raise TypeError(f"{name} got a {kind} as its mask")
        keys, values = k.size(-2), v.size(-2)
        if keys != values:
            raise ValueError(f"{name} got {keys} keys for {values} values")
        if mask is not None and mask.size(-1) not in (1, keys):
            seen = mask.size(-1)
            raise ValueError(f"{name} got a mask for {seen} of {keys} keys")
        w_q, w_k, w_v, w_o = w.to(q.dtype)
        q, k, v = (
            split_heads(y @ m, HEADS)
            for y, m in ((q, w_q), (k, w_k), (v, w_v))
        )
        context, weights = scaled_dot_product_attention(q, k, v, mask)
        return merge_heads(context) @ w_o, weights

    return attention


def random_feed_forward(d_model, generator):
    """Return a feed-forward part with random matrices."""
    inner, outer = torch.randn(2, d_model, d_model, generator=generator)

    def feed_forward(y):
        require_tensors("feed_forward", y)
        return (y @ inner.to(y.dtype)).relu() @ outer.to(y.dtype)

    return feed_forward


def make_parts(draws, d_model, *attentions, seed=11):
    """Draw the attentions of these names, feed_forward, and a norm each."""
    generator = draws.seeded(seed)
    parts = {
        name: random_attention(d_model, generator, name) for name in attentions
    }
    parts["feed_forward"] = random_feed_forward(d_model, generator)
    for number in range(1, len(attentions) + 2):
        name = f"norm_{number}"
        parts[name] = random_norm(d_model, generator, name)
    return Parts(**parts)
