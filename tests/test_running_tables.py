"""The tables of the closing page are those of the running sentence."""

import re

import pytest
import torch

import running_tables

PAGE = running_tables.PAGE.read_text(encoding="utf-8")


def test_every_table_is_on_the_page_in_its_order_and_up_to_date():
    names = re.findall(r"<!-- running: (\w+) -->", PAGE)
    assert names == list(running_tables.tables())
    assert running_tables.filled(PAGE) == PAGE


def test_the_numbers_of_the_chapters_are_on_it():
    tables = running_tables.tables()
    looks_for = (
        "| *pointing* | 1 | 1 | 0 | 0 | -1 | 0 | 0 | 1 | 0 | 0 | 0 | 0 |"
    )
    assert looks_for in tables["matrices"]
    assert "| *it* | 4 | 0 | 4 | -4 | 0 | 2 |" in tables["scores"]
    assert "| *it* | 2.0 | 0.0 | 2.0 | -2.0 | 0.0 | 1.0 |" in tables["scaled"]
    assert "| *it* | 0.89 | 0.80 | 0.33 | 2.00 |" in tables["stream"]


def test_another_number_is_noticed_and_mended(tmp_path, monkeypatch, capsys):
    page = tmp_path / "closing.md"
    page.write_text(PAGE.replace("| *it* | 4 |", "| *it* | 5 |"), "utf-8")
    monkeypatch.setattr(running_tables, "PAGE", page)
    assert running_tables.main([]) == 1
    assert "run make sync" in capsys.readouterr().out
    assert running_tables.main(["--write"]) == 0
    assert page.read_text(encoding="utf-8") == PAGE
    assert running_tables.main([]) == 0


def test_an_unknown_table_is_refused():
    text = "<!-- running: nothing -->\n<!-- end -->\n"
    with pytest.raises(ValueError, match="expected a table of"):
        running_tables.filled(text)


def test_zero_has_no_sign():
    rows = torch.tensor([[-0.0], [-0.001], [1.0], [0.0], [0.0], [0.0]])
    assert "-0.00" not in running_tables.table(rows, ["x"], 2)
