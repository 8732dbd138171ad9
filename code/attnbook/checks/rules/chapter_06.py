"""Other self-attentions, and tests of them, than those of chapter 6."""

import torch

from attnbook.checks.engine.rules import Rule
from attnbook.checks.rules.attention_forms import (
    for_tests,
    results_swapped,
    turned,
    with_pair,
)
from attnbook.checks.rules.attention_rules import temperature
from attnbook.checks.rules.verdicts import verdict_rules

# ------------------------------------------------------------------- 6.4
SIGNATURE = "`self_attention(x, w_q, w_k, w_v)`"
HEAD = "(x, w_q, w_k, w_v):"
WORDS = (
    "The words `x` have the shape `(T, D)`, or `(B, T, D)` for a batch; both "
    "must work."
)
MATRICES = "`w_q` and `w_k` are `(D, K)`, `w_v` is `(D, E)`"
RESULTS = (
    "Return the context, `(T, E)` or `(B, T, E)`, and the weights, `(T, T)` "
    "or `(B, T, T)`."
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
    )


def together(name, shape, code, change):
    """Return the rule that the three matrices come in one."""
    where = "beside" if name == "packed" else "below"
    return Rule(
        name=name,
        text=(
            (SIGNATURE, "`self_attention(x, w, d_k)`"),
            (
                MATRICES,
                f"`w` holds the three matrices {where} each other, for "
                f"queries, keys and values: `{shape}`, with the number `d_k` "
                "= K",
            ),
        ),
        code=((HEAD, "(x, w, d_k):"), (PROJECT, code)),
        adapt=with_matrices(change),
        page=f"here the three matrices come as one, {shape}, with d_k",
        seen="with w_q, w_k and w_v taken apart, (D, K), (D, K) and (D, E)",
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
                   "and the context, `(T, E)` or `(B, T, E)`, in this "
                   "order."),),
            code=(CONTEXT_WEIGHTS, (BACK, "return weights, weights @ v")),
            adapt=results_swapped,
            page="here the weights come first, then the context",
            seen="with its results exchanged",
        ),
        Rule(
            name="weights-turned",
            text=((RESULTS, "Return the context, `(T, E)` or `(B, T, E)`, "
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
                   "word, `(E, T)` or `(B, E, T)`, and the weights, `(T, T)` "
                   "or `(B, T, T)`."),),
            code=((BACK, "return (weights @ v).transpose(-2, -1), weights"),),
            adapt=with_pair(context=turned),
            page="here the context has a column per word, (E, T)",
            seen="with the context turned back, a row per word",
        ),
    ),
    (
        Rule(
            name="linear",
            text=((MATRICES, "The matrices are those of `nn.Linear`: `w_q` "
                   "and `w_k` are `(K, D)`, `w_v` is `(E, D)`"),),
            code=(
                ("x @ w_q", "x @ w_q.T"),
                ("x @ w_k", "x @ w_k.T"),
                ("x @ w_v", "x @ w_v.T"),
            ),
            adapt=with_matrices(lambda *w: [matrix.mT for matrix in w]),
            page="here the matrices are those of nn.Linear, (K, D) and "
            "(E, D)",
            seen="with w_q, w_k and w_v turned, (D, K), (D, K) and (D, E)",
        ),
        together(
            "packed",
            "(D, 2K + E)",
            f"{STEP}(x @ w).split([d_k, d_k, w.size(1) - 2 * d_k], dim=-1)",
            packed,
        ),
        together(
            "packed-below",
            "(2K + E, D)",
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

# ------------------------------------------------------------------- 6.5
ATTEND = "`attend` takes words (B, T, D) and returns their context (B, T, D)."
CALLED = "(attend(changed) - attend(x))"
SHOULD = "attend(x) with one tensor x of shape (B, T, D)"
VERDICT = "which returns `True` if `attend` is right and `False` if not"
LAYOUTS = {  # name: axes of the page, shape
    "words-first": ((1, 0, 2), "(T, B, D)"),
    "features-first": ((0, 2, 1), "(B, D, T)"),
    "batch-last": ((1, 2, 0), "(T, D, B)"),
    "all-turned": ((2, 1, 0), "(D, T, B)"),
    "features-batch-words": ((2, 0, 1), "(D, B, T)"),
}


def in_layout(axes):
    """Return what hands out an attention whose words lie otherwise."""
    place = tuple(axes.index(axis) for axis in range(3))

    def handed_out(attend):
        return lambda x: attend(x.permute(place)).permute(axes)

    return handed_out


def laid_out(name, axes, shape):
    """Return the rule of one layout of words and context."""
    place = tuple(axes.index(axis) for axis in range(3))
    return Rule(
        name=name,
        text=(
            (ATTEND, f"`attend` takes words as {shape}, and returns their "
             f"context as {shape}."),
            (CALLED, difference(axes, place)),
        ),
        code=((CALLED, difference(axes, place)),),
        adapt=for_tests(in_layout(axes)),
        page=f"here attend takes and returns {shape}",
        hints=((SHOULD, f"attend(x) with one tensor x of shape {shape}"),),
    )  # fmt: skip


def difference(axes, place):
    """Return the line that compares two contexts in the page's layout."""
    return (
        f"(\n        attend(changed.permute{axes}) - "
        f"attend(x.permute{axes})\n    ).permute{place}"
    )


def thrice(attend):
    """Return an attention that wants the words three times."""

    def attend_to(query, key, value):
        for other in (key, value):
            if other.shape != query.shape or not torch.equal(query, other):
                raise ValueError("expected the same words three times")
        return attend(query)

    return attend_to


def with_none(attend):
    """Return an attention that returns None in the place of weights."""
    return lambda *words: (attend(*words), None)


def as_module(attend):
    """Return an attention that is called as nn.MultiheadAttention is."""
    return with_none(thrice(attend))


def called(name, text, changed, x, adapt, page):
    """Return the rule of another way to call attend."""
    edit = (CALLED, f"({changed} - {x})")
    should = x.removesuffix("[0]") + ", x of shape (B, T, D)"
    return Rule(
        name=name,
        text=((ATTEND, text), edit),
        code=(edit,),
        adapt=for_tests(adapt),
        page=page,
        hints=((SHOULD, should),),
    )


def only(what, axis):
    """Return what hands out an attention for one size alone.

    Args:
        what: the axis in words.
        axis: of words (B, T, D).
    """

    def handed_out(attend, value):
        def sized(x):
            if x.dim() == 3 and x.size(axis) != value:
                raise ValueError(
                    f"expected {what} {value}, got {x.size(axis)}"
                )
            return attend(x)

        return sized

    return handed_out


def sized(name, text, code, page, adapt, values):
    """Return the rule that attend takes words of one size alone."""
    return Rule(
        name=name,
        text=(
            ("The checker runs it", f"{text} The checker runs it"),
            code[0],
        ),
        code=code[1:],
        adapt=for_tests(adapt),
        page=page,
        values=values,
    )


TESTS = (
    (
        sized(
            "length",
            "`attend` was exported for sentences of {value} words, and takes "
            "no others.",
            (
                ("5, 16)", "{value}, 16)"),
                ("torch.randn(3, 5,", "torch.randn(3, {value},"),
                ("torch.zeros(3, 5,", "torch.zeros(3, {value},"),
                ("range(5)", "range({value})"),
            ),
            "here sentences must have {value} words",
            only("sentences of length", 1),
            (4, 6, 7, 8, 9, 10),
        ),
        sized(
            "width",
            "`attend` was exported for words of {value} numbers, and takes "
            "no others.",
            (("5, 16)", "5, {value})"), ("5, 16)", "5, {value})")),
            "here words must have {value} numbers",
            only("words of width", 2),
            (4, 6, 8, 10, 12, 14, 20, 24, 32, 48),
        ),
    ),
    (
        *(
            laid_out(name, axes, shape)
            for name, (axes, shape) in LAYOUTS.items()
        ),
        called(
            "thrice",
            "`attend` takes the words, (B, T, D), three times, as query, key "
            "and value, and returns their context (B, T, D).",
            "attend(changed, changed, changed)",
            "attend(x, x, x)",
            thrice,
            "here attend takes the words three times",
        ),
        called(
            "pair",
            "`attend` takes words (B, T, D) and returns a pair, their "
            "context (B, T, D) and `None` in the place of the weights.",
            "attend(changed)[0]",
            "attend(x)[0]",
            with_none,
            "here attend returns a pair, (context, None)",
        ),
        called(
            "module",
            "`attend` is called as `nn.MultiheadAttention` with "
            "`need_weights=False`: it takes the words, (B, T, D), three "
            "times, and returns a pair, their context (B, T, D) and `None`.",
            "attend(changed, changed, changed)[0]",
            "attend(x, x, x)[0]",
            as_module,
            "here attend takes the words three times and returns a pair, "
            "(context, None)",
        ),
    ),
    verdict_rules(
        VERDICT,
        (
            (
                ("Return True if every", "Return False if every"),
                ("return False", "return not False"),
                ("return True", "return not True"),
            ),
            (
                ("Return True if every", 'Return "pass" if every'),
                ("return False", 'return "fail"'),
                ("return True", 'return "pass"'),
            ),
        ),
        "which, the other way round than the colleague's, returns `True` if "
        "`attend` is wrong and `False` if it is right",
        'which returns the string `"pass"` if `attend` is right and '
        '`"fail"` if not',
    ),
)

RULES = {"6.4": ATTENTIONS, "6.5": TESTS}
