from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from PIL import Image

import accessible
import browser
import card
import keys_and_touch
import lighter
import maths
import pages
import publish
import sharing

HEAD = """<html lang="en"><head><title>4 Scaling — The Book</title>
<script src="_static/scripts/fontawesome.js?d=5"></script>
<script src="_static/searchindex.js"></script>
<script>const THEBE_JS_URL = "x"</script>
<script src="_static/copybutton.js"></script>
<link rel="stylesheet" href="_static/katex/katex.min.css?v=1"/></head>"""
BODY = """<body><article><section><h1>4 Scaling</h1>
<p class="atn-place">Chapter 4 of 16</p>
<p>We divide by <span class="math"><span class="katex"><span
class="katex-mathml"><math><annotation>\\sqrt{d_k}</annotation></math></span>
<span class="katex-html">dk</span></span></span>.</p>
<img src="_images/a.png" alt="a"/>
<table><tr><th></th><th>it</th></tr></table>
<details><summary aria-label="Toggle hidden content">Show</summary></details>
</section></article></body></html>"""


@pytest.fixture
def page():
    return BeautifulSoup(HEAD + BODY, "html.parser")


def test_a_page_loads_what_it_uses_and_no_more(page):
    lighter.make_lighter(page)
    assert page.find_all("script") == []
    fonts = page.select("link[rel=preload]")
    assert [f["href"] for f in fonts] == [
        "_static/katex/fonts/KaTeX_Main-Regular.woff2",
        "_static/katex/fonts/KaTeX_Math-Italic.woff2",
    ]


@pytest.mark.parametrize(
    ("where", "user", "kept"),
    [
        ("article", {"class": "highlight"}, "copybutton"),
        ("body", {"id": "search-results"}, "searchindex"),
    ],
)
def test_a_page_keeps_the_one_script_that_it_needs(where, user, kept):
    page = BeautifulSoup(HEAD + BODY, "html.parser")
    page.find(where).append(page.new_tag("div", attrs=user))
    lighter.make_lighter(page)
    (script,) = page.find_all("script")
    assert kept in script["src"]


@pytest.mark.parametrize(("dots", "width"), [(100, 60), (200, 30)])
def test_a_picture_has_its_size(page, tmp_path, dots, width):
    path = tmp_path / "a.png"
    Image.new("RGB", (60, 40)).save(path, dpi=(dots, dots))
    lighter.size_pictures(page, {"a.png": path})
    assert page.img["width"] == width
    assert page.img["height"] == width * 40 // 60
    assert page.img["loading"] == "lazy"


def said(page):
    return {
        tag.get("name") or tag["property"]: tag["content"]
        for tag in page.find_all("meta", content=True)
        if "name" in tag.attrs or "property" in tag.attrs
    }


def test_a_page_says_what_it_is(page):
    sharing.describe(page)
    found = said(page)
    assert found["description"] == "We divide by √d_k."
    assert found["og:title"] == "4 Scaling"
    assert "og:image" not in found  # without an address there is none
    assert found["twitter:card"] == "summary"


def test_a_shared_page_shows_a_picture_at_an_address_that_holds(page):
    sharing.describe(page, "https://example.org/book/", "chapters/04_scaling")
    found = said(page)
    home = "https://example.org/book"
    assert found["og:url"] == f"{home}/chapters/04_scaling.html"
    assert found["og:image"] == f"{home}/_static/card.png"
    assert found["og:description"] == found["description"]
    assert "Transformer" in found["og:image:alt"]
    assert found["twitter:card"] == "summary_large_image"
    size = found["og:image:width"], found["og:image:height"]
    with Image.open(card.CARD) as picture:
        assert tuple(map(int, size)) == picture.size == (card.WIDE, card.HIGH)
    assert card.CARD.stat().st_size < 300_000


def test_the_picture_is_made_of_the_front_page():
    assert card.is_fresh(), "run code/tools/card.py --write"


def test_a_front_page_without_a_sentence_is_refused(tmp_path, monkeypatch):
    (tmp_path / "book").mkdir()
    (tmp_path / "book/intro.md").write_text("# Attention\n\nWords.\n")
    monkeypatch.setattr(card, "ROOT", tmp_path)
    with pytest.raises(ValueError, match="a sentence in italics .*Words"):
        card.source()


def test_the_configuration_knows_the_address_of_the_book():
    config = (card.ROOT / "_config.yml").read_text(encoding="utf-8")
    owner, name = publish.current()[0].split("/")
    assert f"baseurl: https://{owner}.github.io/{name}/ " in config


def test_the_first_address_says_what_the_first_page_says(page, tmp_path):
    sharing.describe(page, "https://example.org/", "book/intro")
    (tmp_path / "book").mkdir()
    (tmp_path / "book/intro.html").write_text(str(page), "utf-8")
    app = SimpleNamespace(
        config=SimpleNamespace(root_doc="book/intro"),
        builder=SimpleNamespace(name="html"),
        outdir=tmp_path,
    )
    sharing.write_first(app, None)
    first = (tmp_path / "index.html").read_text("utf-8")
    assert said(BeautifulSoup(first, "html.parser")) == said(page)
    assert 'content="0; url=book/intro.html"' in first
    assert '<a href="book/intro.html">4 Scaling — The Book</a>' in first


