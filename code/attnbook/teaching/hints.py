"""What a student may read of a check's hint.

A hint of the public check is shown in full: whoever runs the check at home
reads it too.  A hint of the held-out check may hold a size, a number or an
error's words that come from inputs which nobody should see.  So no more of it
is shown than sentences that stand word for word in the checkers' own source.
"""

import ast
import functools
import sys
from pathlib import Path

from attnbook import checks
from attnbook.checks.engine.rules import reworded
from attnbook.checks.engine.steps import Row

SHORTEST = 16  # letters of a sentence that is looked for inside a hint
LEAD = "right in the plain case, but not in another"
ELSEWHERE = "right on the inputs of the public check, but not on others"
ERRORS = (  # what follows are perhaps the answer's own words
    "raised an error",
    "backward() fails",
    "could not be judged",
)
RAISES = "raises an error on other inputs than those of the public check"
GENERAL = "think of other sizes, values and masks than those you have tried"


def plain(text):
    """Return a text with one blank wherever it has blanks or lines."""
    return " ".join(text.split())


@functools.cache
def sentences():
    """Return all sentences of the checkers' tables and modules.

    Returns:
        A frozenset of str.  What a checker computes is in none of them.
    """
    found = set()
    for path in Path(checks.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inside = {
            part
            for node in ast.walk(tree)
            if isinstance(node, ast.JoinedStr)
            for part in node.values
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and node not in inside:
                found.add(node.value if isinstance(node.value, str) else "")
    for name, module in [*sys.modules.items()]:
        if name.startswith("attnbook.checks."):
            found |= hints_of(module)
    return frozenset(plain(x).rstrip(":") for x in found if " " in x.strip())


def hints_of(module):
    """Return the hints of a module's tables of mistakes."""
    return {
        row.hint
        for table in vars(module).values()
        if isinstance(table, tuple)
        for row in table
        if isinstance(row, Row)
    }


def under_rules(known, chosen):
    """Return the sentences as they read under rules, and the rules' own.

    Args:
        known: `sentences()`.
        chosen: pairs of a `Rule` and its value.
    """
    pages = [rule.filled(rule.page, value) for rule, value in chosen]
    changed = {reworded(sentence, chosen) for sentence in known}
    return known | changed | {*pages, "; ".join(pages)}


def shown(hint, known):
    """Return what a student may read of a hint of the held-out check.

    Args:
        hint: of a check whose inputs nobody should see.
        known: sentences that may be shown.

    Returns:
        One sentence, which begins with `ELSEWHERE`.
    """
    hint = plain(hint)
    if hint in known:
        return f"{ELSEWHERE}: {hint}"
    lead, colon, rest = hint.partition(": ")
    if not colon or not lead.startswith("right"):
        lead, rest = "", hint
    elif lead not in known:
        lead = LEAD
    if any(words in rest for words in ERRORS) and rest not in known:
        said = rest.partition(f"{ERRORS[0]}: ")[2]
        said = said if said in known else RAISES
    else:
        found = [inner(piece, known) for piece in rest.split("; and: ")]
        said = "; and: ".join(x for x in found if x) or GENERAL
    return ": ".join(x for x in (ELSEWHERE, lead, said) if x)


def inner(piece, known):
    """Return the longest known sentence in a piece of a hint, or ""."""
    if piece in known:
        return piece
    inside = [x for x in known if len(x) >= SHORTEST and x in piece]
    return max(inside, key=lambda x: (len(x), x), default="")
