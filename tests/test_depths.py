"""What follows a chapter's path is a closed card that links lead into."""

import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx

import depths

WORDS = "word " * 140
PAGE = f"""# 4 Scaling

## What you can do now

See *Deeper: why the $d$*.

*Here the path ends. What follows looks closer.*

## Deeper: why the $d$

<!-- symptom loss: It is stuck -->

*The spread is **the** root.*

{WORDS}

```python
{WORDS}
```

### A part of it

*In italics*, but not alone.

## Deeper: short

Its sentence is not in italics.
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build a chapter with two cards; return its page and its contents."""
    root = tmp_path_factory.mktemp("depths")
    (root / "index.md").write_text(PAGE)
    config = {
        "extensions": ["myst_nb", "depths"],
        "nb_execution_mode": "off",
        "myst_enable_extensions": ["dollarmath"],
    }
    out = root / "out"
    app = Sphinx(root, None, out, root / "trees", "html", config, status=None)
    app.build()
    assert app.statuscode == 0
    page = BeautifulSoup((out / "index.html").read_text(), "html.parser")
    return page, app.env.tocs["index"].astext()


@pytest.fixture
def page(built):
    """Return the page alone."""
    return built[0]


def test_a_closed_card_shows_its_title_its_sentence_and_its_minutes(page):
    first, second = page.select("details.atn-deeper")
    assert "open" not in first.attrs
    assert first.summary.h2.get_text().startswith("Deeper: Why the ")
    found = first.summary.select_one(".atn-deeper-found")
    assert found.get_text() == "The spread is the root."
    assert "3 minutes" in first.summary.get_text()  # without the code
    assert "The spread is" not in first.section.get_text()
    assert not second.summary.select(".atn-deeper-found")
    assert "1 minute" in second.summary.get_text()
    assert "Its sentence" in second.section.get_text()


def test_what_a_link_leads_to_is_inside_so_that_a_browser_opens_it(page):
    for card in page.select("details.atn-deeper"):
        (to,) = {link["href"] for link in card.select("summary a")}
        assert card.select_one(f"section{to}") and not card.select("h1")
    assert page.select_one("details.atn-deeper h3")


def test_the_list_of_sections_keeps_what_is_in_cards(built):
    assert "Deeper: why" in built[1] and "A part of it" in built[1]


def test_the_end_of_the_path_is_marked(page):
    (end,) = page.select(".atn-path-end")
    assert end.get_text().startswith("Here the path ends.")
    assert depths.REVEAL in str(page)
