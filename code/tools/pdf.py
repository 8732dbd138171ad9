"""Print the whole book into one PDF, with bookmarks and page numbers.

    python code/tools/pdf.py _build/pdf/_build/singlehtml book.pdf

Reads the book as one page of HTML (`make pdf` makes it) and has Chromium
print it twice: tagged, so that screen readers can use it, with a bookmark for
each heading; the second time with the pages that the first found, beside the
list of contents.  pikepdf reads those, names the file and packs it.
"""

import sys
from pathlib import Path

import pikepdf

from browser import browser, missing, server

TITLE = "Attention, from Scratch"
SMALL = "font: 8px sans-serif; width: 100%; text-align: center; color: #555"
FOOTER = f'<div style="{SMALL}"><span class="pageNumber"></span></div>'
HEADER = f'<div style="{SMALL}">{TITLE}</div>'
READY = """async () => {
  document.documentElement.classList.add('atn-book');
  for (const mark of document.querySelectorAll('[id^="document-"]')) {
    const chapter = mark.nextElementSibling;
    chapter.prepend(mark); // else it stays on the page before
    for (const head of chapter.querySelectorAll('h2, h3, h4, h5')) {
      const higher = document.createElement('h' + (head.tagName[1] - 1));
      higher.append(...head.childNodes);
      head.replaceWith(higher);
    }
  }
  document.querySelectorAll('img[loading]').forEach(i => i.loading = 'eager');
  document.querySelectorAll('details').forEach(fold => fold.open = true);
  await document.fonts.ready;
  await Promise.all([...document.images].map(i => i.decode()));
}"""
# Beside each line of the contents, the page of its chapter.
NUMBER = """(pages) => {
  const lines = document.querySelectorAll('#jb-print-toc li > a');
  lines.forEach((line, n) => {
    const page = document.createElement('span');
    page.className = 'page';
    page.textContent = pages[line.getAttribute('href').slice(1)];
    line.append(page);
  });
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


def print_page(page, pdf: Path) -> None:
    """Print a page of the browser as A4 pages."""
    page.pdf(
        path=pdf,
        format="A4",
        outline=True,
        tagged=True,
        print_background=True,
        display_header_footer=True,
        header_template=HEADER,
        footer_template=FOOTER,
        prefer_css_page_size=True,
    )


def print_book(root: Path, pdf: Path) -> None:
    """Print the book.

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
        print_page(page, pdf)
        page.evaluate(NUMBER, chapter_pages(pdf))
        print_page(page, pdf)


def chapter_pages(pdf: Path) -> dict[str, int]:
    """Return the page of each place that is named after a document.

    Args:
        pdf: a file that Chromium printed.
    """
    with pikepdf.open(pdf) as book:
        return {
            name.lstrip("/"): pikepdf.Page(place[0]).index + 1
            for name, place in book.Root.Dests.items()
            if name.startswith("/document-")
        }


def count(outline: list) -> int:
    """Return how many bookmarks an outline has, at all depths."""
    return sum(1 + count(item.children) for item in outline)


def finish(pdf: Path) -> str:
    """Name a PDF, and pack what Chromium leaves loose; say what is in it.

    The tags of screen readers are some 150,000 small objects.  Packed into
    streams they take a third of the room.

    Args:
        pdf: the file, which is written anew.
    """
    with pikepdf.open(pdf, allow_overwriting_input=True) as book:
        book.docinfo["/Title"] = TITLE
        book.Root.PageMode = pikepdf.Name.UseOutlines
        pages = len(book.pages)
        with book.open_outline() as outline:
            marks = count(outline.root)
        packed = pikepdf.ObjectStreamMode.generate
        book.save(pdf, object_stream_mode=packed, compress_streams=True)
    size = pdf.stat().st_size / 1e6
    return f"{pdf}: {pages} pages, {marks} bookmarks, {size:.1f} MB"


def main(folder: str, pdf: str) -> int:
    """Print the book; return 1 where there is no browser."""
    why = missing()
    if why:
        print(f"No PDF: {why}")
        return 1
    print_book(Path(folder), Path(pdf))
    print(finish(Path(pdf)))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
