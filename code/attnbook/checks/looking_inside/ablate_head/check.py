"""Check of silencing one head.

Dimension letters:
    B batch, H heads, T queries, S keys, d_v width of a value, D = d_model.
"""

import torch

from attnbook.checks.engine.calling import LOST, SQUEEZED, close
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint, Mistake
from attnbook.compat import version_of

SIZES = 2, 7, 3, 5, 4, 46  # B, H, T, S, d_v, D: all different, as is D // H
HUGE = 1e5  # no output of the examples comes near
NAN = (
    "the output holds NaN: minus infinity is for scores, and a row of weights "
    "that is all 0 cannot be normalised again; leave it at 0"
)


def ablate_head(weights, v, w_o, b_o, head):
    """Compute the output of attention without one head.

    Args:
        weights: of all heads, float, (B, H, T, S).
        v: values, (B, H, S, d_v).
        w_o: the last projection, (H * d_v, D).
        b_o: its bias, (D,).
        head: the number of the head that is silenced, from 0.

    Returns:
        The output, (B, T, D).
    """
    mixing = weights
    context = mixing @ v  # (B, H, T, d_v)
    gone = without(context, 1, head)
    merged = merge(gone)  # (B, T, H * d_v)
    matrix = w_o
    out = merged @ matrix  # (B, T, D)
    bias = b_o
    output = out + bias
    return output


