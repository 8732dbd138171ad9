"""Try every page of the built book in a browser, as its readers would.

    python code/tools/pages.py _build/html          every page, four ways
    python code/tools/pages.py _build/html --quick  four pages, two ways

Each page is opened light and dark, 1400 and 390 pixels wide, with all folds
open, and must have no violation of WCAG 2.2 A and AA (axe-core), nothing on
the console, no request to elsewhere, no formula that shows an error or stops
the Tab key, nothing that makes the page scroll sideways, and a ring around
what the Tab key reaches.  The narrow ones have a finger, which must drag what
can be dragged and scroll the page elsewhere.  Lightly: what
it loads without its pictures, in kB, and how far it jumps while it loads.
What a reader does on the live page is done there, too (`live_drive.py`).
Without a browser nothing is tried, and this says so.
"""

import argparse
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from browser import PATIENCE, browser, missing, pages, server
from keys_and_touch import rings, touch
from live_drive import LIVE, drive
from page_weight import complaints as heavy

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
OPTIONS = {"runOnly": LEVELS, "resultTypes": ["violations"], "preload": False}
WAYS = list(product(("light", "dark"), (1400, 390)))
QUICK_WAYS = [("light", 1400), ("dark", 390)]
PHONE = 500
QUICK = ("book/intro.html", "chapters/04", "chapters/07", "book/references")
SHOWN = 3  # elements named of each violation
PREPARE = """async () => {
  document.querySelectorAll('details').forEach(fold => fold.open = true);
  await document.fonts.ready;
  await new Promise(done => setTimeout(done, 600));
}"""
# What is repeated thousands of times is judged once: a token of code by its
# class and its ground, and formulas within a line by the first of them.
THIN = """() => {
  const seen = new Set();
  for (const token of document.querySelectorAll('div.highlight pre span')) {
    const ground = token.closest('.cell_input, .cell_output, details');
    const kind = `${token.className} ${ground?.className}`;
    if (seen.has(kind)) token.replaceWith(...token.childNodes);
    seen.add(kind);
  }
  [...document.querySelectorAll('span.math')].slice(1)
    .forEach(formula => formula.remove());
}"""
LOOK = """() => {
  const found = [];
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) found.push(`scrolls sideways by ${wide} pixels`);
  const stops = '.katex [tabindex], mjx-container[tabindex="0"]';
  const counts = {
    'formula(s) show an error': '.katex-error, mjx-merror',
    'formula(s) stop the Tab key': stops,
  };
  for (const [what, selector] of Object.entries(counts)) {
    const count = document.querySelectorAll(selector).length;
    if (count) found.push(`${count} ${what}`);
  }
  return found;
}"""


def listen(page, home: str, heard: list[str]):
    """Note what a page says on the console, and whom else it asks."""

    def asked(request):
        if not request.url.startswith((home, "data:", "blob:")):
            heard.append(f"asks {request.url}")

    def said(message):
        if message.type in ("error", "warning"):
            heard.append(f"console {message.type}: {message.text}")

    page.on("request", asked)
    page.on("console", said)
    page.on("pageerror", lambda error: heard.append(f"script: {error}"))


def violations(page, part: str | None = None) -> Iterator[str]:
    """Yield what axe-core finds on a page, with its first elements.

    Args:
        page: a tab of the browser.
        part: the selector of the part that is looked at; None for all.
    """
    from axe_playwright_python.sync_playwright import Axe

    results = Axe().run(page, context=part, options=OPTIONS)
    for rule in results.response["violations"]:
        nodes = rule["nodes"]
        yield f"axe {rule['id']}, {len(nodes)} element(s): {rule['help']}"
        for node in nodes[:SHOWN]:
            yield f"    {node['html'][:160]}"


def visit(page, home: str, name: str) -> list[str]:
    """Return what is wrong with one page in one variant.

    Args:
        page: a tab of the browser.
        home: the address of the server.
        name: the page's path.
    """
    heard: list[str] = []
    listen(page, home, heard)
    page.goto(f"{home}/{name}", wait_until="load")
    found = list(rings(page))
    page.evaluate(PREPARE)
    found += page.evaluate(LOOK)
    if page.evaluate("navigator.maxTouchPoints"):
        found += touch(page)
    if name == LIVE:
        found += drive(page, violations)
    page.evaluate(THIN)
    return heard + found + list(violations(page))


def tab(opened, theme: str, width: int):
    """Return a new tab of a given theme and width."""
    context = opened.new_context(
        color_scheme=theme,
        viewport={"width": width, "height": 900},
        has_touch=width < PHONE,
        reduced_motion="reduce",
    )
    script = f"localStorage.mode = localStorage.theme = '{theme}'"
    context.add_init_script(script)
    context.set_default_timeout(PATIENCE)
    return context.new_page()


def try_all(root: Path, names: list[str], ways: list[tuple]) -> int:
    """Print what is wrong with pages; return how many complaints.

    Args:
        root: the folder of the built book.
        names: paths of pages.
        ways: a theme and a width for each visit.
    """
    count = 0
    with server(root) as home, browser() as opened:
        for name in names:
            for theme, width in ways:
                page = tab(opened, theme, width)
                found = visit(page, home, name)
                page.context.close()
                for line in found:
                    print(f"{name} ({theme}, {width}): {line}")
                count += sum(not line.startswith(" ") for line in found)
            for line in heavy(opened, home, name):
                print(f"{name}: {line}")
                count += 1
    return count


def main(arguments: list[str]) -> int:
    """Try the pages; return 1 if anything is wrong with one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("book", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="part of a page's path")
    options = parser.parse_args(arguments)
    why = missing()
    if why:
        print(f"PAGES WERE NOT TRIED IN A BROWSER: {why}")
        return 0 if options.quick else 1
    names = [n for n in pages(options.book) if options.only in n]
    ways = WAYS
    if options.quick:
        names = [name for name in names if name.startswith(QUICK)]
        ways = QUICK_WAYS
    if not names:
        print(f"no page below {options.book}")
        return 1
    count = try_all(options.book, names, ways)
    print(f"{len(names)} pages, {len(ways)} ways each: {count} complaints")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
