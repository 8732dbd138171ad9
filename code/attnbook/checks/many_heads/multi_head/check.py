"""Check of multi-head attention.

Dimension letters:
    B batch, H heads, T length, D = d_model, d_k = D / H width of one head.
"""

import torch

from attnbook.checks.engine.calling import close
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.explain import repeated
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint
from attnbook.checks.engine.weights import unknown_weights
from attnbook.checks.scaling.scaled_attention import check as scaled_attention
from attnbook.multihead import merge_heads, split_heads

CONTEXT = (
    "the weights are right, but the context is not; mix the values of every "
    "head, merge, then multiply by w_o"
)
BY_HAND = (
    "the rows sum to 1, but the weights are wrong; recompute one row by hand: "
    "one dot product per key, divided by sqrt(d_k), then a softmax"
)
SIZES = (3, 6, 7, 5)  # B, H, T, d_k: all different; H is no square
OTHER_SIZES = (2, 6, 11, 3)


def viewed(x, h):
    """Split without the exchange of axes."""
    return x.reshape(x.size(0), h, x.size(1), -1)


def interleaved(x, h):
    """Split into every H-th number."""
    return x.unflatten(-1, (-1, h)).permute(0, 3, 1, 2)


def behind(x, h):
    """Split, and leave the heads behind the tokens."""
    return x.unflatten(-1, (h, -1))


def narrow(x, h):
    """Split into d_k heads of width H."""
    return x.unflatten(-1, (-1, h)).transpose(1, 2)


def whole(x, h):
    """Make a single head."""
    return x.unsqueeze(1)


def blocks(x, matrices, h, own=True):
    """Cut x into heads, and project each with a block of the matrices."""
    k = x.size(-1) // h
    starts = [i * k if own else 0 for i in range(h)]
    cut = [
        torch.stack([w[s : s + k, s : s + k] for s in starts])
        for w in matrices
    ]
    return [split_heads(x, h) @ w for w in cut]


def flattened(x):
    """Merge without the exchange of heads and tokens."""
    return x.reshape(x.size(0), x.size(2), -1)


def interlaced(x):
    """Merge number by number."""
    return x.permute(0, 2, 3, 1).flatten(2)


def multi_head(x, w_q, w_k, w_v, w_o, num_heads):
    """Let every head attend with its own part of queries, keys and values.

    Args:
        x: float, (B, T, D).
        w_q: matrix of the queries, (D, D), used as ``x @ w_q``.
        w_k: matrix of the keys, (D, D).
        w_v: matrix of the values, (D, D).
        w_o: matrix after the merge, (D, D).
        num_heads: H.

    Returns:
        The context after `w_o`, (B, T, D), and the weights, (B, H, T, T).
    """
    h = num_heads
    matrices = w_q, w_k, w_v
    projected = [x @ w for w in matrices]  # (B, T, D) each
    split = split_heads
    q, k, v = (split(y, h) for y in projected)  # (B, H, T, d_k) each
    d_k = q.size(-1)
    raw = q @ k.mT  # (B, H, T, T)
    scaled = raw / d_k**0.5
    weights = scaled.softmax(-1)
    mixing = weights
    context = mixing @ v  # (B, H, T, d_k)
    merge = merge_heads
    merged = merge(context)  # (B, T, D)
    output = merged @ w_o
    maps = weights
    return output, maps


