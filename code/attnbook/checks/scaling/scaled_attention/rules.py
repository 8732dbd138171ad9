"""Other attentions than those of exercises 4.4 and 4.5."""

from attnbook.checks.engine.rules import Rule
from attnbook.checks.rules.attention_forms import (
    LAYOUTS,
    permuted,
    with_keys_upright,
)
from attnbook.checks.rules.attention_rules import (
    UPRIGHT,
    layout,
    listed,
    moved,
    orders,
    results,
    temperature,
)

SHAPES = (
    "The query has shape `(B, H, T, d_k)`, the key `(B, H, S, d_k)`, the "
    "value `(B, H, S, d_v)`."
)
RESULTS = (
    "Return the context, `(B, H, T, d_v)`, and the weights, `(B, H, T, S)`."
)
AS_ON_PAGE = "with q, k and v as on the page, (B, H, words, width)"
BACK = "return weights @ v, weights"


SWAPPED = "return weights, weights @ v"
CONTEXT_WEIGHTS = ("(context, weights)", "(weights, context)")
RETURNS = {
    "weights-first": ((BACK, SWAPPED),),
    "weights-turned": ((BACK, f"{BACK}.transpose(-2, -1)"),),
    "context-behind": (
        (BACK, "return (weights @ v).transpose(1, 2), weights"),
    ),
    "context-turned": (
        (BACK, "return (weights @ v).transpose(-2, -1), weights"),
    ),
}  # fmt: skip
RETURN_CODE = RETURNS | {
    "weights-first": (CONTEXT_WEIGHTS, *RETURNS["weights-first"])
}

# ------------------------------------------------------------------- 4.4
SCALED = (
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
        ),
    ),
    (
        *(
            layout(
                name,
                ((SHAPES, f"The query has shape `{shapes[0]}`, the key "
                  f"`{shapes[1]}`, the value `{shapes[2]}`: {words}."),),
                (("    scores = q @", f"{moved(name)}    scores = q @"),),
                permuted(axes),
                AS_ON_PAGE,
            )
            for name, (axes, shapes, words) in LAYOUTS.items()
        ),
        Rule(
            name="keys-upright",
            text=((SHAPES, "The query has shape `(B, H, T, d_k)`, the key "
                   "`(B, H, d_k, S)`, with a column for each key, the value "
                   "`(B, H, S, d_v)`."),),
            code=(("k.transpose(-2, -1)", "k"),),
            adapt=with_keys_upright,
            page=UPRIGHT,
            seen="with the keys as on the page, (B, H, S, d_k)",
        ),
    ),
    results(
        {
            "weights-first": ((RESULTS, "Return the weights, `(B, H, T, S)`, "
                               "and the context, `(B, H, T, d_v)`, in this "
                               "order."),),
            "weights-turned": ((RESULTS, "Return the context, `(B, H, T, "
                                         "d_v)`, "
                                "and the weights, turned: `(B, H, S, T)`, a "
                                "row for each key, so that every column sums "
                                "to 1."),),
            "context-behind": ((RESULTS, "Return the context with the heads "
                                "behind the queries, `(B, T, H, d_v)`, and "
                                "the weights, `(B, H, T, S)`."),),
            "context-turned": ((RESULTS, "Return the context with a column "
                                "for each query, `(B, H, d_v, T)`, and the "
                                "weights, `(B, H, T, S)`."),),
        },
        RETURN_CODE,
    ),
    orders(
        lambda order: (
            ("`scaled_attention(q, k, v)`",
             f"`scaled_attention({listed(order)})`, with the arguments in "
             "this order,"),
        ),
        lambda order: (("(q, k, v):", f"({listed(order)}):"),),
    ),
)  # fmt: skip

# ------------------------------------------------------------------- 4.5
# The colleague's code shows the rules; each is said to be wanted.
HEAD = "def colleague(q, k, v):"
REPAIRS = (
    (
        temperature(
            ((").softmax(dim=-1)", " / {value}).softmax(dim=-1)  # a "
              "temperature of {value} is wanted"),),
            ((").softmax(dim=-1)", " / {value}).softmax(dim=-1)"),),
        ),
    ),
    (
        *(
            layout(
                name,
                ((HEAD, f"{HEAD}  # wanted: {', '.join(shapes)}\n"
                  f"{moved(name)}".rstrip()),),
                (
                    ("    root = q", f"{moved(name)}    root = q"),
                    ("    q = q / math", f"{moved(name)}    q = q / math"),
                ),
                permuted(axes),
                AS_ON_PAGE,
            )
            for name, (axes, shapes, _) in LAYOUTS.items()
        ),
        *orders(
            lambda order: (
                (HEAD, f"def colleague({listed(order)}):  # this order is "
                 "wanted"),
            ),
            lambda order: (("(q, k, v):", f"({listed(order)}):"),),
        ),
    ),
    results(
        {
            name: ((old, f"{new}  # wanted so"),)
            for name, ((old, new),) in RETURNS.items()
        },
        RETURN_CODE,
    ),
)  # fmt: skip

RULES = {
    "4.4": SCALED,
    "4.5": REPAIRS,
}
