from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document
from pybtex.database import parse_string
from sphinx.application import Sphinx

import browser
import notes
import pages
import terms

STATIC = Path(notes.__file__).parents[1] / "_static"


def term(*names, chapter=1):
    place = ("chapters/one", "")
    return terms.Term([*names], "", chapter, f"term-{names[0]}", place, [])


TERMS = [
    term("attention"),
    term("self-attention", chapter=2),
    term("query"),
    term("attention weight"),
    term("loss", "training loss"),
    term("vanishing gradient", chapter=9),
    term("gradient"),
    term("BLEU"),
    term("key", "K"),
    term("scale"),
]


def marked(*children, chapter=5):
    """Return the words that a page marks; none may be lost."""
    document = new_document("page")
    document += nodes.section("", nodes.title("", "5 A loss"), *children)
    before = document.astext()
    terms.mark_terms(document, TERMS, chapter)
    assert document.astext() == before
    return [d.astext() for d in document.findall(terms.Described)]


def prose(words):
    return nodes.paragraph("", "", nodes.Text(words))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "Attention, or an attention weight",
            ["Attention", "attention weight"],
        ),
        ("an attention\nweight", ["attention\nweight"]),  # the longest
        ("self-attention and attention", ["self-attention", "attention"]),
        ("two queries, then a query", ["queries"]),  # the first use
        ("losses; the loss", ["losses"]),
        ("the training loss", ["training loss"]),  # another name
        ("glossy, keyed, weights", []),  # whole words
        ("a keyword; K; key-value", []),
        ("bleu or BLEU", ["BLEU"]),
        ("a vanishing gradient", []),  # a later chapter's, one term
    ],
)
def test_the_first_use_of_a_term_is_marked(words, expected):
    assert marked(prose(words)) == expected


def test_only_terms_of_earlier_chapters_in_their_own_meaning():
    assert marked(prose("attention, self-attention"), chapter=1) == []
    assert marked(prose("self-attention"), chapter=2) == []
    assert marked(prose("a scale of 1 to 10"), chapter=9) == []


@pytest.mark.parametrize(
    "kept",
    [
        nodes.paragraph("", "", nodes.literal("", "loss")),
        nodes.paragraph("", "", nodes.reference("", "loss", refuri="x")),
        nodes.paragraph("", "", nodes.math("", "loss")),
        nodes.paragraph("", "", nodes.strong("", "loss")),
        nodes.literal_block("", "loss"),
        nodes.section("", nodes.title("", "A loss")),
        nodes.section("", prose("loss"), classes=["atn-recall"]),
        nodes.section("", nodes.title("", "Deeper: x"), prose("loss")),
        nodes.container("", nodes.raw("", "<p>loss</p>", format="html")),
    ],
)
def test_titles_links_code_and_formulas_stay(kept):
    assert marked(kept) == []
    assert marked(kept.deepcopy(), prose("a loss")) == ["loss"]


def test_a_fold_stays_and_a_card_does_not():
    def folded(opening):
        html = nodes.raw("", opening, format="html")
        end = nodes.raw("", "</details>", format="html")
        return marked(html, prose("loss"), end, prose("query"))

    assert folded("<details>\n<summary>Answer</summary>") == ["query"]
    assert folded('<details class="card">') == ["loss", "query"]


