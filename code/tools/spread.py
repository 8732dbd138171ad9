"""Measure how far the numbers of a chapter move with the processor.

    python code/tools/spread.py CHAPTER [CELL]

CHAPTER is two digits; CELL counts the code cells from 0, as nbval does.  The
chapter's text is executed four times: with all instructions of the processor
and without the special ones, each with one and with two threads.  Printed is
the spread (largest minus smallest) of every cell and column that moves or
declares a tolerance, and three times that, the least to declare.  Exits with
1 where less is declared, or where anything but numbers moves.
"""

import itertools
import sys
from collections import defaultdict
from pathlib import Path

import nbformat

from cell_numbers import NUMBER, allowed, column_of, value, words
from chapter_files import notebook_of, read, texts
from notebooks import execute

TIMES = 3
TIMEOUT = 600  # seconds for one cell; this is no test of speed
INSTRUCTIONS = {
    "all instructions": {},
    "plain": {"ATEN_CPU_CAPABILITY": "default"},
}
IGNORED = "NBVAL_IGNORE_OUTPUT"


def code_cells(nb: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Return the code cells of a notebook."""
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def run_all(text: Path, last: int | None) -> list[nbformat.NotebookNode]:
    """Execute a text four times, up to the code cell ``last``."""
    runs = []
    for name, threads in itertools.product(INSTRUCTIONS, (1, 2)):
        print(f"running {text.stem}: {name}, {threads} thread(s)", flush=True)
        nb = read(text)
        if last is not None:
            end = nb.cells.index(code_cells(nb)[last])
            nb.cells = nb.cells[: end + 1]
        execute(
            nb,
            notebook_of(text).parent,
            timeout=TIMEOUT,
            OMP_NUM_THREADS=str(threads),
            **INSTRUCTIONS[name],
        )
        runs.append(nb)
    return runs


def shown(cell: nbformat.NotebookNode) -> list[str]:
    """Return what a cell prints and displays, a table as HTML alone."""
    found = []
    for output in cell.outputs:
        data = output.get("data", {"text/plain": output.get("text", "")})
        found.append(data.get("text/html", data.get("text/plain", "")))
    return found


def ranges(versions: list[str], numbers: dict) -> dict[str, list]:
    """Return the smallest and largest value of each number, by column.

    Args:
        versions: one output in each run.
        numbers: the metadata of the cell.

    Raises:
        ValueError: more than numbers with a decimal point differs.
    """
    for other in versions[1:]:
        for one, two in itertools.zip_longest(
            words(versions[0]), words(other)
        ):
            if one != two:
                raise ValueError(f"words or integers move: {one!r}, {two!r}")
    found = defaultdict(list)
    for matches in zip(*map(NUMBER.finditer, versions), strict=True):
        values = [value(match[0]) for match in matches]
        columns = numbers.get("columns", {})
        column = column_of(versions[0], matches[0], columns)
        found[column or ""].append((min(values), max(values)))
    return found


def report(column: str, pairs: list, numbers: dict) -> tuple[str, bool]:
    """Return a line about one column, and whether enough is declared."""
    sizes = [min(abs(low), abs(high)) for low, high in pairs]
    moved = [high - low for low, high in pairs]
    shares = [
        m / s if s else float("inf")
        for m, s in zip(moved, sizes, strict=True)
        if m
    ]
    share = max(shares, default=0.0)
    enough = all(
        TIMES * m <= allowed(numbers, column, size) * (1 + 1e-9)
        for m, size in zip(moved, sizes, strict=True)
    )
    name = f"column {column!r}" if column else "numbers"
    line = (
        f"{name}: {len(pairs)}, spread {max(moved):.3g} or {share:.2g} of it;"
        f" declare absolute {TIMES * max(moved):.3g}"
        f" or relative {TIMES * share:.2g}"
    )
    return line, enough


def measure(versions: list[nbformat.NotebookNode]) -> tuple[list[str], bool]:
    """Return lines about one cell, and whether enough is declared.

    Args:
        versions: the cell in each run.
    """
    numbers = versions[0].metadata.get("numbers", {})
    lines, fine = [], True
    for outputs in itertools.zip_longest(*map(shown, versions), fillvalue=""):
        try:
            found = ranges(outputs, numbers)
        except ValueError as error:
            lines.append(f"{error}  <-- NO TOLERANCE COVERS THIS")
            fine = False
            continue
        for column, pairs in found.items():
            line, enough = report(column, pairs, numbers)
            if numbers or not enough:
                mark = "" if enough else "  <-- TOO LITTLE IS DECLARED"
                lines.append(line + mark)
            fine = fine and enough
    return lines, fine


def main(arguments: list[str]) -> int:
    """Measure the chapter that was typed."""
    number = "".join(arguments[:1]).zfill(2)
    found = [t for t in texts() if t.stem[:2] == number]
    whole = all(word.isdigit() for word in arguments)
    if not arguments or not found or not whole or len(arguments) > 2:
        print(__doc__)
        return 2
    only = int(arguments[1]) if len(arguments) == 2 else None
    runs = run_all(found[0], only)
    fine = True
    cells = zip(*map(code_cells, runs), strict=True)
    for number, versions in enumerate(cells):
        if only not in (None, number) or IGNORED in versions[0].source:
            continue
        lines, enough = measure(versions)
        fine = fine and enough
        for line in lines:
            print(f"cell {number}, {line}")
    print("enough is declared" if fine else "too little is declared")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
