"""The wrong answers that the check of the softmax knows by name."""

import torch
import torch.nn.functional as F

OVERFLOW = (
    "NaN: e to a large number is infinite, e to a large negative one 0, and "
    "neither inf / inf nor 0 / 0 is a number; subtract the largest score first"
)
FAR_APART = (
    "NaN: you subtract one number from all rows, and 0 / 0 is left of the "
    "others; every row has its own largest score"
)
NOT_LARGEST = (
    "NaN: in a row of negative scores what you subtract is not the largest "
    "score (is it the largest absolute value?), and 0 / 0 is left"
)
COLD = (
    "NaN: you subtract the largest score, but not that of the divided "
    "scores; divide by the temperature first"
)
POWERS = (
    "NaN: a power of weights or of exponentials has shrunk to 0, and 0 / 0 "
    "is left; divide the scores by the temperature, before the exponential"
)
HIDDEN = (
    "NaN, although one score is finite: -inf minus -inf is not a number; "
    "subtract the largest score of the row, not its mean or its least"
)


def wrong_temperatures(x, dim, temperature):
    """Return pairs of a hint and the weights that the mistake gives."""
    t = temperature
    p = x.softmax(dim)
    return [
        (
            "the temperature has no effect: it is not used, or it cancels, "
            "as in powers that are all divided by it; divide the scores",
            p,
        ),
        (
            "you multiply the scores by the temperature, or raise the "
            "weights to its power; divide the scores by it, so that a high "
            "temperature evens the weights out",
            (x * t).softmax(dim),
        ),
        (
            "you divide the weights by the temperature; it belongs to the "
            "scores, before the exponential",
            p / t,
        ),
        (
            "you multiply the weights by the temperature; the scores are "
            "divided by it, before the exponential",
            p * t,
        ),
        (
            "powers of weights no longer sum to 1; divide the scores by the "
            "temperature, before the exponential",
            p ** (1 / t),
        ),
        (
            "you divide by the root of the temperature; divide by the "
            "temperature itself",
            (x / t**0.5).softmax(dim),
        ),
        (
            "you divide by the square of the temperature; do you divide by "
            "it twice?",
            (x / t**2).softmax(dim),
        ),
    ]


def wrong_axes(x, dim, temperature):
    """Return pairs of a hint and the weights of another axis."""
    scaled = x / temperature
    axes = [axis for axis in range(x.dim()) if axis != dim % x.dim()]
    pairs = [
        (
            f"for dim={dim} you normalise axis {axis} of {x.dim()}; the sums "
            "over axis dim must be 1, whatever number dim is",
            scaled.softmax(axis),
        )
        for axis in axes
    ]
    if x.dim() > 1:
        pairs.append(
            (
                "your weights sum to 1 over the whole tensor; sum over the "
                "axis dim only, with keepdim=True",
                scaled.flatten().softmax(0).view(x.shape),
            )
        )
    return pairs


def wrong_maxima(x, dim, temperature):
    """Return pairs of a hint and the weights of a misplaced maximum."""
    scaled = x / temperature
    pairs = []
    for axis in range(x.dim()):
        if axis != dim % x.dim():
            powers = (scaled - scaled.amax(axis, keepdim=True)).exp()
            pairs.append(
                (
                    f"for dim={dim} you subtract the largest score along "
                    f"axis {axis}, but sum over axis dim; both need dim",
                    powers / powers.sum(dim, keepdim=True),
                )
            )
    powers = scaled.exp()
    for largest in (
        scaled.amax(dim, keepdim=True),
        x.amax(dim, keepdim=True),
        powers.amax(dim, keepdim=True),
        scaled.max(),
        x.max(),
    ):
        left = powers - largest
        pairs.append(
            (
                "you subtract after the exponential, which changes the "
                "weights; subtract the largest score before it",
                left / left.sum(dim, keepdim=True),
            )
        )
    return pairs


def wrong_softmaxes(x, dim, temperature):
    """Return pairs of a hint and the result that the mistake gives."""
    scaled = x / temperature
    p = scaled.softmax(dim)
    low = scaled - scaled.amax(dim, keepdim=True)
    best = scaled.argmax(dim, keepdim=True)
    return [
        *wrong_temperatures(x, dim, temperature),
        *wrong_axes(x, dim, temperature),
        *wrong_maxima(x, dim, temperature),
        (
            "you return the logarithm of the weights; use exp, not "
            "log_softmax",
            scaled.log_softmax(dim),
        ),
        (
            "you take the exponential, but do not divide by its sum",
            scaled.exp(),
        ),
        (
            "the largest weight of every row is 1: you took its score or its "
            "exponential out, but did not divide by the sum",
            low.exp(),
        ),
        (
            "you divide the scores by their sum; take the exponential first",
            scaled / scaled.sum(dim, keepdim=True),
        ),
        (
            "you use a sigmoid, which judges every score alone; in a softmax "
            "they compete for a sum of 1",
            scaled.sigmoid(),
        ),
        ("you take the softmax twice; once is right", p.softmax(dim)),
        ("you raise 2 to the scores; raise e to them", pow2(scaled, dim)),
        (
            "you give the whole weight to the largest score; that is the "
            "limit for temperature 0",
            torch.zeros_like(x).scatter(dim, best, 1.0),
        ),
        (
            "the sign is wrong: the largest score gets the least weight",
            (-scaled).softmax(dim),
        ),
        (
            "you divide by the length of the vector of exponentials, the "
            "root of the sum of squares; divide by their sum",
            F.normalize(low.exp(), dim=dim),
        ),
    ]


def pow2(scaled, dim):
    """Return the weights with 2 in the place of e."""
    powers = 2 ** (scaled - scaled.amax(dim, keepdim=True))
    return powers / powers.sum(dim, keepdim=True)