OWN = table("""
    split = viewed; merge = flattened
        two mistakes that fit each other: you split by a view to (B, H, T, d_k)
        and merge without the exchange of axes; both need heads and tokens
        exchanged
    split = viewed
        you split by a view to (B, H, T, d_k), which gives head 0 the first
        tokens whole; cut the width first, then exchange heads and tokens
    split = interleaved; merge = interlaced
        the heads are interleaved, on the way in and on the way out; a head is
        a block of d_k neighbouring numbers
    split = interleaved
        the heads are interleaved when you split: cut D into (H, d_k), not
        (d_k, H)
    split = narrow
        your split makes d_k heads of width H; cut D into (H, d_k), not (d_k,
        H)
    split = behind; merged = context.flatten(2)
        your heads attend to each other inside one token; exchange heads and
        tokens after the split, (B, H, T, d_k)
    split = whole; maps = weights[:, 0]
    maps = weights.mean(1)
        there is one map per sentence, (B, T, T): you did not split, or
        averaged over the heads; return the weights of every head
    split = whole
    split = whole; maps = weights.expand(-1, h, -1, -1)
        you make one map with queries and keys as wide as the model; split
        them, so that every head makes its own map
    q, k, v = blocks(x, matrices, h)
        you cut the input before projecting it; every head must see all of x:
        project first, then split
    q, k, v = blocks(x, matrices, h, own=False)
        you cut the input first and use one block of each matrix for all heads;
        project all of x with all of the matrix, then split
    projected = [x] * 3
        you do not project at all before splitting; queries are x @ w_q, keys
        x @ w_k, values x @ w_v
    matrices = w_q.T, w_k.T, w_v.T; output = merged @ w_o.T
        all four matrices are transposed; here it is x @ w, without .T
        (nn.Linear stores them the other way round)
    matrices = w_q.T, w_k.T, w_v.T
        w_q, w_k and w_v are transposed; here it is x @ w, without .T
    matrices = w_q, w_k, w_v.T
        w_v is transposed; here it is x @ w, without .T
    matrices = w_k, w_q, w_v
        queries and keys are exchanged, in the scores or in w_q and w_k:
        queries come from w_q, and rows of q @ k.mT are queries
    matrices = w_q, w_v, w_k
        keys and values are exchanged: keys are x @ w_k, values x @ w_v
    matrices = w_q, w_q, w_v
        keys are made with w_q too; they need w_k
    matrices = w_k, w_k, w_v
        queries are made with w_k too; they need w_q
    matrices = w_q, w_k, w_k
        the values are made with w_k; they need w_v
    matrices = w_q, w_k, w_q
        the values are made with w_q; they need w_v
    matrices = [w_q] * 3
        queries, keys and values are all made with w_q; keys need w_k, values
        w_v
    projected = [x @ w_q, x @ w_k, x]
        the values are not projected; they are x @ w_v
    projected = [x @ w_q, x, x @ w_v]
        the keys are not projected; they are x @ w_k
    matrices = w_q, w_k, w_v @ w_o
        you apply w_o to the values and again at the end
    matrices = w_q, w_k, w_v @ w_o; output = merged
        you apply w_o before the heads have mixed; it comes last
    raw = q @ k[:, :1].mT; context = mixing @ v[:, :1]
        all heads share the keys and values of the first one; each has its own
    scaled = (raw / d_k**0.5).sum(1, True).expand_as(raw)
    scaled = (raw / d_k**0.5).mean(1, True).expand_as(raw)
        you add up or average the scores of all heads, so that all share one
        map; every head has a softmax of its own scores
    weights = scaled.softmax(-1) / h
        you divide the weights by the number of heads; those of every head sum
        to 1
    mixing = weights.mT
        you mix with the transposed weights; the context is weights @ v
    context = mixing @ viewed(x @ w_v, h)
        the values are split without the exchange of axes
    context = mixing @ interleaved(x @ w_v, h)
        the values are interleaved when you split them
    merge = flattened
        you merge without exchanging heads and
        tokens, which puts several tokens into one row
    merge = interlaced
        you merge the heads number by number; lay
        whole blocks side by side
    merged = context.transpose(2, 3).reshape(x.shape)
        you exchange tokens and width before
        flattening; it is heads and tokens, axes 1 and 2
    merged = context.transpose(1, 3).reshape(x.shape)
        you exchange heads and width before
        flattening; it is heads and tokens, axes 1 and 2
    merged = merge(context.flip(1))
        the heads are in the wrong order when you merge them
    merged = merge(context[:, :1].expand_as(context))
        every block of the merged heads holds the first head
    merged = context.mean(1).repeat(1, 1, h)
    merged = context.sum(1).repeat(1, 1, h)
        you average or add the heads before w_o; lay all of them side by side
    merged = weights.mean(1) @ projected[2]
        you average the weights of the heads and mix once; every head mixes its
        own values with its own weights
    output = context
        the context is still in heads, (B, H, T, d_k); merge them and multiply
        by w_o
    output = context.transpose(1, 2)
        the context still has four axes, (B, T, H, d_k); flatten the last two
        and multiply by w_o
    output = merged
        w_o is missing: the merged heads are multiplied by it at the end
    output = merged @ w_v
        the merged heads are multiplied by w_v again; the last matrix is w_o
    output = merged @ w_o.T
        w_o is transposed; here it is x @ w, without .T
    output = merged @ w_o / h
        you divide the output by the number of heads; their messages are added
    output = merged @ w_o @ w_o
        you apply w_o twice
    output = merged @ w_o + x
        you add x to the result; the residual comes in chapter 9
    maps = weights.flatten(0, 1)
        the heads are folded into the batch; return the weights as (B, H, T, T)
    maps = weights.transpose(0, 1)
        the heads stand before the batch in the weights
    maps = scaled
        you return the scaled scores in the place of the weights; normalise
        them with a softmax over the keys
    maps = raw
        you return the raw scores in the place of the weights; normalise them
        with a softmax over the keys
""")
OTHERWISE_HERE = (  # rows of scaled attention that have other names here
    "scaled = raw / q.size(2)**0.5",
    "scaled = raw / v.size(3)**0.5",
    "weights = scaled.exp() / (1 + scaled.exp().sum(-1, True))",
    "context = mixing @ k",
    "context = (mixing @ v).transpose(1, 2)",
    "context = (mixing @ v).transpose(1, 2).flatten(2)",
)
MISTAKES = OWN + tuple(
    row for row in scaled_attention.MISTAKES if row.wrong not in OTHERWISE_HERE
)


