"""How a notebook shows a figure: as SVG, sharp at any zoom.

Text stays text, and the same figure gives the same file.  The SVG holds the
figure twice: as it was drawn, and, not shown, as `narrow` lays it out for a
phone.  Maps are pictures with one pixel for each cell, beside a dark twin
that is not shown either.  The book shows what fits
(book/_ext/plot_colours.py).
"""

import base64
import io
import re
import sys
import xml.etree.ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from attnbook.plots.narrow import narrow

SVG = "http://www.w3.org/2000/svg"
HREF = "{http://www.w3.org/1999/xlink}href"
STYLE = f"{{{SVG}}}style"
LOOKS = "stroke-linejoin:round;stroke-linecap:butt"  # matplotlib's <style>
EMPTY = {"Date": None, "Creator": None, "Format": None, "Type": None}
PLACES = {"d", "x", "y", "width", "height", "points", "transform"}
PIXELS = 4 / 3  # of a point
# The hue turned by half a circle, as the filter hue-rotate(180deg).
HALF_TURN = np.array(
    [[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]]
)
CARD = np.array([0x1C, 0x20, 0x26]) / 255  # --atn-card of the dark page
ET.register_namespace("", SVG)
ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")


def show_as_svg():
    """Let a notebook show figures as SVG from now on; elsewhere do nothing."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return
    # It chooses its format when it is imported, and whenever it starts.
    from matplotlib_inline import backend_inline

    backend_inline.InlineBackend.instance().figure_formats = {"svg"}
    formatters = shell.display_formatter.formatters
    formatters["image/png"].pop(Figure, None)
    formatters["image/svg+xml"].for_type(Figure, svg_of)


def svg_of(fig):
    """Return a figure as SVG, with a narrow form that is not shown.

    Args:
        fig: a matplotlib figure.

    Returns:
        The text of one SVG.
    """
    root = _draw(fig, "attnbook")
    root.set("class", "attnbook-plot")
    copy = narrow(fig)
    if copy is not None:
        small = _draw(copy, "attnbook-narrow")
        small.set("class", "attnbook-narrow")
        small.set("display", "none")
        root.append(small)
    return ET.tostring(root, encoding="unicode")


def _draw(fig, salt):
    """Return the root of a figure's SVG, tidied.

    Args:
        fig: a matplotlib figure.
        salt: sets its ids apart from those of other figures.
    """
    text = io.StringIO()
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": salt}):
        fig.savefig(text, format="svg", bbox_inches="tight", metadata=EMPTY)
    root = ET.fromstring(text.getvalue())
    for parent in [*root.iter()]:
        for child in [*parent]:
            if child.tag == STYLE:
                child.clear()
            elif child.tag == f"{{{SVG}}}image":
                parent.append(_dark_twin(child))
            elif child.tag == f"{{{SVG}}}text":
                _let_flow(child)
    _clean(root)
    root.set("style", LOOKS)
    for side in ("width", "height"):
        size = float(root.get(side).removesuffix("pt"))
        root.set(side, f"{size * PIXELS:.0f}")
    return root


def _clean(root):
    """Take out ids that nothing uses, idle groups, and digits too many."""
    used = set(re.findall(r"#([\w-]+)", ET.tostring(root, encoding="unicode")))
    for element in root.iter():
        if element.get("id") not in used:
            element.attrib.pop("id", None)
        for key in PLACES & set(element.keys()):
            value = " ".join(element.get(key).split())
            element.set(key, re.sub(r"-?\d+\.\d{3,}", _rounded, value))
        element.tail = None
        if element.text and not element.text.strip("\n "):
            element.text = None
    _unwrap(root)


def _unwrap(element):
    """Put what lies in groups without a meaning in their place."""
    children = []
    for child in element:
        _unwrap(child)
        idle = child.tag in (f"{{{SVG}}}g", STYLE) and not child.attrib
        children += [*child] if idle else [child]
    element[:] = children


def _rounded(number):
    """Return a found number with two decimals at most."""
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _let_flow(text):
    """Let the letters of a formula follow each other, in any font.

    matplotlib gives each letter its place, which is right in one font only.
    One that stands higher or lower than the letter before it is moved.
    """
    letters = [child for child in text if child.get("x")]
    letters.sort(key=lambda letter: float(letter.get("x")))
    text[:] = []
    height = 0.0
    for letter in letters:
        up = float(letter.get("y")) - height
        style = letter.get("style")
        if up or not len(text) or text[-1].get("style") != style:
            moved = {"dy": f"{up:.2f}"} if up else {}
            ET.SubElement(text, letter.tag, moved, style=style).text = ""
        text[-1].text += letter.text
        height += up


def _dark_twin(picture):
    """Return a picture for a dark page: white is its card, hues stay.

    Args:
        picture: an <image> that holds a PNG.
    """
    kind, data = picture.get(HREF).split(",", 1)
    values = plt.imread(io.BytesIO(base64.b64decode(data)))  # 0 to 1
    turned = ((1 - values[..., :3]) @ HALF_TURN.T).clip(0, 1)
    dark = np.concatenate(
        [CARD + (1 - CARD) * turned, values[..., 3:]], axis=-1
    )
    written, bare = io.BytesIO(), {"Software": None}
    plt.imsave(written, dark, format="png", metadata=bare)
    data = base64.b64encode(written.getvalue()).decode()
    twin = ET.Element(picture.tag, picture.attrib)
    twin.set(HREF, f"{kind},{data}")
    twin.set("class", "attnbook-dark")
    twin.set("display", "none")
    twin.attrib.pop("id", None)
    return twin
