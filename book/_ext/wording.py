"""Say on a page, in words that a newcomer knows, what can be opened there.

The theme's names are a programmer's: *Show code cell source*, *Toggle primary
sidebar*.  A fold says what it holds, and a button what it does.
"""

import re
from html import escape

from bs4 import BeautifulSoup

from tags import tags_of

# What a cell shows beside its folded code; the first that is there counts.
SHOWN = {
    ".drawing": "drawing",
    "figure": "figure",
    "img": "figure",
    ".dataframe": "table",
    ".attnbook-x": "explorable",
    ".output": "output",
}
DEFINED = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)
NAMES = {  # of buttons: what the theme says, and what is said here
    "Toggle primary sidebar": "All chapters",
    "Toggle secondary sidebar": "On this page",
    "Launch interactive content": "Run this page",
    "Launch on Colab": "Run this page in Colab",
    "Source repositories": "The project",
    "Source repository": "The project on GitHub",
    "Open an issue": "Report an error on this page",
    "Download source file": "Save this page's source",
    "Print to PDF": "Print this page, or save it as PDF",
    "Color mode": "Light or dark",
}
TEXTS = {".ipynb": "Notebook", ".md": "Markdown", ".pdf": "Print"}
TEXTS |= {"Repository": "GitHub", "Open issue": "Report an error"}
PERCENT = re.compile(r"(?<=\d) (?=%)")
COMPOUND = re.compile(r"\w+(?:-\w+)+")


def folded(cell):
    """Return what the folded code of a cell is.

    Args:
        cell: a cell's element.
    """
    code = cell.find(class_="cell_input").get_text().strip()
    output = cell.find(class_="cell_output", recursive=False)
    there = tags_of(output) if output else {}
    for name, what in SHOWN.items():
        if name in there:
            drawn = what == "figure" and "tag_drawing" in cell["class"]
            return f"Code of this {'drawing' if drawn else what}"
    if code.startswith(("import ", "from ")):
        return "Set-up: imports"
    defined = DEFINED.findall(code)
    return f"Code: {', '.join(defined)}" if defined else "Code"


def leave_out(page):
    """Leave out the cell that fetches the package: the notebook has it."""
    if cell := page.find(class_="tag_bootstrap"):
        cell.decompose()


def name_folds(tags):
    """Let each fold of a cell say what it holds, open and closed alike."""
    for cell in tags[".cell"]:
        for fold in cell.find_all("details", class_="hide", recursive=False):
            fold.find("summary").string = folded(cell)


def name_buttons(tags):
    """Let each button of the theme say what it does."""
    headers = tags[".bd-header-article"]
    for button in (b for h in headers for b in h.select("a, button")):
        for key in ("title", "aria-label", "data-bs-title"):
            if button.get(key) in NAMES:
                button[key] = NAMES[button[key]]
        words = button.select_one(".btn__text-container")
        if words and words.get_text(strip=True) in TEXTS:
            words.string = TEXTS[words.get_text(strip=True)]
    for link in tags[".btn-download-source-button"]:
        link["download"] = ""
        del link["target"]


def keep_together(page):
    """Keep a percent sign on the line of its number."""
    for words in page.select_one("article").find_all(string=PERCENT):
        if not words.find_parent(["pre", "code", "annotation", "script"]):
            words.replace_with(PERCENT.sub("\u00a0", words))


def keep_whole(page):
    """Keep a heading's words with a hyphen, *dot-product*, on one line."""
    for words in page.select_one("article").find_all(string=COMPOUND):
        if words.find_parent(["h1", "h2", "h3", "h4"]):
            kept = r'<span class="atn-whole">\g<0></span>'
            html = COMPOUND.sub(kept, escape(words))
            words.replace_with(BeautifulSoup(html, "html.parser"))


def reword(page):
    """Reword a page.

    Args:
        page: the page as a BeautifulSoup, changed in place.
    """
    leave_out(page)
    tags = tags_of(page)
    name_folds(tags)
    name_buttons(tags)
    if page.article:
        keep_together(page)
        keep_whole(page)
