"""Other ways to attend under a mask than that of exercise 10.6.

Dimension letters:
    B batch, H heads, T queries, S keys, d_k width of a query, d_v of a value.
"""

import math

import torch

from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.rules import Rule, returned, swapped
from attnbook.checks.rules.layouts import relaid_at


def with_mask(change):
    """Return an adapter that hands over the mask in another form.

    Args:
        change: a function of the mask and the queries.
    """

    def adapt(answer):
        return lambda q, k, v, mask: answer(q, k, v, change(mask, q))

    return adapt


def added(mask, q):
    """Return 0 where a mask is True, and -inf elsewhere."""
    return torch.zeros(mask.shape, dtype=q.dtype).masked_fill(~mask, -math.inf)


def with_temperature(answer, value):
    """Undo a temperature: its answer divides all scores by it."""
    return lambda q, k, v, mask: answer(value * q, k, v, mask)


def with_heads_later(answer):
    """Exchange heads and tokens in the inputs and in the context."""

    def run(q, k, v, mask):
        result = answer(*(x.transpose(1, 2) for x in (q, k, v)), mask)
        if unanswered(result):
            return result
        b, h, t, _ = q.shape
        how = "the context", "B, T, H, d_v", (b, t, h, v.size(-1))
        return relaid_at(result, 0, *how, lambda y: y.transpose(1, 2))

    return run


IS_BOOL = "The mask is bool, True = may attend,"
SOME_TRUE = "Every row has a True"
SIGNATURE = "`masked_attention(q, k, v, mask)`"
FIRST_LINE = "masked_attention(q, k, v, mask):"
OF_BOOL = "with a bool mask: True = may attend"
TEMPERATURE = Rule(
    name="temperature",
    text=(("Gradients must flow", "The scaled scores are divided by a "
           "temperature of {value} before they are masked. Gradients must "
           "flow"),),
    code=(("math.sqrt(q.size(-1))", "math.sqrt(q.size(-1)) / {value}"),),
    adapt=with_temperature,
    page="here the scaled scores are divided by {value}",
    seen="with its temperature undone",
    values=(0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9),
)  # fmt: skip
HIDDEN = Rule(
    name="hidden",
    text=(
        (IS_BOOL, "The mask is bool, True = hidden, as in PyTorch's "
         "`key_padding_mask`,"),
        (SOME_TRUE, "Every row has a False"),
    ),
    code=(("masked_fill(~mask", "masked_fill(mask"),),
    adapt=with_mask(lambda mask, q: ~mask),
    page="here True means hidden",
    seen="with the mask turned round: True = may attend",
)  # fmt: skip
ONES = Rule(
    name="ones",
    text=(
        (IS_BOOL, "The mask is int64, 1 = may attend and 0 = hidden, as "
         "tokenizers make it,"),
        (SOME_TRUE, "Every row has a 1"),
    ),
    code=(("masked_fill(~mask", "masked_fill(mask == 0"),),
    adapt=with_mask(lambda mask, q: mask.long()),
    page="here the mask holds 1 = may attend and 0 = hidden",
    seen=OF_BOOL,
)  # fmt: skip
ZEROS = Rule(
    name="zeros",
    text=(
        (IS_BOOL, "The mask is int64, 0 = may attend and 1 = hidden,"),
        (SOME_TRUE, "Every row has a 0"),
    ),
    code=(("masked_fill(~mask", "masked_fill(mask == 1"),),
    adapt=with_mask(lambda mask, q: (~mask).long()),
    page="here the mask holds 0 = may attend and 1 = hidden",
    seen=OF_BOOL,
)  # fmt: skip
ADDED = Rule(
    name="added",
    text=(
        (IS_BOOL, "The mask is of the type of q and is added to the scaled "
         "scores: 0 = may attend, `-inf` = hidden,"),
        (SOME_TRUE, "Every row has a 0"),
    ),
    code=(("scores.masked_fill(~mask, -math.inf)", "scores + mask"),),
    adapt=with_mask(added),
    page="here the mask is added to the scores, 0 or -inf",
    seen=OF_BOOL,
)  # fmt: skip
ORDER = Rule(
    name="weights-first",
    text=(("exactly 0 at hidden keys.", "exactly 0 at hidden keys, in the "
           "other order: first the weights, then the context."),),
    code=(
        ("(context, weights)", "(weights, context)"),
        ("return ", "return weights, "),
        (", weights\n", "\n"),
    ),
    adapt=lambda answer: returned(answer, swapped),
    page="here the weights come first, then the context",
    seen="with its results exchanged",
)  # fmt: skip
HEADS_LATER = Rule(
    name="heads-later",
    text=(
        ("Queries are (B, H, T, d_k), keys (B, H, S, d_k), values (B, H, S, "
         "d_v).",
         "Queries are (B, T, H, d_k), keys (B, S, H, d_k), values (B, S, H, "
         "d_v)."),
        ("the context, (B, H, T, d_v)", "the context, (B, T, H, d_v)"),
    ),
    code=(
        ("    scores = q @", "    q, k, v = (x.transpose(1, 2) for x in "
         "(q, k, v))\n    scores = q @"),
        ("weights @ v", "(weights @ v).transpose(1, 2)"),
    ),
    adapt=with_heads_later,
    page="here heads stand behind the tokens, (B, T, H, d_k)",
    seen="with the heads in front of the tokens, (B, H, T, d_k)",
)  # fmt: skip
VALUES_SECOND = Rule(
    name="values-second",
    text=((SIGNATURE, "`masked_attention(q, v, k, mask)`, in the order that "
           "Keras has,"),),
    code=((FIRST_LINE, "masked_attention(q, v, k, mask):"),),
    adapt=lambda answer: lambda q, k, v, mask: answer(q, v, k, mask),
    page="here the order of the arguments is q, v, k, mask",
)  # fmt: skip
MASK_FIRST = Rule(
    name="mask-first",
    text=((SIGNATURE, "`masked_attention(mask, q, k, v)`"),),
    code=((FIRST_LINE, "masked_attention(mask, q, k, v):"),),
    adapt=lambda answer: lambda q, k, v, mask: answer(mask, q, k, v),
    page="here the order of the arguments is mask, q, k, v",
)
MASKED_ATTENTION = (
    (TEMPERATURE,),
    (HIDDEN, ONES, ZEROS, ADDED),
    (HEADS_LATER,),
    (ORDER,),
    (VALUES_SECOND, MASK_FIRST),
)

RULES = {"10.6": MASKED_ATTENTION}
