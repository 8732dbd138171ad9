"""Weigh the pages of the built book: what a reader's phone must fetch.

    python code/tools/page_weight.py _build/html

Prints for each page, in kB compressed with gzip, what it loads of each kind,
how many requests it makes, and its layout shift (CLS) at 390 pixels with a
slow processor.  `make pages` complains about what is above the limits.
"""

import gzip
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from browser import PATIENCE, browser, pages, server

MOST = 450  # kB without pictures
MOST_SHIFT = 0.05
SLOWER = 4
KINDS = {".html": "html", ".js": "script", ".css": "style", ".woff2": "font"}
PICTURES = {".png", ".svg", ".jpg", ".gif"}
WATCH = """window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({type: 'layout-shift', buffered: true});"""


def weigh(opened, home: str, name: str) -> dict[str, float]:
    """Return a page's kB of each kind, its requests and its layout shift.

    Args:
        opened: a browser.
        home: the address of the server.
        name: the page's path.
    """
    context = opened.new_context(viewport={"width": 390, "height": 844})
    context.set_default_timeout(PATIENCE)
    context.add_init_script(WATCH)
    page = context.new_page()
    bodies: dict[str, bytes] = {}
    loaded = []
    page.on("requestfinished", lambda r: loaded.append(r.response()))
    slow = context.new_cdp_session(page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto(f"{home}/{name}", wait_until="load")
    page.wait_for_timeout(500)
    shift = page.evaluate("window.shifted")
    for answer in loaded:
        bodies[answer.url] = answer.body() if answer.ok else b""
    context.close()
    sizes: Counter = Counter()
    for url, body in bodies.items():
        suffix = Path(unquote(urlsplit(url).path)).suffix
        kind = "picture" if suffix in PICTURES else KINDS.get(suffix, "other")
        packed = body if suffix == ".woff2" else gzip.compress(body, mtime=0)
        sizes[kind] += len(packed) / 1000
    return {**sizes, "requests": len(bodies), "shift": shift}


def light(weight: dict[str, float]) -> float:
    """Return the kB of a page without its pictures."""
    kinds = (*KINDS.values(), "other")
    return sum(weight.get(kind, 0) for kind in kinds)


def complaints(opened, home: str, name: str) -> Iterator[str]:
    """Yield what is too heavy, or moves too much.  Arguments as in `weigh`."""
    weight = weigh(opened, home, name)
    if light(weight) > MOST:
        yield f"loads {light(weight):.0f} kB, expected at most {MOST}"
    if weight["shift"] > MOST_SHIFT:
        shift = f"{weight['shift']:.2f}, expected at most {MOST_SHIFT}"
        yield f"moves while it loads, by {shift}"


def main(folder: str) -> None:
    """Print a table, one row for each page."""
    kinds = [*KINDS.values(), "other", "picture", "requests"]
    print(f"{'page':<36}", *(f"{k:>8}" for k in ["light", *kinds, "shift"]))
    with server(Path(folder)) as home, browser() as opened:
        for name in pages(Path(folder)):
            weight = weigh(opened, home, name)
            row = [light(weight), *(weight.get(k, 0) for k in kinds)]
            numbers = " ".join(f"{value:8.0f}" for value in row)
            print(f"{name:<36} {numbers} {weight['shift']:8.3f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
