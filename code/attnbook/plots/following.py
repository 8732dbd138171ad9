"""Self-attention step by step, with one word's row lit throughout.

Dimension letters:
    T words, D numbers per word, d_k per query or key, d_v per value.
"""

from html import escape

import torch

from attnbook.plots.explorable import explorable

STEPS = ("project", "score", "mask", "normalise", "mix")


def format_numbers(rows, places):
    """Return rows of numbers as rows of text, a minus as a minus."""
    return [
        [
            f"{n + 0.0:.{places}f}".replace("-", "\u2212").replace(
                "inf", "\u221e"
            )
            for n in row
        ]
        for row in rows.tolist()
    ]


def make_tables(x, w_q, w_k, w_v, causal):
    """Return the table of each step: texts, (T, columns), and strengths."""
    q, k, v = x @ w_q, x @ w_k, x @ w_v  # (T, d_k), (T, d_k), (T, d_v)
    scores = q @ k.T / q.size(-1) ** 0.5  # (T, T)
    hidden = torch.ones_like(scores).triu(1).bool() & causal
    masked = scores.masked_fill(hidden, -torch.inf)
    weights = masked.softmax(-1)
    made = {
        "project": (torch.cat([q, k, v], -1), 0),
        "score": (scores, 1),
        "mask": (masked, 1),
        "normalise": (weights, 2),
        "mix": (weights @ v, 2),
    }
    return {
        name: [format_numbers(rows, places), measure_strengths(rows)]
        for name, (rows, places) in made.items()
    }


def measure_strengths(rows):
    """Return how strongly each cell is coloured, percent of 45."""
    finite = rows.masked_fill(rows.isinf(), 0).clamp(min=0)
    return (45 * finite / finite.max()).round().int().tolist()


def explore_self_attention(x, matrices, words, features, question):
    """Make the five steps of one self-attention, to walk through.

    Args:
        x: word vectors, float, (T, D).
        matrices: w_q, (D, d_k), w_k, (D, d_k), and w_v, (D, d_v), float.
        words: T names.
        features: d_v names of the numbers of a value.
        question: what to answer with it, plain text.

    Returns:
        An `Explorable`; a notebook shows it when it ends a cell.

    Raises:
        ValueError: sizes that do not fit.
    """
    w_q, w_k, w_v = matrices
    fit = len(words) == len(x) and len(features) == w_v.size(1)
    if not fit or any(x.size(1) != w.size(0) for w in matrices):
        raise ValueError(
            f"expected {len(words)} words of one width and {len(features)} "
            f"features, got x {tuple(x.shape)} and matrices "
            f"{[tuple(w.shape) for w in matrices]}"
        )
    both = [make_tables(x, w_q, w_k, w_v, causal) for causal in (False, True)]
    qkv = [
        f"{n}{i}"
        for n, w in zip("QKV", matrices, strict=True)
        for i in range(w.size(1))
    ]
    names = {step: list(words) for step in STEPS}
    names |= {"project": qkv, "mix": list(features)}
    data = {"words": list(words), "names": names, "both": both}
    title = f"Self-attention of {len(words)} words, step by step"
    head = "".join(f'<th scope="col">{escape(n)}</th>' for n in qkv)
    body = "".join(
        f'<tr><th scope="row">{escape(word)}</th>'
        + "".join(f"<td>{n}</td>" for n in row)
        + "</tr>"
        for word, row in zip(words, both[0]["project"][0], strict=True)
    )
    table = (
        '<div class="x-wide" tabindex="0" role="region" aria-label="numbers">'
        f"<table><thead><tr><th></th>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )
    text = f"explorable: the five steps of {len(words)} words"
    return explorable("following", title, table, data, text, question)
