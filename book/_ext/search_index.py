"""Make the book's search find the right page first.

Sphinx's index knows which pages hold a word.  This one leaves out what no
reader looks for (the bootstrap cell, formulas, outputs), lists the pages of a
word beginning with the one that has it most often, and adds *entries*, which
are names of places: the titles of sections, the glossary's names, each
leading to the section that explains it and to the glossary, and the lines of
the page of symptoms.  search_rank.js, beside this file, makes an order of it.
"""

import functools
import posixpath
import re
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.search import IndexBuilder, SearchEnglish

GLOSSARY, SYMPTOMS = "book/glossary", "book/symptoms"
EVERYWHERE = 4  # a title that so many pages have is no name
HANGUL = re.compile("[\uac00-\ud7a3]")
LANGUAGE = SearchEnglish({})
stem = functools.cache(LANGUAGE.stem)


def stems(text):
    """Return the words of a text as a query's words are cut."""
    words = LANGUAGE.split(text.lower())
    words = [w for w in words if w not in LANGUAGE.stopwords]
    return [stem(word) for word in words if not word.isdigit()]


def words_of(node):
    """Return the stems of the words of a part of a page that count."""
    if isinstance(node, nodes.Text):
        return stems(node.astext())
    if isinstance(node, nodes.math | nodes.math_block | nodes.comment):
        return []
    if isinstance(node, nodes.raw):
        return stems(re.sub(r"<!--.*?-->|<[^<]+?>", "", node.astext()))
    if {"cell_output", "tag_bootstrap"} & set(node.get("classes", [])):
        return []
    return [word for child in node.children for word in words_of(child)]


def sections(page, tree):
    """Return (page, anchor) -> title of the sections of a page."""
    found = list(tree.findall(nodes.section))
    places = [(page, "")] + [(page, s["ids"][0]) for s in found[1:]]
    return dict(zip(places, [s[0].astext() for s in found], strict=False))


def places(node, page):
    """Yield the other pages, with anchors, that a part of a page links to."""
    for link in node.findall(nodes.reference):
        parts = urlsplit(link.get("refuri", ""))
        if not parts.netloc and parts.path.endswith(".html"):
            path = posixpath.join(posixpath.dirname(page), parts.path)
            name = posixpath.normpath(path).removesuffix(".html")
            yield name, parts.fragment


def glossary_entries(tree):
    """Yield each name of the glossary, for its section and for itself."""
    for item in tree.findall(nodes.definition_list_item):
        for term in item.findall(nodes.term):
            name = term.astext()
            yield from (
                (name, place, None) for place in places(item, GLOSSARY)
            )
            yield name, (GLOSSARY, term["ids"][0]), name


def symptom_entries(tree):
    """Yield each line of the page of symptoms, for the section it names."""
    for item in tree.findall(nodes.list_item):
        for place in places(item, SYMPTOMS):
            yield item[0].astext().split(" \u2192 ")[0], place, None


class BookIndex(IndexBuilder):
    """An index with pages in the order of a word's counts, and entries."""

    builder = None

    def freeze(self):
        """Return what is written into searchindex.js."""
        frozen = super().freeze()
        number = {page: i for i, page in enumerate(frozen["docnames"])}
        found = sorted(self.env.found_docs)
        trees = {p: self.env.get_doctree(p) for p in found}
        ranked = {}
        for page in number.keys() & trees.keys():
            for word, count in Counter(words_of(trees[page])).items():
                ranked.setdefault(word, []).append((-count, number[page]))
        frozen["terms"] = {
            word: [page for _, page in sorted(ranked[word])]
            for word in sorted(ranked)
        }
        frozen["entries"] = self.entries(number, trees)
        return frozen | {"alltitles": {}, "indexentries": {}}

    def entries(self, number, trees):
        """Return the entries: stems, page, anchor and title of a place."""
        titles = {}
        for page, tree in trees.items():
            titles |= sections(page, tree)
        known = Counter(titles.values())
        found = [
            (title, place, None)
            for place, title in titles.items()
            if known[title] < EVERYWHERE
        ]
        for page, of in (
            (GLOSSARY, glossary_entries),
            (SYMPTOMS, symptom_entries),
        ):
            if page in trees:
                tree = self.env.get_and_resolve_doctree(page, self.builder)
                found += of(tree)
        return [
            [" ".join(stems(name)), number[place[0]], place[1]]
            + [title or titles.get(place, "")]
            for name, place, title in found
            if place[0] in number and stems(name)
        ]


class BookBuilder(StandaloneHTMLBuilder):
    """Sphinx's builder of pages with the book's index."""

    def prepare_writing(self, docnames):
        """Put the book's index in the place of Sphinx's."""
        super().prepare_writing(docnames)
        if self.indexer is not None:
            self.indexer.__class__ = BookIndex
            self.indexer.builder = self


def name_the_language(app, doctree):
    """Mark the Korean names of the glossary as Korean."""
    for term in doctree.findall(nodes.term):
        if HANGUL.search(term.astext()):
            term["classes"].append("language-ko")


def style_the_glossary(app, page, *_):
    """Give the glossary, and no other page, its style."""
    if page == GLOSSARY:
        app.add_css_file("glossary.css")


def use_ranking(app, config):
    """Put the script that ranks into the page of the search."""
    script = Path(__file__).with_name("search_rank.js")
    config.html_search_scorer = str(script)


def setup(app):
    """Connect the index, its script, and what the glossary needs."""
    app.add_builder(BookBuilder, override=True)
    app.connect("config-inited", use_ranking)
    app.connect("doctree-read", name_the_language)
    app.connect("html-page-context", style_the_glossary)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
