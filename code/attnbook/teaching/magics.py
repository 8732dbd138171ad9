"""Make Python of cells that hold magics, shell lines and questions.

IPython takes a line for its own only where a logical line begins
(ipython.readthedocs.io, *Custom input transformation*): never inside
brackets, in a text in quotes, or in a line that goes on.  Scripts that were
exported from a notebook hold such cells in other forms.  Every line keeps its
number.
"""

import ast
import re

OTHER = {  # cell magics whose rest is no Python, or is not run as Python
    *("!", "sh", "bash", "zsh", "shell", "cmd", "powershell", "script"),
    *("sx", "system", "bigquery", "sql", "R", "julia", "ruby", "perl"),
    *("html", "HTML", "svg", "SVG", "javascript", "js", "latex"),
    *("markdown", "writefile", "file", "cpp", "cu", "cuda", "css", "mermaid"),
    *("dot", "graphviz", "octave", "matlab", "fortran", "rust"),
}
NESTED = 20  # cell magics, one below the other, that are looked at
ESCAPED = re.compile(r"([ \t]*)([!%?,;/])((?:[^\\\n]++|\\\n?)*+)\n?")
ASSIGNED = re.compile(
    r"([\w.,*\[\]'\"() \t]++=[ \t]*)(!|%(?=\w))((?:[^\\\n]++|\\\n?)*+)\n?"
)
SPAN = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\\?\Z)|'
    r"'''(?:[^'\\]++|\\.|'(?!''))*+(?:'''|\\?\Z)|"
    r""""(?:[^"\\\n]++|\\.)*+"?|'(?:[^'\\\n]++|\\.)*+'?|"""
    r"""\#[^\n]*+|\\\n|[^"'\#\\\n\[\](){}?]++|.""",
    re.DOTALL,
)
CALLED = re.compile(
    r"([ \t]*)get_ipython\(\)\.(run_cell_magic|run_line_magic|magic|system)"
    r"(\(.*\))[ \t]*\n?",
    re.DOTALL,
)
COMMENTED = re.compile(  # as Colab does in a .py
    r"^# Commented out IPython magic[^\n]*\n((?:#[^\n]*(?:\n|\Z))+)", re.M
)
BROKEN = (SyntaxError, ValueError, RecursionError, MemoryError)


def end_of_line(text, start):
    """Return where a logical line ends, and whether it ends in a question."""
    depth, asks, at = 0, False, start
    while at < len(text):
        span = SPAN.match(text, at)[0]
        at += len(span)
        if span == "\n" and depth <= 0:
            break
        depth += (span in "([{") - (span in ")]}")
        asks = span == "?" or (asks and (span.isspace() or span[0] == "#"))
    return at, asks


def is_python(text, mode="exec"):
    """Say whether Python can read a text."""
    try:
        ast.parse(text, mode=mode)
    except BROKEN:
        return False
    return True


def as_python(before, sign, rest):
    """Return Python for an escaped line.

    What ``%time`` measures is run, and counts.  All else that is assigned
    becomes the call that IPython makes of it.

    Args:
        before: what stands before the sign: blanks, or a target and "=".
        sign: the first letter of what is escaped.
        rest: what stands behind it.
    """
    name, _, more = rest.partition(" ")
    more, assigned = more.strip(), "=" in before
    timed = (sign, name) == ("%", "time") and more
    if timed and is_python(more, "eval" if assigned else "exec"):
        return before + more
    if not assigned:
        return f"{before}pass"
    if sign == "!":
        return f"{before}get_ipython().getoutput({rest!r})"
    return f"{before}get_ipython().run_line_magic({name!r}, {more!r})"


def lines_of(text):
    """Yield the logical lines of a text, magics as Python."""
    at = 0
    while at < len(text):
        found = ESCAPED.match(text, at) or ASSIGNED.match(text, at)
        if found:
            end, made = found.end(), as_python(*found.groups())
        else:
            end, asks = end_of_line(text, at)
            line = text[at:end]
            made = re.match(r"[ \t]*", line)[0] + "pass" if asks else line
        missing = text.count("\n", at, end) - made.count("\n")
        yield made + "\n" * missing
        at = end


def without_magics(text):
    """Return a text as Python, each line with its number.

    Args:
        text: of a cell whose cell magics are gone.
    """
    return "".join(lines_of(text))


def cell_magic(text):
    """Return the name of the cell magic that a cell begins with, or ""."""
    first = text.lstrip().partition("\n")[0]
    return (first[2:].split() or [""])[0] if first[:2] == "%%" else ""


def language(text):
    """Return the cell magic under which a cell is no Python, or ""."""
    return next((x for x in cell_magics(text)[0] if x in OTHER), "")


def cell_magics(text):
    """Return the cell magics of a cell, and the cell without their lines."""
    names, head, rest = [], "", text
    while rest.lstrip()[:2] == "%%" and len(names) < NESTED:
        names.append(cell_magic(rest))
        start = len(rest) - len(rest.lstrip())
        first, line_end, after = rest[start:].partition("\n")
        head += "\n" * rest.count("\n", 0, start) + line_end
        rest = after
    return names, head + rest


def exported(text):
    """Return a script with the cells under magics as they were typed.

    Args:
        text: of a .py file, with ends of lines as Python has them.
    """
    text = re.sub("^# MAGIC ?", "# ", text, flags=re.M)  # as Databricks does
    text = COMMENTED.sub(uncommented, text)
    if "get_ipython()" not in text:
        return text
    return "".join(map(uncalled, lines_of(text)))


def uncommented(found):
    """Return a cell that Colab made a comment of, if it was Python."""
    cell = re.sub(r"^# ?", "", found[1], flags=re.M)
    if cell[:2] != "%%" or language(cell):
        return found[0]
    return "\n" + cell_magics(cell)[1]


def uncalled(line):
    """Return the cell that a call of `get_ipython` has as a text."""
    found = CALLED.fullmatch(line)
    if not found:
        return line
    if found[2] != "run_cell_magic":
        return f"{found[1]}pass\n"
    try:
        name, _, cell = ast.literal_eval(found[3])
        inner = "" if name in OTHER or language(cell) else cell
    except (*BROKEN, TypeError, AttributeError):
        return line
    return cell_magics(inner)[1].rstrip("\n") + "\n" if inner else line
