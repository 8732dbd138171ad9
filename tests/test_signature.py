"""The parts of a page get their classes, and no word is lost."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book/_ext"))
import signature  # noqa: E402


def paragraph(*children):
    """A paragraph as MyST makes it: an empty text, then the rest."""
    return nodes.paragraph("", "", nodes.Text(""), *children)


def lead(words, rest=" And now?"):
    return paragraph(nodes.strong("", words), nodes.Text(rest))


def fold(answer="Yes."):
    return [
        nodes.raw("", "<details>\n<summary>A</summary>", format="html"),
        paragraph(nodes.Text(answer)),
        nodes.raw("", "</details>", format="html"),
    ]


def page(*children):
    document = new_document("page")
    document += nodes.section("", nodes.title("", "7 Many heads"), *children)
    return document


def text(document):
    return [p.astext() for p in document.findall(nodes.paragraph)]


@pytest.mark.parametrize(("words", "name"), signature.LEADS.items())
def test_first_words_name_a_paragraph(words, name):
    document = page(lead(words), lead("Something else."))
    before = text(document)
    signature.name_paragraphs(document)
    named, other = document.findall(nodes.paragraph)
    assert named["classes"] == [name]
    assert other["classes"] == []
    assert text(document) == before


def test_words_in_mid_sentence_name_nothing():
    late = paragraph(nodes.Text("So "), nodes.strong("", "Predict."))
    document = page(late)
    signature.name_paragraphs(document)
    assert not late["classes"]


def test_a_box_holds_the_question_its_list_and_its_answer():
    after = paragraph(nodes.Text("After."))
    items = nodes.bullet_list("", nodes.list_item("", paragraph()))
    document = page(lead("Predict.", " For each:"), items, *fold(), after)
    signature.name_paragraphs(document)
    (box,) = document.findall(nodes.container)
    assert box["classes"] == ["atn-predict-box"]
    assert len(box) == 5  # question, list, fold of three
    assert after.parent is box.parent


def test_a_box_leaves_what_is_not_its_own():
    items = nodes.bullet_list("", nodes.list_item("", paragraph()))
    document = page(lead("Predict."), items, *fold())
    signature.name_paragraphs(document)
    (box,) = document.findall(nodes.container)
    assert len(box) == 1


def test_a_fold_that_never_closes_stays_outside():
    document = page(lead("Predict."), fold()[0])
    signature.name_paragraphs(document)
    (box,) = document.findall(nodes.container)
    assert len(box) == 1


@pytest.mark.parametrize(
    "line",
    [
        "Code, difficulty 2 of 5, 8 minutes, 3 points.",
        "Parsons problem, difficulty 5 of 5, 12 minutes, 1 point.",
        "Predict, difficulty 1 of 5, 1 minute, 2 points.",
        "Code, difficulty 2 of 5, 8 minutes, 3 points, on the path.",
    ],
)
def test_marks_read_as_the_sentence_that_they_replace(line):
    marks = paragraph(nodes.emphasis("", line))
    signature.write_marks(page(marks))
    assert marks.astext() == line
    assert "atn-marks" in marks["classes"]
    assert f"atn-dots-{line.split(' of ')[0][-1]}" in str(marks)


@pytest.mark.parametrize(
    "line",
    [
        "Code, difficulty 6 of 5, 8 minutes, 3 points.",
        "Code, difficulty 2 of 5, 8 minutes.",
    ],
)
def test_other_lines_are_left_alone(line):
    other = paragraph(nodes.emphasis("", line))
    plain = paragraph(
        nodes.Text("Code, difficulty 2 of 5, 8 minutes, 3 points.")
    )
    signature.write_marks(page(other, plain))
    assert not other["classes"]
    assert not plain["classes"]


def test_sections_are_named_by_their_titles():
    document = page(
        nodes.section("", nodes.title("", "Recall")),
        nodes.section("", nodes.title("", "Exercise 7.1 Where?")),
        nodes.section("", nodes.title("", "Merging")),
    )
    signature.name_sections(document)
    found = [s["classes"] for s in document.findall(nodes.section)]
    assert found == [[], ["atn-recall"], ["atn-exercise"], []]


def test_the_place_stands_above_a_chapters_title():
    document = page(paragraph(nodes.emphasis("", "A hook.")))
    parts = {"one": "Part", "seven": "Part", "eight": "Next"}
    signature.write_place(document, parts, "seven")
    place, title, hook = document[0]
    assert place.astext().startswith("PartChapter 7 of 8")
    assert title.astext() == "7 Many heads"
    assert hook["classes"] == ["atn-hook"]


def test_a_page_that_is_no_chapter_has_no_place():
    document = page()
    signature.write_place(document, {"one": "Part"}, "glossary")
    assert document[0].next_node(nodes.paragraph) is None


def test_every_chapter_has_the_parts_that_the_style_sheet_knows():
    """A slip of the pen in a chapter would silently lose a part."""
    for path in sorted((ROOT / "chapters/text").glob("*.md")):
        lines = path.read_text(encoding="utf-8").splitlines()
        exercises = sum(x.startswith("### Exercise ") for x in lines)
        marks = [x for x in lines if signature.MARKS.fullmatch(x.strip("*"))]
        assert len(marks) == exercises, path.name
        for words in ("Predict.", "You will be able to"):
            assert any(x.startswith(f"**{words}**") for x in lines), path.name
        heads = {x[3:].removeprefix("Deeper: ") for x in lines}
        may_miss = {"Recall"}
        if "## What you can do now" in lines:
            may_miss |= {"Break it on purpose", "Paper and practice"}
        assert set(signature.TITLES) - heads <= may_miss, path.name


def test_another_chapter_has_every_page_written_again(monkeypatch):
    env = SimpleNamespace(found_docs={"b", "a"})
    monkeypatch.setattr(signature, "chapters", lambda env: {"a": "Part I"})
    assert signature.with_all_pages(None, env) == ["a", "b"]  # the first build
    assert signature.with_all_pages(None, env) == []
    more = {"a": "Part I", "b": "Part I"}
    monkeypatch.setattr(signature, "chapters", lambda env: more)
    assert signature.with_all_pages(None, env) == ["a", "b"]
