"""A heatmap that a reader can walk through: a table, and a little script.

The table is plain HTML with row and column headers, so it reads without the
script, with a screen reader and on paper.  The script adds arrow keys, a line
that says what a cell means, and a choice of heads.

Dimension letters:
    H heads, T queries, S keys.
"""

from html import escape

import numpy as np

from attnbook.plots.explorable import explorable
from attnbook.plots.figures import check_labels, to_array

BODY = """<div class="x-wide"><table>
<thead><tr><th scope="col" class="x-corner">query \\ key</th>
{head}</tr></thead>
<tbody>
{body}
</tbody></table></div>"""

LONG = 4  # letters of keys' names that stand level


def interactive_heatmap(weights, rows, columns, caption, question=None):
    """Make a map to walk through: one row per query, one column per key.

    Works in the book, in JupyterLab and in Colab.  Without scripts it is a
    table of the first head.

    Args:
        weights: (T, S) or (H, T, S), from 0 to 1, a tensor or an array.
        rows: T labels of the queries.
        columns: S labels of the keys.
        caption: what the map shows, plain text.
        question: what to answer with it; None: the page asks.

    Returns:
        An `Explorable`; a notebook shows it when it ends a cell.

    Raises:
        ValueError: labels that do not count like the map, weights outside
            0 to 1, NaN among them, or a map of other than 2 or 3 axes.
    """
    weights = to_array(weights)
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
    upright = max(map(len, columns)) > LONG
    body = BODY.format(
        head="".join(column_header(name, upright) for name in columns),
        body="\n".join(map(table_row, rows, hundredths[0])),
    )
    text = f"interactive heatmap: {count} x {queries} queries x {keys} keys"
    return explorable("map", caption, body, hundredths, text, question)


def column_header(name, upright):
    """Return the header of a key; where one is long, all stand upright."""
    long = ' class="long"' if upright else ""
    return f'<th scope="col"{long}>{escape(name)}</th>'


def table_row(name, hundredths):
    """Return a row: a query and its cells, empty where a weight is 0.00."""
    cells = "".join(
        f'<td style="--w:{n}">{n / 100:.2f}</td>' if n else "<td></td>"
        for n in hundredths
    )
    return f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>'
