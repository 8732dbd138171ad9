"""Name the parts of a page, so that the style sheet can find them.

The chapters are plain Markdown, because four programs show them.  What a
paragraph is stands in its words: **Predict.**, or *Code, difficulty 2 of 5,
8 minutes, 3 points.*  A style sheet cannot read words, so here they become
classes.  No word is added to a chapter's text but its place in the book, and
none is taken away.
"""

import re

from docutils import nodes
from sphinx import addnodes

# Before and after course.css, which Sphinx adds at 800.
STYLES = {"palette.css": 700, "signature.css": 900}

# First words of a paragraph, and the class that it gets.
LEADS = {
    "Predict.": "atn-predict",
    "Your task.": "atn-task",
    "Task.": "atn-task",
    "What this does not show.": "atn-limits",
    "You will be able to": "atn-aims",
    "Open this page in Colab": "atn-colab",
}
BOXES = {"atn-predict", "atn-task"}  # with what belongs to them, in one box
TITLES = {
    "Recall": "atn-recall",
    "Break it on purpose": "atn-break",
    "Paper and practice": "atn-paper",
    "Exercises": "atn-exercises",
    "Summary": "atn-summary",
}
MARKS = re.compile(
    r"(?P<kind>[A-Z][a-z ]+), difficulty (?P<dots>[1-5]) of 5, "
    r"(?P<minutes>\d+) minutes?, (?P<points>\d+) points?"
    r"(?P<path>, on the path)?\."
)
NUMBER = re.compile(r"(?P<number>\d+) (?P<rest>.+)")
FACTS = (
    ["needs", "to read", "to run"],
    ["needs", "the path", "deeper", "exercises", "to run"],
)


def name_paragraphs(doctree):
    """Give a class to every paragraph whose first words are known.

    Args:
        doctree: the page, changed in place.
    """
    for paragraph in list(doctree.findall(nodes.paragraph)):
        lead = first(paragraph)
        if isinstance(lead, (nodes.strong, nodes.reference)):
            name = LEADS.get(lead.astext())
            if name:
                paragraph["classes"].append(name)
            if name in BOXES:
                put_in_a_box(paragraph, name)


def first(paragraph):
    """Return the first child that has words, or None."""
    return next((c for c in paragraph.children if c.astext()), None)


def put_in_a_box(paragraph, name):
    """Put a paragraph into a box, with the list and the fold after it.

    A list belongs to it if the paragraph ends with a colon.

    Args:
        paragraph: a paragraph.
        name: class of the box.
    """
    parent = paragraph.parent
    start = end = parent.index(paragraph)
    end += 1
    lists = (nodes.bullet_list, nodes.enumerated_list)
    if paragraph.astext().endswith(":") and isinstance(
        parent[end : end + 1] and parent[end], lists
    ):
        end += 1
    if end < len(parent) and opens(parent[end]):
        end = next(
            (n + 1 for n in range(end, len(parent)) if closes(parent[n])), end
        )
    box = nodes.container(classes=[f"{name}-box"])
    inside = parent.children[start:end]
    parent.children[start:end] = []
    parent.insert(start, box)
    box.extend(inside)


def opens(node):
    """Say whether a node opens a fold."""
    return is_html(node) and node.astext().lstrip().startswith("<details")


def closes(node):
    """Say whether a node closes a fold."""
    return is_html(node) and node.astext().rstrip().endswith("</details>")


def is_html(node):
    """Say whether a node is raw HTML."""
    return isinstance(node, nodes.raw) and "html" in node["format"].split()


def name_sections(doctree):
    """Give a class to every section whose title is known.

    Args:
        doctree: the page, changed in place.
    """
    for section in doctree.findall(nodes.section):
        title = section.next_node(nodes.title)
        words = title.astext() if title else ""
        if words in TITLES:
            section["classes"].append(TITLES[words])
        elif words.startswith("Exercise "):
            section["classes"].append("atn-exercise")


