"""The weight of one key over its score, to slide along: where is it steep?

Four keys with the same luck at every width: a typical score above the mean,
two at the mean and one below.  The first one's weight is drawn over its score.
"""

import math

from attnbook.plots.explorable import explorable

WIDTHS = (1, 2, 4, 8, 16, 32, 64)
LEFT, FLOOR, SCORE, HIGH, LOWEST, HIGHEST = 34, 186, 26, 160, -2, 9
PLANE = """<svg viewBox="0 0 330 222" role="img" aria-label="The weight of \
one key over its score: a curve that is steep in the middle and flat to the \
right; a dot marks a typical score, a straight line \
its slope."><path class="axis" d="M{left} 14V{floor}H326"/>{marks}\
<polyline class="curve" points="{curve}"/><line class="touch" {touch}/>\
<circle class="here" r="6" cx="{x:.1f}" cy="{y:.1f}"/></svg>"""
SUM = """<p class="x-sum">Score {score:.1f}, weight {weight:.4f}, \
slope {slope:.4f}.</p>"""


def weight_of(score, typical):
    """Return the first key's weight, if the others are at 0, 0, -typical."""
    power = math.exp(score)
    return power / (power + 2 + math.exp(-typical))


def explore_slope(question, d_k=1, scaled=False):
    """Make the curve of one weight over its score, for any width.

    Args:
        question: what to answer with it, plain text.
        d_k: the width at the start, one of `WIDTHS`.
        scaled: whether scores are divided by the root of d_k at the start.

    Returns:
        An `Explorable`; a notebook shows it when it ends a cell.

    Raises:
        ValueError: another width.
    """
    if d_k not in WIDTHS:
        raise ValueError(f"expected one of {WIDTHS} for d_k, got {d_k}")
    data = {
        "widths": WIDTHS,
        "start": [WIDTHS.index(d_k), int(scaled)],
        "place": [LEFT, FLOOR, SCORE, HIGH, LOWEST, HIGHEST],
    }
    title = "Four keys with the scores 1, 0, −1 and 0, times √d_k"
    text = "explorable: the weight of a key over its score, d_k 1 to 64"
    body = plane(1.0 if scaled else math.sqrt(d_k))
    return explorable("slope", title, body, data, text, question)


def place(score, weight):
    """Return where a point of the plane is, in pixels."""
    return LEFT + SCORE * (score - LOWEST), FLOOR - HIGH * weight


def plane(typical):
    """Return curve, dot, slope and numbers for a typical score."""
    steps = [LOWEST + n / 8 for n in range(8 * (HIGHEST - LOWEST) + 1)]
    curve = [place(score, weight_of(score, typical)) for score in steps]
    weight = weight_of(typical, typical)
    slope = weight * (1 - weight)
    x, y = place(typical, weight)
    ends = [place(typical + d, weight + d * slope) for d in (-1, 1)]
    (a, b), (c, d) = ends
    return PLANE.format(
        left=LEFT,
        floor=FLOOR,
        marks=marks(),
        curve=" ".join(f"{x:.1f},{y:.1f}" for x, y in curve),
        touch=f'x1="{a:.1f}" y1="{b:.1f}" x2="{c:.1f}" y2="{d:.1f}"',
        x=x,
        y=y,
    ) + SUM.format(score=typical, weight=weight, slope=slope)


def marks():
    """Return the numbers and names of both axes."""
    across = [(place(n, 0)[0], n) for n in range(0, 9, 2)]
    up = [(place(0, n)[1], n) for n in (0, 0.5, 1)]
    texts = [(x, FLOOR + 17, "middle", f"{n}") for x, n in across]
    texts += [(LEFT - 7, y + 5, "end", f"{n:g}") for y, n in up]
    texts += [
        (LEFT + 7, 24, "start", "weight of the first key"),
        (326, FLOOR + 33, "end", "its score"),
    ]
    return "".join(
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{text}</text>'
        for x, y, anchor, text in texts
    )
