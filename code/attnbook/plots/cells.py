"""Cells of a drawing: grids of numbers, masks, bars.

Sign is hue and size is strength: a positive number has the colour of its
step, a negative one is grey with a small bar; the larger, the stronger.
"""

import re

import numpy as np

from attnbook.plots.figures import to_array
from attnbook.plots.svg import SMALL, element, measure_width, number, paint

CELL, ROW = 22, 24  # a cell without a number; the height of one with
STRONGEST, UNDER_TEXT = 0.9, 0.42  # letters stay readable on the second
GROUPS = ("project", "score", "mix", "normalise", "mask")


def to_matrix(values, what):
    """Return values as a matrix, a vector as one row, or refuse them."""
    values = to_array(values)
    if values.ndim not in (1, 2) or not values.size:
        raise ValueError(
            f"expected {what} of one or two axes, got {values.shape}"
        )
    if not np.isfinite(values).all():
        raise ValueError(f"expected finite numbers in {what}")
    return np.atleast_2d(values)


def read_axes(label):
    """Return the letters of a label: "X (T, D)" gives T and D."""
    found = re.search(r"\(([^()]*)\)\s*$", label or "")
    return [part.strip() for part in found[1].split(",")] if found else []


def format_digits(value, whole, weights=False):
    """Write a number with at most two decimals, without -0."""
    if whole:
        return f"{value:.0f}"
    text = f"{value:.2f}" if weights else f"{value:.1f}"
    return text.removeprefix("-") if float(text) == 0 else text


def format_cells(values, weights=False):
    """Return what is written into the cells, row by row."""
    whole = bool((values == values.round()).all())
    return [[format_digits(v, whole, weights) for v in row] for row in values]


def measure_cell(texts, cell=None):
    """Return width and height of a cell that holds the longest text."""
    if not texts:
        return cell or CELL, cell or CELL
    need = max(measure_width(t, SMALL) for row in texts for t in row) + 6
    return max(need, cell or ROW), max(ROW, cell or 0)


def check_weights(values):
    """Refuse numbers below 0, and rows that do not sum to 1."""
    values = to_array(values)
    sums = values.sum(axis=-1)
    if values.min() < 0 or np.abs(sums - 1).max() > 1e-3:
        raise ValueError(
            "expected weights from 0, rows with the sum 1, got from "
            f"{values.min():.3g}, sums {sums.min():.3g} to {sums.max():.3g}"
        )


def rect(x, y, width, height, **attributes):
    """Return a rectangle."""
    box = {"x": x, "y": y, "width": width, "height": height}
    return element("rect", **box, **attributes)


def group(colour, parts, kind="fill"):
    """Return parts in one colour, or nothing if there are none."""
    body = "".join(parts)
    return [element("g", body, f"{kind}:{paint(colour)}")] if parts else []


def find_places(shape, at, size):
    """Yield row, column, and the upper left corner of each cell."""
    for i in range(shape[0]):
        for j in range(shape[1]):
            yield i, j, at[0] + j * size[0], at[1] + i * size[1]


def draw_cells(values, at, size, texts, step, options):
    """Return cells in colour, numbers in them; options lose theirs."""
    largest = options.pop("largest", None) or np.abs(values).max()
    groups = options.pop("groups", None)
    strongest = UNDER_TEXT if texts else STRONGEST
    numbers = draw_numbers(texts, at, size) if texts else []
    if groups is None:
        cells = draw_signed(
            values, at, size, step or "link", strongest / largest
        )
        return (
            cells + ([] if texts else draw_signs(values, at, size)) + numbers
        )
    groups = to_matrix(groups, "groups")
    if groups.shape != values.shape:
        raise ValueError(
            f"expected groups of shape {values.shape}, got {groups.shape}"
        )
    return draw_groups(groups, at, size) + numbers


def draw_signed(values, at, size, colour, strength):
    """Return cells whose hue is the sign, whose strength is the size."""
    hues = {colour: [], "quiet": []}
    for i, j, x, y in find_places(values.shape, at, size):
        opacity = f"{min(abs(values[i, j]) * strength, STRONGEST):.2f}"
        hue = "quiet" if values[i, j] < 0 else colour
        hues[hue].append(rect(x, y, *size, fill_opacity=opacity))
    return [line for hue in hues for line in group(hue, hues[hue])]


