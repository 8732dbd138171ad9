"""Other ways to split into heads than that of exercise 7.4.

Dimension letters:
    B batch, H heads, T length, D = d_model, d_k = D / H width of one head.
"""

from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.rules import Rule, is_float, returned
from attnbook.checks.rules.layouts import relaid

HEADS = "the result"
FACTORS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20)


def multiplied(answer, value):
    """Undo a division of the result."""
    return returned(answer, lambda y: y * value if is_float(y) else y)


def with_width(answer):
    """Hand over the width of a head in the place of their number."""
    return lambda x, h: answer(x, x.size(-1) // h)


def shape_of_split(x, h):
    """Return B, H, T and d_k."""
    b, t, d = x.shape
    return b, h, t, d // h


def split_as(axes, order, change):
    """Return an adapter of a split into other axes.

    Args:
        axes: their letters.
        order: a function of B, H, T, d_k that returns their sizes.
        change: a function of result, B and H that returns (B, H, T, d_k).
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
AS_ON_PAGE = "with its result as (B, H, T, d_k)"
WIDTH = Rule(
    name="width",
    text=((SIGNATURE, "`split_heads(x, width)`, where `width` is d_k, the "
                      "width "
           "of a head,"),),
    code=(
        (FIRST_LINE, "split_heads(x, width):"),
        ("num_heads, d_model // num_heads)", "d_model // width, width)"),
    ),
    adapt=with_width,
    page="here the second argument is the width of a head",
    seen="with the number of heads as second argument",
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
    seen="with its input as (B, T, D)",
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
    seen="with its input as (B, T, D)",
)  # fmt: skip
TO_HEADS_FIRST = Rule(
    name="heads-first",
    text=(("returns (B, H, T, d_k)", "returns (H, B, T, d_k)"),),
    code=(
        ("Return (B, H, T, d_k)", "Return (H, B, T, d_k)"),
        ("return x.transpose(1, 2)", "return x.permute(2, 0, 1, 3)"),
    ),
    adapt=split_as("H, B, T, d_k", lambda b, h, t, k: (h, b, t, k),
                   lambda y, b, h: y.transpose(0, 1)),
    page="here the result is (H, B, T, d_k)",
    seen=AS_ON_PAGE,
)  # fmt: skip
TO_FOLDED = Rule(
    name="folded",
    text=(("returns (B, H, T, d_k)", "returns (B H, T, d_k): the H heads of "
                                     "the "
           "first sentence, then those of the second, and so on"),),
    code=(
        ("Return (B, H, T, d_k)", "Return (B H, T, d_k)"),
        ("return x.transpose(1, 2)", "return x.transpose(1, 2).flatten(0, 1)"),
    ),
    adapt=split_as("B H, T, d_k", lambda b, h, t, k: (b * h, t, k),
                   lambda y, b, h: y.unflatten(0, (b, h))),
    page="here the result is (B H, T, d_k)",
    seen=AS_ON_PAGE,
)  # fmt: skip
TO_TURNED = Rule(
    name="turned",
    text=(("returns (B, H, T, d_k)", "returns (B, H, d_k, T), as the keys are "
           "needed for the scores"),),
    code=(
        ("Return (B, H, T, d_k)", "Return (B, H, d_k, T)"),
        ("return x.transpose(1, 2)", "return x.permute(0, 2, 3, 1)"),
    ),
    adapt=split_as("B, H, d_k, T", lambda b, h, t, k: (b, h, k, t),
                   lambda y, b, h: y.transpose(2, 3)),
    page="here the result is (B, H, d_k, T)",
    seen=AS_ON_PAGE,
)  # fmt: skip
SPLIT_DEALT = Rule(
    name="interleaved",
    text=(("from memory.", "from memory. The heads are interleaved: head h "
           "takes the numbers h, h + H, h + 2 H and so on of each token."),),
    code=(("num_heads, d_model // num_heads)",
           "d_model // num_heads, num_heads).mT"),),
    adapt=lambda answer: lambda x, h: answer(dealt(x, h), h),
    page="here the heads are interleaved, every H-th number",
    seen="with the heads as on the page, one block each",
)  # fmt: skip
DIVIDED = Rule(
    name="divided",
    text=(("Use PyTorch operations", "All numbers are divided by {value} on "
           "the way. Use PyTorch operations"),),
    code=(("x.reshape(batch", "(x / {value}).reshape(batch"),),
    adapt=multiplied,
    page="here all numbers are divided by {value}",
    values=FACTORS,
    seen="with its result multiplied by {value}",
)  # fmt: skip
SPLIT = (
    (DIVIDED,),
    (TO_HEADS_FIRST, TO_FOLDED, TO_TURNED),
    (WIDTH, SPLIT_DEALT),
    (LENGTH_FIRST, WIDTH_BEFORE_LENGTH),
)

RULES = {"7.4": SPLIT}
