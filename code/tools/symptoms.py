"""The lists of the page of symptoms, from the chapters.

A chapter marks a section that explains a symptom, under its heading:
``<!-- symptom loss: The loss is stuck -->``; the words before the colon are a
key of `GROUPS`.  The page also lists every message with which code that a
chapter shows refuses its input.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from mdit_py_plugins.anchors.index import slugify

from blocks import block
from chapter_files import notebook_of, read, tags, texts

PART = re.compile(r"^##+ (.+)$|^<!-- symptom (\w+): (.+) -->$", re.MULTILINE)
GROUPS = {
    "nan": "Not a number",
    "loss": "The loss and the gradient",
    "output": "What the model writes",
    "wrong": "Numbers that cannot be right",
    "score": "The score of the translations",
    "cost": "Time and memory",
    "message": "Messages of Python and PyTorch",
    "ours": "Messages of this course's package",
}
Symptom = tuple[str, str, str]  # group, what one sees, where it is explained


def place(text: Path, heading: str) -> str:
    """Return a link to a section of a chapter."""
    name = f"Chapter {int(text.stem[:2])}, {heading}"
    if heading.startswith("Exercise"):
        name = heading
    path = f"../chapters/{notebook_of(text).name}"
    return f"[{name}]({path}#{slugify(heading)})"


def refusals(source: str) -> Iterator[str]:
    """Yield the messages of the errors that code raises.

    Args:
        source: Python; what the program fills in becomes dots.
    """
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Raise) or not isinstance(
            node.exc, ast.Call
        ):
            continue
        message = node.exc.args[0]
        parts = getattr(message, "values", [message])
        said = [getattr(part, "value", None) for part in parts]
        words = [w if isinstance(w, str) else "…" for w in said]
        yield f"`{node.exc.func.id}: {''.join(words)}`"


def symptoms(text: Path) -> Iterator[Symptom]:
    """Yield the symptoms that a chapter explains, in its order."""
    heading = ""
    for cell in read(text).cells:
        if cell.cell_type == "code":
            if heading and "bootstrap" not in tags(cell):
                for message in refusals(cell.source):
                    yield "ours", message, place(text, heading)
            continue
        for title, group, seen in PART.findall(cell.source):
            heading = title or heading
            if group and group not in GROUPS:
                raise ValueError(
                    f"expected a group out of {list(GROUPS)} in {text.name}, "
                    f"got {group!r}"
                )
            if group:
                yield group, seen, place(text, heading)


@block("symptoms: all")
def listed() -> str:
    """Return the symptoms of all chapters as lists, one per group."""
    found = [symptom for text in texts() for symptom in symptoms(text)]
    parts = []
    for group, title in GROUPS.items():
        places = {}
        for kind, seen, where in found:
            if kind == group:
                places.setdefault(seen, {})[where] = None
        lines = [f"* {s} → {'; '.join(w)}" for s, w in places.items()]
        parts.append(f"## {title}\n\n" + "\n".join(lines))
    return "\n\n".join(parts)