def refused(sizes):
    """Return words of PyTorch's errors at these sizes, and what they mean."""
    b, h, t, k = sizes
    d = h * k
    some = (
        "w_o needs rows of D numbers and gets rows of d_k; if you average or "
        "add the heads, or keep one: lay all of them side by side"
    )
    single = (
        "w_o needs rows of D numbers and gets single heads, d_k numbers wide; "
        "merge them first, (B, T, H, d_k) -> (B, T, D)"
    )
    unfit = (
        "two tensors do not fit; if this is q @ k.T: exchange the last two "
        "axes alone, k.transpose(-2, -1), because .T turns all four round"
    )
    return {
        f"({b * t}x{k} and {d}x{d})": some,
        f"[{b}, {k}] but got: [{b}, {d}]": some,
        f"x{k} and {d}x{d})": single,
        f", {d}]": single,
        f"and {d}x{d})": "what you multiply by w_o does not have D numbers "
        "per token; split to (B, H, T, d_k), exchange heads and tokens after "
        "mixing, and flatten the last two axes",
        "must match the size": unfit,
        "but got": unfit,
        "expects a tensor with <= 2": unfit,
    }


def example(draws, sizes=SIZES, factor=1.0, dtype=torch.float32):
    """Draw x and the four matrices; none of them is contiguous."""
    b, h, t, k = sizes
    d = h * k
    generator = draws.seeded(7)
    x = torch.randn(b, d, t, generator=generator).transpose(1, 2)
    ws = torch.randn(4, d, d, generator=generator).transpose(1, 2) / d**0.5
    return (*(y.to(dtype) for y in (factor * x, *ws)), h)


def guess(results, rights, inputs):
    """Return a hint for results that no row explains, or None."""
    (context, weights), (right, right_weights) = results, rights
    x, w_q, w_k, *_, h = inputs
    if close(weights, right_weights):
        return None if close(context, right, 1e-2) else CONTEXT
    if close(weights, right_weights, 1e-2):
        return None
    raw = split_heads(x @ w_q, h) @ split_heads(x @ w_k, h).mT
    return (
        unknown_weights(weights, right_weights, raw)
        or repeated(weights, right_weights, Hint(TENSOR), "BHTS")
        or BY_HAND
    )


TENSOR = "the tensor of weights"
SQUARE = "right while all sizes differ, but not when {} (do the same at every "
SQUARE += "size): "


def cases(draws):
    """Yield all cases."""
    yield Case("", example(draws))
    yield Case(
        Hint(
            "right for (B, H, T, d_k) = {}, but not for {}: ",
            SIZES,
            OTHER_SIZES,
        ),
        example(draws, OTHER_SIZES),
    )
    yield Case(
        SQUARE.format("there are as many heads as tokens"),
        example(draws, (2, 4, 4, 3)),
    )
    yield Case(
        SQUARE.format("the sentence is as long as a token is wide"),
        example(draws, (2, 2, 6, 3)),
    )
    yield Case(
        SQUARE.format("the sentence is as long as a head is wide"),
        example(draws, (2, 3, 5, 5)),
    )
    yield Case("right, but not for one head: ", example(draws, (2, 1, 3, 5)))
    yield Case(
        "right, but not when every size is 1: ", example(draws, (1, 1, 1, 1))
    )
    yield Case(
        "right for small scores, but not for scores of several hundred: ",
        example(draws, factor=20.0),
        1e-3,
    )
    yield Case(
        "right for float32, but not for float64: ",
        # the root of 4 is exact
        example(draws, (3, 5, 7, 4), dtype=torch.float64),
        1e-9,
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=multi_head,
        returns={"the context": "B T D", "the tensor of weights": "B H T T"},
        takes=("B T D", "", "", "", "", "H"),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        errors=refused(SIZES),
        guess=guess,
        trains=(("", example(draws)),),
    )


check_multi_head = check(exercise)
