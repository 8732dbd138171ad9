"""The wrong layer norms that the check knows by name.

A wrong answer differs from the right one in one or two of four choices: over
which axes it looks, what it subtracts, what it divides by, and what it does
with gain and bias.
"""

import itertools

from attnbook.checks.engine.calling import close

AXES = {  # of (B, T, D)
    "last": ((-1,), ""),
    "tokens": (
        (1,),
        "mean and variance run over the tokens of a sentence; every token is "
        "normalised alone, over its own numbers, dim=-1",
    ),
    "batch": (
        (0,),
        "mean and variance run over the batch, dim=0; every token is "
        "normalised alone, over its own numbers, dim=-1",
    ),
    "batch statistics": (
        (0, 1),
        "you take mean and variance of each feature over all tokens, which "
        "is batch norm; take them of each token over its features, dim=-1",
    ),
    "sentence": (
        (1, 2),
        "you take one mean and one variance for a whole sentence; take them "
        "for each token",
    ),
    "places": (
        (0, 2),
        "you take one mean and one variance for all sentences at each place; "
        "take them for each token",
    ),
    "everything": (
        (0, 1, 2),
        "you take one mean and one variance for all numbers; take them for "
        "each token, dim=-1 with keepdim=True",
    ),
}
CENTRES = {
    "mean": "",
    "nothing": (
        "the mean is not subtracted, neither above the fraction nor in the "
        "variance (that is RMSNorm)"
    ),
    "above": (
        "the variance is taken of numbers whose mean was not subtracted: "
        "mean of the squares, where the mean of the squared distances "
        "belongs"
    ),
    "below": "the mean is not subtracted above the fraction",
}
SPREADS = {  # b, u: biased and unbiased variance; n: how many; e: eps
    "right": (lambda b, u, n, e: (b + e).sqrt(), ""),
    "unbiased": (
        lambda b, u, n, e: (u + e).sqrt(),
        "you divide by D - 1 in the variance, which var and std do unless "
        "you pass correction=0; divide by D",
    ),
    "outside": (
        lambda b, u, n, e: b.sqrt() + e,
        "eps stands outside the root; inside it, it is added to the variance "
        "(no matter for numbers around 1, gross for numbers around 0.001)",
    ),
    "unbiased outside": (
        lambda b, u, n, e: u.sqrt() + e,
        "two mistakes: you divide by D - 1 in the variance, and eps stands "
        "outside the root",
    ),
    "no eps": (
        lambda b, u, n, e: b.sqrt(),
        "eps is not used; add it to the variance, inside the root",
    ),
    "no root": (
        lambda b, u, n, e: b + e,
        "you divide by the variance; divide by its root",
    ),
    "root of the variance plus root of eps": (
        lambda b, u, n, e: b.sqrt() + e**0.5,
        "root of the variance plus root of eps is not the root of the sum; "
        "add first",
    ),
    "sum": (
        lambda b, u, n, e: (n * b + e).sqrt(),
        "you add up the squared distances; the variance is their mean, so "
        "divide by D",
    ),
    "clamped": (
        lambda b, u, n, e: b.clamp(min=e).sqrt(),
        "you replace small variances by eps; add eps to every variance",
    ),
    "clamped root": (
        lambda b, u, n, e: b.sqrt().clamp(min=e),
        "you replace small roots by eps; add eps to the variance, inside the "
        "root",
    ),
    "twice": (
        lambda b, u, n, e: (b + e).sqrt() + e,
        "you add eps twice, inside and outside the root; inside is enough",
    ),
    "squared eps": (
        lambda b, u, n, e: (b + e * e).sqrt(),
        "you square eps; add it to the variance as it is",
    ),
    "root of std": (
        lambda b, u, n, e: (b.sqrt() + e).sqrt(),
        "std is a root already, and you take the root of it; take that of the "
        "variance plus eps",
    ),
    "root of std, unbiased": (
        lambda b, u, n, e: (u.sqrt() + e).sqrt(),
        "two mistakes: std is a root already, and it divides by D - 1; take "
        "the root of the biased variance plus eps",
    ),
    "multiplied": (
        lambda b, u, n, e: (b + e).rsqrt(),
        "you multiply by the root; divide by it",
    ),
    "half of it": (
        lambda b, u, n, e: (b + e) / 2,
        "** comes before /, so ** 1/2 halves; write ** 0.5",
    ),
    "twice it": (
        lambda b, u, n, e: (b + e) * 2,
        "** comes before /, so ** 1/2 and ** -1/2 halve; write ** 0.5",
    ),
    "half done": (
        lambda b, u, n, e: b * 0 + 1,
        "you subtract the mean, but do not divide by the root of variance "
        "plus eps",
    ),
    "built-in 1e-5": (
        lambda b, u, n, e: (b + 1e-5).sqrt(),
        "eps is an argument; use it, and not a number of your own",
    ),
    "built-in 1e-6": (
        lambda b, u, n, e: (b + 1e-6).sqrt(),
        "eps is an argument; use it, and not a number of your own",
    ),
}
AFFINES = {
    "both": (lambda n, gain, bias: gain * n + bias, ""),
    "none": (
        lambda n, gain, bias: n,
        "gain and bias are not used; multiply by gain, then add bias",
    ),
    "gain": (
        lambda n, gain, bias: gain * n,
        "bias is missing; add it at the end",
    ),
    "bias": (
        lambda n, gain, bias: n + bias,
        "gain is missing; multiply by it, then add bias",
    ),
    "exchanged": (
        lambda n, gain, bias: bias * n + gain,
        "gain and bias have changed places: gain multiplies, bias is added",
    ),
    "bias first": (
        lambda n, gain, bias: gain * (n + bias),
        "you add bias before you multiply by gain; multiply first",
    ),
    "1 + gain": (
        lambda n, gain, bias: (1 + gain) * n + bias,
        "you multiply by 1 + gain; multiply by gain",
    ),
    "bias subtracted": (
        lambda n, gain, bias: gain * n - bias,
        "you subtract bias; add it",
    ),
    "sign": (
        lambda n, gain, bias: bias - gain * n,
        "the sign is turned round: it is x - mean, not mean - x",
    ),
    "divided": (
        lambda n, gain, bias: n / gain + bias,
        "you divide by gain; multiply by it",
    ),
}
RIGHT = ("last", "mean", "right", "both")


