"""Other tests of an attention than that of chapter 4."""

from attnbook.checks.engine.rules import Rule
from attnbook.checks.rules.attention_forms import (
    LAYOUTS,
    back,
    for_tests,
    permuted,
    reordered,
    with_keys_upright,
)
from attnbook.checks.rules.attention_rules import (
    ATTEND_AS_ON_PAGE,
    UPRIGHT,
    layout,
    listed,
    orders,
    results,
    temperature,
)
from attnbook.checks.rules.verdicts import verdict_rules

TAKES = "takes 4-D `q`, `k`, `v`"
GIVES = "returns `(context, weights)`"
CALL = "attend(q, k, v)"
COMPARED = "torch.allclose(context, want"
TESTED = (
    (
        temperature(
            (
                (
                    "You may use",
                    "A right one divides its scaled scores by a temperature "
                    "of {value} before the softmax. You may use",
                ),
            ),
            (("/ 5**0.5)", "/ 5**0.5 / {value})"),),
            for_tests(
                lambda attend, value: (
                    lambda q, k, v: attend(q / value, k, v)
                )
            ),
            "",
        ),
    ),
    results(
        {
            "weights-first": ((GIVES, "returns `(weights, context)`"),),
            "weights-turned": ((GIVES, f"{GIVES}, the weights as (B, H, S, "
                                "T), a column for each query"),),
            "context-behind": ((GIVES, f"{GIVES}, the context as (B, T, H, "
                                "d_v), the heads behind the queries"),),
            "context-turned": ((GIVES, f"{GIVES}, the context as (B, H, d_v, "
                                "T), a column for each query"),),
        },
        {
            "weights-first": (("context, weights = attend",
                               "weights, context = attend"),),
            "weights-turned": (("allclose(weights, want",
                                "allclose(weights.mT, want"),),
            "context-behind": ((COMPARED, "torch.allclose("
                                "context.transpose(1, 2), want"),),
            "context-turned": ((COMPARED, "torch.allclose(context.mT, "
                                "want"),),
        },
        for_tests,
    ),
    (
        *(
            layout(
                name,
                ((TAKES, f"takes `q` {shapes[0]}, `k` {shapes[1]} and `v` "
                  f"{shapes[2]}, {words},"),),
                ((f"= {CALL}", f"= attend(*(x.permute{axes} for x in "
                  "(q, k, v)))"),),
                for_tests(permuted(back(axes))),
                ATTEND_AS_ON_PAGE,
            )
            for name, (axes, shapes, words) in LAYOUTS.items()
        ),
        Rule(
            name="keys-upright",
            text=((TAKES, "takes `q` (B, H, T, d_k), `k` (B, H, d_k, S), "
                          "with a "
                   "column for each key, and `v` (B, H, S, d_v),"),),
            code=((f"= {CALL}", "= attend(q, k.mT, v)"),),
            adapt=for_tests(with_keys_upright),
            page=UPRIGHT,
            seen=ATTEND_AS_ON_PAGE,
        ),
        *orders(
            lambda order: (
                (TAKES, f"takes 4-D `{'`, `'.join(order)}`, in this order,"),
            ),
            lambda order: ((CALL, f"attend({listed(order)})"),),
            lambda order: for_tests(reordered(("q", "k", "v"), order)),
            ATTEND_AS_ON_PAGE,
        ),
    ),
    verdict_rules(
        "return `True` if it is right and `False` if it is wrong",
        (
            (
                ("is scaled attention.", "is wrong."),
                ("return same_weights and", "return not (same_weights and"),
                ("want @ v, atol=1e-5)", "want @ v, atol=1e-5))"),
            ),
            (
                ("Return whether attend(q, k, v) is scaled attention.",
                 'Return "pass" for scaled attention, or "fail".'),
                ("return same_weights and",
                 'return "pass" if same_weights and'),
                ("want @ v, atol=1e-5)", 'want @ v, atol=1e-5) else "fail"'),
            ),
        ),
        "return `True` if it is wrong and `False` if it is right",
        'return the string `"pass"` if it is right and `"fail"` if it is '
        "wrong",
    ),
)  # fmt: skip

RULES = {"4.6": TESTED}
