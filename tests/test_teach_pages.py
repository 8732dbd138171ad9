"""The teachers' pages say what the code does: limits, words, files."""

import ast
import re

import pytest

import chapter_files
from attnbook.teaching.results import STATUSES
from attnbook.teaching.sandbox.launch import Limits

TEACH = chapter_files.ROOT / "book/teach"
HOMEWORK = (TEACH / "homework.md").read_text("utf-8")
TEACHING = chapter_files.ROOT / "code/attnbook/teaching"


def column(head):
    """Return the first cells of the table below a heading's first cell."""
    table = HOMEWORK.split(f"\n| {head} |", 1)[1].split("\n\n", 1)[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return [line.split("|")[1].strip() for line in lines]


def test_limits_are_those_of_the_code():
    limits = Limits()
    lines = [
        f"| time | {limits.seconds:g} seconds for all calls together, "
        f"{limits.call_seconds:g} for one |",
        f"| memory | {limits.memory / 2**30:g} GB for each process,",
        f"| processes and threads | {limits.processes} |",
        f"| scratch folder | {limits.files / 2**20:g} MB |",
    ]
    assert [line for line in lines if line not in HOMEWORK] == []


def test_every_status_is_explained():
    told = ", ".join(column("status in `grades.csv`")).split(", ")
    assert sorted(told) == sorted(STATUSES)


def written(node):
    """Return the text of a literal; what the program fills in is dots."""
    parts = getattr(node, "values", [node])
    texts = [getattr(part, "value", None) for part in parts]
    return "".join(x if isinstance(x, str) else "…" for x in texts)


@pytest.fixture(scope="module")
def literals():
    """All strings of the code that collects and grades, but docstrings."""
    found = []
    for path in TEACHING.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        alone = {id(n.value) for n in nodes if isinstance(n, ast.Expr)}
        kinds = ast.Constant, ast.JoinedStr
        found += [written(n) for n in nodes
                  if isinstance(n, kinds) and id(n) not in alone]  # fmt: skip
    return found


def is_said(words, literals):
    """Say whether one string has these words, whole and in a row."""
    known = re.sub(r"\b(\d+|my_masks|masks_for)\b", "…", words).strip("… ")
    whole = re.compile(rf"(?<!\w){re.escape(known)}(?!\w)")
    return known != "" and any(map(whole.search, literals))


@pytest.mark.parametrize("cell", column("it says"))
def test_what_collect_says_is_said_by_the_code(cell, literals):
    for words in re.split("; |, (?=or )", cell):
        assert is_said(words, literals), words


@pytest.mark.parametrize("words", ["no notebook", "…", "2", "mpty", "lat"])
def test_what_no_code_says_is_noticed(words, literals):
    assert not is_said(words, literals)
