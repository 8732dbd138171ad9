"""One query among three keys of a plane, to move: three ways to be alike.

Dimension letters:
    S keys; a query or a key has two numbers.
"""

from html import escape

import torch

from attnbook.plots.explorable import explorable

KEYS = {"short": (1.0, 1.0), "middle": (3.0, 0.0), "long": (0.0, 4.0)}
LABELS = {"short": (1.15, 0.75), "middle": (2.2, -0.6), "long": (0.2, 3.75)}
MEASURES = ("dot product", "cosine", "distance")
REACH, STEP, UNIT = 4, 0.5, 34  # of the plane; pixels per unit
LINE = '<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>'
BODY = """<div class="x-both"><svg viewBox="-150 -150 300 300" role="img" \
aria-label="{alt}"><path class="axis" d="M-146 0H146M0-146V146"/>
{shadows}{keys}{query}<circle class="tip" r="13" \
cx="{x:g}" cy="{y:g}"/></svg>
<table><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>
</div>"""


def likeness(query):
    """Measure how well a query fits each of the three keys.

    Args:
        query: float, (2,).

    Returns:
        The numbers of each measure, (S, 3), and the winners, bool (S, 3).
    """
    keys = torch.tensor(list(KEYS.values()))  # (S, 2)
    dot = keys @ query  # (S,)
    lengths = (keys.norm(dim=-1) * query.norm()).clamp(min=1e-9)
    distance = (keys - query).norm(dim=-1)
    values = torch.stack([dot, dot / lengths, distance], dim=-1)
    better = values * torch.tensor([1, 1, -1])  # a small distance wins
    return values, better > better.amax(0) - 1e-6


def explore_likeness(question, query=(1.0, 1.5)):
    """Make a query to drag among three keys, and say which one wins.

    Args:
        question: what to answer with it, plain text.
        query: where it starts, two halves or whole numbers from -4 to 4.

    Returns:
        An `Explorable`; a notebook shows it when it ends a cell.

    Raises:
        ValueError: another place.
    """
    if not any(query) or any(abs(n) > REACH or n % STEP for n in query):
        raise ValueError(
            f"expected multiples of {STEP} up to {REACH}, not both 0, "
            f"got {query}"
        )
    data = {"keys": KEYS, "start": query, "unit": UNIT}
    title = "One query among three keys: short, middle and long"
    text = "explorable: dot product, cosine and distance of three keys"
    return explorable("likeness", title, body(query), data, text, question)


def body(query):
    """Return plane and table for the start."""
    values, wins = likeness(torch.tensor(query))
    x, y = UNIT * query[0], -UNIT * query[1]
    rows = zip(KEYS, values.tolist(), wins.tolist(), strict=True)
    return BODY.format(
        alt="Three arrows from one point: short, middle, long; and the query.",
        shadows=shadows(torch.tensor(query)),
        keys="".join(arrow(name) for name in KEYS),
        query=LINE.format("query", 0, 0, x, y),
        x=x,
        y=y,
        head="".join(f'<th scope="col">{name}</th>' for name in MEASURES),
        rows="".join(row(*parts) for parts in rows),
    )


def shadows(query):
    """Return the line of the query's way, and each key's shadow on it."""
    far = UNIT * 6.5 * query / query.norm()  # beyond the edge
    pairs = [("way", -far, far)]
    for key in torch.tensor(list(KEYS.values())):
        foot = (key @ query) / (query @ query) * query
        pairs.append(("shadow", UNIT * key, UNIT * foot))
    return "".join(
        LINE.format(kind, a[0], -a[1], b[0], -b[1]) for kind, a, b in pairs
    )


def arrow(name):
    """Return one key as a line with its name."""
    (x, y), (left, up) = KEYS[name], LABELS[name]
    line = LINE.format("key", 0, 0, UNIT * x, -UNIT * y)
    end = f'<circle class="end" r="4" cx="{UNIT * x:g}" cy="{-UNIT * y:g}"/>'
    place = f'x="{UNIT * left:g}" y="{-UNIT * up:g}"'
    return f"{line}{end}<text {place}>{escape(name)}</text>"


def row(name, values, wins):
    """Return one key's row: its number for each measure, winners marked."""
    texts = f"{values[0]:g}", f"{values[1]:.2f}", f"{values[2]:.2f}"
    texts = [text.replace("-", "\u2212") for text in texts]
    cells = "".join(
        f'<td class="{"won" if win else ""}">{text}</td>'
        for text, win in zip(texts, wins, strict=True)
    )
    return f'<tr><th scope="row">{name}</th>{cells}</tr>'
