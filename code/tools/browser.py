"""A browser without a window, and a server of the built book.

For the tools that look at pages as a reader does.  They need the packages of
``pages.txt`` and Chromium or Chrome, which not every machine has.
"""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PATIENCE = 180_000  # milliseconds; a busy machine is slow, not wrong
MOVES = 5  # of a finger that swipes
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


class Quiet(SimpleHTTPRequestHandler):
    """A server that does not say what it was asked for."""

    def log_message(self, *_):
        """Say nothing."""


def find_browser() -> str | None:
    """Return the path of a browser that is installed, None without one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def missing() -> str:
    """Return why there is no browser, or nothing if there is one."""
    try:
        import axe_playwright_python  # noqa: F401
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError as error:
        return f"{error.name} is not installed (see code/tools/pages.txt)"
    if find_browser():
        return ""
    with sync_playwright() as playwright:
        found = Path(playwright.chromium.executable_path).is_file()
    return "" if found else "there is no Chromium or Chrome"


@contextmanager
def browser():
    """Open a browser; close it at the end."""
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=find_browser(), args=arguments
        )
        yield opened
        opened.close()


@contextmanager
def server(root: Path) -> Iterator[str]:
    """Serve a folder; yield its address.

    Args:
        root: the folder of the built book.
    """
    handler = partial(Quiet, directory=str(root))
    serving = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=serving.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{serving.server_port}"
    serving.shutdown()
    serving.server_close()


def swipe(page, start: tuple, way: tuple) -> None:
    """Move a finger over a page, as the browser's own input.

    Args:
        page: a tab with touch.
        start: x and y in the window, where the finger comes down.
        way: how far it goes, in pixels.
    """
    session = page.context.new_cdp_session(page)

    def send(kind, *points):
        places = [{"x": x, "y": y} for x, y in points]
        session.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": places}
        )

    send("touchStart", start)
    for part in range(1, MOVES + 1):
        x, y = (
            n + part / MOVES * by for n, by in zip(start, way, strict=True)
        )
        send("touchMove", (x, y))
    send("touchEnd")
    session.detach()


def pages(root: Path) -> list[str]:
    """Return the book's pages, as paths below its folder.

    The first one, which leads to another, is none.

    Args:
        root: the folder of the built book.
    """
    found = (path.relative_to(root) for path in root.rglob("*.html"))
    return sorted(
        str(path)
        for path in found
        if path.parts[0] != "_static" and str(path) != "index.html"
    )