MISTAKES = table("""
    gone = context
        nothing is ablated: this is the output of all heads (weights that are
        changed after the mixing change nothing)
    gone = context * 0
        you silence all heads; only one goes
    gone = context - without(context, 1, head)
        you keep the one head and silence the others
    gone = without(context, 1, 0)
        you silence the first head, whatever `head` says
    gone = without(context, 1, context.size(1) - 1)
        you silence the last head, whatever `head` says
    gone = without(context, 1, (head + 1) % context.size(1))
        you silence the head after it; heads are counted from 0
    gone = without(context, 1, (head - 1) % context.size(1))
        you silence the head before it; heads are counted from 0
    gone = without(context, 1, head % 2)
        you silence head 0 or 1, never a later one; take `head` as it is
    gone = without(context, 1, context.size(1) - 1 - head)
        you count the heads from the end; head 0 is the first
    gone = without(context, 1, -head % context.size(1))
        you count the heads from the end (a minus?); head 0 is the first
    gone = cleared(context, head, head + 2, 1)
        you silence two heads, this one and the next; only one goes
    gone = cleared(context, head, context.size(1), 1)
        you silence this head and all after it; only one goes (a colon too
        many?)
    gone = cleared(context, 0, head + 1, 1)
        you silence this head and all before it; only one goes (a colon too
        many?)
    gone = cleared(context, 0, head, 1)
        you silence all heads before this one, and not this one; a colon too
        many?
    gone = without(context, 0, head)
        you silence a sentence: axis 0 is the batch, the heads are axis 1
    gone = without(context, 2, head)
        you silence a query: axis 2 is the queries, the heads are axis 1
    gone = without(context, 3, head)
        you silence one number of every head: the last axis is the width, the
        heads are axis 1
    gone = first(0, without(context, 1, head), context)
        only the first sentence loses its head
    gone = first(2, without(context, 1, head), context)
        only the first query loses its head
    gone = 2 * without(context, 1, head) - context
        you take the head away twice; once leaves nothing of it
    gone = 2 * context - without(context, 1, head)
        you add the head once more instead of taking it away
    gone = (context + without(context, 1, head)) / 2
        you halve the head instead of silencing it
    gone = without(context, 1, head) * left(context)
        you make up for the head by making the others larger; leave them as
        they are
    gone = put(context, head, context[:, head].mean((0, 1)))
        you put the head's mean in its place; here it is to return zeros
    gone = put(context, head, context[:, head].mean(1, keepdim=True))
        you put the head's mean over the sentence in its place; here it is to
        return zeros
    gone = put(context, head, context.mean(1))
        you put the mean of all heads in its place; here it is to return zeros
    gone = put(context, head, others(context, head).mean(1))
        you put the mean of the other heads in its place; here it is to return
        zeros
    gone = torch.cat([others(context, head), 0 * context[:, :1]], 1)
        the other heads have moved up into the gap, and meet the wrong rows of
        W_O; leave zeros where the head was
    gone = torch.cat([0 * context[:, :1], others(context, head)], 1)
        the heads before it have moved down into the gap, and meet the wrong
        rows of W_O; leave zeros where the head was
    merged = gone.reshape(merge(gone).shape)
        you merge without the transpose: reshape straight from (B, H, T, d_v)
        mixes the queries
    merged = gone.permute(0, 2, 3, 1).flatten(2)
        you merge with the width before the heads; the merged row is head after
        head
    out = merged; bias = 0
        you return the contexts side by side; W_O and its bias are missing
    out = gone.sum(1) @ w_o[: v.size(-1)]
        all heads meet the first block of W_O; head h meets the rows from h *
        d_v to (h + 1) * d_v
    out = gone @ w_o.reshape(v.size(1), v.size(-1), -1); bias = 0
        the output has an axis for the heads; sum over them
    gone = context; matrix = strided(w_o, head, v.size(1))
        you set every H-th row of W_O to 0; a head has one block of d_v rows
        that stand together
    gone = context; matrix = without(w_o, 0, head)
        you set one row of W_O to 0; a head has a block of d_v rows
    gone = context; matrix = block(w_o, head, v.size(-1), 1)
        you set columns of W_O, or of what comes after it, to 0; a head's block
        is made of rows, because contexts stand on the left: merged @ W_O
    gone = context; matrix = block(w_o, head, w_o.size(1) // v.size(1))
        you set D // H rows of W_O, or columns of the merged contexts, to 0; a
        head's block is d_v wide, the last size of the values
    gone = context; matrix = block(w_o, head, v.size(1))
        you set H rows of W_O, or columns of the merged contexts, to 0; a
        head's block is d_v wide, the last size of the values
    gone = context; matrix = block(w_o, head, weights.size(2))
        you set T rows of W_O, or columns of the merged contexts, to 0; a
        head's block is d_v wide, the last size of the values
    gone = context; matrix = block(w_o, head, v.size(-1), 0, -1)
        your block ends one row too early; it has d_v rows, and the end of a
        slice is left out
    gone = context; matrix = block(w_o, head, v.size(-1), 0, 1)
        your block ends one row too late; the end of a slice is left out
    gone = context; matrix = cleared(w_o, head, head + v.size(-1))
        your block starts at row `head` of W_O; it starts at head * d_v
    gone = context; output = block(out + bias, head, v.size(-1), 2)
        you set columns of the output to 0; after W_O every column holds all
        heads, so silence the head before
    bias = 0
        the bias is lost; it belongs to no head
    bias = b_o * (v.size(1) - 1) / v.size(1)
        a head's share of the bias goes with it; the bias belongs to no head
    bias = block(b_o, head, v.size(-1))
        a part of the bias goes with the head; the bias belongs to no head and
        stays whole
    bias = cleared(b_o, head, head + 1)
        one number of the bias goes with the head; the bias belongs to no head
        and stays whole
    bias = b_o * (v.size(1) - 1)
        you add the bias once for each head that is left; add it once
    bias = b_o * v.size(1)
        you add the bias once for each head; add it once
    bias = 2 * b_o
        you add the bias twice; add it once
    bias = -b_o
        you take the bias away; add it
    output = (out + bias) * left(context)
        you make the whole output larger to make up for the head; leave the
        rest as it is
    mixing = put(weights, head, 1 / v.size(2)); gone = context
        your head has even weights (its scores set to 0?): it still hands over
        the mean of the values; its context must be 0
    mixing = F.normalize(without(weights, 1, head), p=1, dim=1)
        you normalise over the heads after setting one to 0, which makes the
        others larger; leave them as they are
    mixing = without(weights, 3, head); gone = context
        you hide one key, or its value, in every head: the keys are the last
        axis of the weights and axis 2 of v; the heads are axis 1
    mixing = put(weights, head, dimmed(weights)[:, head]); gone = context
        you take away the head's largest weight alone; its whole context must
        go
    mixing = dimmed(weights); gone = context
        you take away the largest weight of every head
    mixing = weights.softmax(-1)
        you take a softmax of the weights; they have had theirs
    mixing = without(weights, 1, head).softmax(-1); gone = context
        you set the head's weights to one number and take a softmax again,
        which makes them even and changes the other heads; leave the softmax
        out
    mixing = weights / weights.sum(-1, keepdim=True)
        you normalise the weights again; leave them as they are
    mixing = weights.clamp(max=1)
        you cut the weights off at 1; dropout makes them larger
    mixing = weights.where(weights.sum(-1, keepdim=True) != 0, evenly(weights))
        you fill a row of weights that is all 0; dropout may empty it
""")


