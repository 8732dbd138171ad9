"""Other masks than those of chapter 10."""

from attnbook.checks.engine.rules import Rule, returned, swapped


def with_mask_inverted(answer):
    """Hand the answer a mask in which True means hidden."""
    return lambda q, k, v, mask: answer(q, k, v, ~mask)


def with_temperature(answer, value):
    """Undo a temperature: its answer divides all scores by it."""
    return lambda q, k, v, mask: answer(value * q, k, v, mask)


HIDDEN = Rule(
    name="hidden",
    text=(
        ("True = may attend", "True = hidden, as in PyTorch's "
         "`key_padding_mask`"),
        ("Every row has a True", "Every row has a False"),
    ),
    code=(("masked_fill(~mask", "masked_fill(mask"),),
    adapt=with_mask_inverted,
    page="here True means hidden",
    hints=(
        ("you hide where it is True; True means may attend",
         "you hide where it is False; here True means hidden"),
        ("write ~mask", "write mask"),
    ),
)  # fmt: skip
ORDER = Rule(
    name="weights-first",
    text=(("Return the context, (B, H, T, E), and the weights, (B, H, T, S), "
           "exactly 0 at hidden keys.", "Return first the weights, "
           "(B, H, T, S), exactly 0 at hidden keys, then the context, "
           "(B, H, T, E)."),),
    code=(
        ("(context, weights)", "(weights, context)"),
        ("return weights @ v, weights", "return weights, weights @ v"),
    ),
    adapt=lambda answer: returned(answer, swapped),
    page="here the weights come first, then the context",
)  # fmt: skip
TEMPERATURE = Rule(
    name="temperature",
    text=(("The mask is bool", "The scaled scores are divided by a "
           "temperature of {value} before they are masked. The mask is "
           "bool"),),
    code=(("math.sqrt(q.size(-1))", "math.sqrt(q.size(-1)) / {value}"),),
    adapt=with_temperature,
    page="here the scaled scores are divided by {value}",
    values=(0.5, 0.6, 0.7, 0.8, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0),
)  # fmt: skip

RULES = {"10.6": ((HIDDEN,), (ORDER,), (TEMPERATURE,))}
