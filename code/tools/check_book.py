"""Check the built book: nothing from outside, nothing a reader cannot use.

    python code/tools/check_book.py _build/html

Every page must load its scripts, styles, fonts and pictures from the book
itself (so that it works offline), every picture needs an alternative text,
and links inside the book must lead somewhere, to a place that is there.
"""

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import etree, html

# Attributes through which a page loads something by itself.
LOADED = {
    "script": "src",
    "link": "href",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "object": "data",
    "embed": "src",
}
IN_TEXT = r"(?:@import|url\(|import\(|src\s*=)\s*[\"']?(https?://[^\"') ]+)"
PASSIVE = {"canonical", "search", "next", "prev", "index", "author"}


def outside(address: str) -> bool:
    """Say whether an address leaves the book."""
    return bool(urlsplit(address).netloc)


def loads(page: html.HtmlElement) -> Iterator[str]:
    """Yield every address that a page loads by itself."""
    for tag in page.iter(etree.Element):
        passive = set(tag.get("rel", "").split()) & PASSIVE
        address = tag.get(LOADED.get(tag.tag, "src"))
        if address and not passive:
            yield address
        srcset = tag.get("srcset", "")
        yield from (part.split()[0] for part in srcset.split(",") if srcset)
        yield from re.findall(r"url\([\"']?([^)\"']+)", tag.get("style", ""))
        if tag.tag in ("script", "style"):
            yield from re.findall(IN_TEXT, tag.text or "")


@cache
def read(path: Path) -> html.HtmlElement | None:
    """Return a page, or None for a part of one, kept by an extension."""
    text = path.read_text(encoding="utf-8")
    if "<html" not in text:
        return None
    # lxml reads no further than </html>; a browser does.
    return html.document_fromstring(text.replace("</html>", ""))


@cache
def anchors(path: Path) -> set[str]:
    """Return the places of a page that a link can lead to, and "" for it."""
    page = read(path) if path.suffix == ".html" else None
    return {"", *([] if page is None else page.xpath("//@id"))}


def leads_somewhere(path: Path, place: str) -> bool:
    """Say whether a page has a place; the live page reads a state there."""
    if place.startswith("en=") and path.suffix == ".html":
        return bool(read(path).find_class("atn-live"))
    return place in anchors(path)


def complaints(path: Path) -> Iterator[str]:
    """Yield what is wrong with one page."""
    page = read(path)
    if page is None:
        return
    if page.xpath("//meta[@http-equiv='refresh']"):
        return
    for address in loads(page):
        if outside(address):
            yield f"loads {address}"
        elif not address.startswith("data:"):
            loaded = path.parent / unquote(urlsplit(address).path)
            if not loaded.is_file():
                yield f"loads {address}, which is missing"
    for picture in page.iter("img"):
        if not picture.get("alt", "").strip():
            yield f"has a picture without text: {picture.get('src')}"
    for address in page.xpath("//article//a/@href"):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        where = path.parent / unquote(parts.path) if parts.path else path
        place = unquote(parts.fragment)
        where = where.resolve()
        if not where.is_file() or not leads_somewhere(where, place):
            yield f"links to {address}, which is missing"
    if not page.get("lang"):
        yield "does not say its language"


def styles(root: Path) -> Iterator[str]:
    """Yield what style sheets load from outside."""
    for sheet in root.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8", errors="replace")
        pattern = r"(?:url\(|@import )[\"']?((?:https?:)?//[^\"')]*)"
        for address in re.findall(pattern, text):
            yield f"{sheet.relative_to(root)} loads {address}"


def main(folder: str) -> int:
    """Print every complaint; return 1 if there is one."""
    root = Path(folder).resolve()
    pages = sorted(root.rglob("*.html"))
    pages = [p for p in pages if "_static" not in p.parts]
    if not pages:
        print(f"no page below {root}")
        return 1
    bad = [
        f"{page.relative_to(root)} {why}"
        for page in pages
        for why in complaints(page)
    ]
    bad += styles(root)
    print("\n".join(bad) or f"{len(pages)} pages load nothing from outside")
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
