import pytest
from bs4 import BeautifulSoup

import wording

CELL = """<div class="cell {tags}"><details class="hide above-input"><summary>
<p class="collapsed">Show code cell source</p></summary>
<div class="cell_input">{code}</div></details>{output}</div>"""
FIGURE = '<div class="cell_output"><figure><img/></figure></div>'
DRAWING = '<div class="cell_output"><span class="drawing"></span></div>'
TABLE = '<div class="cell_output"><table class="dataframe"></table></div>'
PRINTED = '<div class="cell_output"><div class="output"></div></div>'


@pytest.mark.parametrize(
    ("tags", "code", "output", "words"),
    [
        ("", "import math", "", "Set-up: imports"),
        ("", "import math\nplot()", FIGURE, "Code of this figure"),
        ("tag_drawing", "draw()", DRAWING, "Code of this drawing"),
        ("tag_drawing", "draw()", FIGURE, "Code of this drawing"),
        ("", "table()", TABLE, "Code of this table"),
        ("", "print(1)", PRINTED, "Code of this output"),
        ("", "class A:\n    def f(): 1\ndef g(): 2", "", "Code: A, g"),
        ("", "x = 1", "", "Code"),
    ],
)
def test_a_fold_says_what_it_holds(tags, code, output, words):
    html = CELL.format(tags=tags, code=code, output=output)
    page = BeautifulSoup(html, "html.parser")
    wording.reword(page)
    assert page.summary.get_text() == words


def test_a_page_does_not_show_how_a_notebook_fetches_the_package():
    first = CELL.format(tags="tag_bootstrap", code="import os", output="")
    then = CELL.format(tags="", code="import math", output="")
    page = BeautifulSoup(first + then, "html.parser")
    wording.reword(page)
    assert page.get_text().split() == ["Set-up:", "imports", "import", "math"]


def test_a_button_says_what_it_does():
    page = BeautifulSoup(
        """<div class="bd-header-article">
        <button title="Toggle primary sidebar"></button>
        <a class="btn-download-source-button" target="_blank" href="x.ipynb"
        title="Download source file"><span class="btn__text-container">
        .ipynb</span></a></div>""",
        "html.parser",
    )
    wording.reword(page)
    assert page.button["title"] == "All chapters"
    assert page.a.get_text(strip=True) == "Notebook"
    assert page.a["title"] == "Save this page's source"
    assert "download" in page.a.attrs and "target" not in page.a.attrs


def test_a_percent_sign_stays_with_its_number():
    html = "<article><p>about 33 % of it</p><pre>33 % 5</pre></article>"
    page = BeautifulSoup(html, "html.parser")
    wording.reword(page)
    assert page.p.get_text() == "about 33\u00a0% of it"
    assert page.pre.get_text() == "33 % 5"


def test_a_headings_word_with_a_hyphen_stays_whole():
    html = "<article><h2>Pre-norm &lt; post-norm</h2><p>pre-norm</p></article>"
    page = BeautifulSoup(html, "html.parser")
    wording.reword(page)
    assert page.h2.get_text() == "Pre-norm < post-norm"
    whole = [span.get_text() for span in page.select(".atn-whole")]
    assert whole == ["Pre-norm", "post-norm"]
