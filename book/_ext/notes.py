"""Bring the glossary and the references to the reader.

On a chapter's page the first use of a term that an earlier chapter introduced
leads to the glossary, and every link to a work of references.bib leads there
as before; beside either, notes.js shows a note: what the term means and what
it is called in Korean, or who wrote the work, when, and its title.  Notes
stand at the end of a page, hidden, where screen readers find them as the
descriptions of links.
"""

import functools
from pathlib import Path

from docutils import nodes
from pybtex.database import parse_file
from pybtex.richtext import Text as Latex

from search_index import GLOSSARY
from signature import NUMBER, chapters
from terms import Described, mark_terms, note_of, read_terms

LATE = 600  # when links are made and lines are named


class Note(nodes.General, nodes.Element):
    """What is shown beside a link."""


@functools.cache
def terms_of(app):
    """Return the terms of the book that is being built."""
    return read_terms(app.env.get_and_resolve_doctree(GLOSSARY, app.builder))


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
    """Return the note of a work: authors and year, if known, and title."""
    people = [" ".join(p.last_names) for p in entry.persons.get("author", [])]
    who = " and ".join(people) if len(people) < 3 else f"{people[0]} et al."
    known = filter(None, [plain(who), entry.fields.get("year")])
    head = nodes.strong("", ", ".join(known))
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
