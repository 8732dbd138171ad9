"""Other self-attentions than that of exercise 6.4."""

import torch

from attnbook.checks.engine.rules import Rule
from attnbook.checks.rules.attention_forms import (
    results_swapped,
    turned,
    with_pair,
)
from attnbook.checks.rules.attention_rules import IN_ORDER, temperature

SIGNATURE = "`self_attention(x, w_q, w_k, w_v)`"
HEAD = "(x, w_q, w_k, w_v):"
WORDS = (
    "The words `x` have the shape `(T, D)`, or `(B, T, D)` for a batch; both "
    "must work."
)
MATRICES = "`w_q` and `w_k` are `(D, d_k)`, `w_v` is `(D, d_v)`"
RESULTS = (
    "Return the context, `(T, d_v)` or `(B, T, d_v)`, and the weights, `(T, "
    "T)` or `(B, T, T)`."
)
PROJECT = "    q, k, v = x @ w_q, x @ w_k, x @ w_v"
STEP = "    q, k, v = "
BACK = "return weights @ v, weights"
CONTEXT_WEIGHTS = ("(context, weights)", "(weights, context)")


def with_temperature(answer, value):
    """Undo a temperature: the answer divides all scores by it."""
    return lambda x, w_q, w_k, w_v: answer(x, value * w_q, w_k, w_v)


def with_words(change):
    """Return an adapter that changes the words."""
    return lambda answer: lambda x, *matrices: answer(change(x), *matrices)


def with_matrices(change):
    """Return an adapter that changes what comes behind the words."""
    return lambda answer: lambda x, *matrices: answer(x, *change(*matrices))


def batch_behind(x):
    """Return words (B, T, D) as (T, B, D), and (T, D) as they are."""
    return x.transpose(0, 1) if x.dim() == 3 else x


def packed(w_q, w_k, w_v):
    """Return the three matrices beside each other, and the width of keys."""
    return torch.cat([w_q, w_k, w_v], 1), w_q.size(1)


def packed_below(w_q, w_k, w_v):
    """Return the three below each other, as nn.Linear has them."""
    w, d_k = packed(w_q, w_k, w_v)
    return w.mT, d_k


def ordered(name, arguments, adapt):
    """Return the rule of another order of the arguments."""
    return Rule(
        name=name,
        text=(
            (
                SIGNATURE,
                f"`self_attention({arguments})`, with the arguments in this "
                "order",
            ),
        ),
        code=((HEAD, f"({arguments}):"),),
        adapt=adapt,
        page=f"here the arguments are {arguments}, in this order",
        seen=IN_ORDER,
    )


def together(name, shape, code, change):
    """Return the rule that the three matrices come in one."""
    where = "beside each other"
    if name == "packed-below":
        where = "turned and below each other, as PyTorch's `in_proj_weight`"
    return Rule(
        name=name,
        text=(
            (SIGNATURE, "`self_attention(x, w, d_k)`"),
            (
                MATRICES,
                f"`w` holds the three matrices {where}, for queries, keys "
                f"and values: `{shape}`, with the width `d_k`",
            ),
        ),
        code=((HEAD, "(x, w, d_k):"), (PROJECT, code)),
        adapt=with_matrices(change),
        page=f"here the three matrices come as one, {shape}, with d_k",
        seen="with w_q, w_k and w_v taken apart, (D, d_k), (D, d_k) and (D, "
        "d_v)",
    )


