"""Put drawings and plots into the page itself, where its colours reach them.

An SVG picture whose root has the class attnbook-drawing or attnbook-plot,
made by a cell or named in Markdown, is written into the HTML in place of a
link to its file.  It then follows the page's colours, light and dark, and a
plot its width, too (plot_colours.py).  A picture that is named by a notebook,
``![](chapters/04_scaling.ipynb)``, is the notebook's first drawing.  Other
pictures stay as they are, and so does every picture outside HTML.
"""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

import plot_colours

MARK = "attnbook-drawing"
SVG = "http://www.w3.org/2000/svg"
ET.register_namespace("", SVG)
ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")


class Drawing(nodes.General, nodes.Inline, nodes.Element):
    """A drawing's SVG; no text to a search index."""


def read(path):
    """Return the root of a drawing or a plot, or None if the file is none.

    Args:
        path: a picture's file, of any kind.
    """
    if path.suffix == ".ipynb":
        return read_notebook(path)
    if path.suffix != ".svg":
        return None
    root = ET.parse(path).getroot()
    return root if plot_colours.is_plot(root) else as_drawing(root)


def as_drawing(root):
    """Return the root of an SVG if it is a drawing, else None."""
    return root if MARK in root.get("class", "").split() else None


def read_notebook(path):
    """Return the root of a notebook's first drawing.

    Args:
        path: a notebook's file.

    Raises:
        ValueError: if it has none.
    """
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for output in (o for cell in cells for o in cell.get("outputs", [])):
        svg = "".join(output.get("data", {}).get("image/svg+xml", ""))
        if svg and (root := as_drawing(ET.fromstring(svg))) is not None:
            return root
    raise ValueError(f"expected a notebook with a drawing, got {path}")


def rename(root, prefix):
    """Put a prefix before every id, and wherever an id is meant.

    Args:
        root: the root of a drawing, which is changed.
        prefix: what sets this drawing apart from the page's others.

    Raises:
        ValueError: if it has a style sheet, which would rule the whole page.
    """
    if root.find(f".//{{{SVG}}}style") is not None:
        raise ValueError(
            "expected a drawing that looks as its elements' style attributes "
            "say, got one with a <style>, which would rule the whole page"
        )
    for element in root.iter():
        for key, value in element.items():
            if key == "id":
                value = prefix + value
            elif key.startswith("aria-") and key.endswith("by"):
                value = " ".join(prefix + name for name in value.split())
            elif key.endswith("href"):
                value = re.sub("^#", "#" + prefix, value)
            else:
                value = value.replace("url(#", "url(#" + prefix)
            element.set(key, value)


def inline(root, prefix, alt):
    """Return the HTML of a drawing, with its text for those who cannot see.

    Args:
        root: the root of a drawing, which is changed.
        prefix: what sets its ids apart from the page's others.
        alt: its text on this page; "" keeps the drawing's own.
    """
    rename(root, prefix)
    root.set("role", "img")
    if alt:
        root.attrib.pop("aria-labelledby", None)
        root.set("aria-label", alt)
    return ET.tostring(root, encoding="unicode")


class InlineDrawings(SphinxPostTransform):
    """Replace pictures by drawings, where the pages are HTML."""

    default_priority = 400
    formats = ("html",)

    def run(self, **kwargs):
        """Look at every picture of a page."""
        pictures = list(self.document.findall(nodes.image))
        for number, picture in enumerate(pictures, 1):
            root = read(Path(self.app.srcdir, picture["uri"]))
            if root is None:
                continue
            size = ";".join(
                f"--{k}:{root.get(k)}" for k in ("width", "height")
            )
            svg, classes = "", [*picture["classes"]]
            forms = [root]
            if plot_colours.is_plot(root):
                forms = plot_colours.forms(root)
                classes += ["plot", "has-narrow"][: len(forms)]
            for form, letter in zip(forms, "dn", strict=False):
                alt = picture.get("alt", "")
                svg += inline(form, f"{letter}{number}-", alt)
            new = Drawing(svg=svg, size=size, classes=classes)
            picture.replace_self(new)


def visit(translator, node):
    """Write a drawing; its box is what scrolls on a phone.

    The style sheet makes it larger where there is room, as its shape allows.
    """
    classes = " ".join(["drawing", *node["classes"]])
    begin = f'<span class="{classes}" style="{node["size"]}">'
    translator.body.append(f"{begin}{node['svg']}</span>")
    raise nodes.SkipNode


def setup(app):
    """Replace pictures after the outputs of cells are pages' nodes."""
    app.add_node(Drawing, html=(visit, None))
    app.add_post_transform(InlineDrawings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
