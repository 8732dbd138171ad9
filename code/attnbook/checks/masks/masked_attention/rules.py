"""Other ways to attend under a mask than that of exercise 10.6.

Dimension letters:
    B batch, H heads, T queries, S keys, d_k width of a query, d_v of a value.
"""

import math

import torch

from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.rules import Rule, returned, swapped
from attnbook.checks.rules.layouts import IN_THIS_ORDER, relaid_at


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
TURNED = "you hide where it is True; True means may attend"
WRITE = "write ~mask"
TEMPERATURE = Rule(
    name="temperature",
    text=(("Gradients must flow", "The scaled scores are divided by a "
           "temperature of {value} before they are masked. Gradients must "
           "flow"),),
    code=(("math.sqrt(q.size(-1))", "math.sqrt(q.size(-1)) / {value}"),),
    adapt=with_temperature,
    page="here the scaled scores are divided by {value}",
    hints=(
        ("; that number must be sqrt(d_k)", " and by {value}; the first "
         "number must be sqrt(d_k)"),
        ("the scores are not q . k / sqrt(d_k),", "the scores are not q . k / "
         "sqrt(d_k) / {value},"),
    ),
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
    hints=(
        (TURNED, "you hide where it is False; here True means hidden"),
        ("turned round; True means may attend", "turned round; here True "
         "means hidden"),
        ("where the mask is False must be 0", "where the mask is True must "
         "be 0"),
        ("leave the mask bool; ~mask turns it round", "leave the mask bool"),
        ("as in (~mask) * -math.inf", "as in mask * -math.inf"),
    ),
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
    hints=(
        (TURNED, "you hide where it is 1; 1 means may attend"),
        ("turned round; True means may attend", "turned round; 1 means may "
         "attend"),
        ("where the mask is False must be 0", "where the mask is 0 must be 0"),
        ("leave the mask bool; ~mask turns it round", "masked_fill and "
         "torch.where want a bool mask: mask == 0"),
        ("as in (~mask) * -math.inf", "as in (1 - mask) * -math.inf"),
    ),
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
    hints=(
        (TURNED, "you hide where it is 0; here 1 means hidden"),
        ("turned round; True means may attend", "turned round; here 1 means "
         "hidden"),
        ("where the mask is False must be 0", "where the mask is 1 must be 0"),
        ("leave the mask bool; ~mask turns it round", "masked_fill and "
         "torch.where want a bool mask: mask == 1"),
        ("as in (~mask) * -math.inf", "as in mask * -math.inf"),
    ),
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
    hints=(
        (TURNED, "you hide where it is 0; here -inf means hidden"),
        ("turned round; True means may attend", "turned round; -inf means "
         "hidden"),
        ("where the mask is False must be 0", "where the mask is -inf must "
         "be 0"),
        ("leave the mask bool; ~mask turns it round", "the mask holds 0 and "
         "-inf; add it to the scores"),
        ("is NaN: 0 times infinity is NaN, as in (~mask) * -math.inf; use "
         "masked_fill or torch.where", "is NaN: -inf times 0 is NaN; add the "
         "mask to the scores as it is"),
        ("; fill with -inf", "; add the mask as it is"),
    ),
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
    hints=IN_THIS_ORDER,
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
    hints=(
        ("the scores are q @ k.transpose(-2, -1), where k.T would turn all "
         "four axes round", "exchange heads and tokens of q, k and v first"),
        ("the mask is transposed; its rows are queries already, leave it (or "
         "have your scores one row per key?)", "scores and mask do not fit; "
         "exchange heads and tokens of q, k and v first, and leave the mask"),
        ("your scores have one row per key; rows are queries: q @ "
         "k.transpose(-2, -1) (or is the mask transposed?)", "scores and mask "
         "do not fit; exchange heads and tokens of q, k and v first, rows are "
         "queries"),
        ("q @ k needs k.transpose(-2, -1); k.T turns all four axes round",
         "exchange heads and tokens first, then the scores are q @ "
         "k.transpose(-2, -1)"),
    ),
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