def compute(x, gain, bias, eps, choices=RIGHT):
    """Return the layer norm that these four choices give."""
    axis, centre, spread, affine = choices
    axes = AXES[axis][0]
    centred = x - x.mean(axes, keepdim=True)  # (..., D)
    squared = x if centre in ("nothing", "above") else centred
    number = 1
    for a in axes:
        number *= x.size(a)
    biased = squared.square().mean(axes, keepdim=True)
    unbiased = biased * number / max(1, number - 1)
    divisor = SPREADS[spread][0](biased, unbiased, number, eps)
    above = x if centre in ("nothing", "below") else centred
    return AFFINES[affine][0](above / divisor, gain, bias)


def hints_of(choices):
    """Return what is wrong about each of the four choices."""
    axis, centre, spread, affine = choices
    hints = AXES[axis][1], CENTRES[centre], SPREADS[spread][1]
    return [hint for hint in (*hints, AFFINES[affine][1]) if hint]


def known_mistake(result, x, gain, bias, eps):
    """Return the hint of the mistake that gives this result, or None.

    One mistake is tried before two, and no more than two.
    """
    axes = AXES if x.dim() == 3 else ("last",)
    every = itertools.product(axes, CENTRES, SPREADS, AFFINES)
    few = [choices for choices in every if len(hints_of(choices)) in (1, 2)]
    for choices in sorted(few, key=lambda c: len(hints_of(c))):
        if close(result, compute(x, gain, bias, eps, choices)):
            return "; and: ".join(hints_of(choices))
    return None
