"""Wrong layer norms that take a step too many, too early or elsewhere.

The gain before the norm, a residual, a mean and a variance over different
axes, a sum divided by the wrong number.
"""

from attnbook.checks.engine.calling import close
from attnbook.checks.layer_norm_mistakes import compute

RESIDUAL = "you add x; the residual stands outside the norm"
EARLY = "you use {} before you normalise; it comes after the division"
DIVIDED_FIRST = (
    "you divide x first and subtract the mean afterwards; brackets around "
    "(x - mean) are missing"
)
TWICE = "you normalise twice; once is enough"
RANGE = (
    "you scale by the smallest and the largest number; subtract the mean and "
    "divide by the root of variance plus eps"
)
SUM = "you subtract the sum; the mean is the sum divided by D"
COUNT = (
    "you divide a sum by the number of {}; divide it by D, the size of the "
    "last axis"
)
TWO_AXES = (
    "the mean is taken over {}, the variance over {}; both belong to one "
    "token and run over dim=-1"
)
ONE_FOR_ALL = (
    "you use one number of gain and bias for all features; multiply feature "
    "by feature, gain * ..."
)
AXES = {
    "dim=-1": (-1,),
    "the tokens": (1,),
    "the batch": (0,),
    "a whole sentence": (1, 2),
    "all numbers": (0, 1, 2),
}


def wrong_orders(x, gain, bias, eps):
    """Return pairs of a hint and the result that it belongs to."""
    ones, zeros = gain * 0 + 1, bias * 0
    plain = compute(x, ones, zeros, eps)  # (..., D)
    root = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    mean = x.mean(-1, keepdim=True)
    low, high = x.amin(-1, True), x.amax(-1, True)
    found = [
        (RESIDUAL, x + gain * plain + bias),
        (RESIDUAL, gain * compute(x + plain, ones, zeros, eps) + bias),
        (RESIDUAL, x + plain),
        (EARLY.format("gain"), compute(gain * x, ones, bias, eps)),
        (EARLY.format("bias"), compute(x + bias, gain, zeros, eps)),
        (
            EARLY.format("gain and bias, both,"),
            compute(gain * x + bias, ones, zeros, eps),
        ),
        (DIVIDED_FIRST, gain * (x / root - mean) + bias),
        (DIVIDED_FIRST, gain * x / root - mean + bias),
        (TWICE, gain * compute(plain, ones, zeros, eps) + bias),
        (RANGE, gain * (x - low) / (high - low) + bias),
        (RANGE, gain * (x - low) / (high - low + eps) + bias),
        (SUM, gain * (x - x.sum(-1, True)) / root + bias),
        (ONE_FOR_ALL, gain.mean() * plain + bias.mean()),
        (ONE_FOR_ALL, gain.mean() * plain + bias),
        (ONE_FOR_ALL, gain[0] * plain + bias[0]),
    ]
    if x.dim() == 3:
        found += wrong_counts(x, gain, bias, eps)
        found += wrong_axes(x, gain, bias, eps)
    return found


def wrong_counts(x, gain, bias, eps):
    """Return pairs for sums divided by the size of another axis."""
    found = []
    for axis, what in enumerate(("sentences, len(x)", "tokens")):
        mean = x.mean(-1, keepdim=True)
        short = x.sum(-1, True) / x.size(axis)
        for top in (mean, short):
            square = (x - top).square()
            for below in (
                square.sum(-1, True) / x.size(axis),
                square.mean(-1, True),
                (x - mean).square().mean(-1, True),
            ):
                wrong = gain * (x - top) / (below + eps).sqrt() + bias
                found.append((COUNT.format(what), wrong))
    right = compute(x, gain, bias, eps)
    return [pair for pair in found if not close(pair[1], right)]


def wrong_axes(x, gain, bias, eps):
    """Return pairs for a mean and a variance over different axes."""
    found = []
    for first, top in AXES.items():
        for second, below in AXES.items():
            if first == second:
                continue
            centred = x - x.mean(top, keepdim=True)
            for correction in (0, 1):
                spread = x.var(below, correction=correction, keepdim=True)
                for root in ((spread + eps).sqrt(), spread.sqrt() + eps):
                    hint = TWO_AXES.format(first, second)
                    found.append((hint, gain * centred / root + bias))
    return found


def misordered(result, *inputs):
    """Return the hint of the step that gives this result, or None."""
    for hint, wrong in wrong_orders(*inputs):
        if close(result, wrong):
            return hint
    return None
