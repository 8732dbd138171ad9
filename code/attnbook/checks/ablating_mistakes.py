"""The wrong ablations that the check knows by name.

Dimension letters:
    B batch, H heads, T queries, S keys, E width of a value, D = d_model.
"""

import torch


def merge(context):
    """Lay heads side by side, (B, H, T, E) -> (B, T, H * E)."""
    return context.transpose(1, 2).flatten(2)


def without(x, axis, index):
    """Return a copy with zeros at one index of an axis."""
    x = x.clone()
    index = min(index, x.size(axis) - 1)
    x.select(axis, index).zero_()
    return x


def messages(weights, v, w_o):
    """Return what each head adds to the output, (B, H, T, D)."""
    blocks = w_o.view(v.size(1), v.size(-1), -1)  # (H, E, D)
    return torch.einsum("bhte,hed->bhtd", weights @ v, blocks)


def wrong_heads(context, w_o, b_o, head):
    """Return pairs of a hint and an output with the wrong head gone."""
    heads = context.size(1)

    def out(x):
        return merge(x) @ w_o + b_o

    only = context - without(context, 1, head)
    return [
        (
            "nothing is ablated: this is the output of all heads (weights "
            "that are changed after the mixing change nothing)",
            out(context),
        ),
        (
            "you silence all heads; only one goes",
            out(torch.zeros_like(context)),
        ),
        ("you keep the one head and silence the others", out(only)),
        (
            "you silence the first head, whatever `head` says",
            out(without(context, 1, 0)),
        ),
        (
            "you silence the last head, whatever `head` says",
            out(without(context, 1, heads - 1)),
        ),
        (
            "you silence the head after it; heads are counted from 0",
            out(without(context, 1, (head + 1) % heads)),
        ),
        (
            "you silence the head before it; heads are counted from 0",
            out(without(context, 1, (head - 1) % heads)),
        ),
        (
            "you silence a sentence: axis 0 is the batch, the heads are axis "
            "1",
            out(without(context, 0, head)),
        ),
        (
            "you silence a query: axis 2 is the queries, the heads are axis 1",
            out(without(context, 2, head)),
        ),
        (
            "you silence one number of every head: the last axis is the "
            "width, the heads are axis 1",
            out(without(context, 3, head)),
        ),
        (
            "only the first sentence loses its head",
            out(torch.cat([without(context, 1, head)[:1], context[1:]])),
        ),
        (
            "only the first query loses its head",
            out(
                torch.cat(
                    [
                        without(context, 1, head)[:, :, :1],
                        context[:, :, 1:],
                    ],
                    2,
                )
            ),
        ),
        (
            "you take the head away twice; once leaves nothing of it",
            out(context - 2 * only),
        ),
        (
            "you halve the head instead of silencing it",
            out(context - only / 2),
        ),
        (
            "you make up for the head by making the others larger; leave "
            "them as they are",
            out(without(context, 1, head) * heads / max(heads - 1, 1)),
        ),
    ]


def wrong_outputs(context, w_o, b_o, head):
    """Return pairs of a hint and an output that is put together wrongly."""
    rest = without(context, 1, head)
    heads, width = context.size(1), context.size(-1)
    kept = [h for h in range(heads) if h != head] + [head]
    mean = context.mean((0, 2))[head]
    averaged, own = rest.clone(), rest.clone()
    averaged[:, head] = mean
    own[:, head] = context[:, head].mean(1, keepdim=True)
    strided = w_o.clone()
    strided[head::heads] = 0
    one, column = w_o.clone(), w_o.clone()
    one[head] = 0
    column[:, head * width : (head + 1) * width] = 0
    full = merge(context)
    torn = rest.permute(0, 2, 3, 1).flatten(2)
    return [
        ("the bias is lost; it belongs to no head", merge(rest) @ w_o),
        (
            "a head's share of the bias goes with it; the bias belongs to no "
            "head",
            merge(rest) @ w_o + b_o * (heads - 1) / heads,
        ),
        (
            "you return the contexts side by side; W_O and its bias are "
            "missing",
            merge(rest),
        ),
        (
            "you put the head's mean in its place; here it is to return zeros",
            merge(averaged) @ w_o + b_o,
        ),
        (
            "you put the head's mean over the sentence in its place; here it "
            "is to return zeros",
            merge(own) @ w_o + b_o,
        ),
        (
            "you set every H-th row of W_O to 0; a head has one block of E "
            "rows that stand together",
            full @ strided + b_o,
        ),
        (
            "you set one row of W_O to 0; a head has a block of E rows",
            full @ one + b_o,
        ),
        (
            "you set columns of W_O, or of what comes after it, to 0; a "
            "head's block is made of rows, because contexts stand on the "
            "left: merged @ W_O",
            full @ column + b_o,
        ),
        (
            "the other heads have moved up into the gap, and meet the wrong "
            "rows of W_O; leave zeros where the head was",
            merge(rest[:, kept]) @ w_o + b_o,
        ),
        (
            "you merge without the transpose: reshape straight from (B, H, "
            "T, E) mixes the queries",
            rest.reshape(full.shape) @ w_o + b_o,
        ),
        (
            "you merge with the width before the heads; the merged row is "
            "head after head",
            torn @ w_o + b_o,
        ),
    ]


def wrong_weights(weights, v, w_o, b_o, head):
    """Return pairs of a hint and an output after other changes."""
    keys = weights.size(-1)

    def out(weights, v=v):
        return merge(weights @ v) @ w_o + b_o

    even = weights.clone()
    even[:, head] = 1 / keys
    gone = without(weights, 1, head)
    largest = weights.argmax(-1, keepdim=True)
    dimmed = weights.scatter(-1, largest, 0.0)
    one = weights.clone()
    one[:, head] = dimmed[:, head]
    return [
        (
            "your head has even weights (its scores set to 0?): it still "
            "hands over the mean of the values; its context must be 0",
            out(even),
        ),
        (
            "you normalise over the heads after setting one to 0, which "
            "makes the others larger; leave them as they are",
            out(gone / gone.sum(1, keepdim=True).clamp(min=1e-9)),
        ),
        (
            "you hide one key, or its value, in every head: the keys are the "
            "last axis of the weights and axis 2 of v; the heads are axis 1",
            out(without(weights, 3, head)),
        ),
        (
            "you take away the head's largest weight alone; its whole "
            "context must go",
            out(one),
        ),
        (
            "you take away the largest weight of every head",
            out(dimmed),
        ),
    ]


def wrong_ablations(weights, v, w_o, b_o, head):
    """Return pairs of a hint and an output.

    Args:
        weights: (B, H, T, S).
        v: (B, H, S, E).
        w_o: (H * E, D).
        b_o: (D,).
        head: number of the head.
    """
    context = weights @ v  # (B, H, T, E)
    found = [
        *wrong_heads(context, w_o, b_o, head),
        *wrong_outputs(context, w_o, b_o, head),
        *wrong_weights(weights, v, w_o, b_o, head),
    ]
    bias = "; and the bias is lost"
    return found + [(hint + bias, value - b_o) for hint, value in found[:14]]
