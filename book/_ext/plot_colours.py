"""Let plots follow the page: its colours, its letters, its width.

A plot is an SVG with the class attnbook-plot, made by attnbook.plots.display.
Greys become mixtures of ink and card, and the course's colours for lines its
variables in palette.css; any other colour gets a dark twin of the same hue.
"""

import re

MARK = "attnbook-plot"
NARROW = "attnbook-narrow"
LINES = {  # attnbook.plots.COLOURS
    "#0072b2": "blue",
    "#d55e00": "red",
    "#009e73": "green",
    "#cc79a7": "pink",
    "#e69f00": "yellow",
    "#56b4e9": "sky",
}
# The hue turned by half a circle, as in attnbook.plots.display.
HALF_TURN = (
    (-0.574, 1.43, 0.144),
    (0.426, 0.43, 0.144),
    (0.426, 1.43, -0.856),
)
CARD = (0x1C, 0x20, 0x26)  # --atn-card of the dark page
COLOUR = re.compile(r"#[0-9a-f]{6}\b")
FONT = re.compile(r"font-family: [^;]+")


def follow_page(root):
    """Give a plot the page's colours and letters.

    Args:
        root: the root of a plot, changed in place.
    """
    for element in root.iter():
        style = element.get("style", "")
        style = COLOUR.sub(lambda found: variable(found[0]), style)
        style = FONT.sub("font-family: var(--atn-plain)", style)
        if element.tag.endswith("}text") and "fill:" not in style:
            style += "; fill: var(--atn-ink)"  # black is SVG's own
        if style:
            element.set("style", style.removeprefix("; "))


def variable(colour):
    """Return CSS for a colour that follows the page.

    Args:
        colour: "#rrggbb", in small letters.
    """
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    if colour in LINES:
        return f"var(--atn-line-{LINES[colour]})"
    if red == green == blue:
        share = round(100 * (1 - red / 255))
        if share in (0, 100):
            return f"var(--atn-{'ink' if share else 'card'})"
        return f"color-mix(in srgb, var(--atn-ink) {share}%, var(--atn-card))"
    return f"color-mix(in srgb, {colour} var(--atn-day), {turned(colour)})"


def turned(colour):
    """Return the dark page's colour of the same hue; white is its card."""
    parts = [255 - int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    sums = (
        sum(factor * part for factor, part in zip(row, parts, strict=True))
        for row in HALF_TURN
    )
    shares = [min(max(total, 0), 255) / 255 for total in sums]
    mixed = zip(CARD, shares, strict=True)
    return "#" + "".join(f"{round(c + (255 - c) * s):02x}" for c, s in mixed)


def take_narrow(root):
    """Take the form for phones out of a plot; return its root, or None."""
    for child in [*root]:
        if child.get("class") == NARROW:
            root.remove(child)
            child.attrib.pop("display")
            return child
    return None


def set_width(root):
    """Tell the style sheet how wide a plot is drawn."""
    root.set("style", f"--atn-width: {root.get('width')}; {root.get('style')}")


def forms(root):
    """Return the forms of a plot, adapted to the page: the wide one first.

    Args:
        root: the root of a plot, which is changed.
    """
    small = take_narrow(root)
    found = [root] if small is None else [root, small]
    for form in found:
        follow_page(form)
        set_width(form)
    return found


def is_plot(root):
    """Say whether an SVG is a plot."""
    return MARK in root.get("class", "").split()
