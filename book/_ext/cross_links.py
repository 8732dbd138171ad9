"""Let words that name a place of the book lead there.

The texts say *chapter 5* or *exercise 5.2*, and name a section of their own
page by its title in italics: plain words, because a notebook is read alone,
too.  In the book each becomes a link.  A link to the live page may say in its
title what is to be seen there: "live: step=10&view=heads".
"""

import re

from docutils import nodes
from sphinx import addnodes

from search_index import GLOSSARY, SYMPTOMS
from signature import NUMBER, chapters

WHICH = r"\d+(?:\.\d+)?"
ITEM = rf"{WHICH}(?: \([^()]*\))?"  # 5.2, or 5 (the softmax)
PLACE = re.compile(  # one, or a list
    rf"\b(?:(?:chapter|exercise) {WHICH}|(?:chapters|exercises) "
    rf"{ITEM}(?:(?:,|,? and|,? to|,? or) {ITEM})*)",
    re.IGNORECASE,
)
ONE = re.compile(
    rf"(?:(?:chapter|exercise)s? )?{WHICH}(?![^(]*\))", re.IGNORECASE
)
LINKED = {GLOSSARY, SYMPTOMS}  # their links are what the search leads to
LIVE = "live: "
SENTENCE = "The+animal+didn%27t+cross+the+street+because+it+was+"
KEPT = (nodes.title, nodes.reference, nodes.literal, nodes.raw, nodes.comment)


def places(env):
    """Return where each chapter and exercise stands.

    Args:
        env: Sphinx's environment.

    Returns:
        A dict of "5" or "5.2" -> page and anchor, "" for the page's top.
    """
    found = {}
    for page in chapters(env):
        number = NUMBER.fullmatch(env.titles[page].astext())["number"]
        found[number] = page, ""
        for section in env.get_doctree(page).findall(nodes.section):
            kind, _, title = section[0].astext().partition(" ")
            if kind == "Exercise":
                found[title.partition(" ")[0]] = page, section["ids"][0]
    return found


def with_all_pages(app, env):
    """Return every page if a place is another than at the last build."""
    before = getattr(env, "attnbook_places", None)
    env.attnbook_places = places(env)
    return sorted(env.found_docs) if before != env.attnbook_places else []


def above(node):
    """Yield a node and all that it stands in."""
    while node is not None:
        yield node
        node = node.parent


def is_free(node):
    """Say whether words may become a link."""
    return not any(isinstance(part, KEPT) for part in above(node))


def linked(words, address):
    """Return a text node's words with links.

    Args:
        words: the text.
        address: a function of a number, as it stands in the text, that
            returns where to, None for nowhere.
    """
    parts, end = [], 0
    for names in PLACE.finditer(words):
        for one in ONE.finditer(names[0]):
            to = address(one[0].rpartition(" ")[2])
            if to is not None:
                start = names.start() + one.start()
                link = nodes.reference("", one[0], refuri=to, internal=True)
                parts += [nodes.Text(words[end:start]), link]
                end = names.start() + one.end()
    return [*parts, nodes.Text(words[end:])] if parts else []


def link_numbers(doctree, address):
    """Link the chapters and exercises that a page names.

    Args:
        doctree: the page, changed in place.
        address: see `linked`.
    """
    for text in [t for t in doctree.findall(nodes.Text) if is_free(t)]:
        parts = linked(text.astext(), address)
        if parts:
            text.parent.replace(text, parts)


def link_titles(doctree):
    """Link the sections of a page that it names in italics.

    Args:
        doctree: the page, changed in place.
    """
    sections = {s[0].astext(): s for s in doctree.findall(nodes.section)}
    for name in list(doctree.findall(nodes.emphasis)):
        section = sections.get(name.astext())
        if section is None or not is_free(name):
            continue
        if not any(part is section for part in above(name)):
            to = f"#{section['ids'][0]}"
            link = nodes.reference("", "", refuri=to, internal=True)
            name.parent.replace(name, link)
            link += name


def link(app, doctree, page):
    """Link what a page names."""
    if app.builder.name != "html" or page in LINKED:
        return
    known = app.env.attnbook_places

    def address(number):
        to, anchor = known.get(number, (page, ""))
        if to == page:
            return f"#{anchor}" if anchor else None
        uri = app.builder.get_relative_uri(page, to)
        return f"{uri}#{anchor}" if anchor else uri

    link_numbers(doctree, address)
    link_titles(doctree)


def open_live(app, doctree):
    """Let links to the live page lead to what their titles name."""
    if app.builder.name != "html":
        return
    for cross in list(doctree.findall(addnodes.pending_xref)):
        title = cross.get("title", "")
        if title.startswith(LIVE):
            state = title.removeprefix(LIVE)
            last = "wide" if state.startswith("too wide, ") else "tired"
            state = state.removeprefix("too wide, ")
            to = app.builder.get_relative_uri(
                app.env.docname, cross["reftarget"]
            )
            uri = f"{to}#en={SENTENCE}too+{last}.&{state}"
            link = nodes.reference("", "", refuri=uri, internal=True)
            link += cross.children
            cross.replace_self(link)


def setup(app):
    """Link each page when its own links are resolved."""
    app.connect("doctree-read", open_live)
    app.connect("env-updated", with_all_pages)
    app.connect("doctree-resolved", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
