"""What a drawing needs to show a distribution: a filled outline."""

from attnbook.plots.svg import element, number, paint
from attnbook.plots.wires import Wires


class Charts(Wires):
    """A sheet that can hold a histogram, or a bar, too."""

    def area(self, points, step=None):
        """Fill an outline: a bar, or the staircase of a histogram.

        Args:
            points: three or more (x, y), in pixels; the last is joined to
                the first.
            step: one of the five words, for its colour; None: quiet.
        """
        across, down = zip(*points, strict=True)
        edges = min(across), min(down), max(across), max(down)
        colour = paint(step or "quiet")
        style = f"fill:{colour};fill-opacity:0.4;stroke:{colour}"
        d = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        outline = element("path", style=style, d=f"M{d}z")
        self.put([outline], edges, "an area")
