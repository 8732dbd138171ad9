"""Split and merge, step by step: where twelve numbers go, and what moves.

Dimension letters:
    B = 1, T = 3 tokens, H = 2 heads, d_k = 2, D = 4.
"""

import torch

from attnbook.plots.explorable import explorable

SHAPES = {
    "btd": "(B, T, D)",
    "bthk": "(B, T, H, d_k)",
    "bhtk": "(B, H, T, d_k)",
}
CELL = 40  # pixels; a head stands half a cell apart


def paths():
    """Return four ways as (name, steps), a step as (code, axes, tensor)."""
    x = torch.arange(12).view(1, 3, 4)
    cut = x.view(1, 3, 2, 2)
    heads = torch.arange(12).view(1, 2, 3, 2)
    back = heads.transpose(1, 2)
    return {
        "split, right": [
            ("x", "btd", x),
            ("x.view(B, T, H, d_k)", "bthk", cut),
            (".transpose(1, 2)", "bhtk", cut.transpose(1, 2)),
        ],
        "split, view alone": [
            ("x", "btd", x),
            ("x.view(B, H, T, d_k)", "bhtk", x.view(1, 2, 3, 2)),
        ],
        "merge, right": [
            ("heads", "bhtk", heads),
            ("heads.transpose(1, 2)", "bthk", back),
            (".reshape(B, T, D)", "btd", back.reshape(1, 3, 4)),
        ],
        "merge, reshape alone": [
            ("heads", "bhtk", heads),
            ("heads.reshape(B, T, D)", "btd", heads.reshape(1, 3, 4)),
        ],
    }


def find_place(axes, index):
    """Return where a number stands, (x, y) in cells."""
    if axes == "btd":
        return index[2], index[1]
    t, h = (1, 2) if axes == "bthk" else (2, 1)
    return index[h] * (2.25 if axes == "bthk" else 3) + index[3], index[t]


def describe_step(code, axes, x):
    """Return a step as data: code, shape, places, and memory."""
    places = [None] * 12
    for index in torch.cartesian_prod(*map(torch.arange, x.shape)).tolist():
        places[int(x[tuple(index)])] = find_place(axes, index)
    size = ", ".join(map(str, x.shape))
    memory = x.untyped_storage().tolist()
    memory = torch.tensor(memory, dtype=torch.uint8).view(torch.int64).tolist()
    return [code, f"{SHAPES[axes]} = ({size})", places, memory, axes]


def chip(number, kind, x, y):
    """Return a number as a coloured cell."""
    style = f"transform:translate({CELL * x:g}px,{CELL * y:g}px)"
    return f'<span class="{kind} x-move" style="{style}">{number}</span>'


def explore_split(question):
    """Make the steps of split and merge, right and wrong, to walk through.

    Twelve numbers stand where the axes put them; colours say which token, or
    for a merge which head's row, a number comes from.  A strip below shows
    the order in memory.

    Args:
        question: what to answer with it, plain text.

    Returns:
        An `Explorable`; a notebook shows it when it ends a cell.
    """
    ways = {
        name: [describe_step(*part) for part in parts]
        for name, parts in paths().items()
    }
    start = ways["split, right"][0]
    cells = [chip(n, "cell", x, y) for n, (x, y) in enumerate(start[2])]
    strip = [chip(n, "kept", n * 0.65, 0) for n in start[3]]
    body = (
        f'<p class="x-code"><code>{start[0]}</code> {start[1]}</p>'
        f'<div class="x-stage">{"".join(cells)}</div>'
        f'<p>In memory</p><div class="x-strip">{"".join(strip)}</div>'
    )
    title = "Split and merge, step by step: 3 tokens, 2 heads"
    data = {"names": list(ways), "ways": list(ways.values())}
    text = "explorable: split and merge of 12 numbers, right and wrong"
    return explorable("splitting", title, body, data, text, question)
