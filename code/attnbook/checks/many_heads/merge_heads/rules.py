"""Other ways to merge heads than that of exercise 7.5.

Dimension letters:
    B batch, H heads, T length, D = d_model, d_k = D / H width of one head.
"""

from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.rules import Rule
from attnbook.checks.many_heads.split_heads.rules import (
    FACTORS,
    HEADS,
    multiplied,
)
from attnbook.checks.rules.layouts import relaid


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
        blocks = relaid(
            y,
            HEADS,
            "B, T, D",
            (b, t, h * k),
            lambda y: y.unflatten(-1, (k, h)).mT.flatten(-2),
        )
        return blocks

    return run


REPAIR = "Then repair it"
FLOWS = "so that gradients flow."
MERGE_LINE = "    x = x.transpose(1, 2)"
MERGE_OUT = "reshape(batch, length, heads * width)"
SHAPE_LINE = "    batch, heads, length, width = x.shape"
FROM = "from (B, H, T, d_k)"
AS_ON_PAGE = "with its input as (B, H, T, d_k)"
FROM_HEADS_FIRST = Rule(
    name="heads-first",
    text=((REPAIR, REPAIR + ", for heads that come as (H, B, T, d_k), where "
           "hers came as (B, H, T, d_k)"),),
    code=(
        (FROM, "from (H, B, T, d_k)"),
        (SHAPE_LINE, "    x = x.transpose(0, 1)\n" + SHAPE_LINE),
    ),
    adapt=lambda answer: lambda x: answer(x.transpose(0, 1)),
    page="here the heads come as (H, B, T, d_k)",
    seen=AS_ON_PAGE,
)  # fmt: skip
FROM_TURNED = Rule(
    name="turned",
    text=((REPAIR, REPAIR + ", for heads that come as (B, H, d_k, T), where "
           "hers came as (B, H, T, d_k)"),),
    code=(
        (FROM, "from (B, H, d_k, T)"),
        (SHAPE_LINE, "    x = x.transpose(2, 3)\n" + SHAPE_LINE),
    ),
    adapt=lambda answer: lambda x: answer(x.transpose(2, 3)),
    page="here the heads come as (B, H, d_k, T)",
    seen=AS_ON_PAGE,
)  # fmt: skip
FROM_FOLDED = Rule(
    name="folded",
    text=((REPAIR, REPAIR + " as `merge_heads(x, num_heads)`, for heads that "
           "come as (B H, T, d_k), where hers came as (B, H, T, d_k): first "
           "the H heads of the first sentence, then those of the second"),),
    code=(
        ("merge_heads(x):", "merge_heads(x, num_heads):"),
        (FROM, "from (B H, T, d_k)"),
        (SHAPE_LINE, "    x = x.unflatten(0, (-1, num_heads))\n"
         + SHAPE_LINE),
    ),
    adapt=lambda answer: lambda x: answer(x.flatten(0, 1), x.size(1)),
    page="here the heads come as (B H, T, d_k), and num_heads with them",
    seen=AS_ON_PAGE,
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
    seen="with its result as (B, T, D)",
)  # fmt: skip
MERGE_DEALT = Rule(
    name="interleaved",
    text=((FLOWS, "so that gradients flow. The heads are interleaved in the "
           "result: number k of head h stands at place k H + h of its "
           "token."),),
    code=((MERGE_OUT, "transpose(2, 3)." + MERGE_OUT),),
    adapt=merged_dealt,
    page="here the heads are interleaved in the result",
    seen="with the heads as on the page, one block each",
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

RULES = {"7.5": MERGE}
