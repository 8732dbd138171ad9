"""Parts of a layer that write down who calls them, and with what.

The hints of chapter 11 are read off this log: it knows which part got which
tensor, and can say of a tensor how it was made.

Dimension letters:
    B batch, H heads, T target length, S source length, D = d_model.
"""

import itertools
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from attnbook.attention import scaled_dot_product_attention
from attnbook.checks.engine.calling import call, close
from attnbook.multihead import merge_heads, split_heads

HEADS = 2


@dataclass
class Call:
    """One call of a part: its name, the inputs, the output if there is one."""

    name: str
    inputs: list
    mask: object = None
    output: object = None


class Log(list):
    """All calls of one run, in their order."""

    def names(self):
        """Return the names of the parts, one per call."""
        return [call.name for call in self]

    def first(self, name):
        """Return the first call of a part, or None."""
        return next((call for call in self if call.name == name), None)


class Parts:
    """What the learner's function gets: parts by name, all of them spied."""

    def __init__(self, **parts):
        self.__dict__.update(parts)

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        return "parts"

    def __getattr__(self, name):
        known = ", ".join(self.__dict__)
        raise AttributeError(f"parts has no {name}; it has {known}")


def kept(value):
    """Return what is written down of an input: a copy of a tensor."""
    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().clone().requires_grad_(value.requires_grad)


def spied(name, log, function):
    """Return a part of one input that writes its calls down."""

    def part(y):  # the name that the page gives it
        entry = Call(name, [kept(y)])
        log.append(entry)
        if not isinstance(y, torch.Tensor):
            raise TypeError(f"{name} got a {type(y).__name__}, not a tensor")
        output = function(y)
        entry.output = kept(output)
        return output

    part.__qualname__ = name  # what an error calls it
    return part


def spied_attention(name, log, function):
    """Return an attention that writes its calls down."""

    def attention(q, k, v, mask=None):
        entry = Call(name, [kept(q), kept(k), kept(v)], kept(mask))
        log.append(entry)
        for x in (q, k, v):
            if not isinstance(x, torch.Tensor):
                kind = type(x).__name__
                raise TypeError(f"{name} got a {kind}, not a tensor")
        output, weights = function(q, k, v, mask)
        entry.output = kept(output)
        return output, weights

    attention.__qualname__ = name  # what an error calls it
    return attention


def random_norm(d_model, generator):
    """Return a layer norm with gain and bias of its own."""
    gain, bias = 1 + torch.rand(2, d_model, generator=generator)

    def norm(x):
        gains, biases = gain.to(x.dtype), 1 - bias.to(x.dtype)
        # With a large epsilon, a stream that was scaled on the way shows.
        return F.layer_norm(x, (d_model,), gains, biases, eps=1e-3)

    return norm


def random_attention(d_model, generator):
    """Return a multi-head attention with random projections."""
    w = torch.randn(4, d_model, d_model, generator=generator)
    w = w / d_model**0.5

    def attention(q, k, v, mask):
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

    def feed_forward(x):
        return (x @ inner.to(x.dtype)).relu() @ outer.to(x.dtype)

    return feed_forward


def make_parts(draws, log, d_model, attentions, seed=11):
    """Draw the parts of a layer.

    Args:
        draws: where their numbers come from.
        log: a `Log` that gets every call.
        d_model: width D.
        attentions: names of the attentions, in their order.
        seed: of the parts' numbers.

    Returns:
        `Parts` with the attentions, feed_forward, and one norm each.
    """
    generator = draws.seeded(seed)
    parts = {
        name: spied_attention(name, log, random_attention(d_model, generator))
        for name in attentions
    }
    feed = random_feed_forward(d_model, generator)
    parts["feed_forward"] = spied("feed_forward", log, feed)
    for number in range(1, len(attentions) + 2):
        name = f"norm_{number}"
        parts[name] = spied(name, log, random_norm(d_model, generator))
    return Parts(**parts)


class Bound:
    """The learner's function with its last arguments filled in.

    Args:
        func: the function.
        arrange: a function of the tensors that returns all arguments.
    """

    def __init__(self, func, arrange):
        self.func, self.arrange = func, arrange

    def __call__(self, *tensors):
        """Call the function."""
        return self.func(*self.arrange(*tensors))


def run(bound, *tensors):
    """Return what the answer returns; see `calling.call`."""
    return call(bound, *tensors)


def terms(log, **given):
    """Return pairs of a text and a tensor: the inputs and all outputs."""
    found = list(given.items())
    for entry in log:
        if not isinstance(entry.output, torch.Tensor):
            continue
        inside = "..."
        if len(entry.inputs) == 1:
            inside = describe(entry.inputs[0], found) or inside
        found.append((f"{entry.name}({inside})", entry.output))
    return found


def describe(tensor, found):
    """Say how a tensor was made: a term, or a sum of up to four.

    Args:
        tensor: what a part got, or what the answer returned.
        found: see `terms`.

    Returns:
        A text such as "x + self_attention(...)", or None.
    """
    if not isinstance(tensor, torch.Tensor):
        return None
    found = [pair for pair in found if pair[1].shape == tensor.shape]
    for size in (1, 2, 3, 4):
        groups = itertools.combinations_with_replacement(found, size)
        for group in groups:
            if close(tensor, sum(value for _, value in group)):
                return " + ".join(text for text, _ in group)
    return None


def described(value, found):
    """Say how a tensor was made, or which shape or type it has."""
    if not isinstance(value, torch.Tensor):
        return f"a {type(value).__name__}"
    shape = tuple(value.shape)
    return describe(value, found) or f"another tensor, of shape {shape}"


def same(a, b):
    """Say whether two inputs are tensors of the same numbers."""
    both = isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)
    return both and close(a, b)
