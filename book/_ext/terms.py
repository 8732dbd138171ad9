"""Find the first uses of the glossary's terms on a chapter's page."""

import re
from dataclasses import dataclass

from docutils import nodes

from cross_links import KEPT, above
from search_index import GLOSSARY, HANGUL, places

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


def is_on_card(node):
    """Say whether a node is what a closed card says, which is a control."""
    section = node.parent
    if not isinstance(section, nodes.section):
        return False
    paragraphs = [x for x in section if isinstance(x, nodes.paragraph)]
    closed = section[0].astext().startswith("Deeper: ")
    return closed and node in paragraphs[:1]


def prose(doctree):
    """Return the texts of a page that may hold a term.

    They stand in paragraphs, and not in a title, a link, code, a formula,
    bold words or a table; nor in a fold, which a reader may never open, nor
    on a card that is closed.  A fold has no class: a card has one.
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
                and not any(is_on_card(part) for part in parts)
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
