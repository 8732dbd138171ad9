"""Make a page lighter: leave out what it does not use."""

import re
from pathlib import PurePosixPath

import imagesize

from tags import in_article, tags_of

# The theme loads these everywhere; each with what needs it, as a pattern of
# what `tags_of` calls it: a class in the article, or an id anywhere.  ""
# stands for nothing: thebe is live code from a third party, and icons.css
# takes the place of Font Awesome, the heaviest part of a page.
NEEDED_BY = {
    "thebe": "",
    "fontawesome": "",
    "sphinx-design": r"\..*sd-.*",
    "design-tabs": r"\.sd-tab-set",
    "togglebutton": r"\.toggle|\.dropdown",
    "copybutton": r"\.highlight",
    "clipboard": r"\.highlight",
    "searchindex": "#search-results",
    "searchtools": "#search-results",
    "language_data": "#search-results",
}
FONTS = ("Main-Regular", "Math-Italic")  # nearly every formula has both
DOTS_PER_INCH = 100  # of a figure that is shown as large as it is


def make_lighter(page):
    """Take scripts and styles out that a page has no use for.

    Args:
        page: the page as a BeautifulSoup, changed in place.
    """
    tags = tags_of(page)
    used = {name for name in tags if name.startswith("#")}
    used |= set(tags_of(page.article)) if page.article else set()
    live = "search_as_you_type = true" in str(page.head)
    for tag in page.find_all(["script", "link"]):
        address = tag.get("src") or tag.get("href") or tag.string or ""
        for name, user in NEEDED_BY.items():
            if name not in address.lower() or (live and "search" in user):
                continue
            if not any(re.fullmatch(user, known) for known in used):
                tag.decompose()
                break
    for tag in tags["style"]:
        if "scoped" in tag.attrs:  # of pandas, for each table
            tag.decompose()
    for tag in page.find_all("meta", attrs={"name": "viewport"})[1:]:
        tag.decompose()
    style = page.find("link", href=re.compile(r"katex\.min\.css"))
    for name in FONTS if style else ():
        folder = style["href"].partition("katex.min.css")[0]
        font = f"{folder}fonts/KaTeX_{name}.woff2"
        kind = {"as": "font", "type": "font/woff2", "crossorigin": ""}
        style.insert_before(
            page.new_tag("link", rel="preload", href=font, attrs=kind)
        )


def size_pictures(page, files):
    """Keep room for pictures, and load them when they come near.

    Args:
        page: the page as a BeautifulSoup, changed in place.
        files: a picture's path for each name under _images.
    """
    for picture in in_article(page.find_all("img", src=True)):
        picture["loading"], picture["decoding"] = "lazy", "async"
        path = files.get(PurePosixPath(picture["src"]).name)
        if (
            path is None
            or "width" in picture.attrs
            or "style" in picture.attrs
        ):
            continue
        width, height = imagesize.get(path)
        dots = imagesize.getDPI(path)[0]
        share = DOTS_PER_INCH / dots if dots > DOTS_PER_INCH else 1
        if width > 0:
            picture["width"] = round(width * share)
            picture["height"] = round(height * share)
