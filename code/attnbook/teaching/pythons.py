"""Which Python an answer needs that the one that grades cannot read.

What is new in a Python is written as an older one has it, one thing after the
other.  Once the text can be read, these things were all that was in the way.
"""

import contextlib
import json
import re
import sys

from attnbook.teaching.magics import is_python

HERE = sys.version_info[:2]
GRADES = " grades"  # ends what is said
LONGEST = 20_000  # letters of a text that is tried
GAP = r"[ \t]"
INSIDE = "[^{}]"
for _ in range(3):  # fields in fields
    INSIDE = rf"(?:[^{{}}]|\{{{INSIDE}{{0,300}}+\}})"
FIELD = rf"\{{(?!\{{){INSIDE}{{1,300}}+\}}"
QUOTE = r"(?(1)\1|\2)"
FORMATTED = (
    r"\b[rR]?[%s][rR]?(?:(\"\"\"|''')|([\"']))"
    rf"(?:\{{\{{|{FIELD}|\\.|(?!{QUOTE})(?:[^{{\\\n]|(?(1)\n|(?!))))*+"
    rf"{QUOTE}"
)
TYPES = r"(\b(?:def|class)\s+\w+)\s*\[(?:[^\[\]%s]|\[[^\[\]]*\])*\](?=\s*[(:])"
TRIED = (  # version, what is new in it, what it looks like, what was before
    (12, "an f-string that holds its own quotes, \\ or #",
     re.compile(FORMATTED % "fF"), lambda found: plain(found)),
    (12, "type parameters", re.compile(TYPES % "="), r"\1"),
    (12, "the statement type",
     re.compile(
         rf"^([ \t]*)type{GAP}+(\w+)(?:{GAP}*\[[^\n=]*\])?{GAP}*=", re.M),
     r"\1\2 ="),
    (13, "type parameters with defaults", re.compile(TYPES % ""), r"\1"),
    (14, "a t-string", re.compile(FORMATTED % "tT"), '""'),
    (14, "except without brackets",
     re.compile(
         rf"\bexcept{GAP}++((?:[\w.]++{GAP}*+,{GAP}*+)++[\w.]++){GAP}*:"),
     r"except (\1):"),
)  # fmt: skip


def plain(found):
    """Return an f-string, or an empty text if an older Python has none so.

    Args:
        found: a match of `FORMATTED`.
    """
    fields = "".join(re.findall(FIELD, found[0]))
    quote = (found[1] or found[2])[0]
    new = {quote, "\\", "#"} & set(fields) or not found[1] and "\n" in fields
    return '""' if new else found[0]


def newer(text, here=HERE):
    """Return which Python a text needs and why, if that is all; else "".

    Args:
        text: a source that cannot be read.
        here: version of the Python that grades, a pair of int.
    """
    found, older = {}, text if len(text) <= LONGEST else ""
    for version, what, looks, before in TRIED:
        changed = looks.sub(before, older)
        if (3, version) <= here or changed == older:
            continue
        older, found[what] = changed, version
        if is_python(older):
            need = f"needs Python 3.{version} or newer"
            return f"{need} ({', '.join(found)}); {graded_by(here)}"
    return ""


def graded_by(here=HERE):
    """Return which Python grades."""
    return f"Python {here[0]}.{here[1]}{GRADES}"


def is_newer(error):
    """Say whether an error may be one of the grader's Python alone."""
    return error.endswith(GRADES)


def written_with(data, here=HERE):
    """Return what to add to an error in a notebook of a newer Python.

    Args:
        data: bytes of a submitted file.
        here: as in `newer`.

    Returns:
        A str, "" if the notebook is of no newer Python, or does not say so.
    """
    with contextlib.suppress(
        ValueError, LookupError, TypeError, AttributeError, RecursionError
    ):
        version = json.loads(data)["metadata"]["language_info"]["version"]
        kernel = tuple(map(int, version.split(".")[:2]))
        if kernel > here:
            said = f"written with Python {kernel[0]}.{kernel[1]}"
            return f"; {said}, and {graded_by(here)}"
    return ""
