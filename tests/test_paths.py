"""A chapter's path is short and whole, and needs nothing of what is deeper."""

import builtins
import re
import symtable

import pytest

import chapter_files
import sessions
from attnbook.teaching.exercises import exercises_of

PATH_ENDS = "## What you can do now\n"
TEXTS = [t for t in chapter_files.texts() if PATH_ENDS in t.read_text("utf-8")]
each = pytest.mark.parametrize("text", TEXTS, ids=[t.stem for t in TEXTS])
WORDS, CELLS, SLACK = 1800, 15, 1.1  # a guide, and how far over it may be
WORDS_OF_FIRST = 1_350  # of chapter 0
KNOWN = {*dir(builtins), "__name__", "display"}
FOLD = re.compile(
    r"<details>.*?</details>|<!--.*?-->|```.*?```|\$\$.*?\$\$", re.DOTALL
)
ONE_SENTENCE = re.compile(r"\*(?!\*)(?:(?![.?!] [A-Z]).)+[.?!]\*")


def split_depths(text):
    """Return a chapter's pieces: the path's, the deeper ones', the others'.

    A piece is a code cell, or what Markdown has from one heading to the next.
    """
    path, deeper, rest = [], [], []
    now = path
    for cell in chapter_files.read(text).cells:
        if cell.cell_type == "code":
            now.append(cell)
            continue
        for part in re.split(r"^(?=## )", cell.source, flags=re.MULTILINE):
            if part.startswith("## Deeper: "):
                now = deeper
            elif part.startswith("## Exercises\n"):
                now = rest
            now.append(part)
    return path, deeper, rest


def prose(pieces):
    """Return what is no code."""
    return [x for x in pieces if isinstance(x, str)]


def count_words(pieces):
    """Count the words of prose, tables and headings; a formula is one."""
    text = FOLD.sub("", "\n".join(pieces))
    text = re.sub(r"\$[^$\n]+\$|`[^`\n]+`|\]\([^)]*\)", "x", text)
    return len(re.findall(r"\S*\w\S*", text))


def names_of(code):
    """Return the global names that code makes, and those that it uses."""
    top = symtable.symtable(code, "cell", "exec")
    made = {s.get_name() for s in top.get_symbols() if s.is_assigned()}
    made |= {s.get_name() for s in top.get_symbols() if s.is_imported()}
    used, tables = set(), [top]
    for table in tables:
        tables += table.get_children()
        for symbol in table.get_symbols():
            is_global = table is top or symbol.is_global()
            if symbol.is_referenced() and is_global:
                used.add(symbol.get_name())
    return made, used


@each
def test_the_path_and_its_exercises_need_the_paths_cells_alone(text):
    known = set(KNOWN)
    for cell in split_depths(text)[0]:
        if not isinstance(cell, str):
            made, used = names_of(cell.source)
            known |= made
            assert used <= known, cell.source
    own = [e for e in exercises_of(text) if e.path]
    assert own and sum(e.minutes for e in own) <= 20
    for e in own:
        made, used = names_of(f"{e.stub}\n{e.solution_code}")
        assert used <= known | made, e.id


@each
def test_the_path_is_short_and_what_is_deeper_is_shorter(text):
    path, deeper, _ = split_depths(text)
    most = WORDS_OF_FIRST if text.stem.startswith("00") else WORDS
    words = count_words(x for x in prose(path) if x[:9] != "## Recall")
    assert words <= SLACK * most
    assert count_words(prose(deeper)) <= SLACK * words
    code = [cell for cell in path if not isinstance(cell, str)]
    visible = [c for c in code if "hide-input" not in chapter_files.tags(c)]
    assert len(visible) <= SLACK * CELLS


@each
def test_the_minutes_of_both_depths_follow_the_rule_of_all_chapters(text):
    """Words outside of code: 40 to 56 a minute."""
    head = sessions.Chapter(text)
    path, deeper, _ = split_depths(text)
    said = {head.path: path, head.read - head.path: deeper}
    for minutes, pieces in said.items():
        words = " ".join(prose(pieces)).split()
        assert 40 <= len(words) / minutes <= 56


@each
def test_the_end_of_the_path_leads_to_the_next_chapter(text):
    path = prose(split_depths(text)[0])
    (end,) = [x for x in path if x.startswith(PATH_ENDS)]
    number = int(text.stem[:2])
    assert re.search(r"^\*Here the path ends\. ", end, re.MULTILINE)
    last = number >= sessions.LAST_ON_PATH
    assert last or f"Next on the path is chapter {number + 1}, " in end


@each
def test_a_card_says_in_one_sentence_what_it_found(text):
    pieces = prose(split_depths(text)[1])
    sections = [x for x in pieces if x.startswith("## ")]
    assert sections
    for section in sections:
        paragraphs = re.split(r"\n\s*\n", FOLD.sub("", section))
        said = paragraphs[1].replace("\n", " ")
        assert ONE_SENTENCE.fullmatch(said), paragraphs[:2]
