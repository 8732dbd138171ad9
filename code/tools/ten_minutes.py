"""The page *The course in ten minutes*, from the chapters themselves.

Of each chapter it has the title, the drawing of its one idea, and the first
two sentences of its lead.  A picture is named by its notebook; when the book
is built, ``book/_ext/drawings.py`` takes the notebook's first drawing.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from blocks import block
from chapter_files import ROOT, TEXTS, notebook_of

LEAD = re.compile(r"^# (?P<title>.+)\n+\*(?P<lead>.+)\*$", re.MULTILINE)
SENTENCES = 2


def describe(text: Path) -> Iterator[str]:
    """Yield the paragraphs about one chapter.

    Raises:
        ValueError: it has no title with a lead in italics.
    """
    found = LEAD.search(text.read_text(encoding="utf-8"))
    if not found:
        raise ValueError(
            f"expected a title and a lead in italics in {text.name}, got none"
        )
    page = f"../chapters/{notebook_of(text).name}"
    lead = re.split(r"(?<=[.?!]) (?=[A-Z*])", found["lead"])[:SENTENCES]
    yield f"**[{found['title']}]({page})**"
    yield " ".join(lead)
    yield f"![]({page})"  # the drawing has its own words


@block("minutes: ten")
def page() -> str:
    """Return all chapters in the order of the table of contents."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    paragraphs = []
    for part in contents["parts"]:
        names = [Path(entry["file"]).stem for entry in part["chapters"]]
        texts = [TEXTS / f"{name}.md" for name in names]
        texts = [text for text in texts if text.exists()]
        if texts:
            paragraphs.append(f"## {part['caption']}")
        for text in texts:
            paragraphs += describe(text)
    return "\n\n".join(paragraphs)
