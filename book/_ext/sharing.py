"""Say what a page is, for search engines and where a link to it is shared.

What a page says of itself is its title and its first sentences; beside them
stands one picture, the same for all pages, which code/tools/card.py makes.
It needs an address that holds everywhere: `html.baseurl` of _config.yml.
"""

import re
from pathlib import Path
from urllib.parse import urljoin

from bs4 import BeautifulSoup

LONGEST = 200  # characters of a description
CARD = "_static/card.png"
ALT = (
    "Attention, from Scratch: a course on the Transformer. Sixteen tokens in "
    "a row; a line runs from each into one, some thick, most thin."
)
FIRST = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Refresh" content="0; url={page}">
{head}</head><body><a href="{page}">{title}</a></body></html>
"""


def plain(paragraph):
    """Return a paragraph's words, formulas as they would be typed."""
    text = ""
    for part in paragraph.find_all(string=True):
        if part.parent.name == "annotation":
            tex = part.replace(r"\sqrt", "√").replace(r"\top", "T")
            text += re.sub(r"\\[a-z]+|[\\{}]", "", tex)
        elif not part.find_parent(class_="katex"):
            text += part
    return " ".join(text.split())


def facts(title, site, words, home, name):
    """Return what is said of a page: a list of attributes of meta tags."""
    said = {"title": title, "site_name": site, "type": "article"}
    said["description"] = words
    if home:
        said["url"] = urljoin(home, f"{name}.html")
        said["image"] = urljoin(home, CARD)
        said |= {"image:width": "1200", "image:height": "630"}
        said["image:alt"] = ALT
    tags = [{"name": "description", "content": words}]
    tags += [{"property": f"og:{k}", "content": v} for k, v in said.items()]
    card = "summary_large_image" if home else "summary"
    return [*tags, {"name": "twitter:card", "content": card}]


def describe(page, home="", name=""):
    """Say what a page is.

    Args:
        page: the page as a BeautifulSoup, changed in place.
        home: where the book lies, ending in a slash; "": nobody knows.
        name: the page's path below it, without ".html".
    """
    first = page.select_one("article section > p:not(.atn-place)")
    if page.head.find("meta", attrs={"name": "description"}) or not first:
        return
    words = plain(first)
    if len(words) > LONGEST:
        words = words[:LONGEST].rpartition(" ")[0] + " …"
    title, site = page.title.string.rpartition(" — ")[::2]
    if title in ("", site):
        title = page.title.string = site
    for attributes in facts(title, site, words, home, name):
        page.head.append(page.new_tag("meta", attrs=attributes))


def write_first(app, exception):
    """Write index.html, which leads to the first page and says what that says.

    Its address is the one that people share, and who shows a link seldom
    follows it further.
    """
    name = f"{app.config.root_doc}.html"
    path = Path(app.outdir, name)
    if exception or app.builder.name != "html" or not path.is_file():
        return
    page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    says = "meta[name=description], meta[name^=twitter], meta[property]"
    head = [page.title, *page.head.select(f"{says}, link[rel=canonical]")]
    text = FIRST.format(
        page=name,
        title=page.title.string,
        head="".join(f"{tag}\n" for tag in head),
    )
    Path(app.outdir, "index.html").write_text(text, encoding="utf-8")


def setup(app):
    """Write the first page before anybody else does."""
    app.connect("build-finished", write_first, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
