"""The clocks of a head: how far apart do its hands nearly repeat themselves?

A query and a key with the same numbers, turned by their places.  Each hand
gives the cosine of its angle to their product.
"""

import math

from attnbook.plots.explorable import explorable

WIDTH, LAST = 16, 63  # d_k; the largest distance
HANDS = WIDTH // 2
SPEEDS = [10000 ** (-2 * i / WIDTH) for i in range(HANDS)]  # radians a place
ROW, ROUND, STEP = 24, 15, 38.5  # pixels: the clocks' middles, size, distance
LEFT, ZERO, WIDE, HIGH = 34, 148, 4.6, 58  # of the plane
PLANE = """<svg viewBox="0 0 330 246" role="img" aria-label="Eight clocks, \
each slower than the one before, and the product of a query and a key, a \
curve over how far apart they are, with a dot on it.">{clocks}\
<path class="axis" d="M{left} 84V206M{left} {zero}H326"/>{marks}\
<polyline class="curve" points="{curve}"/>\
<circle class="here" r="6" cx="{x:.1f}" cy="{y:.1f}"/></svg>"""
SUM = """<p class="x-sum">{distance} places apart, {hands}: product \
{product:.2f}, at most {most}.</p>"""


def multiply(distance, hands):
    """Return the product of the first hands at a distance, in places."""
    return sum(math.cos(distance * speed) for speed in SPEEDS[:hands])


def explore_clocks(question, distance=0, hands=2):
    """Make the clocks of d_k = 16 numbers, and their product below.

    Args:
        question: what to answer with it, plain text.
        distance: from query to key at the start, in places, 0 to 63.
        hands: how many of the 8 hands count at the start, fastest first.

    Returns:
        An `Explorable`; a notebook shows it when it ends a cell.

    Raises:
        ValueError: another distance, or another number of hands.
    """
    if distance not in range(LAST + 1) or hands not in range(1, HANDS + 1):
        raise ValueError(
            f"expected a distance of 0 to {LAST} and 1 to {HANDS} hands, got "
            f"{distance} and {hands}"
        )
    data = {
        "speeds": SPEEDS,
        "start": [distance, hands],
        "place": [LEFT, ZERO, WIDE, HIGH],
        "round": [LEFT, ROW, STEP, ROUND],
        "last": LAST,
    }
    title = "The eight hands of d_k = 16 numbers, and their product"
    text = "explorable: the clocks of 16 numbers, 0 to 63 places apart"
    body = draw(distance, hands)
    return explorable("clocks", title, body, data, text, question)


def draw(distance, hands):
    """Return clocks, curve, dot and numbers."""
    clocks = []
    for n, speed in enumerate(SPEEDS):
        x, angle = LEFT + STEP * n, distance * speed
        tip = x + ROUND * math.sin(angle), ROW - ROUND * math.cos(angle)
        clocks.append(
            f'<g class="clock{"" if n < hands else " off"}">'
            f'<circle cx="{x:g}" cy="{ROW}" r="{ROUND}"/>'
            f'<path d="M{x:g} {ROW}L{tip[0]:.1f} {tip[1]:.1f}"/>'
            f'<text x="{x:g}" y="{ROW + 34}" text-anchor="middle">'
            f"{math.cos(angle):.2f}</text></g>"
        )
    points = [find(d, multiply(d, hands) / hands) for d in range(LAST + 1)]
    product = multiply(distance, hands)
    x, y = find(distance, product / hands)
    return PLANE.format(
        clocks="".join(clocks).replace(">-", ">\u2212"),
        left=LEFT,
        zero=ZERO,
        marks=mark(),
        curve=" ".join(f"{x:.1f},{y:.1f}" for x, y in points),
        x=x,
        y=y,
    ) + SUM.format(
        distance=distance,
        hands=f"{hands} hand{'s' * (hands > 1)}",
        product=product,
        most=hands,
    ).replace(" -", " \u2212")


def find(distance, mean):
    """Return where a point of the plane is, in pixels."""
    return LEFT + WIDE * distance, ZERO - HIGH * mean


def mark():
    """Return the numbers and names of both axes."""
    texts = [(find(n, 0)[0], 224, "middle", f"{n}") for n in range(0, 61, 10)]
    texts += [
        (LEFT - 6, find(0, 1)[1] + 5, "end", "max"),
        (LEFT - 6, ZERO + 5, "end", "0"),
        (326, 242, "end", "distance, in places"),
    ]
    return "".join(
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{text}</text>'
        for x, y, anchor, text in texts
    )
