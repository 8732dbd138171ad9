"""Make the book's search find the right page first.

Sphinx's index knows which pages hold a word.  This one leaves out what no
reader looks for (the bootstrap cell, formulas, the words of outputs), keeps
numbers whole, lists the pages of a word beginning with the one that has it
most often, and adds *entries*, which are names of places: the titles of
sections, the glossary's names, each leading to the section that explains it
and to the glossary, and the lines of the page of symptoms, each leading there
and to the section that it names.  search_rank.js, beside this file, makes an
order of it, and cuts and spells what is typed as `stems` does.
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
WORD = re.compile(r"\d+(?:[.,]\d+)+|[\uac00-\ud7a3]+|[^\W\uac00-\ud7a3]+")
THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
MARKUP = re.compile(r"<!--.*?-->|<(script|style).*?</\1>|<[^<]+?>", re.DOTALL)
RANKING = Path(__file__).with_name("search_rank.js")
ASKING = re.search('"(am an .+?)"', RANKING.read_text(encoding="utf-8"))[1]
SHORT = 3  # digits: a whole number with fewer is on every page
LANGUAGE = SearchEnglish({})
IDLE = LANGUAGE.stopwords | set(ASKING.split())
stem = functools.cache(LANGUAGE.stem)


def spell(word):
    """Return a word as Americans spell it, a number without commas."""
    if word[0].isdigit():
        of_thousands = THOUSANDS.fullmatch(word)
        return word.replace(",", "" if of_thousands else ".")
    word = re.sub(r"([a-z]{3})is(e[ds]?|ers?|ing|ations?)$", r"\1iz\2", word)
    return re.sub("([a-z]{3})our", r"\1or", word)


def stems(text):
    """Return the words of a text as a query's words are cut."""
    words = WORD.findall(text.lower())
    words = [spell(w) for w in words if w not in IDLE]
    words = [w for w in words if not w.isdigit() or len(w) >= SHORT]
    words = [w if w[0].isdigit() else stem(w) for w in words]
    return [word for word in words if word]


def numbers_of(node):
    """Return the numbers that a part of a page shows."""
    shown = " ".join(
        MARKUP.sub(" ", text) if isinstance(text.parent, nodes.raw) else text
        for text in node.findall(nodes.Text)
    )
    return [word for word in stems(shown) if word[0].isdigit()]


def words_of(node):
    """Return the stems of the words of a part of a page that count."""
    if isinstance(node, nodes.Text):
        return stems(node.astext())
    if isinstance(node, nodes.math | nodes.math_block | nodes.comment):
        return []
    if isinstance(node, nodes.raw):
        return stems(MARKUP.sub("", node.astext()))
    if "tag_bootstrap" in node.get("classes", []):
        return []
    if "cell_output" in node.get("classes", []):
        return numbers_of(node)
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
    """Yield each line of the page of symptoms, for it and where it leads."""
    for section in tree.findall(nodes.section):
        for item in section.findall(nodes.list_item):
            line = item[0].astext().split(" \u2192 ")[0]
            if item.parent.parent is section:
                yield line, (SYMPTOMS, section["ids"][0]), None
                yield from ((line, p, None) for p in places(item, SYMPTOMS))


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
        frozen["titleterms"] = self.title_words(number, trees)
        return frozen | {"alltitles": {}, "indexentries": {}}

    def title_words(self, number, trees):
        """Return each word of the titles with the pages that have it."""
        found = {}
        for page in number.keys() & trees.keys():
            for title in sections(page, trees[page]).values():
                for word in stems(title):
                    found.setdefault(word, set()).add(number[page])
        return {word: sorted(found[word]) for word in sorted(found)}

    def entries(self, number, trees):
        """Return the entries: stems; page, anchor and title of a place; title?

        The last is 1 if the stems are those of the title, and 0 if they are
        another name of the place.
        """
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
            + [title or titles.get(place, ""), int(name == titles.get(place))]
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
    config.html_search_scorer = str(RANKING)


def setup(app):
    """Connect the index, its script, and what the glossary needs."""
    app.add_builder(BookBuilder, override=True)
    app.connect("config-inited", use_ranking)
    app.connect("doctree-read", name_the_language)
    app.connect("html-page-context", style_the_glossary)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