def test_tables_scroll_in_a_box_and_an_empty_header_is_none(page):
    accessible.make_accessible(page)
    assert page.table.parent["role"] == "group"
    assert [cell.get_text() for cell in page.table.find_all("th")] == ["it"]
    assert "aria-label" not in page.summary.attrs
    assert '"toggle"' in page.body.find_all("script")[-1].string


def test_a_formula_is_for_the_eye_and_for_the_ear():
    html = BeautifulSoup(maths.typeset(r"\frac{1}{2}", True), "html.parser")
    assert html.select_one(".katex-display .katex-mathml mfrac")
    assert html.select_one(".katex-html")["aria-hidden"] == "true"


def test_what_is_no_formula_is_refused():
    with pytest.raises(ValueError, match="got 'W\\^Q\\^T': Double super"):
        maths.typeset("W^Q^T", False)


GOOD = """<!doctype html><html lang="en"><head><title>Good</title></head>
<body><main><h1>Good</h1><p>Words.</p></main></body></html>"""
BAD = """<!doctype html><html lang="en"><head><title>Bad</title></head>
<body><main><h1>Bad</h1><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
<span class="katex-error">W^Q^T</span>
<div class="highlight"><pre><span class="k">a</span><span class="k">b</span>
<span class="c" style="color: #ddd">pale</span></pre></div>
<div style="width: 3000px">wide</div>
<style>button:focus-visible { outline: 0 }</style><button>dim</button>
<div style="overflow: hidden"><a href="#a" style="display: block;
outline: 3px solid">cut</a></div>
<div class="drawing" tabindex="0" style="mask-image: linear-gradient(#000)">
pale</div>
<script>console.error("a word")</script>
<script src="http://127.0.0.2:9/other.js"></script></main></body></html>"""


@pytest.mark.skipif(bool(browser.missing()), reason=browser.missing())
def test_a_browser_names_what_is_wrong(tmp_path, capsys):
    (tmp_path / "good.html").write_text(GOOD)
    (tmp_path / "bad.html").write_text(BAD)
    names = browser.pages(tmp_path)
    assert names == ["bad.html", "good.html"]
    count = pages.try_all(tmp_path, names, [("light", 390)])
    said = capsys.readouterr().out
    assert "good.html" not in said
    for words in (
        "axe image-alt",
        "axe color-contrast, 1 element(s)",
        "1 formula(s) show an error",
        "scrolls sideways",
        'no ring around 1 element(s): button "dim"',
        'a ring cut off around 1 element(s): a "cut"',
        'a ring that fades around 1 element(s): div "pale"',
        "console error: a word",
        "asks http://127.0.0.2:9/other.js",
    ):
        assert words in said
    assert count >= 5


STUCK = """<!doctype html><html lang="en"><head><title>Stuck</title></head>
<body><article style="padding: 2000px 0"><div class="attnbook-likeness">
<svg height="90" width="90"><circle class="tip" r="9" cx="45" cy="45"/></svg>
</div><input aria-label="n" type="range" style="pointer-events: none">
<figure style="height: 90px; touch-action: none">trap</figure>
</article></body></html>"""


@pytest.mark.skipif(bool(browser.missing()), reason=browser.missing())
def test_a_finger_that_drags_nothing_and_cannot_scroll_is_noticed(monkeypatch):
    monkeypatch.setattr(keys_and_touch, "LATE", 100)
    with browser.browser() as opened:
        page = pages.tab(opened, "light", 390)
        page.set_content(STUCK)
        found = list(keys_and_touch.touch(page))
    assert "a finger does not drag .attnbook-likeness .tip" in found
    assert "a finger on .attnbook-likeness .tip scrolls the page" in found
    assert "a finger does not drag [type=range]" in found
    assert "a finger on figure does not scroll the page" in found


def test_without_a_browser_it_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pages, "missing", lambda: "there is none")
    assert pages.main([str(tmp_path), "--quick"]) == 0
    assert "NOT TRIED IN A BROWSER: there is none" in capsys.readouterr().out
    assert pages.main([str(tmp_path)]) == 1


@pytest.mark.parametrize("shown", ["<figure></figure>", "<pre></pre>"])
def test_folded_code_stands_below_a_picture(shown):
    cell = f"""<article><div class="cell"><details class="hide"></details>
    <div class="cell_output">{shown}</div></div></article>"""
    page = BeautifulSoup(cell, "html.parser")
    accessible.make_accessible(page)
    names = [tag.name for tag in page.select_one(".cell").find_all(True)]
    assert (names[0] == "details") == ("pre" in shown)