def name_facts(doctree):
    """Give a class to the table of what a chapter needs and takes.

    Args:
        doctree: the page, changed in place.
    """
    for table in doctree.findall(nodes.table):
        head = table.next_node(nodes.thead)
        cells = head.findall(nodes.entry) if head else []
        if [cell.astext() for cell in cells] in FACTS:
            table["classes"].append("atn-facts")


def write_marks(doctree):
    """Set the line of an exercise as marks that read as the same sentence.

    Args:
        doctree: the page, changed in place.
    """
    for paragraph in list(doctree.findall(nodes.paragraph)):
        found = MARKS.fullmatch(paragraph.astext())
        if not found or not isinstance(first(paragraph), nodes.emphasis):
            continue
        said = f"difficulty {found['dots']} of 5"
        time, count = re.findall(r"\d+ minutes?|\d+ points?", found[0])
        dots = nodes.inline("", "", classes=["atn-dots"])
        dots["classes"].append(f"atn-dots-{found['dots']}")
        dots += hidden(said)
        paragraph["classes"].append("atn-marks")
        paragraph.children = []
        paragraph += [
            nodes.inline("", found["kind"], classes=["atn-kind"]),
            hidden(", "),
            dots,
            hidden(", "),
            nodes.inline("", time),
            hidden(", "),
            nodes.inline("", count),
        ]
        if found["path"]:
            path = nodes.inline("", "on the path", classes=["atn-on-path"])
            paragraph += [hidden(", "), path]
        paragraph += hidden(".")


def hidden(words):
    """Return words for those who listen."""
    return nodes.inline("", words, classes=["atn-said"])


def chapters(env):
    """Return the numbered pages of the book, in order.

    Args:
        env: Sphinx's environment.

    Returns:
        A dict from the page's name to the caption of its part.
    """
    root = env.get_doctree(env.config.root_doc)
    return {
        page: tree.get("caption") or ""
        for tree in root.findall(addnodes.toctree)
        for _, page in tree["entries"]
        if page in env.titles and NUMBER.fullmatch(env.titles[page].astext())
    }


def write_place(doctree, parts, page):
    """Say above a chapter's title which part it is in, and how far along.

    Args:
        doctree: the page, changed in place.
        parts: what `chapters` returns.
        page: the page's name.
    """
    title = doctree.next_node(nodes.title)
    found = NUMBER.fullmatch(title.astext()) if title else None
    if page not in parts or not found:
        return
    here, count = list(parts).index(page) + 1, len(parts)
    row = (
        f'<span class="atn-row" style="--here:{here};--all:{count}"'
        ' aria-hidden="true"></span>'
    )
    place = nodes.paragraph("", "", classes=["atn-place"])
    place += nodes.inline("", parts[page], classes=["atn-part"])
    last = int(found["number"]) + count - here
    place += nodes.inline("", f"Chapter {found['number']} of {last}")
    place += nodes.raw("", row, format="html")
    hook = title.next_node(nodes.paragraph, siblings=True)
    if hook and isinstance(first(hook), nodes.emphasis):
        hook["classes"].append("atn-hook")
    title.parent.insert(title.parent.index(title), place)
    title.children = [
        nodes.inline("", found["number"], classes=["atn-number"]),
        nodes.Text(f" {found['rest']}"),
    ]


def mark(app, doctree, page):
    """Name all parts of a page that is about to be written."""
    name_paragraphs(doctree)
    name_sections(doctree)
    name_facts(doctree)
    write_marks(doctree)
    parts = chapters(app.env)
    write_place(doctree, parts, page)
    for file in doctree.findall(addnodes.start_of_file):  # the book as one
        write_place(file, parts, file["docname"])


def with_all_pages(app, env):
    """Return every page if the chapters are others than at the last build.

    Each page says how many there are, and Sphinx writes changed pages alone.
    """
    before = getattr(env, "attnbook_chapters", None)
    env.attnbook_chapters = chapters(env)
    return sorted(env.found_docs) if before != env.attnbook_chapters else []


def setup(app):
    """Add the styles, and mark each page when its links are resolved."""
    for name, priority in STYLES.items():
        app.add_css_file(name, priority=priority)
    app.connect("env-updated", with_all_pages)
    app.connect("doctree-resolved", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
