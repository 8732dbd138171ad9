"""What a reader can play with: the frame, the style and the script of all.

An explorable is HTML that reads without its script.  The script adds native
controls, so that keys, touch and screen readers work, and one line that says
what is shown, which screen readers speak.
"""

import json
from dataclasses import dataclass
from html import escape
from importlib.resources import files

TEMPLATE = """<div class="attnbook-x attnbook-{kind}" data-kind="{kind}" \
data-x="{data}">
<style>{style}</style>
<p class="x-title">{title}</p>
{question}<div class="x-controls"></div>
{body}
<p class="x-say" role="status"></p>
<p class="x-hint">A still picture. To make it move, run this cell.</p>
<script>{script}</script>
</div>"""


@dataclass(frozen=True)
class Explorable:
    """Something that a notebook shows as HTML, and a terminal as one line.

    Attributes:
        html: the HTML.
        text: the line.
    """

    html: str
    text: str

    def _repr_html_(self):
        return self.html

    def __repr__(self):
        return self.text


def explorable(kind, title, body, data, text, question=None):
    """Put HTML into the frame that all explorables share.

    Args:
        kind: name of its script and style, plots/KIND.js and .css.
        title: what it shows, plain text.
        body: HTML, which is also what is seen without a script.
        data: what the script reads, anything that JSON can hold.
        text: one line, for a terminal.
        question: what to answer with it, plain text; None: the page asks.

    Returns:
        An `Explorable`; a notebook shows it when it ends a cell.
    """
    ask = ""
    if question:
        ask = f"<p><strong>Try.</strong> {escape(question)}</p>\n"
    html = TEMPLATE.format(
        kind=kind,
        data=escape(json.dumps(data, separators=(",", ":"))),
        style="\n".join((part("explorable", "css"), part(kind, "css"))),
        title=escape(title),
        question=ask,
        body=body,
        script="\n".join((part("explorable", "js"), part(kind, "js"))),
    )
    return Explorable(html, text)


def part(name, kind):
    """Return a style or a script."""
    path = files("attnbook") / f"plots/{name}.{kind}"
    return path.read_text(encoding="utf-8").strip()
