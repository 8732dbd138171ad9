"""Keep LaTeX in plain texts as it was typed.

Of "theta" behind a backslash Python makes a tab and "heta"; "xi" it cannot
read at all.  Backslashes that Python needs stay its own.
"""

import re

LITERAL = re.compile(  # letters in front of a text, and the text in quotes
    r"\#[^\n]*|([A-Za-z]*+)("
    r'"""(?:[^"\\]++|\\.|"(?!""))*+"""|"(?:[^"\\\n]++|\\.)*+"|'
    r"'''(?:[^'\\]++|\\.|'(?!''))*+'''|'(?:[^'\\\n]++|\\.)*+')|"
    r"[A-Za-z]++",
    re.DOTALL,
)
NUMBER = r"x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|U00[\dA-Fa-f]{6}"  # of a letter
NEEDED = re.compile(  # what is no LaTeX, as "nabla" is
    rf"\\(?:\n|{NUMBER}|[nt](?![a-z]|Left|Right|V))", re.DOTALL
)
BROKEN = re.compile(rf"\\(?!{NUMBER}|N\{{)[xuUN]")  # no escape of Python's
ESCAPE = re.compile(rf"\\(?:{NUMBER}|.)", re.DOTALL)


def doubled(source, is_typed):
    """Return a source with two backslashes in place of some in plain texts.

    Args:
        source: of Python.
        is_typed: a function of the match of an escape in a text in quotes.
    """

    def twice(escape):
        """Return an escape that stands for itself, if it was typed so."""
        typed = is_typed(escape)
        return escape[0].replace("\\", "\\\\") if typed else escape[0]

    def in_text(found):
        """Return a text, or what is none as it is."""
        before, text = found.groups()
        if not text or before.lower() not in ("", "u"):
            return found[0]
        return before + ESCAPE.sub(twice, text)

    return LITERAL.sub(in_text, source)


def as_typed(source):
    """Return a source whose texts have the value that was typed."""
    return doubled(
        source,
        lambda escape: (
            escape[0] != "\\" + escape.string[0]
            and not NEEDED.match(escape.string, escape.start())
        ),
    )


def readable(source):
    """Return a source without escapes that Python cannot read."""
    return doubled(
        source, lambda escape: BROKEN.match(escape.string, escape.start())
    )
