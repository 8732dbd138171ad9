"""Read a drawn map as a reader sees it: from top to bottom, left to right.

Dimension letters:
    T queries (rows), S keys (columns).
"""

from dataclasses import dataclass

import numpy as np

from attnbook.checks.verdict import Mistake


@dataclass
class Side:
    """The tick labels of one axis.

    Attributes:
        labels: one string per cell in the order of reading, "" for none.
        between: whether a label stands near the border of two cells.
        name: the label of the axis itself.
    """

    labels: list
    between: bool
    name: str


@dataclass
class Picture:
    """What an Axes shows.

    Attributes:
        values: the numbers behind the colours, (T, S), first row on top.
        rows: the `Side` of the y axis.
        columns: the `Side` of the x axis.
        limits: the numbers at the two ends of the colours.
        even: whether the colours run evenly between the limits.
    """

    values: np.ndarray
    rows: Side
    columns: Side
    limits: tuple
    even: bool


def mappable_of(ax):
    """Return the image or mesh of an Axes, the last one drawn.

    Args:
        ax: a matplotlib Axes.

    Raises:
        Mistake: there is none, or it holds colours and no numbers.
    """
    meshes = [c for c in ax.collections if hasattr(c, "get_coordinates")]
    drawn = [*ax.images, *meshes]
    drawn = [d for d in drawn if d.get_visible() and d.get_array() is not None]
    if not drawn:
        raise Mistake(
            "there is no image in your Axes; draw the weights with imshow"
        )
    mappable = drawn[-1]
    if mappable in ax.images and np.ndim(mappable.get_array()) != 2:
        raise Mistake(
            "your image holds colours; give imshow the weights themselves, "
            "so that it knows their scale"
        )
    return mappable


def grid_of(mappable):
    """Return numbers, (T, S), and the borders of columns and rows."""
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
    return values.reshape(shape), corners[0, :, 0], corners[:, 0, 1]


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
    labels, between = [""] * len(centres), False
    axis.get_ticklabels()  # makes the ticks up to date
    for tick in axis.get_major_ticks() if ax.axison else []:
        texts = [t for t in (tick.label1, tick.label2) if t.get_visible()]
        text = texts[0].get_text().strip() if texts else ""
        distance = np.abs(centres - places(tick.get_loc())) / width
        cell = int(distance.argmin())
        if text and distance[cell] < 0.3:
            labels[cell] = text
        elif text and distance[cell] < 0.6:
            between = True
    name = axis.get_label().get_text() if ax.axison else ""
    return Side([labels[cell] for cell in order], between, name)


def read_picture(ax):
    """Return the `Picture` that an Axes shows."""
    mappable = mappable_of(ax)
    values, x, y = grid_of(mappable)

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
    steps = np.linspace(low, high, 5)
    even = np.allclose(
        np.asarray(mappable.norm(steps), float), np.linspace(0, 1, 5)
    )
    return Picture(
        values[top_first][:, left_first],
        side_of(ax, ax.yaxis, upwards, page_y, top_first),
        side_of(ax, ax.xaxis, across, page_x, left_first),
        (float(low), float(high)),
        even,
    )
