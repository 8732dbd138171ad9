"""More wrong ablations: wrong blocks, slices, biases and weights.

Dimension letters:
    B batch, H heads, T queries, S keys, E width of a value, D = d_model.
"""

from attnbook.checks.ablating_mistakes import merge, messages, without


def cleared(x, start, stop, axis=0):
    """Return a copy with zeros from `start` to before `stop`."""
    x = x.clone()
    start = min(start, x.size(axis))
    x.narrow(axis, start, min(stop, x.size(axis)) - start).zero_()
    return x


def wrong_slices(context, w_o, b_o, head):
    """Return pairs of a hint and an output without other heads."""
    heads = context.size(1)
    rest = without(context, 1, head)
    all_mean, own_mean = rest.clone(), rest.clone()
    all_mean[:, head] = context.mean(1)
    own_mean[:, head] = rest.sum(1) / max(heads - 1, 1)
    kept = [h for h in range(heads) if h != head]
    found = [
        (
            "you silence two heads, this one and the next; only one goes",
            cleared(context, head, head + 2, 1),
        ),
        (
            "you add the head once more instead of taking it away",
            2 * context - rest,
        ),
        (
            "the heads before it have moved down into the gap, and meet the "
            "wrong rows of W_O; leave zeros where the head was",
            rest[:, [head, *kept]],
        ),
        (
            "you silence this head and all after it; only one goes (a colon "
            "too many?)",
            cleared(context, head, heads, 1),
        ),
        (
            "you silence this head and all before it; only one goes (a colon "
            "too many?)",
            cleared(context, 0, head + 1, 1),
        ),
        (
            "you silence all heads before this one, and not this one; a "
            "colon too many?",
            cleared(context, 0, head, 1),
        ),
        (
            "you count the heads from the end; head 0 is the first",
            without(context, 1, heads - 1 - head),
        ),
        (
            "you count the heads from the end (a minus?); head 0 is the first",
            without(context, 1, -head % heads),
        ),
        (
            "you put the mean of all heads in its place; here it is to return "
            "zeros",
            all_mean,
        ),
        (
            "you put the mean of the other heads in its place; here it is to "
            "return zeros",
            own_mean,
        ),
    ]
    return [(hint, merge(x) @ w_o + b_o) for hint, x in found]


def wrong_rows(context, w_o, b_o, head):
    """Return pairs of a hint and an output with a wrong block gone."""
    heads, width = context.size(1), context.size(-1)
    full, rest = merge(context), merge(without(context, 1, head))
    depth = w_o.size(1) // heads

    def rows(start, stop):
        return full @ cleared(w_o, start, stop) + b_o

    start, stop = head * width, (head + 1) * width
    shared = without(context, 1, head).sum(1) @ w_o[:width] + b_o
    own = rest @ w_o
    return [
        (
            "you set D // H rows of W_O, or columns of the merged contexts, "
            "to 0; a head's block is E wide, the last size of the values",
            rows(head * depth, (head + 1) * depth),
        ),
        (
            "you set H rows of W_O, or columns of the merged contexts, to 0; "
            "a head's block is E wide, the last size of the values",
            rows(head * heads, (head + 1) * heads),
        ),
        (
            "your block ends one row too early; it has E rows, and the end of "
            "a slice is left out",
            rows(start, stop - 1),
        ),
        (
            "your block ends one row too late; the end of a slice is left out",
            rows(start, stop + 1),
        ),
        (
            "your block starts at row `head` of W_O; it starts at head * E",
            rows(head, head + width),
        ),
        (
            "you set columns of the output to 0; after W_O every column "
            "holds all heads, so silence the head before",
            cleared(full @ w_o + b_o, start, stop, 2),
        ),
        (
            "a part of the bias goes with the head; the bias belongs to no "
            "head and stays whole",
            own + cleared(b_o, start, stop),
        ),
        (
            "one number of the bias goes with the head; the bias belongs to "
            "no head and stays whole",
            own + cleared(b_o, head, head + 1),
        ),
        (
            "you add the bias once for each head that is left; add it once",
            own + b_o * (heads - 1),
        ),
        ("you add the bias twice; add it once", own + 2 * b_o),
        ("you take the bias away; add it", own - b_o),
        (
            "you make the whole output larger to make up for the head; leave "
            "the rest as it is",
            (own + b_o) * heads / max(heads - 1, 1),
        ),
        (
            "you add the bias once for each head; add it once",
            own + b_o * heads,
        ),
        (
            "all heads meet the first block of W_O; head h meets the rows "
            "from h * E to (h + 1) * E",
            shared,
        ),
    ]


def wrong_blocks(weights, v, w_o, b_o, head):
    """Return pairs of a hint and an output.

    Args:
        weights: (B, H, T, S).
        v: (B, H, S, E).
        w_o: (H * E, D).
        b_o: (D,).
        head: number of the head.
    """
    context = weights @ v  # (B, H, T, E)

    def out(weights):
        return merge(weights @ v) @ w_o + b_o

    again = "you take a softmax of the weights; they have had theirs"
    total = weights.sum(-1, keepdim=True)
    return [
        *wrong_slices(context, w_o, b_o, head),
        *wrong_rows(context, w_o, b_o, head),
        (again, out(without(weights.softmax(-1), 1, head))),
        (
            "you set the head's weights to one number and take a softmax "
            "again, which makes them even and changes the other heads; leave "
            "the softmax out",
            out(without(weights, 1, head).softmax(-1)),
        ),
        (
            "you normalise the weights again; leave them as they are",
            out(without(weights / total, 1, head)),
        ),
        (
            "the output has an axis for the heads; sum over them",
            messages(without(weights, 1, head), v, w_o.contiguous()),
        ),
    ]
