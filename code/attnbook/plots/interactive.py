"""A heatmap that a reader can walk through: a table, and a little script.

The table is plain HTML with row and column headers, so it reads without the
script, with a screen reader and on paper.  The script adds arrow keys, a line
that says what a cell means, and a choice of heads.

Dimension letters:
    H heads, T queries, S keys.
"""

import json
from dataclasses import dataclass
from html import escape
from importlib.resources import files

import numpy as np

from attnbook.plots.figures import check_labels, plain_array

TEMPLATE = """<div class="attnbook-map" data-heads="{data}">
<style>{style}</style>
<div class="attnbook-wide"><table>
<caption>{caption} Rows: queries. Columns: keys.</caption>
<thead><tr><td></td>{head}</tr></thead>
<tbody>
{body}
</tbody></table></div>
<p class="attnbook-say" role="status"></p>
<script>{script}</script>
</div>"""

DARK = ' class="dark"'  # white letters; the script draws the line there too


@dataclass(frozen=True)
class Interactive:
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


def interactive_heatmap(weights, rows, columns, caption):
    """Make a map to walk through: one row per query, one column per key.

    Works in the book, in JupyterLab and in Colab.  Without scripts it is a
    table of the first head.

    Args:
        weights: (T, S) or (H, T, S), from 0 to 1, a tensor or an array.
        rows: T labels of the queries.
        columns: S labels of the keys.
        caption: what the map shows, plain text.

    Returns:
        An `Interactive`; a notebook shows it when it ends a cell.

    Raises:
        ValueError: labels that do not count like the map, weights outside
            0 to 1, NaN among them, or a map of other than 2 or 3 axes.
    """
    weights = plain_array(weights)
    if weights.ndim not in (2, 3) or not weights.size:
        raise ValueError(
            "expected weights of shape (T, S) or (H, T, S), none of them 0, "
            f"got {weights.shape}"
        )
    if not ((weights > -1e-6) & (weights < 1 + 1e-6)).all():
        raise ValueError(
            f"expected weights from 0 to 1, got {weights.min():.3g} to "
            f"{weights.max():.3g}"
        )
    heads = weights if weights.ndim == 3 else weights[None]  # (H, T, S)
    check_labels(heads.shape[1:], rows, columns)
    hundredths = np.rint(100 * heads).astype(int).tolist()
    count, queries, keys = heads.shape
    return Interactive(
        TEMPLATE.format(
            data=json.dumps(hundredths, separators=(",", ":")),
            style=part("css"),
            caption=escape(caption),
            head="".join(header("col", name) for name in columns),
            body="\n".join(map(table_row, rows, hundredths[0])),
            script=part("js"),
        ),
        f"interactive heatmap: {count} x {queries} queries x {keys} keys",
    )


def part(kind):
    """Return the style or the script."""
    path = files("attnbook") / f"plots/interactive.{kind}"
    return path.read_text(encoding="utf-8").strip()


def header(scope, name):
    """Return a header cell."""
    return f'<th scope="{scope}">{escape(name)}</th>'


def table_row(name, hundredths):
    """Return a row of the table: the query and a cell for each key."""
    cells = "".join(
        f'<td{DARK * (n > 55)} style="--w:{n}">{n / 100:.2f}</td>'
        for n in hundredths
    )
    return f"<tr>{header('row', name)}{cells}</tr>"
