"""The tables of the closing page are those of the running sentence."""

import torch

import running_tables


def test_the_numbers_of_the_chapters_are_on_it():
    tables = running_tables.tables()
    looks_for = (
        "| *pointing* | 1 | 1 | 0 | 0 | -1 | 0 | 0 | 1 | 0 | 0 | 0 | 0 |"
    )
    assert looks_for in tables["matrices"]
    assert "| *it* | 4 | 0 | 4 | -4 | 0 | 2 |" in tables["scores"]
    assert "| *it* | 2.0 | 0.0 | 2.0 | -2.0 | 0.0 | 1.0 |" in tables["scaled"]
    assert "| *it* | 0.89 | 0.80 | 0.33 | 2.00 |" in tables["stream"]


def test_zero_has_no_sign():
    rows = torch.tensor([[-0.0], [-0.001], [1.0], [0.0], [0.0], [0.0]])
    assert "-0.00" not in running_tables.spell(rows, ["x"], 2)
