"""Other ways to split, merge and attend than those of chapter 7.

Dimension letters:
    B batch, H heads, T length, D = d_model, K = D / H width of one head.
"""

import torch

from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.rules import Rule, is_float, returned, swapped
from attnbook.checks.rules.layouts import IN_THIS_ORDER, relaid, relaid_at

HEADS = "the result"
FACTORS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20)
TEMPERATURES = (0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9)


def multiplied(answer, value):
    """Undo a division of the result."""
    return returned(answer, lambda y: y * value if is_float(y) else y)


# ------------------------------------------------------------- split heads
def with_width(answer):
    """Hand over the width of a head in the place of their number."""
    return lambda x, h: answer(x, x.size(-1) // h)


def shape_of_split(x, h):
    """Return B, H, T and K."""
    b, t, d = x.shape
    return b, h, t, d // h


def split_as(axes, order, change):
    """Return an adapter of a split into other axes.

    Args:
        axes: their letters.
        order: a function of B, H, T, K that returns their sizes.
        change: a function of result, B and H that returns (B, H, T, K).
    """

    def adapt(answer):
        def run(x, h):
            y, sizes = answer(x, h), shape_of_split(x, h)
            if unanswered(y):
                return y
            return relaid(
                y, HEADS, axes, order(*sizes), lambda y: change(y, *sizes[:2])
            )

        return run

    return adapt


def dealt(x, h):
    """Put the blocks of H heads as every H-th number, (B, T, D)."""
    return x.unflatten(-1, (h, -1)).mT.flatten(-2)


SIGNATURE = "`split_heads(x, num_heads)`"
FIRST_LINE = "split_heads(x, num_heads):"
MOVED = "then exchange two axes"
WIDTH = Rule(
    name="width",
    text=((SIGNATURE, "`split_heads(x, width)`, where `width` is K, the width "
           "of a head,"),),
    code=(
        (FIRST_LINE, "split_heads(x, width):"),
        ("num_heads, d_model // num_heads)", "d_model // width, width)"),
    ),
    adapt=with_width,
    page="here the second argument is the width of a head",
    hints=(
        ("num_heads is the number of pieces, not their width: yours",
         "width is the width of a piece, not their number: yours"),
        ("or not into num_heads pieces, so", "or not into D / width pieces, "
         "so"),
    ),
)  # fmt: skip
LENGTH_FIRST = Rule(
    name="length-first",
    text=(("It takes (B, T, D)", "It takes (T, B, D), as PyTorch's "
           "`nn.MultiheadAttention` does unless told otherwise,"),),
    code=(
        ("from (B, T, D)", "from (T, B, D)"),
        ("    batch, length, d_model = x.shape",
         "    x = x.transpose(0, 1)\n    batch, length, d_model = x.shape"),
    ),
    adapt=lambda answer: lambda x, h: answer(x.transpose(0, 1), h),
    page="here the input is (T, B, D)",
    hints=(
        ("input as it came, (B, T, D)", "input as it came, (T, B, D)"),
        ("first, (B, T, H, K), " + MOVED, "first, (T, B, H, K), then move "
         "the axes"),
        ("chunk and split cut the first axis", "chunk and split cut another "
         "axis"),
    ),
)  # fmt: skip
WIDTH_BEFORE_LENGTH = Rule(
    name="channels-first",
    text=(("It takes (B, T, D)", "It takes (B, D, T), as convolutions do,"),),
    code=(
        ("from (B, T, D)", "from (B, D, T)"),
        ("    batch, length, d_model = x.shape",
         "    x = x.transpose(1, 2)\n    batch, length, d_model = x.shape"),
    ),
    adapt=lambda answer: lambda x, h: answer(x.transpose(1, 2), h),
    page="here the input is (B, D, T)",
    hints=(
        ("input as it came, (B, T, D)", "input as it came, (B, D, T)"),
        ("cut the width first, (B, T, H, K), " + MOVED, "cut the width, "
         "(B, H, K, T), " + MOVED),
        ("cut the width, but left the heads behind the tokens, (B, T, H, K)",
         "left the heads behind the tokens, (B, T, H, K)"),
        ("write dim=-1", "write dim=1"),
    ),
)  # fmt: skip
TO_HEADS_FIRST = Rule(
    name="heads-first",
    text=(("returns (B, H, T, K)", "returns (H, B, T, K)"),),
    code=(
        ("Return (B, H, T, K)", "Return (H, B, T, K)"),
        ("return x.transpose(1, 2)", "return x.permute(2, 0, 1, 3)"),
    ),
    adapt=split_as("H, B, T, K", lambda b, h, t, k: (h, b, t, k),
                   lambda y, b, h: y.transpose(0, 1)),
    page="here the result is (H, B, T, K)",
    hints=(
        ("numbers into (B, H, T, K)", "numbers"),
        (MOVED, "then move the heads to the front"),
        ("the batch comes first, (B, H, T, K)", "the order is (H, B, T, K)"),
    ),
)  # fmt: skip
TO_FOLDED = Rule(
    name="folded",
    text=(("returns (B, H, T, K)", "returns (B H, T, K): the H heads of the "
           "first sentence, then those of the second, and so on"),),
    code=(
        ("Return (B, H, T, K)", "Return (B H, T, K)"),
        ("return x.transpose(1, 2)", "return x.transpose(1, 2).flatten(0, 1)"),
    ),
    adapt=split_as("B H, T, K", lambda b, h, t, k: (b * h, t, k),
                   lambda y, b, h: y.unflatten(0, (b, h))),
    page="here the result is (B H, T, K)",
    hints=(
        ("numbers into (B, H, T, K)", "numbers"),
        (MOVED, MOVED + " and flatten the first two"),
        ("the batch comes first, (B, H, T, K)", "the order is (B H, T, K)"),
    ),
)  # fmt: skip
TO_TURNED = Rule(
    name="turned",
    text=(("returns (B, H, T, K)", "returns (B, H, K, T), as the keys are "
           "needed for the scores"),),
    code=(
        ("Return (B, H, T, K)", "Return (B, H, K, T)"),
        ("return x.transpose(1, 2)", "return x.permute(0, 2, 3, 1)"),
    ),
    adapt=split_as("B, H, K, T", lambda b, h, t, k: (b, h, k, t),
                   lambda y, b, h: y.transpose(2, 3)),
    page="here the result is (B, H, K, T)",
    hints=(
        ("numbers into (B, H, T, K)", "numbers"),
        (MOVED, "then move the tokens to the end"),
        ("the batch comes first, (B, H, T, K)", "the order is (B, H, K, T)"),
    ),
)  # fmt: skip
SPLIT_DEALT = Rule(
    name="interleaved",
    text=(("from memory.", "from memory. The heads are interleaved: head h "
           "takes the numbers h, h + H, h + 2 H and so on of each token."),),
    code=(("num_heads, d_model // num_heads)",
           "d_model // num_heads, num_heads).mT"),),
    adapt=lambda answer: lambda x, h: answer(dealt(x, h), h),
    page="here the heads are interleaved, every H-th number",
    hints=(
        ("the heads are interleaved: yours takes every H-th number; a head is "
         "a block of K neighbouring numbers, so cut D into (H, K), not (K, H)",
         "your heads do not take every H-th number; cut D into (K, H), not "
         "(H, K)"),
        ("gets the numbers from h K to (h + 1) K",
         "gets every H-th number, from h on"),
        ("it goes from h K to (h + 1) K", "and goes on by H"),
        ("head 0 is the first block", "head 0 starts at number 0"),
    ),
)  # fmt: skip
DIVIDED = Rule(
    name="divided",
    text=(("Use PyTorch operations", "All numbers are divided by {value} on "
           "the way. Use PyTorch operations"),),
    code=(("x.reshape(batch", "(x / {value}).reshape(batch"),),
    adapt=multiplied,
    page="here all numbers are divided by {value}",
    values=FACTORS,
    hints=(("you divide the numbers by sqrt(K); a split only moves them",
            "you divide the numbers by another number than {value}"),),
)  # fmt: skip
SPLIT = (
    (DIVIDED,),
    (TO_HEADS_FIRST, TO_FOLDED, TO_TURNED),
    (WIDTH, SPLIT_DEALT),
    (LENGTH_FIRST, WIDTH_BEFORE_LENGTH),
)


# ------------------------------------------------------------- merge heads
def merged_as(axes, order, change):
    """Return an adapter of a merge into other axes; see `split_as`."""

    def adapt(answer):
        def run(x):
            y = answer(x)
            if unanswered(y):
                return y
            b, h, t, k = x.shape
            return relaid(y, HEADS, axes, order(b, t, h * k), change)

        return run

    return adapt


def merged_dealt(answer):
    """Put every H-th number of the result into blocks."""

    def run(x):
        y, (b, h, t, k) = answer(x), x.shape
        if unanswered(y):
            return y
        blocks = relaid(y, HEADS, "B, T, D", (b, t, h * k),
                        lambda y: y.unflatten(-1, (k, h)).mT.flatten(-2))
        return blocks

    return run


REPAIR = "Then repair it"
FLOWS = "so that gradients flow."
MERGE_LINE = "    x = x.transpose(1, 2)"
MERGE_OUT = "reshape(batch, length, heads * width)"
SHAPE_LINE = "    batch, heads, length, width = x.shape"
FROM = "from (B, H, T, K)"
FROM_HEADS_FIRST = Rule(
    name="heads-first",
    text=((REPAIR, REPAIR + ", for heads that come as (H, B, T, K), where "
           "hers came as (B, H, T, K)"),),
    code=(
        (FROM, "from (H, B, T, K)"),
        (SHAPE_LINE, "    x = x.transpose(0, 1)\n" + SHAPE_LINE),
    ),
    adapt=lambda answer: lambda x: answer(x.transpose(0, 1)),
    page="here the heads come as (H, B, T, K)",
    hints=(
        ("straight " + FROM, "straight from (H, B, T, K)"),
        ("exchange heads and tokens first", "put the axes into the order "
         "(B, T, H, K) first"),
        ("it is heads and tokens, 1 and 2", "it is (B, T, H, K) that you may "
         "flatten"),
        ("it is heads and tokens, axes 1 and 2", "it is (B, T, H, K) that you "
         "may flatten"),
        ("a loop over x, or list(x), walks over the batch, so that you lay "
         "sentences side by side; walk over the heads, x.unbind(1)",
         "you lay sentences side by side; it is the heads of one sentence"),
        ("input as it came, (B, H, T, K)", "input as it came"),
    ),
)  # fmt: skip
FROM_TURNED = Rule(
    name="turned",
    text=((REPAIR, REPAIR + ", for heads that come as (B, H, K, T), where "
           "hers came as (B, H, T, K)"),),
    code=(
        (FROM, "from (B, H, K, T)"),
        (SHAPE_LINE, "    x = x.transpose(2, 3)\n" + SHAPE_LINE),
    ),
    adapt=lambda answer: lambda x: answer(x.transpose(2, 3)),
    page="here the heads come as (B, H, K, T)",
    hints=(
        ("straight " + FROM, "(B, H, T, K)"),
        ("exchange heads and tokens first", "put the axes into the order "
         "(B, T, H, K) first"),
        ("it is heads and tokens, 1 and 2", "it is (B, T, H, K) that you may "
         "flatten"),
        ("it is heads and tokens, axes 1 and 2", "it is (B, T, H, K) that you "
         "may flatten"),
        ("input as it came, (B, H, T, K)", "input with its axes in another "
         "order"),
    ),
)  # fmt: skip
FROM_FOLDED = Rule(
    name="folded",
    text=((REPAIR, REPAIR + " as `merge_heads(x, num_heads)`, for heads that "
           "come as (B H, T, K), where hers came as (B, H, T, K): first the H "
           "heads of the first sentence, then those of the second"),),
    code=(
        ("merge_heads(x):", "merge_heads(x, num_heads):"),
        (FROM, "from (B H, T, K)"),
        (SHAPE_LINE, "    x = x.unflatten(0, (-1, num_heads))\n"
         + SHAPE_LINE),
    ),
    adapt=lambda answer: lambda x: answer(x.flatten(0, 1), x.size(1)),
    page="here the heads come as (B H, T, K), and num_heads with them",
    hints=(
        ("straight " + FROM, "(B, H, T, K)"),
        ("exchange heads and tokens first", "put the axes into the order "
         "(B, T, H, K) first"),
        ("it is heads and tokens, 1 and 2", "it is (B, T, H, K) that you may "
         "flatten"),
        ("it is heads and tokens, axes 1 and 2", "it is (B, T, H, K) that you "
         "may flatten"),
        ("a loop over x, or list(x), walks over the batch, so that you lay "
         "sentences side by side; walk over the heads, x.unbind(1)",
         "you lay sentences side by side; it is the heads of one sentence"),
        ("input as it came, (B, H, T, K)", "input cut into (B, H, T, K)"),
    ),
)  # fmt: skip
TO_LENGTH_FIRST = Rule(
    name="length-first",
    text=((FLOWS, "so that gradients flow. The result is (T, B, D)."),),
    code=(
        ("Return (B, T, D)", "Return (T, B, D)"),
        (MERGE_OUT, MERGE_OUT + ".transpose(0, 1)"),
    ),
    adapt=merged_as("T, B, D", lambda b, t, d: (t, b, d),
                    lambda y: y.transpose(0, 1)),
    page="here the result is (T, B, D)",
)  # fmt: skip
TO_WIDTH_FIRST = Rule(
    name="channels-first",
    text=((FLOWS, "so that gradients flow. The result is (B, D, T), as "
           "convolutions take it."),),
    code=(
        ("Return (B, T, D)", "Return (B, D, T)"),
        (MERGE_OUT, MERGE_OUT + ".transpose(1, 2)"),
    ),
    adapt=merged_as("B, D, T", lambda b, t, d: (b, d, t),
                    lambda y: y.transpose(1, 2)),
    page="here the result is (B, D, T)",
    hints=(
        ("you flatten to (B, D, T) and exchange the last two axes, which "
         "tears tokens apart; flatten (B, T, H, K) to (B, T, D) at once",
         "you flatten to (B, D, T) at once, which tears tokens apart; flatten "
         "(B, T, H, K) to (B, T, D), then exchange the last two axes"),
        ("rows are tokens", "columns are tokens"),
        ("side by side in one row", "side by side in one column"),
        ("into one row", "into one column"),
        ("a row must", "a column must"),
    ),
)  # fmt: skip
MERGE_DEALT = Rule(
    name="interleaved",
    text=((FLOWS, "so that gradients flow. The heads are interleaved in the "
           "result: number k of head h stands at place k H + h of its "
           "token."),),
    code=((MERGE_OUT, "transpose(2, 3)." + MERGE_OUT),),
    adapt=merged_dealt,
    page="here the heads are interleaved in the result",
    hints=(
        ("the heads are interleaved: a row must hold all K numbers of head 0, "
         "then all of head 1; yours takes one number of each in turn",
         "the numbers of a row are not interleaved: it must take one number "
         "of each head in turn"),
        ("side by side", "into one row, in turn"),
        ("every block holds the first head", "every head is the first one"),
    ),
)  # fmt: skip
MERGE_DIVIDED = Rule(
    name="divided",
    text=((". Use PyTorch operations", ". Every number is divided by {value} "
           "on the way. Use PyTorch operations"),),
    code=((MERGE_LINE, "    x = x.transpose(1, 2) / {value}"),),
    adapt=multiplied,
    page="here all numbers are divided by {value}",
    values=FACTORS,
)  # fmt: skip
MERGE = (
    (MERGE_DIVIDED,),
    (TO_LENGTH_FIRST, TO_WIDTH_FIRST, MERGE_DEALT),
    (FROM_HEADS_FIRST, FROM_TURNED, FROM_FOLDED),
)


# -------------------------------------------------------------- multi-head
def with_four(change):
    """Return an adapter that changes x and the matrices.

    Args:
        change: a function of x, the four matrices and H that returns what
            the answer is called with.
    """
    return lambda answer: lambda *inputs: answer(*change(*inputs))


def packed(x, w_q, w_k, w_v, w_o, h):
    """Lay three matrices side by side, (D, 3 D)."""
    return x, torch.cat([w_q, w_k, w_v], -1), w_o, h


def by_head(x, w_q, w_k, w_v, w_o, h):
    """Give each head matrices of its own, (H, D, K) and (H, K, D)."""
    into = (w.unflatten(-1, (h, -1)).transpose(0, 1) for w in (w_q, w_k, w_v))
    return x, *into, w_o.unflatten(0, (h, -1))


def with_output_turned(answer):
    """Exchange batch and length, in x and in the context."""

    def run(x, *rest):
        result, (b, t, d) = answer(x.transpose(0, 1), *rest), x.shape
        if unanswered(result):
            return result
        return relaid_at(result, 0, "the context", "T, B, D", (t, b, d),
                         lambda y: y.transpose(0, 1))

    return run


def with_maps(axes, order, change):
    """Return an adapter of weights with other axes; see `split_as`."""

    def adapt(answer):
        def run(x, *rest):
            result, (b, t, _), h = answer(x, *rest), x.shape, rest[-1]
            if unanswered(result):
                return result
            return relaid_at(result, 1, "the tensor of weights", axes,
                             order(b, h, t), change)

        return run

    return adapt


MULTI = "`multi_head(x, w_q, w_k, w_v, w_o, num_heads)`"
MULTI_LINE = "multi_head(x, w_q, w_k, w_v, w_o, num_heads):"
MATRICES = "all four matrices are (D, D) and are used as `x @ w`"
PROJECT = "    q, k, v = split("
LINEAR = Rule(
    name="linear",
    text=((MATRICES, "all four matrices are (D, D), (out, in) as in "
           "`nn.Linear`, and are used as `x @ w.T`"),),
    code=((PROJECT, "    w_q, w_k, w_v, w_o = w_q.T, w_k.T, w_v.T, w_o.T\n"
           + PROJECT),),
    adapt=with_four(lambda x, q, k, v, o, h: (x, q.T, k.T, v.T, o.T, h)),
    page="here the matrices are used as x @ w.T",
    hints=(
        ("x @ w, without .T (nn.Linear stores them the other way round)",
         "x @ w.T, as nn.Linear does"),
        ("x @ w, without .T", "x @ w.T"),
        ("x @ w_q", "x @ w_q.T"),
        ("x @ w_k", "x @ w_k.T"),
        ("x @ w_v", "x @ w_v.T"),
        ("matrices are transposed", "matrices are not transposed"),
        ("and w_v are transposed", "and w_v are not transposed"),
        ("w_v is transposed", "w_v is not transposed"),
        ("w_o is transposed", "w_o is not transposed"),
    ),
)  # fmt: skip
PACKED = Rule(
    name="packed",
    text=(
        (MULTI, "`multi_head(x, w_qkv, w_o, num_heads)`"),
        (MATRICES, "`w_qkv` is (D, 3 D) and holds `w_q`, `w_k` and `w_v` "
         "side by side, `w_o` is (D, D), and all are used as `x @ w`"),
    ),
    code=(
        (MULTI_LINE, "multi_head(x, w_qkv, w_o, num_heads):"),
        (PROJECT, "    w_q, w_k, w_v = w_qkv.chunk(3, dim=-1)\n" + PROJECT),
    ),
    adapt=with_four(packed),
    page="here w_qkv holds three matrices side by side",
)  # fmt: skip
BY_HEAD = Rule(
    name="by-head",
    text=(
        (MULTI, "`multi_head(x, w_q, w_k, w_v, w_o)`"),
        (MATRICES, "each head has matrices of its own, as in the paper: "
         "`w_q`, `w_k` and `w_v` are (H, D, K), `w_o` is (H, K, D), they are "
         "used as `x @ w[h]`, and the messages of the heads are added up"),
    ),
    code=(
        (MULTI_LINE, "multi_head(x, w_q, w_k, w_v, w_o):"),
        (PROJECT, "    num_heads, w_o = len(w_o), w_o.flatten(0, 1)\n"
         "    w_q, w_k, w_v = (\n"
         "        w.transpose(0, 1).flatten(1) for w in (w_q, w_k, w_v)\n"
         "    )\n" + PROJECT),
    ),
    adapt=with_four(by_head),
    page="here each head has matrices of its own, (H, D, K) and (H, K, D)",
    hints=(
        ("x @ w, without .T", "x @ w[h], without .T or .mT"),
        ("x @ w_q", "x @ w_q[h]"),
        ("x @ w_k", "x @ w_k[h]"),
        ("x @ w_v", "x @ w_v[h]"),
        ("merge them and multiply by w_o", "multiply each by its w_o[h] and "
         "add up"),
        ("merge, then multiply by w_o", "multiply each head by its w_o[h], "
         "then add up"),
    ),
)  # fmt: skip
TEMPERATURE = Rule(
    name="temperature",
    text=(("without biases.", "without biases, but with a temperature: the "
           "scaled scores are divided by {value}."),),
    code=(("math.sqrt(q.size(-1))", "math.sqrt(q.size(-1)) / {value}"),),
    adapt=lambda answer, value: lambda x, q, *rest: answer(
        x, value * q, *rest
    ),
    page="here the scaled scores are divided by {value}",
    hints=(
        ("; that number must be sqrt(d_k)", " and by {value}; the first "
         "number must be sqrt(d_k)"),
        ("divided by sqrt(d_k), then a softmax", "divided by sqrt(d_k) and by "
         "{value}, then a softmax"),
        ("by sqrt(d_k) and by nothing else", "by sqrt(d_k) and by {value}"),
    ),
    values=TEMPERATURES,
)  # fmt: skip
MULTI_LENGTH_FIRST = Rule(
    name="length-first",
    text=(
        ("`x` is (B, T, D)", "`x` is (T, B, D)"),
        ("$W^O$, (B, T, D)", "$W^O$, (T, B, D)"),
    ),
    code=(
        ("    batch, length, d_model = x.shape",
         "    x = x.transpose(0, 1)\n    batch, length, d_model = x.shape"),
        ("reshape(batch, length, d_model)", "reshape(batch, length, d_model)"
         "\n    context = context.transpose(0, 1)"),
    ),
    adapt=with_output_turned,
    page="here x and the context are (T, B, D)",
)  # fmt: skip
MAPS_FIRST = Rule(
    name="heads-first",
    text=(("every head, (B, H, T, T)", "every head, (H, B, T, T)"),),
    code=(
        ("    context = (", "    maps, weights = weights, "
         "weights.transpose(0, 1)\n    context = ("),
        ("weights @ v", "maps @ v"),
    ),
    adapt=with_maps("H, B, T, T", lambda b, h, t: (h, b, t, t),
                    lambda y: y.transpose(0, 1)),
    page="here the weights are (H, B, T, T)",
)  # fmt: skip
MAPS_LATER = Rule(
    name="heads-later",
    text=(("every head, (B, H, T, T)", "every head, (B, T, H, T)"),),
    code=(
        ("    context = (", "    maps, weights = weights, "
         "weights.transpose(1, 2)\n    context = ("),
        ("weights @ v", "maps @ v"),
    ),
    adapt=with_maps("B, T, H, T", lambda b, h, t: (b, t, h, t),
                    lambda y: y.transpose(1, 2)),
    page="here the weights are (B, T, H, T): query, head, key",
)  # fmt: skip
WEIGHTS_FIRST = Rule(
    name="weights-first",
    text=(("Use PyTorch operations", "Return the weights first, then the "
           "context. Use PyTorch operations"),),
    code=(
        ("(context, weights)", "(weights, context)"),
        ("return context @", "return weights, context @"),
        (", weights\n", "\n"),
    ),
    adapt=lambda answer: returned(answer, swapped),
    hints=IN_THIS_ORDER,
    page="here the weights come first, then the context",
)  # fmt: skip
MULTI_HEAD = (
    (TEMPERATURE,),
    (MAPS_FIRST, MAPS_LATER),
    (MULTI_LENGTH_FIRST,),
    (WEIGHTS_FIRST,),
    (LINEAR, PACKED, BY_HEAD),
)

RULES = {"7.4": SPLIT, "7.5": MERGE, "7.6": MULTI_HEAD}
