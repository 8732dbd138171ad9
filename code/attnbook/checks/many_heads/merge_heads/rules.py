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
BEFORE_FLATTENING = (
    ("exchange heads and tokens first", "put the axes into the order "
     "(B, T, H, d_k) first"),
    ("it is heads and tokens, 1 and 2", "it is (B, T, H, d_k) that you may "
     "flatten"),
    ("it is heads and tokens, axes 1 and 2", "it is (B, T, H, d_k) that you "
     "may flatten"),
)  # fmt: skip
OF_ONE_SENTENCE = (
    "a loop over x, or list(x), walks over the batch, so that you lay "
    "sentences side by side; walk over the heads, x.unbind(1)",
    "you lay sentences side by side; it is the heads of one sentence",
)
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
    hints=(
        ("straight " + FROM, "straight from (H, B, T, d_k)"),
        *BEFORE_FLATTENING,
        OF_ONE_SENTENCE,
        ("input as it came, (B, H, T, d_k)", "input as it came"),
    ),
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
    hints=(
        ("straight " + FROM, "(B, H, T, d_k)"),
        *BEFORE_FLATTENING,
        ("input as it came, (B, H, T, d_k)", "input with its axes in another "
         "order"),
    ),
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
    hints=(
        ("straight " + FROM, "(B, H, T, d_k)"),
        *BEFORE_FLATTENING,
        OF_ONE_SENTENCE,
        ("input as it came, (B, H, T, d_k)", "input cut into (B, H, T, d_k)"),
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
         "tears tokens apart; flatten (B, T, H, d_k) to (B, T, D) at once",
         "you flatten to (B, D, T) at once, which tears tokens apart; flatten "
         "(B, T, H, d_k) to (B, T, D), then exchange the last two axes"),
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
        ("the heads are interleaved: a row must hold all d_k numbers of head "
         "0, then all of head 1; yours takes one number of each in turn",
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

RULES = {"7.5": MERGE}
