"""Type queries into the built book's search and see what comes first.

    python code/tools/search_check.py _build/html [--all]

``tests/search_queries.txt`` holds the queries, each with the page, or the
section of a page, that should come first.  The search is the book's own, in a
browser (Chromium or Chrome, started by its command, so that nothing else need
be installed); where there is none, this says so and checks
nothing.  ``--all`` prints every query.  The exit status is 1 if more than
`MISSES` of the first 27 queries, or of the others, find another page first.
"""

import html
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from browser import NAMES, find_browser
from chapter_files import ROOT

QUERIES = ROOT / "tests/search_queries.txt"
FIRST, MISSES = 27, 3
SCRIPTS = (
    "_static/documentation_options.js",
    "_static/doctools.js",
    "_static/sphinx_highlight.js",
    "_static/searchtools.js",
    "_static/language_data.js",
    "searchindex.js",
)
ASK = """
const found = QUERIES.map((query) => {
  const parts = Search._parseQuery(query);
  return Search._performSearch(...parts).reverse()
    .map(([page, title, anchor]) => [page, anchor, title]);
});
document.getElementById("found").textContent = JSON.stringify(found);
"""


def queries() -> list[tuple[str, list[str]]]:
    """Return each query with the pages or sections that may come first."""
    lines = QUERIES.read_text(encoding="utf-8").splitlines()
    split = [line.split(" | ") for line in lines if not line.startswith("#")]
    return [(query, pages) for query, *pages in split]


def search(book: Path, asked: list[str]) -> list[list[list[str]]]:
    """Return for each query its results: page, anchor and title, best first.

    Args:
        book: the folder of the built book.
        asked: what is typed.

    Raises:
        ValueError: the book's search does not answer.
    """
    head = "".join(
        f'<script src="{(book / name).resolve().as_uri()}"></script>'
        for name in SCRIPTS
    )
    ask = ASK.replace("QUERIES", json.dumps(asked))
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "ask.html"
        page.write_text(
            f'<!doctype html><meta charset="utf-8"><pre id="found"></pre>'
            f'<p id="search-progress"></p>{head}<script>{ask}</script>',
            encoding="utf-8",
        )
        command = [
            find_browser(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
        ]
        command += [f"--user-data-dir={folder}/profile", "--dump-dom"]
        shown = subprocess.run(
            [*command, page.as_uri()],
            capture_output=True,
            text=True,
            timeout=120,
        ).stdout
    answer = re.search(r'<pre id="found">(.+?)</pre>', shown, re.DOTALL)
    if answer is None:
        raise ValueError(f"expected answers of the search, got {shown!r}")
    return json.loads(html.unescape(answer[1]))


def main(arguments: list[str]) -> int:
    """Print every query that finds another page first."""
    if find_browser() is None:
        print(f"SEARCH NOT CHECKED: none of {', '.join(NAMES)} is here")
        return 0
    asked = queries()
    found = search(Path(arguments[0]), [query for query, _ in asked])
    missed = []
    for number, ((query, pages), results) in enumerate(
        zip(asked, found, strict=True)
    ):
        ranks = [
            rank
            for rank, (page, anchor, _) in enumerate(results, start=1)
            if {page, f"{page}{anchor}"} & set(pages)
        ]
        missed += [number] * (min(ranks, default=0) != 1)
        if "--all" in arguments or min(ranks, default=0) != 1:
            first = "".join(results[0][:2]) if results else "nothing"
            print(f"{query}: {min(ranks, default='-')} (first is {first})")
    early = sum(number < FIRST for number in missed)
    late = len(missed) - early
    print(
        f"right page first: {FIRST - early} of {FIRST}, "
        f"{len(asked) - FIRST - late} of {len(asked) - FIRST} more"
    )
    return int(max(early, late) > MISSES)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
