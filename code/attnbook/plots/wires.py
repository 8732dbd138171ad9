"""What joins the glyphs of a drawing: frames, arrows, brackets, sums."""

from dataclasses import replace

import numpy as np

from attnbook.plots.cells import rect
from attnbook.plots.svg import (
    Box,
    Sheet,
    element,
    measure_width,
    number,
    paint,
)

LINE = 17  # height of a line of labels


def unite(boxes):
    """Return left, top, right and bottom of boxes with their labels."""
    edges = list(zip(*(box.edges for box in boxes), strict=True))
    return *map(min, edges[:2]), *map(max, edges[2:])


def draw_plus(box):
    """Return the sign of a sum: a plus in a circle."""
    x, y = box.middle
    style = f"fill:{paint('card')};stroke:{paint('ink')};stroke-width:1.6"
    cross = f"M{number(x - 6)} {number(y)}h12M{number(x)} {number(y - 6)}v12"
    return [
        element("circle", cx=x, cy=y, r=box.width / 2 - 1, style=style),
        element("path", d=cross, style=style),
    ]


def find_ends(start, end, upright=None):
    """Return an arrow's ends, across the widest gap, and if upright."""
    (a, b, c, d), (e, f, g, h) = start.edges, end.edges
    (x, y), (to_x, to_y) = start.middle, end.middle
    ways = {
        e - c: ((c + 4, y), (e - 4, to_y), False),
        a - g: ((a - 4, y), (g + 4, to_y), False),
        f - d: ((x, d + 4), (to_x, f - 4), True),
        b - h: ((x, b - 4), (to_x, h + 4), True),
    }
    fit = {g: way for g, way in ways.items() if upright in (None, way[2])}
    return fit[max(fit)]


def draw_curve(start, end, upright, colour):
    """Return an arrow, curved where its ends are not in line."""
    (x, y), (to_x, to_y) = start, end
    way = np.sign(to_y - y if upright else to_x - x)
    stop = (to_x, to_y - 6 * way) if upright else (to_x - 6 * way, to_y)
    half = (y + stop[1]) / 2 if upright else (x + stop[0]) / 2
    bends = ((x, half), (to_x, half)) if upright else ((half, y), (half, to_y))
    points = " ".join(f"{number(a)} {number(b)}" for a, b in (*bends, stop))
    style = f"fill:none;stroke:{paint(colour)};stroke-width:1.6"
    line = element("path", style=style, d=f"M{number(x)} {number(y)}C{points}")
    wings = [(-8 * way, 4.5), (-8 * way, -4.5)]
    if upright:
        wings = [(across, along) for along, across in wings]
    tip = "".join(f"L{number(to_x + a)} {number(to_y + b)}" for a, b in wings)
    tip = f"M{number(to_x)} {number(to_y)}{tip}z"
    return [line, element("path", style=f"fill:{paint(colour)}", d=tip)]


def draw_vector(start, end, colour):
    """Return a vector as a straight arrow from point to point."""
    start, end = np.array(start, float), np.array(end, float)
    along = (end - start) / max(np.linalg.norm(end - start), 1e-9)
    across = np.array([-along[1], along[0]])
    foot = end - 8 * along
    corners = [end, foot + 4.5 * across, foot - 4.5 * across]
    points = ["{} {}".format(*map(number, p.tolist())) for p in corners]
    (x, y), (to_x, to_y) = start.tolist(), foot.tolist()
    d = f"M{number(x)} {number(y)}L{number(to_x)} {number(to_y)}"
    style = f"fill:none;stroke:{paint(colour)};stroke-width:1.8"
    return [
        element("path", style=style, d=d),
        element(
            "path",
            style=f"fill:{paint(colour)}",
            d=f"M{points[0]}L{points[1]}L{points[2]}z",
        ),
    ]


def place_label(start, end, upright):
    """Return where the label of an arrow goes, and its anchor."""
    (x, y), (to_x, to_y) = start, end
    if upright and abs(to_x - x) < 20:
        return ((x + to_x) / 2 + 9, (y + to_y) / 2 + 4), "start"
    if upright:
        side, low = (1, "start") if to_x > x else (-1, "end")
        return (to_x + 9 * side, to_y - 4 * np.sign(to_y - y)), low
    if abs(to_y - y) < 20:
        return ((x + to_x) / 2 - 3, (y + to_y) / 2 - 8), "middle"
    down = to_y > y
    if to_x > x:
        return (to_x - 12, to_y + (18 if down else -9)), "end"
    return (to_x + 12, to_y + (18 if down else -9)), "start"


