import re
import shutil
import xml.etree.ElementTree as ET

import nbformat
import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx

import drawings

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