ATTENTIONS = (
    (
        temperature(
            (
                (
                    "No mask.",
                    "The scaled scores are divided by a temperature of "
                    "{value} before the softmax. No mask.",
                ),
            ),
            (("math.sqrt(q.size(-1))", "math.sqrt(q.size(-1)) / {value}"),),
            with_temperature,
        ),
    ),
    (
        Rule(
            name="words-first",
            text=((WORDS, "The words `x` have the shape `(T, D)`, or, for a "
                   "batch, `(T, B, D)`, as PyTorch's layers have them if "
                   "`batch_first=False`; both must work. (The results have "
                   "B in front.)"),),
            code=((STEP, "    x = x.transpose(0, 1) if x.dim() == 3 else x\n"
                   f"{STEP}"),),
            adapt=with_words(batch_behind),
            page="here a batch of words is (T, B, D)",
            seen="with the words as (B, T, D)",
        ),
        Rule(
            name="features-first",
            text=((WORDS, "The words `x` are the columns: the shape is "
                   "`(D, T)`, or `(B, D, T)` for a batch; both must work. "
                   "(The results have a row for each word.)"),),
            code=((STEP, f"    x = x.transpose(-2, -1)\n{STEP}"),),
            adapt=with_words(turned),
            page="here the words are columns, (D, T) or (B, D, T)",
            seen="with the words as rows, (T, D) or (B, T, D)",
        ),
    ),
    (
        Rule(
            name="weights-first",
            text=((RESULTS, "Return the weights, `(T, T)` or `(B, T, T)`, "
                   "and the context, `(T, d_v)` or `(B, T, d_v)`, in this "
                   "order."),),
            code=(CONTEXT_WEIGHTS, (BACK, "return weights, weights @ v")),
            adapt=results_swapped,
            page="here the weights come first, then the context",
            seen="with its results exchanged",
        ),
        Rule(
            name="weights-turned",
            text=((RESULTS, "Return the context, `(T, d_v)` or `(B, T, d_v)`, "
                   "and the weights turned, `(T, T)` or `(B, T, T)`, with a "
                   "row for each key, so that every column sums to 1."),),
            code=((BACK, f"{BACK}.transpose(-2, -1)"),),
            adapt=with_pair(weights=turned),
            page="here the weights have a row per key",
            seen="with the weights turned back, a row per query",
        ),
        Rule(
            name="context-turned",
            text=((RESULTS, "Return the context with a column for each "
                   "word, `(d_v, T)` or `(B, d_v, T)`, and the weights, `(T, "
                   "T)` or `(B, T, T)`."),),
            code=((BACK, "return (weights @ v).transpose(-2, -1), weights"),),
            adapt=with_pair(context=turned),
            page="here the context has a column per word, (d_v, T)",
            seen="with the context turned back, a row per word",
        ),
    ),
    (
        Rule(
            name="linear",
            text=((MATRICES, "The matrices are those of `nn.Linear`: `w_q` "
                   "and `w_k` are `(d_k, D)`, `w_v` is `(d_v, D)`"),),
            code=(
                ("x @ w_q", "x @ w_q.T"),
                ("x @ w_k", "x @ w_k.T"),
                ("x @ w_v", "x @ w_v.T"),
            ),
            adapt=with_matrices(lambda *w: [matrix.mT for matrix in w]),
            page="here the matrices are those of nn.Linear, (d_k, D) and "
            "(d_v, D)",
            seen="with w_q, w_k and w_v turned, (D, d_k), (D, d_k) and (D, "
                 "d_v)",
        ),
        together(
            "packed",
            "(D, 2 d_k + d_v)",
            f"{STEP}(x @ w).split([d_k, d_k, w.size(1) - 2 * d_k], dim=-1)",
            packed,
        ),
        together(
            "packed-below",
            "(2 d_k + d_v, D)",
            f"{STEP}(x @ w.T).split([d_k, d_k, len(w) - 2 * d_k], dim=-1)",
            packed_below,
        ),
        ordered(
            "words-last",
            "w_q, w_k, w_v, x",
            lambda answer: lambda x, *w: answer(*w, x),
        ),
        ordered(
            "values-first",
            "x, w_v, w_k, w_q",
            with_matrices(lambda q, k, v: (v, k, q)),
        ),
        ordered(
            "keys-first",
            "x, w_k, w_q, w_v",
            with_matrices(lambda q, k, v: (k, q, v)),
        ),
    ),
)  # fmt: skip

RULES = {"6.4": ATTENTIONS}
