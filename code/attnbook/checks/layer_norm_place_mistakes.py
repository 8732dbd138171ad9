"""Wrong layer norms in which something stands in the wrong place.

A bracket that is missing, an eps that is added elsewhere, a square that is
forgotten: `layer_norm_mistakes` knows those that take something else.
"""

from attnbook.checks.engine.calling import close

BRACKETS = (
    "the brackets around (x - mean) are missing: * and / come before -, so "
    "write gain * (x - mean) / root + bias"
)
MEAN_LAST = (
    "gain times x less mean is not gain times (x - mean): brackets around "
    "(x - mean) are missing"
)
BIAS_BELOW = (
    "you add bias to the root, below the fraction; add it at the end, "
    "outside the brackets"
)
EPS_ADDED = (
    "you add eps to the fraction; add it to the variance, inside the root"
)
EPS_ABOVE = "you add eps to x - mean; add it to the variance, inside the root"
ABSOLUTE = (
    "you take the mean of the absolute distances; the variance is the mean "
    "of their squares"
)
NO_SQUARE = (
    "you forget to square: the mean of x - mean is 0, and only eps is left "
    "under the root; the variance is the mean of the squares"
)


def wrong_norms(x, gain, bias, eps):
    """Return triples of a hint, the result it belongs to, a tolerance."""
    mean = x.mean(-1, keepdim=True)  # (..., 1)
    centred = x - mean  # (..., D)
    variance = centred.square().mean(-1, keepdim=True)
    unbiased = variance * x.size(-1) / max(1, x.size(-1) - 1)
    far = centred.abs().mean(-1, keepdim=True)
    found = [
        (NO_SQUARE, gain * centred / eps**0.5 + bias, 3e-2),
        (MEAN_LAST, gain * x - mean, 1e-5),
        (MEAN_LAST, gain * x - mean + bias, 1e-5),
        (ABSOLUTE, gain * centred / far + bias, 1e-5),
        (ABSOLUTE, gain * centred / (far + eps) + bias, 1e-5),
        (ABSOLUTE, gain * centred / (far + eps).sqrt() + bias, 1e-5),
    ]
    roots = [(v + e).sqrt() for v in (variance, unbiased) for e in (0, eps)]
    roots += [variance.sqrt() + eps, unbiased.sqrt() + eps]
    for root in roots:
        found += [
            (BRACKETS, gain * x - mean / root + bias, 1e-5),
            (BRACKETS, gain * (x - mean / root) + bias, 1e-5),
            (MEAN_LAST, (gain * x - mean) / root + bias, 1e-5),
            (BRACKETS, x - mean / root, 1e-5),
            (BRACKETS, x - mean / root * gain + bias, 1e-5),
            (BIAS_BELOW, gain * centred / (root + bias), 1e-5),
            # eps alone is small: these must fit better than "no eps" does
            (EPS_ADDED, gain * centred / root + eps + bias, 2e-6),
            (EPS_ADDED, centred / root + eps, 2e-6),
            (EPS_ADDED, gain * (centred / root + eps) + bias, 2e-6),
            (EPS_ABOVE, gain * (centred + eps) / root + bias, 2e-6),
        ]
    return found


def misplaced(result, *inputs):
    """Return the hint of the misplacement that gives this result, or None."""
    for hint, wrong, tolerance in wrong_norms(*inputs):
        if close(result, wrong, tolerance):
            return hint
    return None
