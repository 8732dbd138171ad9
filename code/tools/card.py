"""The picture that stands beside a shared link: book/_static/card.png.

    python code/tools/card.py          say whether it is made of what it shows
    python code/tools/card.py --write  make it (needs Chromium)

It shows the drawing, the title and the first sentence of the front page, in
the page's colours.  Letters differ from machine to machine, so the file holds
a hash of what it was made of, and not its pixels are compared but this.
"""

import hashlib
import io
import re
import sys

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from browser import browser
from chapter_files import ROOT

CARD = ROOT / "book/_static/card.png"
WIDE, HIGH = 1200, 630  # what the large form of a shared link shows whole
COLOURS = 64
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<style>{palette}</style><style>
body {{ background: var(--atn-paper); color: var(--atn-ink); margin: 0;
  height: 630px; display: flex; flex-direction: column; align-items: center;
  justify-content: center; gap: 2.2rem; font-family: system-ui, sans-serif }}
svg {{ width: 760px }}
h1 {{ font-size: 84px; letter-spacing: -0.025em; margin: 0 }}
p {{ color: var(--atn-quiet); font-size: 34px; margin: 0 }}
</style>{drawing}<h1>{title}</h1><p>{words}</p></html>"""


def source() -> str:
    """Return the card as a page of HTML.

    Raises:
        ValueError: the front page does not begin with a title, and with a
            sentence in italics.
    """
    front = (ROOT / "book/intro.md").read_text(encoding="utf-8")
    found = re.match(r"# (.+)\n[\s\S]+?^\*(.+?)\*", front, re.MULTILINE)
    if not found:
        raise ValueError(
            "expected a title and a sentence in italics at the head of "
            f"book/intro.md, got {front[:80]!r}"
        )
    palette = ROOT / "book/_static/palette.css"
    light = palette.read_text(encoding="utf-8").partition("@media")[0]
    return PAGE.format(
        title=found[1],
        words=found[2],
        palette=light[light.index(":root") :],
        drawing=(ROOT / "book/title.svg").read_text(encoding="utf-8"),
    )


def fingerprint() -> str:
    """Return a hash of what the card is made of."""
    return hashlib.sha256(source().encode()).hexdigest()[:16]


def is_fresh() -> bool:
    """Say whether the stored card is made of what it shows."""
    with Image.open(CARD) as card:
        return card.text.get("Source") == fingerprint()


def write() -> None:
    """Make the card."""
    with browser() as opened:
        page = opened.new_page(viewport={"width": WIDE, "height": HIGH})
        page.set_content(source())
        pixels = page.screenshot()
    note = PngInfo()
    note.add_text("Source", fingerprint())
    card = Image.open(io.BytesIO(pixels)).convert("RGB").quantize(COLOURS)
    card.save(CARD, optimize=True, pnginfo=note)


def main(words: list[str]) -> int:
    """Make the card, or say whether it is due; 1 if it is."""
    if "--write" in words:
        write()
    if not is_fresh():
        print(f"{CARD.name} shows what is no more: card.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