def draw_signs(values, at, size):
    """Return the small bars that mark negative cells without numbers."""
    steps = [
        f"M{number(x + 4)} {number(y + 5)}h5"
        for i, j, x, y in find_places(values.shape, at, size)
        if values[i, j] < 0
    ]
    style = f"stroke:{paint('ink')}"
    return [element("path", style=style, d="".join(steps))] if steps else []


def draw_groups(groups, at, size):
    """Return cells coloured by the group that they belong to."""
    hues = {}
    for i, j, x, y in find_places(groups.shape, at, size):
        hue = GROUPS[int(groups[i, j]) % len(GROUPS)]
        hues.setdefault(hue, []).append(
            rect(x, y, *size, fill_opacity=f"{UNDER_TEXT}")
        )
    return [line for hue in GROUPS for line in group(hue, hues.get(hue, ()))]


def draw_mask(hidden, at, size):
    """Return cells of a mask: hatched where hidden, open elsewhere."""
    (w, h), strokes, cells = size, [], []
    for i, j, x, y in find_places(hidden.shape, at, size):
        if hidden[i, j]:
            cells.append(rect(x, y, w, h, fill_opacity="0.14"))
            for share in (0.35, 0.7):
                a = f"M{number(x)} {number(y + share * h)}"
                strokes.append(f"{a}L{number(x + share * w)} {number(y)}")
            for share in (0.05, 0.4, 0.75):
                a = f"M{number(x + share * w)} {number(y + h)}"
                strokes.append(f"{a}L{number(x + w)} {number(y + share * h)}")
    style = f"stroke:{paint('mask')}"
    lines = [element("path", style=style, d="".join(strokes))]
    return [*group("mask", cells), *(lines if strokes else [])]


def draw_numbers(texts, at, size):
    """Return the numbers in the cells."""
    shape = len(texts), len(texts[0])
    parts = [
        element("text", texts[i][j], x=x + size[0] / 2, y=y + size[1] / 2 + 5)
        for i, j, x, y in find_places(shape, at, size)
    ]
    body = "".join(parts)
    style = f"fill:{paint('ink')}"
    place = {"text_anchor": "middle", "font_size": SMALL}
    return [element("g", body, style, **place)]


def draw_rules(shape, at, size, colour):
    """Return the lines between the cells and the frame around them."""
    (x, y), (w, h) = at, size
    wide, high = shape[1] * w, shape[0] * h
    lines = [
        f"M{number(x + j * w)} {number(y)}v{number(high)}"
        for j in range(1, shape[1])
    ] + [
        f"M{number(x)} {number(y + i * h)}h{number(wide)}"
        for i in range(1, shape[0])
    ]
    inside = paint("rule" if colour == "mask" else "card")
    inner = element("path", style=f"stroke:{inside}", d="".join(lines))
    style = f"fill:none;stroke:{paint(colour)}"
    frame = rect(x, y, wide, high, rx=3, stroke_width=1.5, style=style)
    return ([inner] if lines else []) + [frame]


def measure_room(row, texts, high, unit, line):
    """Return how far bars and their numbers reach up and down."""
    written = line if any(texts) else 0
    hangs = -unit * row.min() + written if row.min() < 0 else 0
    return high + written + 1, hangs


def draw_bars(row, texts, box, scale, step):
    """Return bars in a body; scale: pixels of a 1, and below the line."""
    (unit, down), hues, lines = scale, {step: [], "quiet": []}, []
    wide, floor = box.width / row.size, box.bottom - down
    for i, (value, text) in enumerate(zip(row, texts, strict=True)):
        x, top = box.x + i * wide, floor - unit * max(value, 0)
        bar = rect(x + 5, top, wide - 10, unit * abs(value), rx=2)
        hues["quiet" if value < 0 else step].append(bar)
        y = floor - unit * value + 14 if value < 0 else top - 5
        if text:
            lines.append(element("text", text, x=x + wide / 2, y=y))
    style = f"fill:{paint('ink')}"
    place = {"text_anchor": "middle", "font_size": SMALL}
    line = f"M{number(box.x)} {number(floor)}h{number(box.width)}"
    return [
        *(part for hue in hues for part in group(hue, hues[hue])),
        element("path", style=f"stroke:{paint('quiet')}", d=line),
        *([element("g", "".join(lines), style, **place)] if lines else []),
    ]
