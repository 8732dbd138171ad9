"""What a file is: judged by what is in it, not by the end of its name.

Copies come as *“x.ipynb”的副本*, downloads as *x.ipynb (1)* or *x.ipynb.txt*.
"""

import ast
import re
from pathlib import PurePosixPath

READ = (".ipynb", ".py", ".json", ".txt", "")  # endings that may hold answers
ENDING = re.compile(r"\.[A-Za-z0-9]{1,8}")
CELLS = re.compile(r'"(?:cells|worksheets)"\s*:')
OWN = re.compile(r"^ASSIGNMENT\s*=", re.M)
PYTHON = re.compile(r"^(?:import \w|from [\w.]+ import |def \w+\()", re.M)
NEITHER = ("<", "{", "[", "%PDF")  # how a script does not begin


def ending_of(name):
    """Return the ending of a file's name, "" if what it has is none."""
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if ENDING.fullmatch(suffix) else ""


def is_zip(name, data):
    """Say whether bytes are a zip, and no document of an office."""
    if data[:4096].lstrip()[:1] == b"{":
        return False
    office = b"[Content_Types].xml", b"mimetypeapplication/"
    begins = data[:4] == b"PK\x03\x04"
    begins = begins and not any(sign in data[:4096] for sign in office)
    return begins or name.lower().endswith(".zip")


def is_python(text):
    """Say whether a text is a Python script, whatever its name."""
    if text.lstrip().startswith(NEITHER) or "\0" in text:
        return False
    if re.search("^```", text, re.M):  # Markdown
        return False
    if OWN.search(text):
        return True
    try:
        return bool(PYTHON.search(text) and ast.parse(text))
    except (SyntaxError, ValueError):
        return False


def kind_of(name, text):
    """Return "notebook", "script", or "" for what holds no answers.

    Args:
        name: of the file; what is in it counts first.
        text: of the file.
    """
    ending = ending_of(name)
    if text.lstrip()[:1] == "{" and CELLS.search(text):
        return "notebook"
    if ending == ".py" or is_python(text):
        return "script"
    return "notebook" if ending in READ else ""
