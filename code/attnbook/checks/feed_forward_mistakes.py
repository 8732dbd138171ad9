"""The wrong feed-forward parts that the check knows by name.

A wrong answer differs from the right one in one or two of four choices: what
goes in, the inner biases and ReLU, the outer bias, and what comes out.
"""

import itertools

import torch.nn.functional as F

from attnbook.checks.engine.calling import close

OTHER = "you use {} in the place of ReLU, max(0, .)"
BEFORE = "{} is added before the {} product; it belongs after it"
INPUTS = {
    "right": (lambda x, b_1, b_2: x, ""),
    "relu": (
        lambda x, b_1, b_2: x.relu(),
        "you apply ReLU to x; it belongs between the two products",
    ),
    "b_2": (lambda x, b_1, b_2: x + b_2, BEFORE.format("b_2", "first")),
    "mean": (
        lambda x, b_1, b_2: x.mean(-2, keepdim=True).expand_as(x),
        "you average over the tokens first; every token goes through alone",
    ),
    "first": (
        lambda x, b_1, b_2: x[..., :1, :].expand_as(x),
        "you use the first token for all; every token goes through alone",
    ),
    "past": (
        lambda x, b_1, b_2: x.cumsum(-2),
        "you add up tokens; every token goes through alone",
    ),
    "norm": (
        lambda x, b_1, b_2: F.layer_norm(x, x.shape[-1:]),
        "you normalise x; the layer norm stands outside this part",
    ),
}
INNERS = {  # p: product of the input and w_1
    "right": (lambda p, b_1: (p + b_1).relu(), ""),
    "none": (
        lambda p, b_1: p + b_1,
        "ReLU is missing; without it two products are one product",
    ),
    "no b_1": (lambda p, b_1: p.relu(), "b_1 is missing"),
    "b_1 after": (
        lambda p, b_1: p.relu() + b_1,
        "b_1 is added after ReLU, so before the second product; add it first",
    ),
    "b_1 subtracted": (
        lambda p, b_1: (p - b_1).relu(),
        "you subtract b_1; add it",
    ),
    "gelu": (lambda p, b_1: F.gelu(p + b_1), OTHER.format("GELU")),
    "gelu by tanh": (
        lambda p, b_1: F.gelu(p + b_1, approximate="tanh"),
        OTHER.format("GELU"),
    ),
    "sigmoid": (
        lambda p, b_1: (p + b_1).sigmoid(),
        OTHER.format("a sigmoid"),
    ),
    "tanh": (lambda p, b_1: (p + b_1).tanh(), OTHER.format("tanh")),
    "abs": (lambda p, b_1: (p + b_1).abs(), OTHER.format("abs")),
    "leaky": (
        lambda p, b_1: F.leaky_relu(p + b_1),
        OTHER.format("leaky ReLU"),
    ),
    "silu": (lambda p, b_1: F.silu(p + b_1), OTHER.format("SiLU")),
    "elu": (lambda p, b_1: F.elu(p + b_1), OTHER.format("ELU")),
    "softplus": (
        lambda p, b_1: F.softplus(p + b_1),
        OTHER.format("softplus"),
    ),
    "step": (
        lambda p, b_1: (p + b_1 > 0).to(p.dtype),
        "you keep only whether a number is above 0; ReLU keeps the number",
    ),
    "square": (
        lambda p, b_1: (p + b_1).relu().square(),
        "you square what ReLU gives; use it as it is",
    ),
    "sign": (
        lambda p, b_1: (-p - b_1).relu(),
        "you turn the sign round before ReLU",
    ),
    "b_1 twice": (
        lambda p, b_1: (p + b_1).relu() + b_1,
        "you add b_1 twice; once, before ReLU, is enough",
    ),
    "two relus": (
        lambda p, b_1: p.relu() + b_1.relu(),
        "ReLU of a sum is not the sum of two ReLUs; add b_1 first",
    ),
    "min": (
        lambda p, b_1: (p + b_1).clamp(max=0),
        "you keep the negative numbers; ReLU keeps the positive ones",
    ),
    "softmax": (
        lambda p, b_1: (p + b_1).softmax(-1),
        OTHER.format("a softmax"),
    ),
    "mixed": (
        lambda p, b_1: (p + b_1).relu().mean(-2, keepdim=True).expand_as(p),
        "you average the inner numbers over the tokens; every token goes "
        "through alone",
    ),
}
OUTERS = {
    "right": (lambda h, b_1, b_2: h + b_2, ""),
    "no b_2": (lambda h, b_1, b_2: h, "b_2 is missing"),
    "b_2 subtracted": (
        lambda h, b_1, b_2: h - b_2,
        "you subtract b_2; add it",
    ),
    "relu": (
        lambda h, b_1, b_2: h.relu() + b_2,
        "you apply ReLU to the second product; it belongs between the two",
    ),
}
RESULTS = {
    "right": (lambda x, y: y, ""),
    "relu": (
        lambda x, y: y.relu(),
        "you apply ReLU to the result; it belongs between the two products",
    ),
    "residual": (
        lambda x, y: x + y,
        "you add x; the residual stands outside this part",
    ),
    "residual and norm": (
        lambda x, y: F.layer_norm(x + y, y.shape[-1:]),
        "you add x and normalise; both stand outside this part",
    ),
    "norm": (
        lambda x, y: F.layer_norm(y, y.shape[-1:]),
        "you normalise the result; the layer norm stands outside this part",
    ),
}
TABLES = INPUTS, INNERS, OUTERS, RESULTS
RIGHT = ("right",) * 4


def compute(x, w_1, b_1, w_2, b_2, choices=RIGHT):
    """Return the feed-forward part that these four choices give."""
    entry, inner, outer, result = (
        table[choice][0] for table, choice in zip(TABLES, choices, strict=True)
    )
    hidden = inner(entry(x, b_1, b_2) @ w_1, b_1)  # (..., F)
    return result(x, outer(hidden @ w_2, b_1, b_2))  # (..., D)


def hints_of(choices):
    """Return what is wrong about each of the four choices."""
    pairs = zip(TABLES, choices, strict=True)
    hints = [table[choice][1] for table, choice in pairs]
    return [hint for hint in hints if hint]


def say(choices):
    """Return the hint; a thing that was moved is one mistake, not two."""
    entry, inner, outer, result = choices
    if (entry, inner) == ("relu", "none"):
        return "ReLU stands before the first product; it belongs after b_1"
    if (inner, result) == ("none", "relu"):
        return "ReLU stands at the end; it belongs between the two products"
    if (inner, outer) == ("none", "relu"):
        return "ReLU stands after the second product; it belongs after b_1"
    if (entry, outer) == ("b_2", "no b_2"):
        return "b_2 is added before the first product, and not at the end"
    return "; and: ".join(hints_of(choices))


def known_mistake(result, *inputs):
    """Return the hint of the mistake that gives this result, or None.

    One mistake is tried before two, and no more than two.
    """
    few = [c for c in itertools.product(*TABLES) if len(hints_of(c)) in (1, 2)]
    if inputs[0].dim() == 1:  # one token: nothing to mix
        mixing = {"mean", "first", "past", "mixed"}
        few = [choices for choices in few if not mixing & set(choices)]
    for choices in sorted(few, key=lambda c: len(hints_of(c))):
        if close(result, compute(*inputs, choices)):
            return say(choices)
    return None
