"""Say which part of a count is wrong, from how it grows.

A count is a sum.  One more word of the vocabulary, one more number of the
inner width, one more layer: each raises it by one part alone.
"""

import math

import torch

from attnbook.checks.engine.verdict import Hint, hint_of

PARTS = {
    "the output matrix": "it is one product of n x D with D x vocab",
    "the feed-forward part": "it is two products, with D x F and with F x D",
    "attention": "it is two products for each head, scores and mixing, each "
    "of 2 n n D / H operations",
    "the projections": "they are four products of n x D with D x D",
}


def around(n, d, f, heads, layers, vocab):
    """Return a size, and those that tell its parts."""
    return [
        (n, d, f, heads, layers, vocab),
        (n, d, f, heads, layers, vocab + 1),
        *(
            (i * n, d, f + j, heads, layers + more, vocab)
            for i, j in ((1, 0), (1, 1), (2, 0), (3, 0))
            for more in (0, 1)
        ),
    ]


def parts_of(found, f, layers, vocab):
    """Return name -> operations of one part, and of one layer."""
    whole, more_words, *pairs = found
    layer, wider, double, triple = (
        b - a for a, b in zip(pairs[::2], pairs[1::2], strict=True)
    )
    output = vocab * (more_words - whole)
    feed = f * (wider - layer)
    attention = (triple - 2 * double + layer) / 2  # what grows by n squared
    return {
        "the output matrix": output,
        "the feed-forward part": feed,
        "attention": attention,
        "the projections": layer - feed - attention,
        "layer": layer,
        "once": whole - layers * layer - output,
    }


def same(numbers):
    """Say whether all numbers are the first one."""
    return all(math.isclose(x, numbers[0], rel_tol=1e-6) for x in numbers)


def guess(probe, results, rights, inputs):
    """Return a hint for a count that no row explains."""
    (count,), (right,) = results, rights
    hint = len(count) > 1 and wrong_parts(probe, count, right, inputs)
    if hint:
        return hint
    if torch.allclose(count, right, 0.06):
        return "nearly right: do not round, and count matrix products alone"
    return (
        "the number is not the sum of four projections, scores, mixing, two "
        "feed-forward matrices per layer and the output matrix; compare with "
        "n = 1 and every size 1"
    )


def wrong_parts(probe, count, right, inputs):
    """Return the hint for the parts that are off, or None."""
    rows = [
        [parts_of(x.tolist(), size[2], *size[4:6]) for x in pair]
        for *pair, size in zip(
            count.chunk(2), right.chunk(2), (inputs, probe), strict=True
        )
    ]
    shares = {
        name: [got[name] / want[name] for got, want in rows] for name in PARTS
    }
    if all(got["layer"] == 0 for got, _ in rows):
        return "num_layers does not change your count; every layer costs"
    if all(not same([1, *share]) for share in shares.values()):
        return why_all([x for share in shares.values() for x in share])
    hints = [
        why_part(name, share, inputs[-1])
        for name, share in shares.items()
        if not same([1, *share])
    ]
    hints = hints or [why_once(rows)]
    some = any(not same(share) for share in shares.values())
    if not all(hints) or len(hints) > (2 if some else 3):
        return None  # too much to name
    return Hint("; and ".join(["{}"] * len(hints)), *map(hint_of, hints))


def why_all(factors):
    """Return the hint for parts that are all off by one factor, or None."""
    if not same(factors):
        return None
    return Hint(
        "every part is there, but the whole is {} times what it "
        "should be; which factor stands outside?",
        f"{factors[0]:.6g}",
    )


def why_part(name, share, backward):
    """Return the hint for a part of which there is too much or too little."""
    if not same(share):
        return Hint(
            "you count {} wrong: {}; biases, softmax and norms make no "
            "product",
            Hint(name),
            Hint(PARTS[name]),
        )
    if backward and math.isclose(share[0], 1 / 3):
        return Hint(
            "the way back through {} is missing: two products for one",
            Hint(name),
        )
    if backward and math.isclose(share[0], 2 / 3):
        return Hint(
            "the way back through {} is counted once: there are two "
            "products for each one forwards",
            Hint(name),
        )
    if share[0] == 0:
        return Hint("you leave {} out: {}", name, Hint(PARTS[name]))
    return Hint(
        "you count {} times the cost of {}: {}",
        f"{share[0]:.3g}",
        Hint(name),
        Hint(PARTS[name]),
    )


def why_once(rows):
    """Return the hint for what is counted beside all parts, or None."""
    extra = [got["once"] / want["layer"] for got, want in rows]
    if all(abs(x) < 1e-6 for x in extra):
        return None
    if same(extra) and math.isclose(abs(extra[0]), 1):
        much = "more" if extra[0] > 0 else "fewer"
        return Hint("you count one layer {} than num_layers", Hint(much))
    much = "add" if extra[0] > 0 else "take away"
    return Hint(
        "every part is right, but you {} something once, beside "
        "the layers and the output matrix",
        Hint(much),
    )
