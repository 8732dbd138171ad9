"""What a drawing shows beside tensors: lines, areas, the parts of a model."""

from attnbook.plots.cells import rect
from attnbook.plots.svg import (
    SMALL,
    Box,
    element,
    measure_width,
    number,
    paint,
)
from attnbook.plots.wires import Wires


class Charts(Wires):
    """A sheet that can hold a curve, a histogram or a named box, too."""

    def line(self, points, step=None, dashed=False):
        """Draw a line from point to point: a curve, an axis, a shadow.

        Args:
            points: two or more (x, y), in pixels.
            step: one of the five words, for its colour; None: quiet.
            dashed: True for a line of dashes.
        """
        style = f"fill:none;stroke:{paint(step or 'quiet')};stroke-width:1.6"
        if dashed:
            style += ";stroke-dasharray:4 3"
        self.path(points, "", style, "a line")

    def area(self, points, step=None):
        """Fill an outline: a bar, or the staircase of a histogram.

        Args:
            points: three or more (x, y), in pixels; the last is joined to
                the first.
            step: one of the five words, for its colour; None: quiet.
        """
        colour = paint(step or "quiet")
        style = f"fill:{colour};fill-opacity:0.4;stroke:{colour}"
        self.path(points, "z", style, "an area")

    def dot(self, at, step=None, hollow=False):
        """Draw a point of a plane.

        Args:
            at: its middle, (x, y) in pixels.
            step: one of the five words, for its colour; None: ink.
            hollow: True for a ring, to tell two kinds apart.
        """
        (x, y), colour = at, paint(step or "ink")
        style = f"fill:{paint('card') if hollow else colour};stroke:{colour}"
        dot = element("circle", cx=x, cy=y, r=5, stroke_width=2, style=style)
        self.put([dot], (x - 6, y - 6, x + 6, y + 6), "a dot")

    def part(self, name, at, width, step=None):
        """Draw a part of a model: a box with its name.

        Args:
            name: what is in the box.
            at: upper left corner of the body.
            width: in pixels.
            step: one of the five words, for its colour; None: ink.

        Returns:
            Its `Box`, 30 high.

        Raises:
            ValueError: a name that is wider than the box.
        """
        box = Box(*at, width, 30)
        if (need := measure_width(name, SMALL) + 8) > width:
            raise ValueError(
                f"expected {need:.0f} pixels or more, got {width}"
            )
        style = f"fill:{paint('card')};stroke:{paint(step or 'quiet')}"
        lines = [rect(*at, width, 30, rx=4, style=style)]
        self.put(lines, box.edges, name)
        place = box.middle[0], box.y + 20
        self.text(name, place, step or "ink", "middle", size=SMALL)
        return box

    def path(self, points, end, style, what):
        """Draw a path through points."""
        across, down = zip(*points, strict=True)
        edges = min(across), min(down), max(across), max(down)
        d = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        self.put([element("path", style=style, d=f"M{d}{end}")], edges, what)
