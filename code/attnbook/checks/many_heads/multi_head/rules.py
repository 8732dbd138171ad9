"""Other forms of multi-head attention than that of exercise 7.6.

Dimension letters:
    B batch, H heads, T length, D = d_model, d_k = D / H width of one head.
"""

import torch

from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.rules import Rule, returned, swapped
from attnbook.checks.rules.layouts import relaid_at

TEMPERATURES = (0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9)


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
    """Give each head matrices of its own, (H, D, d_k) and (H, d_k, D)."""
    into = (w.unflatten(-1, (h, -1)).transpose(0, 1) for w in (w_q, w_k, w_v))
    return x, *into, w_o.unflatten(0, (h, -1))


def with_output_turned(answer):
    """Exchange batch and length, in x and in the context."""

    def run(x, *rest):
        result, (b, t, d) = answer(x.transpose(0, 1), *rest), x.shape
        if unanswered(result):
            return result
        return relaid_at(
            result,
            0,
            "the context",
            "T, B, D",
            (t, b, d),
            lambda y: y.transpose(0, 1),
        )

    return run


def with_maps(axes, order, change):
    """Return an adapter of weights with other axes; see `split_as`."""

    def adapt(answer):
        def run(x, *rest):
            result, (b, t, _), h = answer(x, *rest), x.shape, rest[-1]
            if unanswered(result):
                return result
            return relaid_at(
                result,
                1,
                "the tensor of weights",
                axes,
                order(b, h, t),
                change,
            )

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
    seen="with each matrix turned, as x @ w needs it",
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
         "`w_q`, `w_k` and `w_v` are (H, D, d_k), `w_o` is (H, d_k, D), they "
         "are used as `x @ w[h]`, and the messages of the heads are added up"),
    ),
    code=(
        (MULTI_LINE, "multi_head(x, w_q, w_k, w_v, w_o):"),
        (PROJECT, "    num_heads, w_o = len(w_o), w_o.flatten(0, 1)\n"
         "    w_q, w_k, w_v = (\n"
         "        w.transpose(0, 1).flatten(1) for w in (w_q, w_k, w_v)\n"
         "    )\n" + PROJECT),
    ),
    adapt=with_four(by_head),
    page="here each head has matrices of its own, (H, D, d_k) and (H, d_k, D)",
    seen="with the matrices of all heads in one, (D, D)",
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
    seen="with its temperature undone",
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
    seen="with its results exchanged",
    page="here the weights come first, then the context",
)  # fmt: skip
MULTI_HEAD = (
    (TEMPERATURE,),
    (MAPS_FIRST, MAPS_LATER),
    (MULTI_LENGTH_FIRST,),
    (WEIGHTS_FIRST,),
    (LINEAR, PACKED, BY_HEAD),
)

RULES = {"7.6": MULTI_HEAD}
