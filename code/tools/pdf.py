"""Print the whole book into one PDF, with bookmarks and page numbers.

    python code/tools/pdf.py _build/pdf/_build/singlehtml book.pdf

Reads the book as one page of HTML (`make pdf` makes it) and has Chromium
print it: tagged, so that screen readers can use it, with a bookmark for each
heading.  pypdf then names it, and says how many pages and bookmarks it has.
"""

import sys
from pathlib import Path

from pypdf import PdfReader, PdfWriter

from browser import browser, missing, server

TITLE = "Attention, from Scratch"
SMALL = "font: 8px sans-serif; width: 100%; text-align: center; color: #555"
FOOTER = f'<div style="{SMALL}"><span class="pageNumber"></span></div>'
HEADER = f'<div style="{SMALL}">{TITLE}</div>'
READY = """async () => {
  document.querySelectorAll('img[loading]').forEach(i => i.loading = 'eager');
  document.querySelectorAll('details').forEach(fold => fold.open = true);
  await document.fonts.ready;
  await Promise.all([...document.images].map(i => i.decode()));
}"""


def whole_book(root: Path) -> str:
    """Return the name of the page that holds the book.

    Its addresses are meant for the folder's top, wherever Sphinx puts it.

    Args:
        root: the folder of the book as one page.

    Raises:
        ValueError: if there is no such page.
    """
    found = [p for p in root.rglob("*.html") if "_static" not in p.parts]
    if not found:
        raise ValueError(f"expected a page below {root}, got none")
    largest = max(found, key=lambda path: path.stat().st_size)
    top = root / "whole.html"
    top.write_bytes(largest.read_bytes())
    return top.name


def print_book(root: Path, pdf: Path) -> None:
    """Print the book as A4 pages.

    Args:
        root: the folder of the book as one page.
        pdf: the file to write.
    """
    with server(root) as home, browser() as opened:
        page = opened.new_page(color_scheme="light")
        page.set_default_timeout(600_000)
        page.add_init_script(
            "localStorage.mode = localStorage.theme = 'light'"
        )
        page.goto(f"{home}/{whole_book(root)}", wait_until="load")
        page.evaluate(READY)
        page.pdf(
            path=pdf,
            format="A4",
            outline=True,
            tagged=True,
            print_background=True,
            prefer_css_page_size=False,
            display_header_footer=True,
            header_template=HEADER,
            footer_template=FOOTER,
            margin={"top": "18mm", "bottom": "18mm"},
        )


def count(outline: list) -> int:
    """Return how many bookmarks an outline has, at all depths."""
    return sum(count(x) if isinstance(x, list) else 1 for x in outline)


def name(pdf: Path) -> str:
    """Write the book's title into a PDF; return what is in it."""
    writer = PdfWriter(clone_from=pdf)
    writer.add_metadata({"/Title": TITLE})
    writer.page_mode = "/UseOutlines"
    writer.write(pdf)
    reader = PdfReader(pdf)
    size = pdf.stat().st_size / 1e6
    pages, marks = len(reader.pages), count(reader.outline)
    return f"{pdf}: {pages} pages, {marks} bookmarks, {size:.1f} MB"


def main(folder: str, pdf: str) -> int:
    """Print the book; return 1 where there is no browser."""
    why = missing()
    if why:
        print(f"No PDF: {why}")
        return 1
    print_book(Path(folder), Path(pdf))
    print(name(Path(pdf)))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
