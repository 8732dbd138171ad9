"""A sheet of SVG: text, boxes, the palette.  `drawing` puts glyphs on it.

Colours are only ever the page's CSS variables, with the light value to fall
back on; so a drawing follows the page into the dark, and is a light card
wherever there is no such page.  Nothing has an id, so many drawings can stand
on one page, and the same tensors give the same text.
"""

import re
from dataclasses import dataclass
from html import escape

STEPS = {  # the five words for attention, each with its colour
    "project": "#2f6db5",
    "score": "#b35c00",
    "mask": "#6b6f76",
    "normalise": "#7a4fb3",
    "mix": "#1f7a4d",
}
COLOURS = STEPS | {
    "paper": "#fdfcf9",
    "card": "#ffffff",
    "ink": "#1f2430",
    "quiet": "#5b6472",
    "rule": "#e3dfd5",
    "link": "#1d5c7a",
}
FONT = "system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif"
SIZE, SMALL = 14, 13  # pixels, at natural size
MARGIN = 12  # below the lowest glyph
NARROW, WIDE = set(" ijltfrI.,:;'!|()[]"), set("mwMW@")


def paint(colour):
    """Return the value of a fill or stroke, or refuse the name."""
    if colour not in COLOURS:
        raise ValueError(
            f"expected one of {', '.join(COLOURS)}, got {colour!r}"
        )
    return f"var(--atn-{colour},{COLOURS[colour]})"


def number(value):
    """Write a coordinate with at most one decimal."""
    return f"{round(float(value), 1) + 0:g}"


def element(tag, body=None, style=None, **attributes):
    """Return an SVG element; names of attributes write - as _."""
    parts = [f"<{tag}"]
    for name, value in attributes.items():
        text = value if isinstance(value, str) else number(value)
        parts.append(f'{name.rstrip("_").replace("_", "-")}="{text}"')
    if style:
        parts.append(f'style="{style}"')
    start = " ".join(parts)
    return f"{start}/>" if body is None else f"{start}>{body}</{tag}>"


def measure_width(words, size=SIZE, bold=False):
    """Return how wide a text can get, in the widest font of the list."""
    plain = re.sub(r"[\^_]\{?|\}", "", words)
    ems = sum(
        0.41
        if c in NARROW
        else 1.0
        if c in WIDE or ord(c) > 0x10FF
        else 0.79
        if c.isupper()
        else 0.64
        for c in plain
    )
    return ems * size * (1.08 if bold else 1)


def raise_letters(words):
    """Escape a text; W^Q, d_k and d_{model} raise and lower letters."""
    parts, at = [], 0
    for piece in re.findall(r"[\^_]\{[^}]*\}|[\^_].|[^\^_]+", words):
        to = {"^": -5, "_": 4}.get(piece[0], 0)
        text = escape(piece.lstrip("^_").strip("{}") if to else piece)
        if to or at:
            size = f' font-size="{SMALL - 2}"' if to else ""
            text = f'<tspan dy="{to - at}"{size}>{text}</tspan>'
        parts.append(text)
        at = to
    return "".join(parts)


@dataclass(frozen=True)
class Box:
    """Where a glyph stands: its body, and its body with all labels.

    Attributes:
        x, y: upper left corner of the body.
        width, height: of the body.
        outer: left, top, right and bottom with labels; None: the body.
    """

    x: float
    y: float
    width: float = 0
    height: float = 0
    outer: tuple = None

    @property
    def right(self):
        """The right edge of the body."""
        return self.x + self.width

    @property
    def bottom(self):
        """The lower edge of the body."""
        return self.y + self.height

    @property
    def middle(self):
        """The middle of the body, (x, y)."""
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def edges(self):
        """Left, top, right and bottom, with labels."""
        return self.outer or (self.x, self.y, self.right, self.bottom)

    def beside(self, gap=24):
        """Return the corner of a body to the right, tops in line."""
        return self.right + gap, self.y

    def under(self, gap=44):
        """Return the corner of a body below; 44 leaves room for a label."""
        return self.x, self.bottom + gap


