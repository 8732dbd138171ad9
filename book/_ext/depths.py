"""Show what follows a chapter's path as closed cards.

A section whose title begins with *Deeper:* becomes a card: closed it shows
its title, the one sentence in italics that says what the section found, and
its minutes.  A browser opens a card by itself when a link or its search
leads inside, and print.css opens it on paper; the script does the first for
browsers that do not.  The list of sections beside the page stays as it is.
"""

from docutils import nodes

from signature import first, hidden

DEEPER = "Deeper: "
PATH_ENDS = "Here the path ends."
WORDS_A_MINUTE = (
    48  # to read; the middle of what tests/test_chapters.py allows
)
UNREAD = (nodes.literal_block, nodes.raw, nodes.comment)  # code and HTML
REVEAL = """(() => {
  const reveal = () => {
    const name = decodeURIComponent(location.hash.slice(1));
    const place = document.getElementById(name);
    const card = place && place.closest("details.atn-deeper:not([open])");
    if (card) { card.open = true; place.scrollIntoView(); }
  };
  addEventListener("DOMContentLoaded", reveal);
  addEventListener("hashchange", reveal);
})();"""


class Card(nodes.General, nodes.Element):
    """A section that is closed at first: a `CardHead`, then the section."""


class CardHead(nodes.General, nodes.Element):
    """What a closed card shows."""


class CardTitle(nodes.General, nodes.TextElement):
    """The title of a card; `section` is what a link to it leads to."""


class CardLine(nodes.General, nodes.TextElement):
    """A line of a closed card; a paragraph may not be in a summary."""


def read_text(node):
    """Yield the pieces of text that a reader reads: no code, no output."""
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child.astext()
        elif not (
            isinstance(child, UNREAD) or "cell" in child.get("classes", ())
        ):
            yield from read_text(child)


def minutes(section):
    """Return how many minutes a section takes to read, at least one.

    Args:
        section: a node.
    """
    words = sum(len(text.split()) for text in read_text(section))
    return max(1, round(words / WORDS_A_MINUTE))


def finding(section):
    """Return the sentence in italics that opens a section, or None."""
    paragraph = section.next_node(nodes.paragraph)
    if paragraph is None or paragraph.parent is not section:
        return None
    said = [child for child in paragraph.children if child.astext()]
    only = len(said) == 1 and isinstance(said[0], nodes.emphasis)
    return paragraph if only else None


def make_card(section):
    """Put a section into a card.

    Args:
        section: a section with a title that begins with `DEEPER`.
    """
    time = minutes(section)
    title, sentence = section[0], finding(section)
    words = title.next_node(nodes.Text)
    rest = words.astext().removeprefix(DEEPER)
    word = nodes.inline(
        "", "Deeper", hidden(": "), classes=["atn-deeper-word"]
    )
    rest = rest[:1].upper() + rest[1:]
    title.replace(words, [word, nodes.Text(rest)])
    head = CardHead("", CardTitle("", "", *title.children, section=section))
    section.remove(title)
    if sentence is not None:
        said = first(sentence).children
        head += CardLine("", "", *said, classes=["atn-deeper-found"])
        section.remove(sentence)
    time = f"{time} minute{'s' * (time > 1)}"
    head += CardLine("", time, classes=["atn-deeper-minutes"])
    card = Card("", head)
    section.replace_self(card)
    card += section


def show_depths(app, doctree, page):
    """Make the cards of a page, and mark where its path ends."""
    if app.builder.format != "html":
        return
    for paragraph in doctree.findall(nodes.paragraph):
        lead = first(paragraph)
        if isinstance(lead, nodes.emphasis) and (
            lead.astext().startswith(PATH_ENDS)
        ):
            paragraph["classes"].append("atn-path-end")
    for section in list(doctree.findall(nodes.section)):
        if section[0].astext().startswith(DEEPER):
            make_card(section)


def add_script(app, page, template, context, doctree):
    """Add the script to a page that has cards."""
    if doctree and next(doctree.findall(Card), None) is not None:
        app.add_js_file(None, body=REVEAL)


def visit_title(translator, node):
    """Write a heading; it is as deep as the section's own would be."""
    level = translator.section_level + translator.initial_header_level
    node["tag"] = f"h{level}"
    translator.body.append(f"<{node['tag']}>")


def depart_title(translator, node):
    """Write the link to the section, and close the heading."""
    section = node["section"]
    translator.add_permalink_ref(section, "Link to this heading")
    translator.body.append(f"</{node['tag']}>\n")


def write(before, after):
    """Return functions that write HTML before and after a node."""
    return (
        lambda translator, node: translator.body.append(
            before.format(" ".join(node["classes"]))
        ),
        lambda translator, node: translator.body.append(after),
    )


def setup(app):
    """Make cards when all else of a page is resolved."""
    details = '<details class="atn-deeper">', "</details>\n"
    app.add_node(Card, html=write(*details))
    app.add_node(CardHead, html=write("<summary>", "</summary>\n"))
    app.add_node(CardTitle, html=(visit_title, depart_title))
    app.add_node(CardLine, html=write('<span class="{}">', "</span>\n"))
    app.connect("doctree-resolved", show_depths, priority=900)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
