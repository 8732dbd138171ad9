"""Pages of HTML that are safe to open, whatever stands in them.

They are built as a tree, whose writer escapes every text and attribute; no
page is put together out of strings.  A page holds no script and may run none,
fetches nothing and sends nothing (Content Security Policy, level 3).
"""

import base64
import hashlib
import re
import xml.etree.ElementTree as ET
from importlib.resources import files

STYLE = (files("attnbook.teaching") / "pages.css").read_text(encoding="utf-8")
# Letters that a browser does not show, or that turn round what stands there.
# Two that join or part letters are spelling in many scripts, after a letter.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
    "|(?<![\u0590-\u1fff])[\u200c\u200d]"
)


def seen(text):
    """Return a text with a sign in the place of letters that nobody sees.

    Args:
        text: of anyone.
    """
    return UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def e(tag, *children, **attributes):
    """Return an element.

    Args:
        tag: its name.
        children: texts and elements; None is left out.
        attributes: ``class_`` is class, ``aria_label`` is aria-label.

    Returns:
        An `xml.etree.ElementTree.Element`.
    """
    names = {x: x.rstrip("_").replace("_", "-") for x in attributes}
    made = ET.Element(
        tag, {names[x]: seen(str(y)) for x, y in attributes.items()}
    )
    for child in children:
        if child is None:
            continue
        if not isinstance(child, str):
            made.append(child)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + seen(child)
        else:
            made.text = (made.text or "") + seen(child)
    return made


def policy():
    """Return what a page may load and run: its own style."""
    digest = hashlib.sha256(STYLE.encode()).digest()
    hashed = base64.b64encode(digest).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{hashed}'; base-uri 'none'; "
        "form-action 'none'"
    )


def document(title, *body):
    """Return a page.

    Args:
        title: of the page.
        body: elements.

    Returns:
        HTML, a str.
    """
    allowed = {"http-equiv": "Content-Security-Policy", "content": policy()}
    head = e(
        "head",
        ET.Element("meta", {"charset": "utf-8"}),
        ET.Element("meta", allowed),
        e("meta", name="viewport", content="width=device-width"),
        e("meta", name="referrer", content="no-referrer"),
        e("meta", name="color-scheme", content="light dark"),
        e("title", title),
    )
    style = ET.SubElement(head, "style")
    style.text = STYLE
    page = e("html", head, e("body", e("main", *body)), lang="en")
    text = ET.tostring(page, encoding="unicode", method="html")
    return f"<!DOCTYPE html>\n{text}\n"


def code(text):
    """Return a block of code."""
    return e("pre", e("code", text), tabindex="0")


def prose(text):
    """Return a block of text whose lines are broken where they must be."""
    return e("pre", text, class_="prose")
