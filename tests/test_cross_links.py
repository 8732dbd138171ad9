"""Words that name a place become a link, and no word is lost."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx import addnodes

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book/_ext"))
import cross_links  # noqa: E402

PLACES = {"3": ("c/03", ""), "4": ("c/04", ""), "4.2": ("c/04", "exercise-4")}
PLACES["5"] = "c/05", ""
PLACES["5.1"] = "c/05", "exercise-5"


def section(title, anchor, *children):
    return nodes.section("", nodes.title("", title), *children, ids=[anchor])


def links(*children, page="c/05", builder="html"):
    """Return words and address of all links that a page gets."""
    document = new_document("page")
    document += section("5 Softmax", "softmax", *children)
    before = document.astext()
    app = SimpleNamespace(
        env=SimpleNamespace(attnbook_places=PLACES),
        builder=SimpleNamespace(
            name=builder, get_relative_uri=lambda here, to: f"{to}.html"
        ),
    )
    cross_links.link(app, document, page)
    assert document.astext() == before
    return {
        link.astext(): link["refuri"]
        for link in document.findall(nodes.reference)
        if "refuri" in link
    }


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("In chapter 4 it was.", {"chapter 4": "c/04.html"}),
        ("Chapter 3's keys", {"Chapter 3": "c/03.html"}),
        ("as in exercise 4.2.", {"exercise 4.2": "c/04.html#exercise-4"}),
        ("Exercise 5.1 asks", {"Exercise 5.1": "#exercise-5"}),
        ("chapters 3 and 4", {"chapters 3": "c/03.html", "4": "c/04.html"}),
        (
            "chapters 3 (scores, 4 of them) and 4 (scaling)",
            {"chapters 3": "c/03.html", "4": "c/04.html"},
        ),
        ("chapter 3, 4 keys", {"chapter 3": "c/03.html"}),
        ("chapter 5, chapter 99, exercise 4.9", {}),
        ("4 chapters, section 3, a chapter 40", {}),
    ],
)
def test_a_number_leads_to_its_page(words, expected):
    assert links(nodes.paragraph("", "", nodes.Text(words))) == expected


@pytest.mark.parametrize(
    "kept",
    [
        nodes.literal("", "chapter 4"),
        nodes.reference("", "chapter 4", refid="x"),
        nodes.raw("", "chapter 4", format="html"),
    ],
)
def test_code_and_links_stay(kept):
    assert links(nodes.paragraph("", "", kept)) == {}


def test_a_title_in_italics_leads_to_its_section():
    def names(title):
        return nodes.paragraph("", "", nodes.emphasis("", title))

    one = section("Break it", "break-it", names("Break it"))
    assert links(one) == {}  # there already
    one = section("Break it", "break-it")
    assert links(names("Break it"), one) == {"Break it": "#break-it"}
    assert links(names("Broken"), one) == {}


def test_only_pages_of_the_website_and_not_those_of_the_search():
    def words():
        return nodes.paragraph("", "", nodes.Text("chapter 4"))

    assert links(words(), page="book/intro")
    assert not links(words(), page="book/glossary")
    assert not links(words(), builder="singlehtml")


def test_a_link_to_the_live_page_opens_what_its_title_names():
    document, state = new_document("page"), "step=10&off=se1.2&view=apart"
    for title in (f"live: too wide, {state}", "another title"):
        cross = addnodes.pending_xref("", nodes.inline("", "it"))
        cross["title"], cross["reftarget"] = title, "book/closing"
        document += nodes.paragraph("", "", cross)
    app = SimpleNamespace(
        env=SimpleNamespace(docname="chapters/15"),
        builder=SimpleNamespace(
            name="html", get_relative_uri=lambda here, to: f"../{to}.html"
        ),
    )
    cross_links.open_live(app, document)
    (link,) = document.findall(nodes.reference)
    assert link.astext() == "it"
    place, hash_ = link["refuri"].split("#")
    assert place == "../book/closing.html"
    assert hash_.startswith("en=The+animal") and "too+wide.&" in hash_
    assert hash_.endswith(f"&{state}")
