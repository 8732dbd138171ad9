"""A sheet to draw on: the few SVG elements that the book's figures need.

Positions are in pixels, x to the right, y down.  Looks are CSS classes;
coordinates are absolute, so that the result can be edited by hand.
"""

from contextlib import contextmanager
from xml.sax.saxutils import escape


def tint(colour, share):
    """Mix a share of a colour, "#rrggbb", with white."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    mixed = (round(255 - share * (255 - part)) for part in parts)
    return "#" + "".join(f"{part:02x}" for part in mixed)


def number(value):
    """Write a coordinate without needless digits."""
    return f"{value:.1f}".removesuffix(".0")


def raised(text):
    """Escape a text; write "W^Q" with its last letter raised."""
    first, *rest = escape(text).split("^")
    for part in rest:
        first += f'<tspan class="raised" dy="-5">{part[0]}</tspan>'
        if part[1:]:
            first += f'<tspan dy="5">{part[1:]}</tspan>'
    return first


class Sheet:
    """Lines of SVG, in the order in which they are drawn."""

    def __init__(self):
        self.lines, self.depth = [], 1

    def add(self, line):
        """Add a line at the present depth."""
        self.lines.append("  " * self.depth + line)

    @contextmanager
    def group(self, name):
        """Put what is drawn inside into a group with an id."""
        self.add(f'<g id="{name}">')
        self.depth += 1
        yield
        self.depth -= 1
        self.add("</g>")

    def element(self, tag, look, **numbers):
        """Draw an element that has numbers for attributes."""
        parts = [f'{k}="{number(v)}"' for k, v in numbers.items()]
        self.add(f'<{tag} class="{look}" {" ".join(parts)}/>')

    def rect(self, look, x, y, width, height, rx=5):
        """Draw a rectangle from its upper left corner."""
        box = {"x": x, "y": y, "width": width, "height": height}
        self.element("rect", look, **box, **({"rx": rx} if rx else {}))

    def dot(self, look, x, y, r):
        """Draw a circle."""
        self.element("circle", look, cx=x, cy=y, r=r)

    def path(self, look, *points, tip=""):
        """Draw straight lines through points, with a tip at the end."""
        steps = " L".join(f"{number(x)} {number(y)}" for x, y in points)
        end = f' marker-end="url(#{tip})"' if tip else ""
        self.add(f'<path class="{look}" d="M{steps}"{end}/>')

    def text(self, look, x, y, words, anchor="middle", turn=False):
        """Write one line, by its baseline; turned: from bottom to top."""
        place = f'x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"'
        if turn:
            place += f' transform="rotate(-90 {number(x)} {number(y)})"'
        self.add(f'<text class="{look}" {place}>{raised(words)}</text>')

    def grid(self, x, y, cell, rows):
        """Draw a table of cells; each is the name of a look."""
        for i, row in enumerate(rows):
            for j, look in enumerate(row):
                place = x + j * cell, y + i * cell
                self.rect(f"cell {look}", *place, cell, cell, rx=0)
