"""Other Jacobians of the softmax than that of chapter 4.

Rules about what the argument holds come last: the adapters of the others get
the weights.
"""

from attnbook.checks.engine.rules import Rule, is_float, returned
from attnbook.checks.rules.attention_forms import TEMPERATURES, tried

HOLDS = "The argument holds weights, `(S,)`, the result of a softmax."
CELL = (
    "whose cell $(i, j)$ says how much weight $i$ moves when score $j$ moves"
)
STEP = "    return "


def given(change):
    """Return an adapter that changes the weights which the answer gets."""
    return lambda answer: lambda p: answer(change(p))


def times(factor):
    """Return an adapter that multiplies cells, by a function of the weights.

    Args:
        factor: returns what the cells are multiplied by, (S, S) or (S, 1).
    """

    def adapt(answer):
        def run(p):
            return returned(
                answer, lambda x: tried(lambda y: factor(p) * y, x)
            )(p)

        return run

    return adapt


def with_temperature(answer, value):
    """Undo a temperature, by which every slope is divided."""
    return returned(answer, lambda x: value * x if is_float(x) else x)


def holding(name, text, code, change, page):
    """Return the rule that the argument holds something else."""
    return Rule(
        name=name,
        text=((HOLDS, text),),
        code=((STEP, f"    {code}\n{STEP}"),),
        adapt=given(change),
        page=page,
        seen="with p the weights",
    )


JACOBIANS = (
    (
        Rule(
            name="temperature",
            text=(
                (
                    "Do not use autograd.",
                    "The weights are a softmax of the scores divided by a "
                    "temperature of {value}; the score that moves is the one "
                    "before that division. Do not use autograd.",
                ),
            ),
            code=(
                ("torch.diag(p)", "torch.diag(p) / {value}"),
                ("torch.outer(p, p)", "torch.outer(p, p) / {value}"),
            ),
            adapt=with_temperature,
            page="here the scores are divided by {value}",
            seen="with every cell multiplied by the temperature",
            values=TEMPERATURES,
        ),
    ),
    (
        Rule(
            name="logarithm",
            text=(
                (
                    CELL,
                    "whose cell $(i, j)$ says how much the logarithm of "
                    "weight $i$ moves when score $j$ moves",
                ),
            ),
            code=(
                ("each weight by", "each log-weight by"),
                ("torch.diag(p)", "torch.eye(len(p), dtype=p.dtype)"),
                ("torch.outer(p, p)", "p.expand(len(p), -1)"),
            ),
            adapt=times(lambda p: p[:, None]),
            page="here the logarithm of weight i is asked for",
            seen="with row i multiplied by weight i",
        ),
        Rule(
            name="loss",
            text=(
                (
                    CELL,
                    "whose cell $(i, j)$ says how much the loss $-\\log p_i$ "
                    "moves when score $j$ moves",
                ),
            ),
            code=(
                ("each weight by", "each loss by"),
                ("torch.diag(p)", "-torch.eye(len(p), dtype=p.dtype)"),
                ("- torch.outer(p, p)", "+ p.expand(len(p), -1)"),
            ),
            adapt=times(lambda p: -p[:, None]),
            page="here the loss, minus the logarithm of weight i, is asked "
            "for",
            seen="with row i multiplied by minus weight i",
        ),
        Rule(
            name="shares",
            text=(
                (
                    CELL,
                    "whose cell $(i, j)$ says by how many *percentage "
                    "points* weight $i$ moves when score $j$ moves",
                ),
            ),
            code=(
                ("torch.diag(p)", "100 * torch.diag(p)"),
                ("- torch.outer(p, p)", "- 100 * torch.outer(p, p)"),
            ),
            adapt=times(lambda p: 0.01 * p.new_ones(1, 1)),
            page="here cells are percentage points",
            seen="with every cell divided by 100",
        ),
    ),
    (
        holding(
            "exponentials",
            "The argument holds the exponentials of the scores, `(S,)`: "
            "divided by their sum, they are the weights.",
            "p = p / p.sum()",
            lambda p: 2.75 * p,
            "here the argument holds exponentials, which do not sum to 1",
        ),
        holding(
            "logarithms",
            "The argument holds the natural logarithms of weights, `(S,)`, "
            "the result of a log-softmax; get the weights back by `exp`.",
            "p = p.exp()",
            lambda p: p.log(),
            "here the argument holds the logarithms of weights",
        ),
        holding(
            "bits",
            "The argument holds the surprise of each key in bits, `(S,)`: "
            "minus the logarithm of its weight to the base 2.",
            "p = 2**-p",
            lambda p: -p.log2(),
            "here the argument holds bits, minus log2 of the weights",
        ),
    ),
)

RULES = {"4.7": JACOBIANS}
