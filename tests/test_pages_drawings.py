import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx

import drawings
import plot_colours
from attnbook.plots import COLOURS, contrast
from attnbook.plots.display import CARD

SVG = """<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" {looks} viewBox="0 0 9 9" role="img"
  aria-label="its own words"><title>A map</title>
  <defs><marker id="tip"/></defs>
  <path marker-end="url(#tip)" style="fill:var(--atn-score,#b35c00)"/>
  <text>zebra</text></svg>"""
DRAWING = SVG.format(looks='class="attnbook-drawing" width="9" height="6"')
PAGE = """# Page

![what one sees](one.svg)

![](two.svg)

```{figure} one.svg
:alt: framed words

The caption
```

![a photograph](plain.svg)

![](cells.ipynb)
"""


def notebook():
    """Return a notebook that stores one drawing, with a caption."""
    data = {"image/svg+xml": DRAWING, "text/plain": "<drawing>"}
    figure = {"caption": "Below it.", "name": "below"}
    mystnb = {"figure": figure, "image": {"alt": "stored words"}}
    cell = nbformat.v4.new_code_cell("draw()", metadata={"mystnb": mystnb})
    cell.outputs = [nbformat.v4.new_output("display_data", data)]
    head = nbformat.v4.new_markdown_cell("# Cells")
    return nbformat.v4.new_notebook(cells=[head, cell])


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """Build two pages with drawings; return the folder of pages."""
    root = tmp_path_factory.mktemp("drawings")
    (root / "one.svg").write_text(DRAWING)
    shutil.copy(root / "one.svg", root / "two.svg")
    (root / "plain.svg").write_text(SVG.format(looks=""))
    (root / "index.md").write_text(PAGE)
    nbformat.write(notebook(), root / "cells.ipynb")
    config = {
        "extensions": ["myst_nb", "drawings"],
        "nb_execution_mode": "off",
        "suppress_warnings": ["toc.not_included"],
    }
    out = root / "out"
    app = Sphinx(root, None, out, root / "trees", "html", config, status=None)
    app.build()
    assert app.statuscode == 0
    return out


def soup(book, page):
    return BeautifulSoup((book / page).read_text(), "html.parser")


def test_a_drawing_is_written_into_the_page(book):
    page = soup(book, "index.html")
    drawings = page.select("span.drawing > svg")
    labels = [d["aria-label"] for d in drawings]
    assert labels == [
        "what one sees",
        "its own words",
        "framed words",
        "its own words",  # a notebook's first drawing
    ]
    assert {d["role"] for d in drawings} == {"img"}
    assert {d.title.string for d in drawings} == {"A map"}
    assert drawings[0].parent["style"] == "--width:9;--height:6"
    assert 'viewBox="0 0 9 9"' in (book / "index.html").read_text()
    assert "The caption" in page.select_one("figure:has(svg)").get_text()


def test_another_picture_stays_a_file(book):
    (picture,) = soup(book, "index.html").select("img")
    assert picture["alt"] == "a photograph"
    assert picture["src"].endswith("plain.svg")


def test_ids_are_unique_and_still_found(book):
    page = soup(book, "index.html")
    ids = [tag["id"] for tag in page.select("[id]")]
    assert len(ids) == len(set(ids))
    used = re.findall(r"url\(#([^)]+)\)", str(page))
    assert len(used) == len(set(used)) == 4
    assert set(used) <= set(ids)


def test_a_cells_drawing_keeps_its_words_and_its_caption(book):
    figure = soup(book, "cells.html").select_one("figure")
    assert figure.svg["aria-label"] == "stored words"
    assert "Below it." in figure.figcaption.get_text()


def test_the_search_index_does_not_read_drawings(book):
    assert "zebra" not in (book / "searchindex.js").read_text()


def test_a_drawing_with_a_style_sheet_is_refused():
    bad = DRAWING.replace("<defs>", "<style>text{}</style><defs>")
    with pytest.raises(ValueError, match="got one with a <style>"):
        drawings.inline(ET.fromstring(bad), "d1-", "")


PLOT = f"""<svg xmlns="{drawings.SVG}" class="attnbook-plot" width="700"
  style="stroke-linejoin:round"><path style="fill: #ffffff; stroke: #0072b2"/>
  <path style="stroke: #cccccc"/><path style="fill: #08306b"/>
  <text style="font-size: 10px; font-family: 'DejaVu Sans'">a</text>
  <svg class="attnbook-narrow" width="340" display="none"/></svg>"""


def test_a_plot_has_two_forms_in_the_colours_of_the_page():
    wide, small = plot_colours.forms(ET.fromstring(PLOT))
    styles = [element.get("style") for element in wide.iter()]
    assert styles[0] == "--atn-width: 700; stroke-linejoin:round"
    assert styles[1] == "fill: var(--atn-card); stroke: var(--atn-line-blue)"
    mixed = "color-mix(in srgb, var(--atn-ink) 20%, var(--atn-card))"
    assert styles[2] == f"stroke: {mixed}"
    assert "#08306b var(--atn-day), #" in styles[3]
    assert "font-family: var(--atn-plain); fill: var(--atn-ink)" in styles[4]
    assert len(wide.findall("*")) == 4
    assert "--atn-width: 340" in small.get("style")
    assert small.get("display") is None


def test_the_lines_of_plots_have_the_courses_colours():
    palette = (
        Path(__file__).parents[1] / "book/_static/palette.css"
    ).read_text()
    known = {colour.lower() for colour in COLOURS}
    assert set(plot_colours.LINES) == known
    light, dark = palette.split("@media screen", 1)
    for colour, name in plot_colours.LINES.items():
        assert f"--atn-line-{name}: {colour};" in light
        (other,) = re.findall(rf"--atn-line-{name}: (#\w+);", dark)
        (card,) = re.findall(r"--atn-card: (#\w+);", dark)
        assert contrast(other, card) > 4.5
    assert plot_colours.turned("#ffffff") == card
    assert tuple((255 * CARD).round()) == plot_colours.CARD
