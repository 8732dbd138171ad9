"""What programs write on pages is noticed and mended, and no more."""

import re

import pytest

import blocks
import sync

PAGES = {
    page.relative_to(blocks.BOOK).as_posix(): page.read_text(encoding="utf-8")
    for page in blocks.BOOK.rglob("*.md")
}
EMPTY = "<!-- results: {} -->\n<!-- end -->\n"


def test_every_block_stands_on_one_page():
    assert len(sync.TOOLS) == len({name.split(":")[0] for name in blocks.MADE})
    names = blocks.START.findall("".join(PAGES.values()))
    assert sorted(names) == sorted(blocks.MADE)


@pytest.mark.parametrize(
    ("page", "right", "wrong", "name"),
    [
        ("what_made_it_fast", "| common ", "| odd ", "results: speed_steps"),
        ("closing", "| *it* | 4 |", "| *it* | 5 |", "running: scores"),
        ("symptoms", "The loss is stuck", "Odd", "symptoms: all"),
        ("teach/catalogue", "| 8 |", "| 9 |", "catalogue: exercises"),
        ("teach/course", "| 8 |", "| 9 |", "sessions: table term"),
        ("teach/course", "In class, ", "In class, 9", "sessions: list days"),
    ],
)  # fmt: skip
def test_another_number_is_noticed_and_mended(
    page, right, wrong, name, tmp_path, monkeypatch, capsys
):
    text = PAGES[f"{page}.md"]
    assert right in text
    copy = tmp_path / "folder/page.md"
    copy.parent.mkdir()
    copy.write_text(text.replace(right, wrong), encoding="utf-8")
    monkeypatch.setattr(blocks, "BOOK", tmp_path)
    assert blocks.keep_pages(write=False) == 1
    said = capsys.readouterr().out
    assert said.startswith("page.md: ") and f"<!-- {name} -->" in said
    assert said.endswith(" differs: run make sync\n")
    assert blocks.keep_pages(write=True) == 0
    assert copy.read_text(encoding="utf-8") == text
    assert blocks.keep_pages(write=False) == 0


def test_an_empty_block_is_filled_and_nothing_else_is_touched():
    text = f"one\n\n{EMPTY.format('padding')}two\n\n"
    text += f"{EMPTY.format('floor')}three\n"
    new = blocks.fill_blocks(text)
    assert blocks.MADE["results: padding"]() in new
    assert re.sub(r"<!-- [\w: ]+ -->\n\n[^<]+<!-- end -->\n", "", new) == (
        "one\n\ntwo\n\nthree\n"
    )
    assert blocks.fill_blocks(new) == new


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (EMPTY.format("nothing"), "expected one of.*'results: nothing'"),
        (EMPTY.format("padding table"), "got 'results: padding table'"),
        ("<!-- padding -->\n<!-- end -->\n", "0 begins, 1 ends, 0 whole"),
        ("<!-- results:padding -->\n<!-- end -->", "0 begins, 1 ends, 0"),
        ("<!-- results: padding -->\n", "1 begins, 0 ends, 0 whole blocks"),
        ("<!-- results: padding -->\n" + EMPTY.format("floor"), "2 begins"),
        (EMPTY.format("floor") + "<!-- end -->\n", "2 ends, 1 whole"),
    ],
)
def test_a_block_that_cannot_be_filled_is_refused(
    text, said, tmp_path, monkeypatch
):
    monkeypatch.setattr(blocks, "BOOK", tmp_path)
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=said) as caught:
        blocks.keep_pages(write=True)
    assert caught.value.__notes__ == [f"in {tmp_path / 'page.md'}"]
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == text


def test_a_comment_is_no_block():
    text = "<!-- note: later -->\n\nWords.\n"
    assert blocks.fill_blocks(text) == text


def test_a_table_is_aligned_as_its_rule_says():
    assert blocks.table("ab", [["x", 1]]) == (
        "| a | b |\n| --- | ---: |\n| x | 1 |"
    )
    ruled = blocks.table("ab", [["x", "y"]], "|---|---|")
    assert ruled == "| a | b |\n|---|---|\n| x | y |"
