"""The tables of the book's pages are those of the stored results."""

import re

import pytest

import result_tables
from attnbook import results
from chapter_files import ROOT

PAGE = ROOT / "book/what_made_it_fast.md"


def test_every_table_is_used_and_up_to_date():
    names = []
    for page in (ROOT / "book").rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        names += re.findall(r"<!-- results: (\w+) -->", text)
        assert result_tables.filled(text) == text
    assert sorted(names) == sorted(result_tables.TABLES)


def test_another_number_is_noticed():
    text = PAGE.read_text(encoding="utf-8")
    first = results.load("speed_steps")["values"]["rows"][0]
    number = f"| {first['labels_per_second']:,} |"
    assert number in text
    assert result_tables.filled(text.replace(number, "| 99,999 |")) == text


def test_an_empty_table_is_filled_and_nothing_else_is_touched():
    empty = "<!-- results: {} -->\n\n<!-- end -->\n"
    text = f"one\n\n{empty.format('padding')}two\n\n"
    text += f"{empty.format('floor')}three\n"
    new = result_tables.filled(text)
    assert result_tables.padding() in new and result_tables.floor() in new
    assert [w for w in new.split() if w in ("one", "two", "three")] == [
        "one",
        "two",
        "three",
    ]
    assert result_tables.filled(new) == new


def test_an_unknown_table_is_refused():
    text = "<!-- results: nothing -->\n\n<!-- end -->"
    with pytest.raises(ValueError, match="expected a table of.*'nothing'"):
        result_tables.filled(text)


def test_every_ratio_of_the_benchmark_is_on_the_page():
    """A contender that the table forgets would be missed by nobody."""
    text = PAGE.read_text(encoding="utf-8")
    for values in results.load("benchmark")["values"].values():
        for label, (median, _, _) in values["ratios"].items():
            digits = 1 if label.startswith(("greedy", "beam")) else 2
            assert f"{median:.{digits}f}" in text, label