def text_box(at, width, size, anchor, tilt=False):
    """Return the box of a line of text by its baseline."""
    if tilt:
        far = width * 0.71
        return Box(at[0] - 8, at[1] - far - 8, far + 16, far + 8)
    x = at[0] - width * {"start": 0, "middle": 0.5, "end": 1}[anchor]
    return Box(x, at[1] - 0.8 * size, width, size)


class Sheet:
    """A card of a given width, as high as what is drawn on it.

    Args:
        alt: what one would see, in words: the drawing's alt text.
        width: in pixels; 340 is what a phone shows whole, 680 the most.

    Raises:
        ValueError: no alt text, or a width over 680.
    """

    def __init__(self, alt, width=340):
        if not alt or not isinstance(alt, str):
            raise ValueError(f"expected an alt text, got {alt!r}")
        if not 0 < width <= 680:
            raise ValueError(f"expected a width up to 680, got {width}")
        self.alt, self.width, self.height = alt, width, 0
        self.behind, self.lines = [], []

    def put(self, lines, edges, what, behind=False):
        """Draw lines of SVG within edges; refuse what leaves the sheet."""
        left, top, right, bottom = edges
        if left < 0 or top < 0 or right > self.width:
            raise ValueError(
                f"expected {what} within 0 to {self.width} across and below "
                f"0, got {left:.0f} to {right:.0f} from {top:.0f} down"
            )
        self.height = max(self.height, bottom + MARGIN)
        if behind:
            self.behind = lines + self.behind
        else:
            self.lines += lines

    def text(self, words, at, colour="ink", anchor="start", **options):
        """Write one line of text.

        Args:
            words: the text; ^ raises and _ lowers the letter after it.
            at: where the baseline starts, ends or has its middle, (x, y).
            colour: "ink", "quiet" or a step's name.
            anchor: "start", "middle" or "end".
            options: bold (False), size (14, at least 13), plain (False;
                True leaves ^ and _ as they are), quiet (what follows the
                words, in quiet letters), tilt (False; True: it rises).

        Returns:
            Its `Box`.

        Raises:
            ValueError: smaller than 13 pixels, or it leaves the sheet.
        """
        size, quiet = options.get("size", SIZE), options.get("quiet", "")
        if size < SMALL:
            raise ValueError(f"expected {SMALL} pixels or more, got {size}")
        body = escape(words) if options.get("plain") else raise_letters(words)
        if quiet:
            style = f"fill:{paint('quiet')}"
            body += element(
                "tspan", raise_letters(quiet), style, font_weight="400"
            )
        looks = {"font_weight": "600"} if options.get("bold") else {}
        if options.get("tilt"):
            anchor = "start"
            looks["transform"] = f"rotate(-45 {number(at[0])} {number(at[1])})"
        width = measure_width(words + quiet, size, options.get("bold"))
        box = text_box(at, width, size, anchor, options.get("tilt"))
        looks |= {"text_anchor": anchor, "font_size": size}
        style = f"fill:{paint(colour)}"
        line = element("text", body, style, x=at[0], y=at[1], **looks)
        self.put([line], box.edges, repr(words))
        return box

    @property
    def svg(self):
        """The drawing as the text of an SVG file."""
        size = f'width="{number(self.width)}" height="{number(self.height)}"'
        box = f"0 0 {number(self.width)} {number(self.height)}"
        alt = escape(self.alt)
        card = element(
            "rect",
            style=f"fill:{paint('card')}",
            width=self.width,
            height=self.height,
            rx=6,
        )
        start = (
            '<svg xmlns="http://www.w3.org/2000/svg" '
            f'class="attnbook-drawing" role="img" aria-label="{alt}" '
            f'viewBox="{box}" {size} font-family="{FONT}" '
            'style="max-width:100%;height:auto">'
        )
        lines = [start, f"<title>{alt}</title>", card]
        return "\n".join([*lines, *self.behind, *self.lines, "</svg>"])

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        return self.alt
