"""The teachers' pages say what the code does: limits, words, files."""

import re

import pytest

import chapter_files
from attnbook.teaching.results import STATUSES
from attnbook.teaching.sandbox.launch import Limits

TEACH = chapter_files.ROOT / "book/teach"
HOMEWORK = (TEACH / "homework.md").read_text("utf-8")
CODE = "".join(
    path.read_text("utf-8")
    for path in (chapter_files.ROOT / "code/attnbook/teaching").rglob("*.py")
)


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


@pytest.mark.parametrize("cell", column("it says"))
def test_what_collect_says_is_said_by_the_code(cell):
    for words in re.split("; |, (?=and)", cell):
        known = re.sub(r"^(\d+ files|defined \d+ times|… )", "", words)
        known = known.removesuffix("my_masks").removeprefix("masks_for ")
        known = known.removeprefix("or ").removesuffix(" …")
        assert known in CODE, words


def test_nothing_is_left_to_do():
    texts = [path.read_text("utf-8") for path in TEACH.glob("*.md")]
    assert texts and "TODO" not in "".join(texts)
