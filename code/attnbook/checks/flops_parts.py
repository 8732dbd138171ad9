"""Say which part of a count is wrong, from how it grows.

A count is a sum. One more word of the vocabulary, one more number of the
inner width, one more layer: each raises it by one part alone.
"""

import itertools
import math

PARTS = {
    "the output matrix": "it is one product of n x D with D x V",
    "the feed-forward part": "it is two products, with D x F and with F x D",
    "attention": "it is two products for each head, scores and mixing, each "
    "of 2 n n D / H operations",
    "the projections": "they are four products of n x D with D x D",
}


def flops_parts(count, n, d, f, heads, layers, vocab):
    """Return name -> operations of one part, and of one layer.

    Args:
        count: a function of the six sizes.
        n: words.
        d: width D.
        f: inner width F.
        heads: number of heads H.
        layers: number of layers.
        vocab: entries of the vocabulary V.

    Returns:
        A dict; "layer" is a whole layer, "once" what no part explains.
    """

    def layer(n=n, f=f):
        more = count(n, d, f, heads, layers + 1, vocab)
        return more - count(n, d, f, heads, layers, vocab)

    output = count(n, d, f, heads, layers, vocab + 1)
    output -= count(n, d, f, heads, layers, vocab)
    feed = f * (layer(f=f + 1) - layer())
    bend = layer(3 * n) - 2 * layer(2 * n) + layer()  # by n squared
    attention = bend / 2
    whole = count(n, d, f, heads, layers, vocab)
    return {
        "the output matrix": vocab * output,
        "the feed-forward part": feed,
        "attention": attention,
        "the projections": layer() - feed - attention,
        "layer": layer(),
        "once": whole - layers * layer() - vocab * output,
    }


def wrong_parts(count, right, given):
    """Return the hint for the parts that are off, or None.

    Args:
        count: the learner's function; it returns a number.
        right: the right one.
        given: the arguments of several calls.
    """
    backward = given[0][-1]
    rows = [
        [
            flops_parts(lambda *x, f=f: f(*x, backward), *size[:-1])
            for f in (count, right)
        ]
        for size in given
    ]
    shares = {}
    for name in PARTS:
        share = [got[name] / want[name] for got, want in rows]
        if not all(math.isclose(x, 1, rel_tol=1e-6) for x in share):
            shares[name] = share
    if all(got["layer"] == 0 for got, _ in rows):
        return "num_layers does not change your count; every layer costs"
    if len(shares) == len(PARTS):
        return why_all(shares)
    hints = [why_part(name, x, backward) for name, x in shares.items()]
    if not hints:
        hints = [why_once(rows)]
    some = sum(hint is not None and " wrong: " in hint for hint in hints)
    if not all(hints) or len(hints) > (2 if some else 3):
        return None  # too much to name
    return "; and ".join(hints)


def exchanged(right, counts, given):
    """Return the hint for two arguments that have changed places, or None."""
    names = ["n", "d_model", "d_ff", "num_heads", "num_layers", "vocab"]
    for i, j in itertools.combinations(range(len(names)), 2):
        for values, count in zip(given, counts, strict=True):
            turned = list(values)
            turned[i], turned[j] = turned[j], turned[i]
            if not math.isclose(right(*turned), count, rel_tol=1e-9):
                break
        else:
            return (
                f"{names[i]} and {names[j]} have changed places; take the "
                "arguments in the order of the task"
            )
    return None


def why_all(shares):
    """Return the hint for parts that are all off by one factor, or None."""
    factors = [x for share in shares.values() for x in share]
    if not all(math.isclose(x, factors[0], rel_tol=1e-6) for x in factors):
        return None
    return (
        f"every part is there, but the whole is {factors[0]:.3g} times what "
        "it should be; which factor stands outside?"
    )


def why_part(name, share, backward):
    """Return the hint for a part of which there is too much or too little."""
    one = share[0]
    if not all(math.isclose(x, one, rel_tol=1e-6) for x in share):
        return (
            f"you count {name} wrong: {PARTS[name]}; biases, softmax and "
            "norms make no product"
        )
    if backward and math.isclose(one, 1 / 3):
        return f"the way back through {name} is missing: two products for one"
    if backward and math.isclose(one, 2 / 3):
        return (
            f"the way back through {name} is counted once: there are two "
            "products for each one forwards"
        )
    if one == 0:
        return f"you leave {name} out: {PARTS[name]}"
    return f"you count {one:.3g} times the cost of {name}: {PARTS[name]}"


def why_once(rows):
    """Return the hint for what is counted beside all parts, or None."""
    extra = [got["once"] / want["layer"] for got, want in rows]
    if all(abs(x) < 1e-6 for x in extra):
        return None
    if all(math.isclose(x, extra[0], rel_tol=1e-6) for x in extra):
        much = "more" if extra[0] > 0 else "fewer"
        if math.isclose(abs(extra[0]), 1):
            return f"you count one layer {much} than num_layers"
    much = "add" if extra[0] > 0 else "take away"
    return (
        f"every part is right, but you {much} something once, beside the "
        "layers and the output matrix"
    )
