"""Who may read whom, to tick: which outputs move with one word?

An output moves with its own word, by way of the residual connection, and
with every word that it reads; a further layer reads what has moved before.

Dimension letters:
    T words, which are queries and keys.
"""

from html import escape

import torch

from attnbook.plots.explorable import explorable

DEEPEST = 3  # layers
TABLE = """<table><thead><tr><td class="x-corner">reads</td>{head}\
<th scope="col">output</th></tr></thead><tbody>{rows}</tbody></table>"""


def find_moved(mask, changed, layers):
    """Say which outputs move, and which are NaN, when a word is changed.

    Args:
        mask: bool, (T, T), True where a query may attend to a key.
        changed: the place of the word.
        layers: number of layers, each with this mask and a residual.

    Returns:
        Two bool tensors, (T,).  A query without a key is NaN, and in a
        further layer it makes all others NaN, as 0 times NaN is NaN.
    """
    moved = torch.arange(len(mask)) == changed  # (T,)
    undefined = torch.zeros_like(moved)
    for _ in range(layers):
        moved = moved | (mask & moved).any(dim=-1)
        undefined = undefined.any() | ~mask.any(dim=-1)
    return moved & ~undefined, undefined


def explore_masks(words, question):
    """Make a causal mask whose cells are ticked by hand.

    Args:
        words: T words; the last one is changed at the start.
        question: what to answer with it, plain text.

    Returns:
        An `Explorable`; a notebook shows it when it ends a cell.

    Raises:
        ValueError: fewer than three words.
    """
    if len(words) < 3:
        raise ValueError(f"expected at least three words, got {len(words)}")
    data = {"words": list(words), "deepest": DEEPEST}
    title = "A tick: the word of this row may read the word of this column"
    text = "explorable: a mask to tick, and which outputs move"
    return explorable("masking", title, table(words), data, text, question)


def table(words):
    """Return the causal mask and the outputs that move, as a table."""
    mask = torch.ones(len(words), len(words)).tril().bool()  # (T, T)
    moved, _ = find_moved(mask, len(words) - 1, 1)
    rows = ""
    for word, keys, moves in zip(words, mask, moved, strict=True):
        rows += f'<tr><th scope="row">{escape(word)}</th>'
        for key in keys:
            kind, tick = ("open", "\u2713") if key else ("shut", "")
            rows += f'<td class="key {kind}">{tick}</td>'
        rows += f'<td class="out">{"moves" if moves else "stays"}</td></tr>'
    head = "".join(f'<th scope="col">{escape(word)}</th>' for word in words)
    return TABLE.format(head=head, rows=rows)