def draw_bracket(box, side):
    """Return a bracket along one side of a body, and its middle."""
    x, y = box.middle
    if side in ("below", "above"):
        way = 1 if side == "below" else -1
        edge = (box.bottom if way > 0 else box.y) + 5 * way
        steps = f"M{number(box.x)} {number(edge)}v{5 * way}"
        steps += f"H{number(box.right)}v{-5 * way}"
        middle = x, edge + 5 * way
    else:
        way = 1 if side == "right" else -1
        edge = (box.right if way > 0 else box.x) + 5 * way
        steps = f"M{number(edge)} {number(box.y)}h{5 * way}"
        steps += f"V{number(box.bottom)}h{-5 * way}"
        middle = edge + 5 * way, y
    style = f"fill:none;stroke:{paint('quiet')};stroke-width:1.3"
    return element("path", style=style, d=steps), middle


class Wires(Sheet):
    """A sheet that can join what stands on it."""

    def head(self, boxes, label, step=None, copies=0):
        """Draw the frame of a head around boxes.

        Args:
            boxes: what is in it, drawn before.
            label: its name.
            step: one of the five words, for its colour; None: quiet.
            copies: how many frames stand behind it.

        Returns:
            Its `Box`.
        """
        style = f"fill:{paint('card')};stroke:{paint(step or 'quiet')}"
        return self.frame(boxes, label, step, style, copies)

    def layer(self, boxes, label, copies=0):
        """Draw the ground of a layer behind boxes.

        Args:
            boxes: what is in it, drawn before.
            label: its name.
            copies: how many frames stand behind it.

        Returns:
            Its `Box`.
        """
        style = f"fill:{paint('paper')};stroke:{paint('rule')}"
        return self.frame(boxes, label, None, style, copies)

    def frame(self, boxes, label, step, style, copies):
        """Draw a frame with a label inside, behind what is drawn."""
        left, top, right, bottom = unite(boxes)
        x, y = left - 12, top - 12 - LINE
        box = Box(
            x,
            y,
            max(right + 12 - x, measure_width(label) + 24),
            bottom + 12 - y,
        )
        shift = 5 * copies
        size = box.width, box.height
        frames = [
            rect(x + 5 * n, y + 5 * n, *size, rx=10, style=style)
            for n in range(copies, -1, -1)
        ]
        outer = x, y, box.right + shift, box.bottom + shift
        self.put(frames, outer, label, behind=True)
        self.text(label, (x + 12, y + LINE + 2), step or "quiet", bold=True)
        return replace(box, outer=outer)

    def arrow(self, start, end, label=None, step=None, upright=None):
        """Draw an arrow between the sides that face each other.

        Args:
            start: a `Box` or a point (x, y).
            end: likewise.
            label: "W^Q" and the like, beside the middle.
            step: one of the five words, for its colour; None: quiet.
            upright: True from top to bottom or back, False sideways; None:
                across the wider gap.
        """
        start, end = (
            box if isinstance(box, Box) else Box(*box) for box in (start, end)
        )
        a, b, upright = find_ends(start, end, upright)
        edges = *map(min, a, b), *map(max, a, b)
        line = draw_curve(a, b, upright, step or "quiet")
        self.put(line, edges, "an arrow")
        if label:
            place, anchor = place_label(a, b, upright)
            self.text(label, place, step or "quiet", anchor, bold=True)

    def vector(self, start, end, step=None):
        """Draw a vector of a plane, a straight arrow.

        Args:
            start: its foot, (x, y) in pixels.
            end: its tip, likewise.
            step: one of the five words, for its colour; None: ink.
        """
        edges = *map(min, start, end), *map(max, start, end)
        self.put(draw_vector(start, end, step or "ink"), edges, "a vector")

    def sum(self, at):
        """Draw the sign of a sum, 24 wide and high.

        Args:
            at: upper left corner, (x, y).

        Returns:
            Its `Box`.
        """
        box = Box(*at, 24, 24)
        self.put(draw_plus(box), box.edges, "a sum")
        return box

    def brace(self, box, label, side="below"):
        """Draw a bracket along a side of a body, with a label.

        Args:
            box: the `Box`.
            label: often a shape's letter.
            side: "below", "above", "left" or "right".

        Returns:
            The `Box` of the label.
        """
        line, (x, y) = draw_bracket(box, side)
        self.put([line], box.edges, "a brace")
        moves = {
            "below": ((x, y + 15), "middle"),
            "above": ((x, y - 6), "middle"),
            "left": ((x - 5, y + 5), "end"),
            "right": ((x + 5, y + 5), "start"),
        }
        place, anchor = moves[side]
        return self.text(label, place, "quiet", anchor)
