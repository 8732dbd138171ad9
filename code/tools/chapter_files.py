"""Where the chapters are, and how their cells are read."""

import copy
import functools
from pathlib import Path

import jupytext
import nbformat

ROOT = Path(__file__).resolve().parents[2]
TEXTS = ROOT / "chapters/text"
# mystnb: caption, label and alt text of a figure; numbers: cell_numbers.py
KEEP = ("tags", "mystnb", "numbers")
SVG = "image/svg+xml"
PLOT = 'class="attnbook-plot"'  # attnbook.plots.display


def texts() -> list[Path]:
    """Return the texts of all chapters, in order."""
    return sorted(TEXTS.glob("*.md"))


def notebook_of(text: Path) -> Path:
    """Return the notebook that is made from a text."""
    return ROOT / "chapters" / f"{text.stem}.ipynb"


@functools.lru_cache(maxsize=32)
def parsed(text: str) -> nbformat.NotebookNode:
    """Return a chapter's text as a notebook, parsed only once."""
    return jupytext.reads(text, fmt="md:myst")


def read(path: Path) -> nbformat.NotebookNode:
    """Return a text or a notebook as a notebook."""
    if path.suffix == ".ipynb":
        return nbformat.read(path, 4)
    return copy.deepcopy(parsed(path.read_text(encoding="utf-8")))


def metadata(cell: nbformat.NotebookNode) -> dict:
    """Return the metadata that author and reader share, in fixed order."""
    return {key: cell.metadata[key] for key in KEEP if cell.metadata.get(key)}


def tags(cell: nbformat.NotebookNode) -> list[str]:
    """Return the tags of a cell."""
    return list(cell.metadata.get("tags", []))


def cells(nb: nbformat.NotebookNode) -> list[tuple[str, str, dict]]:
    """Return kind, source and shared metadata of each cell."""
    return [(c.cell_type, c.source.strip(), metadata(c)) for c in nb.cells]


def is_plot(output: dict) -> bool:
    """Say whether an output is a plot, which is compared by nobody."""
    return PLOT in output.get("data", {}).get(SVG, "")
