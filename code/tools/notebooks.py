"""Build and check the notebooks of the chapters.

    python code/tools/notebooks.py build [--all]
    python code/tools/notebooks.py plots NN ...
    python code/tools/notebooks.py check

The text chapters/text/NN_name.md is the master; the notebook
chapters/NN_name.ipynb is made from it, one way, and executed.  ``build``
makes the notebooks that differ from their text, and executes those whose code
differs (``--all``: all of them); nothing that depends on the run stays in the
file.  ``plots`` executes chapters whose plots look otherwise now, and takes
over the plots alone, where all else that the cell prints is as stored, within
its bounds: another processor gives other last digits.  ``check`` says what is
wrong with a notebook and exits with 1 if anything is.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient

import cell_numbers
from chapter_files import (
    ROOT,
    SVG,
    cells,
    is_plot,
    metadata,
    notebook_of,
    read,
    tags,
    texts,
)

KERNEL = {
    "display_name": "Python 3",
    "language": "python",
    "name": "python3",
}
LARGEST = 1_000_000  # bytes
PICTURES = {"image/png", SVG}
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


def code_of(nb: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Return the cells that are executed."""
    return [c for c in nb.cells if c.cell_type == "code" and c.source.strip()]


def keep_outputs(nb: nbformat.NotebookNode, old: Path) -> bool:
    """Take over the outputs of an old notebook if its code is the same."""
    if not old.exists():
        return False
    pairs = code_of(nb), code_of(read(old))
    sources = [[(c.source.strip(), tags(c)) for c in cells] for cells in pairs]
    if sources[0] != sources[1]:
        return False
    for new, known in zip(*pairs, strict=True):
        new.outputs, new.execution_count = known.outputs, known.execution_count
    return True


def undescribed(cell: nbformat.NotebookNode) -> Iterator[tuple[dict, dict]]:
    """Yield metadata of pictures without their text, and what they lack.

    The book takes the text of a picture from the cell's metadata; tools that
    show notebooks, such as nbconvert, look for it in the output's.
    """
    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt")
    for output in cell.get("outputs", []) if alt else []:
        for kind in PICTURES & set(output.get("data", {})):
            if output.metadata.get(kind, {}).get("alt") != alt:
                yield output.metadata, {kind: {"alt": alt}}


def build(text: Path, again: bool = False) -> None:
    """Write the notebook of a text.

    Args:
        text: the master.
        again: execute it even if its code is that of the notebook.
    """
    path = notebook_of(text)
    nb = read(text)
    if again or not keep_outputs(nb, path):
        print(f"executing {text.name}", flush=True)
        execute(nb, path.parent)
    for number, cell in enumerate(nb.cells):
        cell["id"] = f"{path.stem[:2]}-{number:03d}"
        cell.metadata = metadata(cell)
        for output, lacking in list(undescribed(cell)):
            output.update(lacking)
    nb.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    nbformat.write(nb, path)


def disagreement(
    new: nbformat.NotebookNode, old: nbformat.NotebookNode
) -> str | None:
    """Return how a cell leaves what it stores, None if it agrees.

    Pictures do not count.

    Args:
        new: the cell as executed.
        old: the cell as stored.
    """
    pairs = [[*map(texts_of, cell.outputs)] for cell in (new, old)]
    if [[*text] for text in pairs[0]] != [[*text] for text in pairs[1]]:
        return "other kinds of output"
    if "NBVAL" in new.source:
        return None
    numbers = new.metadata.get("numbers", {})
    for now, stored in zip(*pairs, strict=True):
        for kind, text in now.items():
            for wrong in cell_numbers.differences(text, stored[kind], numbers):
                return wrong
    return None


def texts_of(output: dict) -> dict[str, str]:
    """Return what an output says, without its pictures."""
    data = output.get("data", {"text": output.get("text", "")})
    return {kind: x for kind, x in data.items() if kind not in PICTURES}


def replace_plots(text: Path) -> list[str]:
    """Execute a chapter and take over its plots; return what is left.

    Raises:
        ValueError: the notebook has other code than its text.
    """
    path = notebook_of(text)
    nb, new = read(path), read(text)
    if cells(nb) != cells(new):
        raise ValueError(f"expected {path.name} as its text makes it")
    execute(new, path.parent)
    left = []
    for fresh, cell in zip(code_of(new), code_of(nb), strict=True):
        drawn = any(PICTURES & set(o.get("data", {})) for o in cell.outputs)
        if not drawn or "drawing" in tags(cell):
            continue
        wrong = disagreement(fresh, cell)
        if not any(map(is_plot, fresh.outputs)):
            wrong = "no plot, or one that is not shown as SVG"
        if wrong:
            left.append(f"{path.name}, {cell['id']}: {wrong}")
            continue
        for one, two in zip(fresh.outputs, cell.outputs, strict=True):
            if is_plot(one):
                two.data, two.metadata = one.data, {}
        for output, lacking in list(undescribed(cell)):
            output.update(lacking)
    nbformat.write(nb, path)
    return left


def changed(text: Path) -> bool:
    """Say whether a notebook is missing or is not what its text makes."""
    path = notebook_of(text)
    if not path.exists():
        return True
    nb = read(path)
    bare = any(any(undescribed(cell)) for cell in nb.cells)
    return bare or cells(nb) != cells(read(text))


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
    code = code_of(nb)
    if [c.execution_count for c in code] != list(range(1, len(code) + 1)):
        yield "was not run top to bottom (nbval would skip cells silently)"
    for cell in code:
        failed = any(o.output_type == "error" for o in cell.outputs)
        if failed and "raises-exception" not in tags(cell):
            yield f"stores an error in cell {cell['id']}"
        for wrong in cell_numbers.complaints(cell.metadata.get("numbers", {})):
            yield f"has in cell {cell['id']}: {wrong}"
        yield from drawing_complaints(cell)
        drawn = any(PICTURES & set(o.get("data", {})) for o in cell.outputs)
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
                build(text, "--all" in arguments)
        return 0
    if arguments[:1] == ["plots"]:
        found = [t for t in texts() if t.stem[:2] in arguments[1:]]
        left = [line for text in found for line in replace_plots(text)]
        print("\n".join(left) or f"plots of {len(found)} notebook(s)")
        return 1 if left else 0
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
