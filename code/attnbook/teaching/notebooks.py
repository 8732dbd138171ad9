"""Notebooks as they come back: cells out of bytes, whatever saved them.

Formats 3 and 4 of nbformat are read, sources as a string or as a list of
lines (nbformat.readthedocs.io, *The notebook file format*).  Outputs and
metadata are thrown away.
"""

import contextlib
import json
import re

from attnbook.teaching.kinds import ending_of, kind_of
from attnbook.teaching.magics import exported
from attnbook.teaching.statements import clean

CELLS = 50_000
LETTERS = 5_000_000  # of all code
NAME = re.compile(
    r"""^[ \t]*+ASSIGNMENT[ \t]*+=[ \t]*+["']([^"']{1,100})["']""", re.M
)


class Unreadable(ValueError):
    """A file that holds no answers, and why."""


def text_of(data):
    """Return bytes as text, whatever an editor has made of it."""
    for mark, encoding in (
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
        (b"", "utf-8-sig"),
        (b"", "latin-1"),
    ):
        if data.startswith(mark):
            with contextlib.suppress(UnicodeDecodeError):
                return data.decode(encoding)
    return ""


def source_of(cell):
    """Return the source of a cell of any version of the format."""
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        return ""
    return source.encode("utf-8", "replace").decode()  # half letters


def cells_of(notebook):
    """Return pairs of kind and source of a parsed notebook.

    Args:
        notebook: what JSON holds; format 4, or 3 with its worksheets.

    Raises:
        Unreadable: it is no notebook, or holds too much.
    """
    found = notebook.get("cells") if isinstance(notebook, dict) else None
    if found is None and isinstance(notebook, dict):
        sheets = notebook.get("worksheets")
        if isinstance(sheets, list):
            found = [
                cell
                for sheet in sheets
                if isinstance(sheet, dict)
                for cell in sheet.get("cells") or []
            ]
    if not isinstance(found, list):
        raise Unreadable("JSON, but not a notebook")
    found = [cell for cell in found if isinstance(cell, dict)]
    pairs = [(str(cell.get("cell_type")), source_of(cell)) for cell in found]
    letters = sum(len(source) for _, source in pairs)
    if len(pairs) > CELLS or letters > LETTERS:
        raise Unreadable(
            f"{len(pairs)} cells with {letters} letters, too many"
        )
    return pairs


def notebook_of(text):
    """Return the JSON of a notebook.

    Args:
        text: of a file.

    Raises:
        Unreadable: it is none.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except ValueError as error:
        web = text.lstrip()[:200].lower().startswith(("<!doctype", "<html"))
        said = "a saved web page" if web else str(error)[:100]
        raise Unreadable(f"not JSON: {said}") from None


def assignment_of(pairs, notebook):
    """Return which assignment a notebook says that it is, or None."""
    for kind, source in reversed(pairs):
        found = NAME.search(source) if kind == "code" else None
        if found:
            return found[1]
    with contextlib.suppress(LookupError, TypeError):
        found = notebook["metadata"]["attnbook"]["assignment"]
        return found if isinstance(found, str) else None
    return None


def parse(name, data):
    """Return the cells of a file's bytes, and the assignment it names.

    Args:
        name: of the file, see `kinds.kind_of`.
        data: bytes.

    Raises:
        Unreadable: it is empty, no notebook ...
    """
    if not data.strip():
        raise Unreadable("empty")
    text = text_of(data)
    kind = kind_of(name, text)
    if not kind:
        raise Unreadable(f"not a notebook but a {ending_of(name)} file")
    if kind == "script":
        if len(text) > LETTERS:
            raise Unreadable(f"{len(text)} letters, more than {LETTERS}")
        pairs = [("code", exported(clean(text)))]
        return pairs, assignment_of(pairs, {})
    notebook = notebook_of(text)
    pairs = cells_of(notebook)
    if not any(s.strip() for kind, s in pairs if kind == "code"):
        raise Unreadable("empty: a notebook without code")
    return pairs, assignment_of(pairs, notebook)
