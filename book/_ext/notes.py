"""Bring the glossary and the references to the reader.

On a chapter's page the first use of a term that an earlier chapter introduced
leads to the glossary, and every link to a work of references.bib leads there
as before; beside either, notes.js shows a note: what the term means and what
it is called in Korean, or who wrote the work, when, and its title.  Notes
stand at the end of a page, hidden, where screen readers find them as the
descriptions of links.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from pybtex.database import parse_file
from pybtex.richtext import Text as Latex

from cross_links import KEPT, above
from search_index import GLOSSARY, HANGUL, places
from signature import NUMBER, chapters

CHAPTER = re.compile(r"Chapter (\d+)\b")
SENTENCE = re.compile(r"\.(?=\s|$)")
FOLD = re.compile(r"<(/?)details\b([^>]*)>")
UNMARKED = (*KEPT, nodes.math, nodes.strong, nodes.table)
NO_PROSE = {"atn-place", "atn-marks", "atn-colab", "atn-recall"}
ORDINARY = {  # chapters where a term's first use is the everyday word
    "context": {7},
    "cosine": {8, 12},
    "memory": {12, 13, 14, 16, 17},
    "mix": {7},
    "normalise": {9},
    "operation": {17},
    "project": {16, 17},
    "scale": {9, 10, 15, 17},
    "score": {12, 13, 14, 17},
    "value": {13},
    "weight": {12, 13, 17},
}
LATE = 600  # when links are made and lines are named


@dataclass(frozen=True)
class Term:
    """A term of the glossary.

    Attributes:
        names: its English names, the first one first.
        korean: its first Korean name, "" without one.
        chapter: number of the chapter that introduces it.
        anchor: its place in the glossary.
        where: page and anchor of the section that explains it.
        meaning: nodes of the first sentence of its definition.
    """

    names: list
    korean: str
    chapter: int
    anchor: str
    where: tuple
    meaning: list


class Described(nodes.Inline, nodes.TextElement):
    """A link with a note."""


class Note(nodes.General, nodes.Element):
    """What is shown beside a link."""


def read_terms(tree):
    """Return the terms that a chapter introduces.

    Args:
        tree: the glossary, its links resolved.
    """
    found = []
    for item in tree.findall(nodes.definition_list_item):
        terms = list(item.findall(nodes.term))
        paragraph = item.next_node(nodes.paragraph)
        links = list(paragraph.findall(nodes.reference))
        link = next((x for x in links if CHAPTER.match(x.astext())), None)
        where = next(places(paragraph, GLOSSARY), None)
        if link is None or where is None:
            continue
        names = [t.astext() for t in terms if not t.next_node(is_code)]
        korean = [n for n in names if HANGUL.search(n)]
        term = Term(
            names=[n for n in names if n not in korean],
            korean=(korean or [""])[0],
            chapter=int(CHAPTER.match(link.astext())[1]),
            anchor=terms[0]["ids"][0],
            where=where,
            meaning=list(first_sentence(paragraph, link)),
        )
        found.append(term)
    return found


@functools.cache
def terms_of(app):
    """Return the terms of the book that is being built."""
    return read_terms(app.env.get_and_resolve_doctree(GLOSSARY, app.builder))


def is_code(node):
    """Say whether a node is code."""
    return isinstance(node, nodes.literal)


def first_sentence(paragraph, last):
    """Yield copies of a paragraph's nodes until a sentence or it ends."""
    for child in paragraph:
        if child is last:
            return
        end = isinstance(child, nodes.Text) and SENTENCE.search(child)
        if end:
            yield nodes.Text(child[: end.end()])
            return
        yield child.deepcopy()


def plural(name):
    """Return a name's plural."""
    if re.search("[^aeiou]y$", name):
        return f"{name[:-1]}ies"
    return f"{name}es" if re.search("(s|x|ch|sh)$", name) else f"{name}s"


def forms_of(terms):
    """Return the words that mean a term: a dict of words -> `Term`.

    A single letter means too much to mean a term.
    """
    return {
        form: term
        for term in terms
        for name in term.names
        if len(name) > 1
        for form in (name, plural(name))
    }


def pattern_of(forms):
    """Return the pattern of words that mean a term, the longest first.

    The first letter may be a capital, as at the beginning of a sentence.
    """
    parts = []
    for form in sorted(forms, key=len, reverse=True):
        first, rest = re.escape(form[0]), re.escape(form[1:])
        if form[0].islower():
            first = f"[{form[0]}{form[0].upper()}]"
        parts.append(first + rest.replace(r"\ ", r"\s+"))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(parts)})(?![\w-])")


def prose(doctree):
    """Return the texts of a page that may hold a term.

    They stand in paragraphs, and not in a title, a link, code, a formula,
    bold words or a table; nor in a fold, which a reader may never open.  A
    fold has no class: a card that opens has one, and is prose.
    """
    found, folds = [], []
    for node in list(doctree.findall()):
        if isinstance(node, nodes.raw):
            for closes, attributes in FOLD.findall(node.astext()):
                if not closes:
                    folds.append(not attributes)
                elif folds:
                    folds.pop()
        elif isinstance(node, nodes.Text) and not any(folds):
            parts = list(above(node.parent))
            if (
                any(isinstance(part, nodes.paragraph) for part in parts)
                and not any(isinstance(part, UNMARKED) for part in parts)
                and not any(NO_PROSE & set(part["classes"]) for part in parts)
            ):
                found.append(node)
    return found


