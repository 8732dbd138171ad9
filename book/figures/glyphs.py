"""Draw one of each glyph of the drawing kit.

    python book/figures/glyphs.py

writes glyphs.svg beside this file.
"""

from pathlib import Path

import torch

from attnbook.plots import Drawing

ALT = (
    "The glyphs of the course's drawings: a token; a vector and a matrix, "
    "hue for the sign, strength for the size; queries by a projection; a "
    "grid of scores, a mask with hidden cells hatched, weights, one row of "
    "the softmax as bars, the context; a head, a layer, a sum, a part "
    "and two dots."
)
WORDS = ("the", "cat", "sat")


def first_row(d, x, q):
    """Draw token, vector, matrix, projection."""
    d.token("cat", (14, 22))
    d.text("token", (36, 68), "quiet", "middle")
    v = d.matrix(x[1], "x (D)", (100, 28))
    d.brace(v, "D")
    d.text("vector", (100, 98), "quiet")
    m = d.matrix(x, "X (T, D)", (50, 140), rows=WORDS)
    p = d.matrix(q, "Q (T, d_k)", (220, 140), "project")
    d.arrow(m, p, "W^Q", "project")
    d.brace(p, "d_k")


def attention(d, q):
    """Draw the four steps after the projection."""
    scores = q @ q.T
    seen = torch.ones(3, 3).tril().bool()
    weights = scores.masked_fill(~seen, -torch.inf).softmax(-1)
    s = d.matrix(scores, "scores (T, T)", (14, 278), "score", numbers=True)
    d.arrow(s, d.mask(seen, "mask (T, T)", (220, 278), cell=24))
    options = {"numbers": True}
    w = d.weights(weights, "weights (T, T)", (14, 400), **options)
    c = d.matrix(weights @ q, "context (T, d_k)", (214, 400), "mix", cell=24)
    d.arrow(w, c)
    d.softmax(weights[1], "softmax, one row", (14, 522), WORDS)


def frames(d, q):
    """Draw head, layer, sum and part."""
    inner = d.matrix(q[:, :2], "Q_h", (226, 552), "project", cell=16)
    d.head([inner], "head 0", copies=2)
    one = d.token("cat", (40, 682))
    layer = d.layer([one], "layer 1")
    total = d.sum((226, 676))
    d.arrow(layer, total)
    d.text("sum", (224, 718), "quiet")
    d.part("a part", (262, 673), 60)
    d.dot((300, 640))
    d.dot((320, 640), hollow=True)


def draw():
    """Return the drawing."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randint(-4, 5, (3, 4), generator=generator) / 2
    w_q = torch.randint(-2, 3, (4, 3), generator=generator) / 8
    d = Drawing(ALT)
    first_row(d, x, x @ w_q)
    attention(d, x @ w_q)
    frames(d, x @ w_q)
    return d


def main():
    """Write the picture beside this file."""
    path = Path(__file__).with_suffix(".svg")
    path.write_text(draw().svg + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
