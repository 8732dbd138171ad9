"""What a drawing needs to show a curve or a distribution: lines and areas."""

from attnbook.plots.svg import element, number, paint
from attnbook.plots.wires import Wires


class Charts(Wires):
    """A sheet that can hold a curve, a bar or a histogram, too."""

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

    def path(self, points, end, style, what):
        """Draw a path through points."""
        across, down = zip(*points, strict=True)
        edges = min(across), min(down), max(across), max(down)
        d = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        self.put([element("path", style=style, d=f"M{d}{end}")], edges, what)
