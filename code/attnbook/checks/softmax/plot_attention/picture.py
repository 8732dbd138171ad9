"""Read a drawn map as a reader sees it: from top to bottom, left to right.

Dimension letters:
    T queries (rows), S keys (columns).
"""

from dataclasses import dataclass

import numpy as np

from attnbook.checks.engine.verdict import Mistake


@dataclass
class Side:
    """The tick labels of one axis.

    Attributes:
        labels: one string per cell in the order of reading, "" for none.
        astray: how far a label stands from every centre, in cells; 0 if
            none does.
        name: the label of the axis itself.
        pale: whether a label is there but cannot be seen.
    """

    labels: list
    astray: float
    name: str
    pale: bool


@dataclass
class Picture:
    """What an Axes shows.

    Attributes:
        values: the numbers behind the colours, (T, S), first row on top.
        rows: the `Side` of the y axis.
        columns: the `Side` of the x axis.
        limits: the numbers at the two ends of the colours.
        even: whether the colours run evenly between the limits.
        distinct: whether different weights have different colours.
    """

    values: np.ndarray
    rows: Side
    columns: Side
    limits: tuple
    even: bool
    distinct: bool


def mappable_of(ax):
    """Return the image or mesh of an Axes.

    Args:
        ax: a matplotlib Axes.

    Raises:
        Mistake: there is none or more than one, or it holds colours and
            no numbers.
    """
    if not ax.get_visible():
        raise Mistake("your Axes is hidden; leave set_visible out")
    meshes = [c for c in ax.collections if hasattr(c, "get_coordinates")]
    drawn = [*ax.images, *meshes]
    drawn = [d for d in drawn if d.get_visible() and d.get_array() is not None]
    alphas = [d.get_alpha() for d in drawn]
    if any(np.ndim(a) == 0 and a is not None and a < 0.2 for a in alphas):
        raise Mistake(
            "your image is too faint to be seen; leave alpha out, or near 1"
        )
    if not drawn:
        raise Mistake(
            "there is no image in your Axes; draw the weights with imshow"
        )
    if len(drawn) > 1:
        raise Mistake(
            "your Axes holds more than one image, one over the other; draw "
            "once, into a new Axes at every call"
        )
    mappable = drawn[0]
    if mappable in ax.images and np.ndim(mappable.get_array()) != 2:
        raise Mistake(
            "your image holds colours; give imshow the weights themselves, "
            "so that it knows their scale"
        )
    return mappable


def grid_of(mappable):
    """Return numbers, (T, S), and the borders of columns and rows."""
    smooth = getattr(mappable, "get_interpolation", lambda: "none")()
    if smooth not in ("none", "nearest", "antialiased", "auto"):
        raise Mistake("draw one even cell per weight, without smoothing")
    values = np.ma.filled(np.ma.asarray(mappable.get_array(), float), np.nan)
    if not hasattr(mappable, "get_coordinates"):
        left, right, bottom, top = mappable.get_extent()
        first, last = top, bottom
        if mappable.origin == "lower":
            first, last = bottom, top
        x = np.linspace(left, right, values.shape[1] + 1)
        return values, x, np.linspace(first, last, values.shape[0] + 1)
    corners = mappable.get_coordinates()  # (T + 1, S + 1, 2)
    shape = corners.shape[0] - 1, corners.shape[1] - 1
    if values.size != shape[0] * shape[1]:
        raise Mistake("draw one even cell per weight, without shading")
    x, y = corners[0, :, 0], corners[:, 0, 1]
    if any(np.ptp(np.diff(borders)) > 1e-6 for borders in (x, y)):
        raise Mistake(
            "your cells are not all of one size; give pcolormesh no "
            "coordinates, or use imshow"
        )
    return values.reshape(shape), x, y


def check_view(ax, x, y):
    """Refuse limits of the Axes that cut cells off.

    Args:
        ax: the Axes.
        x: borders of the columns, S + 1 numbers.
        y: borders of the rows, T + 1 numbers.

    Raises:
        Mistake: a border lies outside the limits.
    """
    views = (("x", x, ax.get_xlim()), ("y", y, ax.get_ylim()))
    for letter, borders, limits in views:
        least, most = min(limits), max(limits)
        slack = 0.02 * np.abs(np.diff(borders)).max()
        if borders.min() < least - slack or borders.max() > most + slack:
            raise Mistake(
                "the limits of the {} axis cut cells off; leave set_{}lim "
                "out, or end at the outer borders of the cells (with "
                "imshow, half a cell outside the centres)",
                letter,
                letter,
            )