def mark_terms(doctree, terms, chapter):
    """Mark the first use of each term that an earlier chapter introduced.

    Args:
        doctree: the page, changed in place; no word is lost.
        terms: what `read_terms` returns.
        chapter: the page's number.

    Returns:
        The terms that were marked, in the order of the page.
    """
    forms = forms_of(terms)
    pattern = pattern_of(forms)
    marked = []

    def is_due(term):
        known = term.chapter < chapter and term not in marked
        return known and chapter not in ORDINARY.get(term.names[0], ())

    for text in prose(doctree):
        words, parts, end = text.astext(), [], 0
        for found in pattern.finditer(words):
            form = " ".join(found[0].split())
            term = forms.get(form) or forms[form[0].lower() + form[1:]]
            if not is_due(term):
                continue
            marked.append(term)
            link = Described("", found[0], note=note_of(term.anchor))
            link["classes"].append("atn-term")
            parts += [nodes.Text(words[end : found.start()]), link]
            end = found.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(words[end:])])
    return marked


def note_of(name):
    """Return the id of a term's or a work's note."""
    return nodes.make_id(f"note-{name}")


def read_works(path):
    """Return the works of a bibliography: a dict of address -> name, entry.

    Args:
        path: a BibTeX file.
    """
    entries = parse_file(path).entries
    return {
        entry.fields["url"]: (name, entry)
        for name, entry in entries.items()
        if "url" in entry.fields
    }


def plain(latex):
    """Return what BibTeX's marks print."""
    return str(Latex.from_latex(latex))


def write_work(name, entry):
    """Return the note of a work: authors and year, title."""
    people = [" ".join(p.last_names) for p in entry.persons["author"]]
    people = [plain(p) for p in people]
    who = " and ".join(people) if len(people) < 3 else f"{people[0]} et al."
    head = nodes.strong("", f"{who}, {entry.fields['year']}")
    title = plain(entry.fields["title"])
    return Note(
        "",
        nodes.paragraph("", "", head),
        nodes.paragraph("", title),
        ids=[note_of(name)],
    )


def write_term(term, link):
    """Return the note of a term: its names, what it means, where it is.

    Args:
        term: a `Term`.
        link: a node that leads to the section that explains it.
    """
    head = nodes.paragraph("", "", nodes.strong("", term.names[0]))
    if term.korean:
        head += nodes.Text(" ")
        head += nodes.inline("", term.korean, classes=["language-ko"])
    meaning = nodes.paragraph("", "", *[n.deepcopy() for n in term.meaning])
    meaning += [nodes.Text(" "), link]
    return Note("", head, meaning, ids=[note_of(term.anchor)])


def mark_works(doctree, works):
    """Give each link to a work its note; return the works that have one.

    Args:
        doctree: the page, changed in place.
        works: what `read_works` returns.
    """
    marked = {}
    for link in list(doctree.findall(nodes.reference)):
        name, entry = works.get(link.get("refuri"), ("", None))
        if entry is None:
            continue
        marked[name] = entry
        described = Described("", "", *link.children, note=note_of(name))
        described["refuri"] = link["refuri"]
        described["classes"] += ["reference", "external", "atn-work"]
        link.replace_self(described)
    return marked


def add_notes(app, doctree, page):
    """Add the notes of a page that is about to be written."""
    if app.builder.name != "html" or page not in app.env.attnbook_numbers:
        return
    address = app.builder.get_relative_uri
    works = mark_works(doctree, app.env.attnbook_works)
    notes = [write_work(*work) for work in works.items()]
    chapter = app.env.attnbook_numbers[page]
    for term in mark_terms(doctree, terms_of(app), chapter):
        to, anchor = term.where
        uri = f"{address(page, to)}#{anchor}".rstrip("#")
        words = f"Chapter {term.chapter}"
        link = nodes.reference("", words, refuri=uri, internal=True)
        notes.append(write_term(term, link))
        for mark in doctree.findall(Described):
            if mark["note"] == note_of(term.anchor):
                mark["refuri"] = f"{address(page, GLOSSARY)}#{term.anchor}"
    doctree += notes


def with_all_pages(app, env):
    """Return every page if glossary or references have changed."""
    path = Path(app.srcdir, *env.config.bibtex_bibfiles)
    numbers = {
        p: NUMBER.fullmatch(env.titles[p].astext()) for p in chapters(env)
    }
    env.attnbook_numbers = {p: int(n["number"]) for p, n in numbers.items()}
    env.attnbook_works = read_works(path)
    texts = env.get_doctree(GLOSSARY).astext() + path.read_text("utf-8")
    before = getattr(env, "attnbook_notes", None)
    env.attnbook_notes = texts
    return sorted(env.found_docs) if before != texts else []


def style_notes(app, page, template, context, doctree):
    """Load the notes' style and script where there are notes."""
    if doctree is not None and doctree.next_node(Note):
        app.add_css_file("notes.css")
        app.add_js_file("notes.js", loading_method="defer")


def visit_link(translator, node):
    """Begin a link that has a note."""
    text = translator.starttag(
        node,
        "a",
        "",
        href=node["refuri"],
        **{"aria-describedby": node["note"]},
    )
    translator.body.append(text)


def visit_note(translator, node):
    """Begin a note, which is hidden until it is asked for."""
    text = translator.starttag(
        node, "div", "", CLASS="atn-note", popover="auto", role="note"
    )
    translator.body.append(text)


def setup(app):
    """Add notes to each page when its own links are made."""
    app.add_node(
        Described, html=(visit_link, lambda t, _: t.body.append("</a>"))
    )
    app.add_node(Note, html=(visit_note, lambda t, _: t.body.append("</div>")))
    app.connect("env-updated", with_all_pages)
    app.connect("doctree-resolved", add_notes, priority=LATE)
    app.connect("html-page-context", style_notes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
