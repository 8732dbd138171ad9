"""Typeset formulas while the book is built, so that no page needs a script.

KaTeX (vendored in katex/) runs in V8, which the package mini-racer brings.
Each formula is written twice: as HTML for the eye, and as MathML for screen
readers.  A formula that is no TeX is a warning, which fails make test.
"""

import json
from functools import cache
from pathlib import Path

from docutils import nodes
from py_mini_racer import JSEvalException, MiniRacer
from sphinx.util import logging

HERE = Path(__file__).parent
STYLE = "katex/katex.min.css"
LOG = logging.getLogger(__name__)


@cache
def engine():
    """Return a V8 in which KaTeX is loaded."""
    racer = MiniRacer()
    script = (HERE / "katex" / "katex.min.js").read_text(encoding="utf-8")
    racer.eval(script)
    return racer


@cache
def typeset(tex, is_display):
    """Return a formula's HTML.

    Args:
        tex: the formula, without its dollar signs.
        is_display: whether it stands on a line of its own.

    Raises:
        ValueError: if KaTeX cannot read it.
    """
    options = {"displayMode": is_display, "strict": "ignore"}
    call = f"katex.renderToString({json.dumps(tex)}, {json.dumps(options)})"
    try:
        return engine().eval(call)
    except JSEvalException as error:
        why = str(error).partition("KaTeX parse error: ")[2].splitlines()
        raise ValueError(
            f"expected a formula, got {tex!r}: {(why or ['?'])[0]}"
        ) from None


def write(translator, node, is_display):
    """Write a formula; one that is none stays TeX, with a warning."""
    tex = node.astext()
    if is_display and r"\\" in tex and not node.get("nowrap"):
        tex = rf"\begin{{split}}{tex}\end{{split}}"
    tag = "div" if is_display else "span"
    look = "math notranslate nohighlight"
    if is_display:  # the theme lets keys scroll what has this class
        look += " pst-scrollable-table-container"
    translator.body.append(translator.starttag(node, tag, "", CLASS=look))
    try:
        translator.body.append(typeset(tex, is_display))
    except ValueError as error:
        LOG.warning(str(error), location=node)
        translator.body.append(translator.encode(tex))
    translator.body.append(f"</{tag}>")
    raise nodes.SkipNode


def add_style(app, pagename, templatename, context, doctree):
    """Load what formulas look like, on pages that have some."""
    if 'class="katex' in context.get("body", ""):
        app.add_css_file(STYLE)


def setup(app):
    """Make this the renderer called katex."""
    app.add_html_math_renderer(
        "katex",
        (lambda translator, node: write(translator, node, False), None),
        (lambda translator, node: write(translator, node, True), None),
    )
    app.connect("html-page-context", add_style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
