"""Scores of one query, to play with: width, scale and temperature.

Dimension letters:
    S keys, d_k width of a query or key.
"""

import torch

from attnbook.plots.explorable import explorable

WIDTHS = (1, 4, 16, 64, 256, 512)
TEMPERATURES = (0.1, 0.25, 0.5, 1, 2, 4, 8, 16)
KEYS, DRAWS = 6, 5
ROW = '<tr class="{kind}"><th scope="row">{name}</th>{cells}</tr>'
BODY = """<div class="x-wide"><table><thead><tr><td></td>{head}</tr></thead>
<tbody>{scores}{weights}</tbody></table></div>
<p class="x-sum">Largest weight {largest:.2f}, \
entropy {entropy:.2f} of at most {most:.2f} nats.</p>"""


def raw_scores():
    """Return scores of random queries and keys, for growing widths.

    Both are unit normal, draw n has the seed n, and a narrow vector is the
    beginning of the wide one.

    Returns:
        (DRAWS, widths, S), float64.
    """
    draws = []
    for seed in range(DRAWS):
        generator = torch.Generator().manual_seed(seed)
        q = torch.randn(WIDTHS[-1], generator=generator)  # (d_k,)
        k = torch.randn(KEYS, WIDTHS[-1], generator=generator)  # (S, d_k)
        q, k = q.double(), k.double()  # else digits depend on the processor
        draws.append(torch.stack([k[:, :w] @ q[:w] for w in WIDTHS]))
    return torch.stack(draws)


def explore_scaling(question, d_k=16, scaled=True):
    """Make scores and weights of one query, for any width and temperature.

    Args:
        question: what to answer with it, plain text.
        d_k: the width at the start, one of `WIDTHS`.
        scaled: whether scores are divided by the root of d_k at the start.

    Returns:
        An `Explorable`; a notebook shows it when it ends a cell.

    Raises:
        ValueError: another width.
    """
    if d_k not in WIDTHS:
        raise ValueError(f"expected one of {WIDTHS} for d_k, got {d_k}")
    raw, width = raw_scores(), WIDTHS.index(d_k)
    scores = raw[0, width] / (d_k**0.5 if scaled else 1)
    data = {
        "raw": [[[round(s, 2) for s in w] for w in d] for d in raw.tolist()],
        "widths": WIDTHS,
        "temperatures": TEMPERATURES,
        "start": [width, int(scaled)],
    }
    title = f"Scores of one query and {KEYS} keys, drawn at random"
    text = f"explorable: scores and weights of {KEYS} keys, d_k 1 to 512"
    return explorable("scaling", title, body(scores), data, text, question)


def body(scores):
    """Return the table for the start: a bar and a number in each cell."""
    weights = scores.softmax(0)
    entropy = torch.special.entr(weights).sum()
    axis = next(n for n in (4, 16, 64, 256) if scores.abs().max() <= n)
    return BODY.format(
        head="".join(f'<th scope="col">{s}</th>' for s in range(KEYS)),
        scores=row("score", f"score<br><small>±{axis}</small>", scores, axis),
        weights=row("weight", "weight<br><small>0 to 1</small>", weights, 1),
        largest=weights.max(),
        entropy=entropy,
        most=torch.tensor(float(KEYS)).log(),
    )


def row(kind, name, values, axis):
    """Return a row of bars."""
    cells = "".join(
        f'<td><i style="--v:{value / axis:.3f}"></i>{value:.2f}</td>'
        for value in values.tolist()
    )
    return ROW.format(kind=kind, name=name, cells=cells)