def evenly(weights):
    """Return weights that are all the same."""
    return torch.full_like(weights, 1 / weights.size(-1))


def merge(context):
    """Lay heads side by side, (B, H, T, d_v) -> (B, T, H * d_v)."""
    return context.transpose(1, 2).flatten(2)


def without(x, axis, index):
    """Return a copy with zeros at one index of an axis."""
    index = min(index, x.size(axis) - 1)
    return cleared(x, index, index + 1, axis)


def cleared(x, start, stop, axis=0):
    """Return a copy with zeros from `start` to before `stop`."""
    place = torch.arange(x.size(axis)).view(-1, *[1] * (x.dim() - axis - 1))
    return x.where((place < start) | (place >= stop), 0)


def block(x, head, width, axis=0, more=0):
    """Return a copy with zeros in the block of a head of this width."""
    return cleared(x, head * width, (head + 1) * width + more, axis)


def put(x, head, part):
    """Return a copy with another part in the place of a head."""
    x = x.clone()
    x[:, head] = part
    return x


def first(axis, changed, x):
    """Return x with the first place of an axis taken from another."""
    rest = x.narrow(axis, 1, x.size(axis) - 1)
    return torch.cat([changed.narrow(axis, 0, 1), rest], axis)


def others(context, head):
    """Return the contexts of the other heads, (B, H - 1, T, d_v)."""
    kept = [h for h in range(context.size(1)) if h != head]
    return context[:, kept]


def left(context):
    """Return the number of heads by that of those that are left."""
    return context.size(1) / max(context.size(1) - 1, 1)


def strided(w_o, head, heads):
    """Return a copy with zeros in every row of one remainder."""
    place = torch.arange(len(w_o)) % heads
    return w_o.where((place != head)[:, None], 0)


def dimmed(weights):
    """Return the weights without the largest of each row."""
    return weights.scatter(-1, weights.argmax(-1, keepdim=True), 0.0)


def example(draws, sizes, dtype=torch.float32, head=1):
    """Draw weights, values, W_O and its bias, none of them contiguous."""
    b, h, t, s, e, d = sizes
    generator = draws.seeded(15)

    def draw(*shape):
        x = torch.randn(shape, generator=generator, dtype=torch.float64)
        return x.to(dtype)

    weights = draw(b, t, h, s).softmax(-1).transpose(1, 2)  # (B, H, T, S)
    v = draw(b, s, h, e).transpose(1, 2)  # (B, H, S, d_v)
    return weights, v, draw(d, h * e).T, draw(d, 2)[:, 0], head


def dropped(draws):
    """Return inputs after dropout of the weights; some are above 1."""
    weights, *rest = example(draws, SIZES)
    return weights.masked_fill(weights < 0.1, 0) / 0.5, *rest


def emptied(draws):
    """Return inputs of which dropout has taken a whole row."""
    weights, *rest = dropped(draws)
    return put(weights, (3, 0), 0.0), *rest