INDEX = """# Book

```{toctree}
chapters/one
chapters/two
book/glossary
```
"""
GLOSSARY = r"""# Glossary

```{glossary}
scaled score
척도 점수
  A score divided by $\sqrt{d}$. More is said.
  [Chapter 1, One place](../chapters/one.md#one-place)

induction head
  No chapter trains one.
```
"""
TWO = """# 2 Two

Scaled scores and an induction head; [Vaswani](https://example.org/paper).

[Again](https://example.org/paper), [other](https://example.org/other).
"""
BIB = r"""@misc{vaswani,
  author = {Vaswani, Ashish and Kaiser, {\L}ukasz and Jones, Llion},
  title = {{A}ll You Need}, year = {2017}, url = {https://example.org/paper}
}
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """Build two chapters and a glossary; return the folder of pages."""
    root = tmp_path_factory.mktemp("notes")
    texts = {
        "index.md": INDEX,
        "book/glossary.md": GLOSSARY,
        "chapters/one.md": "# 1 One\n\n## One place\n\nA scaled score.\n",
        "chapters/two.md": TWO,
        "works.bib": BIB,
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    config = {
        "extensions": ["myst_nb", "sphinxcontrib.bibtex", "notes"],
        "bibtex_bibfiles": ["works.bib"],
        "myst_enable_extensions": ["dollarmath"],
        "nb_execution_mode": "off",
        "myst_heading_anchors": 3,
        "html_static_path": [str(STATIC)],
    }
    out = root / "out"
    app = Sphinx(root, None, out, root / "trees", "html", config, status=None)
    app.build()
    assert app.statuscode == 0
    return out


def read(book, name):
    text = (book / f"chapters/{name}.html").read_text(encoding="utf-8")
    return BeautifulSoup(text, "html.parser")


def test_a_page_has_the_notes_of_its_links(book):
    page = read(book, "two")
    mark, *works = page.select("[aria-describedby]")
    assert mark.get_text() == "Scaled scores"
    assert mark["href"] == "../book/glossary.html#term-scaled-score"
    first, second = page.select(".atn-note[popover]")
    assert [w["aria-describedby"] for w in works] == [first["id"]] * 2
    assert {w["href"] for w in works} == {"https://example.org/paper"}
    assert first.get_text(" ", strip=True) == (
        "Vaswani et al., 2017 All You Need"
    )
    assert second["id"] == mark["aria-describedby"]
    words = second.get_text(" ", strip=True)
    assert words.startswith("scaled score 척도 점수 A score divided by")
    assert "More" not in words
    assert second.a["href"] == "one.html#one-place"


def test_a_work_may_lack_a_year_or_authors():
    works = parse_string("@misc{a, title={A {B}}, author={C, D}}", "bibtex")
    note = notes.write_work("a", works.entries["a"])
    assert note.astext().split() == ["C", "A", "B"]
    works = parse_string("@misc{a, title={A}, year={2000}}", "bibtex")
    note = notes.write_work("a", works.entries["a"])
    assert note.astext().split() == ["2000", "A"]


def test_a_page_without_notes_loads_nothing_of_theirs(book):
    assert not read(book, "one").select("[href*=notes], [src*=notes]")
    assert len(read(book, "two").select("[href*=notes], [src*=notes]")) == 2


@pytest.mark.skipif(bool(browser.missing()), reason=browser.missing())
def test_a_note_comes_to_mouse_keys_and_finger(book):
    with browser.server(book) as home, browser.browser() as opened:
        page = pages.tab(opened, "light", 1400)
        page.goto(f"{home}/chapters/two.html")
        link, note = (
            page.locator(".atn-term"),
            page.locator(".atn-note >> nth=1"),
        )
        link.hover()
        note.wait_for(state="visible")
        note.hover()  # it stays
        page.wait_for_timeout(400)
        assert note.is_visible()
        page.keyboard.press("Escape")
        assert note.is_hidden()
        page.mouse.move(900, 700)
        link.evaluate("link => link.focus({focusVisible: true})")
        note.wait_for(state="visible")
        page.keyboard.press("Tab")  # into the note, to the chapter
        assert page.evaluate("document.activeElement.innerText") == "Chapter 1"
        phone = pages.tab(opened, "dark", 390)
        phone.goto(f"{home}/chapters/two.html")
        phone.locator(".atn-term").tap()
        note = phone.locator(".atn-note >> nth=1")
        note.wait_for(state="visible")
        box = note.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
        phone.locator(".atn-term").tap()  # the second follows
        phone.wait_for_url("**/book/glossary.html*")
