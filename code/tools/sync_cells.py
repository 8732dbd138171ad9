"""Keep cells of the chapters equal to where their text comes from.

    python code/tools/sync_cells.py [--write]

A code cell tagged ``source:attnbook.attention.softmax`` holds exactly the
text of that function or class; several tags, several definitions.  A cell
tagged ``bootstrap`` holds code/tools/bootstrap.txt with the project's
address.  ``--write`` copies package -> chapters/text, never the other way;
without it every difference is shown and the exit status is 1.
"""

import ast
import difflib
import sys
from collections.abc import Iterator
from pathlib import Path

from chapter_files import ROOT, read, tags, texts
from publish import current


def source_of(dotted: str) -> str:
    """Return the text of one top-level function or class of the package."""
    *module, name = dotted.split(".")
    path = ROOT / "code" / Path(*module).with_suffix(".py")
    text = path.read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if getattr(node, "name", None) == name:
            decorators = [d.lineno for d in node.decorator_list]
            first = min([node.lineno, *decorators])
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    raise ValueError(f"expected {name!r} defined in {path.name}, found none")


def bootstrap() -> str:
    """Return the text of the bootstrap cell for the current address."""
    template = (ROOT / "code/tools/bootstrap.txt").read_text(encoding="utf-8")
    repo, version = current()
    text = template.strip().replace("ORG/REPO", repo)
    return text.replace("@REF", f"@v{version}")


def wanted(cell_tags: list[str]) -> str | None:
    """Return what a cell with these tags must hold, None if anything."""
    if "bootstrap" in cell_tags:
        return bootstrap()
    names = [
        tag.removeprefix("source:")
        for tag in cell_tags
        if tag.startswith("source:")
    ]
    return "\n\n\n".join(map(source_of, names)) if names else None


def differences(nb) -> Iterator[tuple[object, str]]:
    """Yield each cell that differs, with the text it must hold."""
    for cell in nb.cells:
        want = wanted(tags(cell))
        if want is not None and cell.source != want:
            yield cell, want


def replace(path: Path, old: str, new: str) -> None:
    """Put another source into a cell, and leave all else as it is."""
    text = path.read_text(encoding="utf-8")
    if text.count(f"\n{old}\n```") != 1:
        raise ValueError(
            f"expected one cell of {path.name} with this text, got "
            f"{text.count(old)}:\n{old}"
        )
    text = text.replace(f"\n{old}\n```", f"\n{new}\n```")
    path.write_text(text, encoding="utf-8")


def main(write: bool) -> int:
    """Check, or with ``write`` repair, every chapter's text."""
    differing = 0
    for path in texts():
        nb = read(path)
        found = list(differences(nb))
        for cell, want in found:
            diff = difflib.unified_diff(
                cell.source.splitlines(),
                want.splitlines(),
                path.name,
                "package",
                lineterm="",
                n=1,
            )
            print(*diff, sep="\n")
            if write:
                replace(path, cell.source, want)
        differing += len(found)
    done = "rewritten" if write else "differ from their source"
    if differing and not write:
        done += ": run make sync"
    print(f"{differing} cell(s) {done}")
    return 1 if differing and not write else 0


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--write"]):
        sys.exit(__doc__)
    sys.exit(main("--write" in sys.argv))
