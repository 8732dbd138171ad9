"""A line among three points, to move by hand or by gradient descent.

The points are bicycle rides, (km, minutes).  A line guesses slope * km +
height minutes; the loss is the mean of its squared misses, drawn as squares.
"""

from attnbook.plots.explorable import explorable

RIDES = ((1, 4), (2, 5), (3, 9))  # km, minutes
SLOPES = tuple(n / 2 for n in range(9))
HEIGHTS = tuple(n / 2 for n in range(-2, 9))
RATES = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.17, 0.18, 0.19, 0.2)
STEPS = 20
LEFT, FLOOR, KM, MINUTE = 34, 226, 54, 18  # pixels
END = 284  # pixels; where the last step stands
PLANE = """<svg class="plane" viewBox="0 0 300 248" role="img" \
aria-label="{alt}"><path class="axis" d="M{left} 10V{floor}H296"/>{marks}
<line class="line" {line}/>{squares}{dots}</svg>"""
CURVE = """<svg class="curve" viewBox="0 0 300 248" role="img" \
aria-label="The loss after each step."><path class="axis" \
d="M{left} 10V{floor}H296"/>{marks}<polyline class="before"/>\
<polyline class="now"/>\
<circle class="tip" r="4" cx="{left}" cy="{y}"/></svg>"""
TABLE = """<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody>\
<tfoot><tr><th scope="row" colspan="4">loss: the mean of the squares</th>\
<td class="loss">{loss}</td></tr></tfoot></table>"""
HEAD = ("took", "guess", "miss", "square")


def loss_of(slope, height):
    """Return the mean squared miss of a line, in minutes squared."""
    misses = [slope * km + height - minutes for km, minutes in RIDES]
    return sum(miss**2 for miss in misses) / len(misses)


def explore_fitting(question, slope=1.0, height=1.0):
    """Make a line whose slope and height are moved by hand.

    Args:
        question: what to answer with it, plain text.
        slope: where it starts, in minutes per km, one of `SLOPES`.
        height: likewise, in minutes, one of `HEIGHTS`.

    Returns:
        An `Explorable`; a notebook shows it when it ends a cell.

    Raises:
        ValueError: another slope or height.
    """
    if slope not in SLOPES or height not in HEIGHTS:
        raise ValueError(
            f"expected a slope out of {SLOPES} and a height out of "
            f"{HEIGHTS}, got {slope} and {height}"
        )
    data = plane_data(slope, height) | {"stops": [SLOPES, HEIGHTS]}
    body = both(plane(slope, height), table(slope, height))
    text = "explorable: a line among three rides, slope and height by hand"
    title = "Three rides, a line, and its misses as squares"
    return explorable("fitting", title, body, data, text, question)


def explore_rate(question, rate=0.1):
    """Make a line that takes steps of gradient descent at a chosen rate.

    Args:
        question: what to answer with it, plain text.
        rate: the learning rate at the start, one of `RATES`.

    Returns:
        An `Explorable`; a notebook shows it when it ends a cell.

    Raises:
        ValueError: another rate.
    """
    if rate not in RATES:
        raise ValueError(f"expected a rate out of {RATES}, got {rate}")
    data = plane_data(1.0, 1.0) | {
        "rates": RATES,
        "rate": RATES.index(rate),
        "steps": STEPS,
    }
    body = both(plane(1.0, 1.0), curve(loss_of(1.0, 1.0)))
    text = f"explorable: {STEPS} steps of a line, learning rates to choose"
    title = "The line, step by step, and its loss"
    return explorable("fitting", title, body, data, text, question)


def plane_data(slope, height):
    """Return what the script needs to draw the plane."""
    return {
        "rides": RIDES,
        "start": [slope, height],
        "place": [LEFT, FLOOR, KM, MINUTE, END],
    }


def both(left, right):
    """Put two things beside each other, where there is room."""
    return f'<div class="x-both">{left}{right}</div>'


def signed(number, digits=1):
    """Write a number with a proper minus sign."""
    return f"{number:.{digits}f}".replace("-", "\u2212")


def place(km, minutes):
    """Return where a point of the plane stands, in pixels."""
    return LEFT + KM * km, FLOOR - MINUTE * minutes


def marks(across, up, names):
    """Return the numbers and names of two axes, (pixels, text) each."""
    texts = [(x, FLOOR + 16, "middle", text) for x, text in across]
    texts += [(LEFT - 7, y + 5, "end", text) for y, text in up]
    texts += [
        (LEFT + 7, 20, "start", names[0]),
        (298, FLOOR + 16, "end", names[1]),
    ]
    return "".join(
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{text}</text>'
        for x, y, anchor, text in texts
    )


def plane(slope, height):
    """Return the points, the line and the squares as SVG."""
    squares, dots = "", ""
    for km, minutes in RIDES:
        (x, y), (_, guess) = place(km, minutes), place(km, slope * km + height)
        side = abs(guess - y)
        squares += (
            f'<rect class="miss" x="{x:g}" y="{min(guess, y):g}" '
            f'width="{side:g}" height="{side:g}"/>'
        )
        dots += f'<circle class="ride" r="5" cx="{x:g}" cy="{y:g}"/>'
    (a, b), (c, d) = place(0, height), place(5, height + 5 * slope)
    across = [(place(n, 0)[0], n) for n in range(1, 5)]
    up = [(place(0, n)[1], n) for n in (0, 4, 8, 12)]
    return PLANE.format(
        alt="Three rides as points, a line, and a square for each miss.",
        left=LEFT,
        floor=FLOOR,
        marks=marks(across, up, ("minutes", "km")),
        line=f'x1="{a:g}" y1="{b:g}" x2="{c:g}" y2="{d:g}"',
        squares=squares,
        dots=dots,
    )


def curve(loss):
    """Return the axes of the loss over the steps as SVG."""
    wide = (END - LEFT) / STEPS
    across = [(LEFT + wide * n, n) for n in (0, 5, 10, 15)]
    up = [(place(0, n)[1], n) for n in (0, 4, 8, 12)]
    return CURVE.format(
        left=LEFT,
        floor=FLOOR,
        marks=marks(across, up, ("loss", "steps")),
        y=place(0, loss)[1],
    )


def table(slope, height):
    """Return each ride's guess, miss and square as a table."""
    rows = ""
    for km, minutes in RIDES:
        guess = slope * km + height
        miss = guess - minutes
        cells = [minutes, signed(guess), signed(miss), signed(miss**2, 2)]
        rows += f'<tr><th scope="row">{km} km</th>'
        rows += "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    head = "<td></td>"
    head += "".join(f'<th scope="col">{name}</th>' for name in HEAD)
    loss = signed(loss_of(slope, height), 2)
    return TABLE.format(head=head, rows=rows, loss=loss)
