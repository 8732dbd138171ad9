"""The parts of the Transformer's picture: boxes, icons, masks, chips.

Encoder and decoder are mirror images: `Column.x` counts from the residual
stream inwards.  Heights are counted upwards from the tokens.
"""

from dataclasses import dataclass

from looks import STEPS

BASE = 872  # y of height 0
CARD, BOX, CHIP = (-16, 284), (30, 206), (214, 276)  # from the stream


@dataclass
class Column:
    """One of the two stacks: where its stream runs, and which way is in."""

    name: str
    stream: float
    inward: int
    length: str

    def x(self, distance):
        """Return the place at a distance from the stream."""
        return self.stream + self.inward * distance

    def span(self, part):
        """Return left edge and width of a part, given as two distances."""
        left, right = sorted(map(self.x, part))
        return left, right - left


ENCODER = Column("encoder", 46, 1, "S")
DECODER = Column("decoder", 704, -1, "T")


def up(height):
    """Return y of a height above the tokens."""
    return BASE - height


def block(sheet, look, column, part, low, high):
    """Draw a box between two heights; return its left edge, top, width."""
    left, width = column.span(part)
    sheet.rect(look, left, up(high), width, high - low)
    return left, up(high), width


def icon(sheet, look, x, y, width, height, meet):
    """Draw four words below, four above, and which of them meet."""
    places = [x + width * i / 3 for i in range(4)]
    for i, start in enumerate(places):
        for j, end in enumerate(places):
            if meet or i == j:
                sheet.path(f"wire {look}", (start, y + height), (end, y))
    for place in places:
        for level in (y, y + height):
            sheet.dot(f"word {look}", place, level, 2.2)


def five(sheet, x, y, width, height):
    """Draw the strip of the five steps' colours."""
    for i, step in enumerate(STEPS):
        place = x + i * (width + 2), y
        sheet.rect(f"full-{step}", *place, width, height, rx=2)


def chips(sheet, column, low, words, partners=()):
    """Draw tokens side by side; as wide as partners in another row."""
    pairs = zip(words, partners or words, strict=True)
    widths = [20 + 7.5 * max(map(len, pair)) for pair in pairs]
    left, width = column.span(CARD)
    x = left + (width - sum(widths) - 6 * (len(words) - 1)) / 2
    for word, size in zip(words, widths, strict=True):
        look = "special" if word.startswith("<") else "token"
        sheet.rect(look, x, up(low + 26), size, 26, rx=13)
        sheet.text("label", x + size / 2, up(low + 8), word)
        x += size + 6


def plus(sheet, x, y):
    """Draw the sign of a sum."""
    sheet.dot("sum", x, y, 9)
    sheet.path("plus", (x - 5, y), (x + 5, y))
    sheet.path("plus", (x, y - 5), (x, y + 5))


def add_node(sheet, column, height):
    """Draw the place where a part's output is added to the stream."""
    x, y = column.stream, up(height)
    sheet.path("flow", (column.x(BOX[0]), y), (column.x(11), y), tip="tip")
    plus(sheet, x, y)


def norm(sheet, column, low):
    """Draw a norm on the side road, and the arrow by which it reads."""
    y = up(low + 12)
    sheet.dot("read", column.stream, y, 5)
    end = column.x(BOX[0] - 1), y
    sheet.path("flow", (column.stream, y), end, tip="tip")
    left, top, _ = block(sheet, "alone", column, (30, 130), low, low + 24)
    sheet.text("name", left + 10, top + 17, "norm", "start")
    icon(sheet, "dark", left + 63, top + 7, 26, 10, meet=False)


def feed_forward(sheet, column, low):
    """Draw the sublayer in which every word is alone."""
    with sheet.group(f"{column.name}-feed-forward"):
        norm(sheet, column, low)
        x = column.x(75)
        sheet.path("flow", (x, up(low + 24)), (x, up(low + 39)), tip="tip")
        left, top, _ = block(sheet, "alone", column, BOX, low + 40, low + 82)
        sheet.text("name", left + 12, top + 18, "feed-forward", "start")
        sheet.text(
            "small", left + 12, top + 35, "D \u2192 F \u2192 D", "start"
        )
        icon(sheet, "dark", left + 130, top + 12, 32, 18, meet=False)
        add_node(sheet, column, low + 61)


def ports(sheet, column, low, letters, places, look="flow", tip="tip"):
    """Draw the arrows into an attention, each with its letter."""
    for letter, place in zip(letters, places, strict=True):
        x = column.x(place)
        sheet.path(look, (x, up(low)), (x, up(low + 19)), tip=tip)
        sheet.text("port", x + 11, up(low + 5), letter)


def mask(sheet, column, low, rows, words):
    """Draw the mask beside an attention, as a table and in words."""
    left, top, width = block(sheet, "mask-chip", column, CHIP, low, low + 72)
    cell = 33 / max(len(rows), len(rows[0]))
    x = left + (width - cell * len(rows[0])) / 2
    sheet.grid(x, top + 5, cell, rows)
    for i, word in enumerate(words):
        sheet.text("small", left + width / 2, top + 53 + 14 * i, word)
    start, end = column.x(CHIP[0]), column.x(BOX[1] + 1)
    y = up(low + 36)
    sheet.path("mask-flow", (start, y), (end, y), tip="mask-tip")


def attention(sheet, column, low, name, keys):
    """Draw the dark box of an attention with its shape and its steps."""
    left, top, _ = block(sheet, "meet", column, BOX, low, low + 72)
    sheet.text("title", left + 9, top + 20, name, "start")
    shape = f"weights (B, H, {column.length}, {keys})"
    sheet.text("small white", left + 9, top + 38, shape, "start")
    icon(sheet, "light", left + 14, top + 49, 38, 14, meet=True)
    five(sheet, left + 68, top + 51, 18, 11)
    add_node(sheet, column, low + 36)


def later_layers(sheet, column, low, parts):
    """Draw layers 2 to N closed, as the first one is drawn open."""
    left, width = column.span(CARD)
    x = column.x(150)
    for start, which in ((low, "2"), (low + 52, "N")):
        block(sheet, "layer", column, CARD, start, start + 28)
        line = f"layer {which}: {parts}"
        sheet.text("small", x, up(start + 9), line)
    for i in range(3):
        sheet.dot("word dark", x, up(low + 34 + 6 * i), 1.6)


def final_norm(sheet, column, low):
    """Draw the norm at the end of a stack, on the stream itself."""
    part = (-16, 130)
    left, top, _ = block(sheet, "alone", column, part, low, low + 26)
    sheet.text("name", left + 10, top + 18, "final norm", "start")
    icon(sheet, "dark", left + 108, top + 8, 26, 10, meet=False)
    anchor = "end" if column is ENCODER else "start"
    name = column.name.capitalize()
    sheet.text("heading", column.x(282), top + 19, name, anchor)
