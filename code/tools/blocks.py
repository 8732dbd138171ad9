"""The blocks of pages that a program writes.

A page of the book holds a block between two lines, ``<!-- results: padding
-->`` and ``<!-- end -->``.  A tool's function that returns the text between
them is marked ``@block("results: padding")``; what stands before the colon
names the tool.  `sync` imports the tools, and checks or writes all pages.
"""

import re
from collections.abc import Callable, Iterable
from functools import partial

from chapter_files import ROOT

BOOK = ROOT / "book"
END = "<!-- end -->"
START = re.compile(r"<!-- (\w+: [\w ]+) -->\n")
BLOCK = re.compile(rf"{START.pattern}(?:(?!<!--).)*{END}", re.DOTALL)
MADE = {}  # name of a block -> function that returns its text


def block(name: str, *arguments: object) -> Callable:
    """Mark the function that returns the text of a block.

    Args:
        name: of the block, as the page has it.
        arguments: what the function is called with.
    """

    def keep(function: Callable[..., str]) -> Callable[..., str]:
        MADE[name] = partial(function, *arguments)
        return function

    return keep


def row(*cells: object) -> str:
    """Return one row of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def table(
    head: Iterable[str], rows: Iterable[Iterable[object]], rule: str = ""
) -> str:
    """Return a Markdown table.

    Args:
        head: names of the columns.
        rows: their cells.
        rule: the line below the head, which aligns the columns; without it
            the first column is text, and all others are numbers.
    """
    head = list(head)
    rule = rule or row("---", *["---:"] * (len(head) - 1))
    return "\n".join([row(*head), rule, *(row(*cells) for cells in rows)])


def fill_blocks(text: str) -> str:
    """Return a page with every block as its function makes it.

    Raises:
        ValueError: a block that no function makes, or without begin or end.
    """

    def fill(found: re.Match) -> str:
        name = found[1]
        if name not in MADE:
            raise ValueError(f"expected one of {sorted(MADE)}, got {name!r}")
        return f"<!-- {name} -->\n\n{MADE[name]().strip()}\n\n{END}"

    whole = len(BLOCK.findall(text))
    starts = sum(name in MADE for name in START.findall(text))
    if max(starts, text.count(END)) > whole:
        raise ValueError(
            f"expected each block between <!-- tool: name --> and {END}, got "
            f"{starts} begins, {text.count(END)} ends, {whole} whole blocks"
        )
    return BLOCK.sub(fill, text)


def keep_pages(write: bool) -> int:
    """Check that all pages are as their blocks are made, or write them.

    Args:
        write: write a page rather than complain of it.

    Returns:
        The exit status: 1 if a page differs and was not written.
    """
    status = 0
    for page in sorted(BOOK.rglob("*.md")):
        old = page.read_text(encoding="utf-8")
        try:
            new = fill_blocks(old)
        except ValueError as error:
            error.add_note(f"in {page}")
            raise
        if new == old:
            continue
        parts = (b[1] for b in BLOCK.finditer(old) if b[0] not in new)
        names = ", ".join(f"<!-- {name} -->" for name in parts)
        if write:
            page.write_text(new, encoding="utf-8")
            print(f"{page.name}: {names} written")
        else:
            print(f"{page.name}: {names} differs: run make sync")
            status = 1
    return status
