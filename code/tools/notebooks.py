"""Build and check the notebooks of the chapters.

    python code/tools/notebooks.py build [--all]
    python code/tools/notebooks.py check

The text chapters/text/NN_name.md is the master; the notebook
chapters/NN_name.ipynb is made from it, one way, and executed.  ``build``
executes the chapters whose cells differ from their notebook (``--all``: all
of them); nothing that depends on the run stays in the file.  ``check`` says
what is wrong with a notebook and exits with 1 if anything is.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient

import cell_numbers
from chapter_files import ROOT, cells, metadata, notebook_of, read, tags, texts

KERNEL = {
    "display_name": "Python 3",
    "language": "python",
    "name": "python3",
}
LARGEST = 1_000_000  # bytes
TIMEOUT = 300  # seconds for one cell
# Paths that no output may hold; a home of "/" is in every path.
PRIVATE = [
    str(path)
    for path in (ROOT, Path.home(), Path("/tmp"))
    if len(path.parts) > 1
]


def execute(
    nb: nbformat.NotebookNode,
    folder: Path,
    timeout: int = TIMEOUT,
    **changes: str,
) -> None:
    """Execute a notebook in a folder, with changes of the environment."""
    NotebookClient(
        nb,
        timeout=timeout,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,  # else prints are cut by chance
        resources={"metadata": {"path": str(folder)}},
    ).execute(env=os.environ | changes)


def build(text: Path) -> None:
    """Execute one text and write its notebook."""
    path = notebook_of(text)
    nb = read(text)
    execute(nb, path.parent)
    for number, cell in enumerate(nb.cells):
        cell["id"] = f"{path.stem[:2]}-{number:03d}"
        cell.metadata = metadata(cell)
    nb.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    nbformat.write(nb, path)


def changed(text: Path) -> bool:
    """Say whether a notebook is missing or has other cells than its text."""
    path = notebook_of(text)
    return not path.exists() or cells(read(path)) != cells(read(text))


def complaints(text: Path) -> Iterator[str]:
    """Yield what is wrong with the notebook of a text."""
    path = notebook_of(text)
    if not path.exists():
        yield "is missing: run make notebooks"
        return
    if changed(text):
        yield (
            "differs from its text: run make notebooks, or turn an edit of "
            "the notebook into text first (CONTRIBUTING.md)"
        )
    nb = read(path)
    code = [c for c in nb.cells if c.cell_type == "code" and c.source.strip()]
    if [c.execution_count for c in code] != list(range(1, len(code) + 1)):
        yield "was not run top to bottom (nbval would skip cells silently)"
    for cell in code:
        failed = any(o.output_type == "error" for o in cell.outputs)
        if failed and "raises-exception" not in tags(cell):
            yield f"stores an error in cell {cell['id']}"
        for wrong in cell_numbers.complaints(cell.metadata.get("numbers", {})):
            yield f"has in cell {cell['id']}: {wrong}"
        yield from drawing_complaints(cell)
        kinds = {kind for o in cell.outputs for kind in o.get("data", {})}
        drawn = kinds & {"image/png", "image/svg+xml"}
        if "figure" in cell.metadata.get("mystnb", {}) and not drawn:
            yield f"has no picture in cell {cell['id']}"
    raw = path.read_text(encoding="utf-8")
    for private in PRIVATE:
        if f"{private}/" in raw:
            yield f"stores a path of the computer that built it: {private}"
    if len(raw) > LARGEST:
        yield f"has {len(raw):,} bytes; {LARGEST:,} are allowed"


def drawing_complaints(cell: nbformat.NotebookNode) -> Iterator[str]:
    """Yield what is wrong with a cell tagged drawing."""
    if "drawing" not in tags(cell):
        return
    if "hide-input" not in tags(cell):
        yield f"shows the code of the drawing in cell {cell['id']}"
    data = [o.get("data", {}) for o in cell.outputs]
    stored = [d["text/plain"] for d in data if "image/svg+xml" in d]
    mystnb = cell.metadata.get("mystnb", {})
    if stored != [mystnb.get("image", {}).get("alt")]:
        yield f"has another alt text than its drawing in cell {cell['id']}"


def orphans() -> list[Path]:
    """Return the notebooks that no text belongs to."""
    known = {notebook_of(text) for text in texts()}
    return sorted(set((ROOT / "chapters").glob("*.ipynb")) - known)


def main(arguments: list[str]) -> int:
    """Run the command that was typed."""
    if arguments in (["build"], ["build", "--all"]):
        for text in texts():
            if "--all" in arguments or changed(text):
                print(f"executing {text.name}", flush=True)
                build(text)
        return 0
    if arguments != ["check"]:
        print(__doc__)
        return 2
    bad = [
        f"{notebook_of(text).name} {why}"
        for text in texts()
        for why in complaints(text)
    ]
    bad += [f"{path.name} has no text" for path in orphans()]
    print("\n".join(bad) or f"{len(texts())} notebook(s) match their texts")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