def without_traces(answer, *inputs):
    """Call the answer; refuse numbers that are overwritten and put back."""
    before = [(version_of(x), x.clone()) for x in inputs[:4]]
    result = answer(*inputs)
    for x, (version, old) in zip(inputs, before, strict=False):
        if version_of(x) != version and x.shape == old.shape and x.equal(old):
            raise Mistake(
                "you write into an input and put it back; make a copy first, "
                "with clone()"
            )
    return result


def share_left(result, right, inputs):
    """Return how much of the head is left if nothing else is wrong, or 0."""
    weights, v, w_o, b_o, _ = inputs
    whole = merge(weights @ v) @ w_o + b_o
    head, rest = (whole - right).double(), (result - right).double()
    part = ((head * rest).sum() / head.square().sum()).item()
    close_by = (rest - part * head).norm() < 0.01 * rest.norm()
    return part if close_by else 0


def guess(results, rights, inputs):
    """Return a hint for an output that no row explains."""
    (result,), (right,) = results, rights
    part = share_left(result, right, inputs)
    if part:
        return Hint(
            "{} times the head is left; its context must be 0", f"{part:.3g}"
        )
    if close(result, right, 0.03):
        return LOST
    if result.abs().max() > HUGE:
        return (
            "the output holds huge numbers: a fill like -1e9 is for scores; "
            "to silence a head set its weights to 0"
        )
    return (
        "the shape is right, the numbers are not: the context of the head is "
        "0, then heads are merged as in chapter 7, then come W_O and bias"
    )


def cases(draws):
    """Yield all cases."""
    for shown, inputs, *tolerance in (
        ("", example(draws, SIZES, head=2)),
        ("right for head 2, but not for head 0: ",
         example(draws, SIZES, head=0)),
        ("right for head 2, but not for the last head: ",
         example(draws, (3, 9, 2, 5, 6, 26), head=8)),
        ("right while all sizes differ, but not when all are the same: ",
         example(draws, (4, 4, 4, 4, 4, 4))),
        ("right, but not when the heads together are as wide as the output: ",
         example(draws, (2, 2, 5, 3, 4, 8))),
        ("right, but not for one head (is there a squeeze?): ",
         example(draws, (2, 1, 3, 5, 4, 6), head=0)),
        ("right, but not for one sentence (is there a squeeze?): ",
         example(draws, (1, 4, 3, 5, 2, 6), head=2)),
        ("right, but not when rows of the weights do not sum to 1, as after "
         "dropout (take them as they are): ", dropped(draws)),
        ("right, but not when dropout leaves nothing of a row of weights: ",
         emptied(draws)),
        ("right for float32, but not for float64: ",
         example(draws, SIZES, torch.float64), 1e-9),
    ):  # fmt: skip
        yield Case(shown, inputs, *tolerance, nan=NAN)


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=ablate_head,
        returns={"the output": "B T D"},
        takes=("B H T S", "B H S d_v", "H*d_v D", "D", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        combine=("gone", "merged", "matrix", "out", "bias"),
        errors={
            "mat1 and mat2 shapes cannot be multiplied": "the merged "
            "contexts, (B, T, H * d_v), meet W_O, (H * d_v, D), on its rows; "
            "W_O keeps its shape, and a silenced head leaves zeros",
            "Expected size for first two dimensions of batch2": "the weights, "
            "(B, H, T, S), meet the values, (B, H, S, d_v), on the keys; "
            "transpose neither",
            "is invalid for input of size": "a reshape counts wrongly: rows "
            "are the T queries, not the S keys; d_v is the last size of the "
            "values, and H * d_v need not be D",
            "out of bounds": "an index is too large: the heads are axis 1",
            "a (28) must match the size of tensor b (46)": "the contexts side "
            "by side, (B, T, H * d_v), meet the bias, (D,): W_O is missing",
            "must match the size": "two shapes do not meet: (B, H, T, d_v) "
            f"becomes (B, T, H * d_v) before W_O; or {SQUEEZED}",
        },
        guess=guess,
        through=without_traces,
        trains=(("", example(draws, SIZES)),),
    )


check_ablate_head = check(exercise)