def seen(text):
    """Say whether a text is large enough, and stands out from its ground."""
    from matplotlib.colors import to_rgba

    *colour, alpha = to_rgba(text.get_color())
    *ground, opaque = to_rgba(text.get_figure().get_facecolor())
    apart = np.abs(np.subtract(colour, ground)).max() > 0.1 or opaque < 0.5
    large = text.get_fontsize() >= 3
    clear = alpha if text.get_alpha() is None else text.get_alpha()
    return large and apart and clear > 0.1


def side_of(ax, axis, places, borders, order):
    """Return what an axis says.

    Args:
        ax: the Axes.
        axis: its xaxis or yaxis.
        places: a function from numbers on the axis to places on the page.
        borders: borders of the cells on the page.
        order: the cells in the order of reading.

    Returns:
        A `Side`.

    Raises:
        Mistake: cells without height or width.
    """
    centres = (borders[1:] + borders[:-1]) / 2
    width = np.abs(np.diff(borders)).min()
    if not width > 0:
        raise Mistake(
            "your cells have no height or width; give pcolormesh no "
            "coordinates, or use imshow"
        )
    labels, astray, pale = [""] * len(centres), 0.0, False
    shown = ax.axison and axis.get_visible()
    axis.get_ticklabels()  # makes the ticks up to date
    for tick in axis.get_major_ticks() if shown else []:
        there = [t for t in (tick.label1, tick.label2) if t.get_visible()]
        texts = [t for t in there if seen(t)]
        pale = pale or len(texts) < len(there)
        text = texts[0].get_text().strip() if texts else ""
        distance = np.abs(centres - places(tick.get_loc())) / width
        cell = int(distance.argmin())
        if text and distance[cell] < 0.15:
            labels[cell] = text
        elif text and distance[cell] < 0.6:
            astray = max(astray, float(distance[cell]))
    label = axis.get_label()
    name = (
        label.get_text()
        if shown and label.get_visible() and seen(label)
        else ""
    )
    return Side([labels[cell] for cell in order], astray, name, pale)


def runs_evenly(mappable):
    """Say whether colours run evenly between their limits."""
    low, high = mappable.get_clim()
    if np.ndim(mappable.get_alpha()):
        return False  # each cell has an alpha of its own
    if low == high:
        return True  # wrong limits, on any norm
    steps = np.linspace(low, high, 5)
    try:
        places = np.ma.filled(mappable.norm(steps).astype(float), np.nan)
    except ValueError:  # a logarithm from 0, say
        return False
    return np.allclose(places, np.linspace(0, 1, 5))


def tells_apart(mappable):
    """Say whether a colour map has another colour for every weight."""
    colours = mappable.get_cmap()(np.linspace(0, 1, 17))[:, :3]
    distances = np.abs(colours[:, None] - colours).max(-1)  # (17, 17)
    steps, far = np.diagonal(distances, 1), np.triu(np.ones((17, 17)), 4) > 0
    return steps.min() > 1e-3 and distances[far].min() > 0.1


def read_picture(ax):
    """Return the `Picture` that an Axes shows."""
    mappable = mappable_of(ax)
    values, x, y = grid_of(mappable)
    check_view(ax, x, y)
    mappable.autoscale_None()  # limits that were left open, as when drawn

    def across(numbers):
        numbers = np.atleast_1d(np.asarray(numbers, float))
        points = np.stack([numbers, np.full(len(numbers), y[0])], -1)
        return ax.transData.transform(points)[:, 0]

    def upwards(numbers):
        numbers = np.atleast_1d(np.asarray(numbers, float))
        points = np.stack([np.full(len(numbers), x[0]), numbers], -1)
        return ax.transData.transform(points)[:, 1]

    page_x, page_y = across(x), upwards(y)
    left_first = np.argsort(page_x[1:] + page_x[:-1])
    top_first = np.argsort(-(page_y[1:] + page_y[:-1]))
    low, high = mappable.get_clim()
    return Picture(
        values[top_first][:, left_first],
        side_of(ax, ax.yaxis, upwards, page_y, top_first),
        side_of(ax, ax.xaxis, across, page_x, left_first),
        (float(low), float(high)),
        runs_evenly(mappable),
        tells_apart(mappable),
    )
