"""Run notebooks as a processor without special instructions would.

    python code/tools/plain_run.py           those that changed since
    python code/tools/plain_run.py check     say which those are; 1 if any

Such a processor rounds otherwise, so a training takes another way; what a
notebook prints must hold there, too, within the bounds that its cells
declare.  A notebook that passed is noted in tests/plain_runs.json with a
hash of its code and its outputs, and not run again until these change.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat

from attnbook.data.files import write_json
from chapter_files import ROOT, SVG, is_plot, notebook_of, read, tags, texts
from notebooks import PICTURES, code_of

NOTED = ROOT / "tests/plain_runs.json"


def state(path: Path) -> str:
    """Return a hash of a notebook's code, bounds and what is compared.

    Not of the bootstrap cell: a new address or version changes nothing else.
    """
    parts = [
        [cell.source, compared(cell), cell.metadata.get("numbers", {})]
        for cell in code_of(read(path))
        if "bootstrap" not in tags(cell)
    ]
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def compared(cell: nbformat.NotebookNode) -> list[dict]:
    """Return the outputs of a cell without its plots."""
    outputs = [dict(output) for output in cell.outputs]
    for output in outputs:
        kinds = PICTURES if is_plot(output) else PICTURES - {SVG}
        if kinds & set(output.get("data", {})):
            data = output["data"].items()
            output["data"] = {k: v for k, v in data if k not in kinds}
            output["metadata"] = {}  # the text of the picture
    return outputs


def noted() -> dict[str, str]:
    """Return name -> hash of the notebooks that passed."""
    return json.loads(NOTED.read_text(encoding="utf-8"))


def changed() -> list[Path]:
    """Return the notebooks that have changed since they passed."""
    known = noted()
    paths = [notebook_of(text) for text in texts()]
    return [p for p in paths if known.get(p.stem) != state(p)]


def passes(path: Path) -> bool:
    """Run a notebook and compare it; say whether all is within bounds."""
    words = ["-m", "pytest", "-c", ROOT / "tests/pytest-notebooks.ini"]
    words += [f"--rootdir={ROOT}", "-q", path]
    plain = {"ATEN_CPU_CAPABILITY": "default", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, *words], env=os.environ | plain)
    return done.returncode == 0


def main(words: list[str]) -> int:
    """Run or name the changed notebooks; 1 if one is left."""
    left = changed()
    if words != ["check"]:
        for path in [*left]:
            if passes(path):
                write_json(NOTED, noted() | {path.stem: state(path)})
                left.remove(path)
    for path in left:
        print(
            f"{path.name} has not passed as a plain processor computes "
            "since it changed: make notebooks-plain"
        )
    return bool(left)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
