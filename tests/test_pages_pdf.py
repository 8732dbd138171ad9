import pytest

import browser

pikepdf = pytest.importorskip("pikepdf")
import pdf  # noqa: E402  (needs pikepdf)

PAGE = """<!doctype html><html lang="en"><head><title>Book</title><style>
.atn-book .toctree-wrapper > section { break-before: page; }</style></head>
<body><div id="jb-print-toc"><ul>
<li><a href="#document-one">One</a></li>
<li><a href="#document-two">Two</a></li></ul></div>
<article><h1>Book</h1><div class="toctree-wrapper">
<span id="document-one"></span><section><h2>One</h2><h3>Part</h3>
<details><summary>Ask</summary><p>Answer</p></details></section>
<span id="document-two"></span><section><h2>Two</h2></section>
</div></article></body></html>"""


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    if browser.missing():
        pytest.skip(browser.missing())
    root = tmp_path_factory.mktemp("book")
    (root / "index.html").write_text(PAGE)
    pdf.print_book(root, root / "book.pdf")
    return root / "book.pdf"


def test_chapters_begin_on_the_pages_that_the_contents_name(book):
    assert pdf.chapter_pages(book) == {"document-one": 2, "document-two": 3}


def test_a_finished_book_has_a_title_and_nested_bookmarks(book):
    said = pdf.finish(book)
    assert "3 pages, 4 bookmarks" in said
    with pikepdf.open(book) as found:
        assert str(found.docinfo["/Title"]) == pdf.TITLE
        with found.open_outline() as outline:
            titles = [item.title for item in outline.root]
    assert titles == ["Book", "One", "Two"]


def test_a_folder_without_pages_is_refused(tmp_path):
    with pytest.raises(ValueError, match="expected a page below"):
        pdf.whole_book(tmp_path)
