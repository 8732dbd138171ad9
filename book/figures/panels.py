"""The two panels of the picture: how to read it, and one attention."""

import math

from parts import five, icon, plus

# Scores of four queries (rows) and six keys; the last key is padding.
SCORES = (
    (1, 0, 0, 2, 0, 3),
    (3, 1, 0, 1, 0, 2),
    (1, 3, 1, 0, 1, 1),
    (0, 1, 2, 3, 1, 0),
)
LEFT, TOP, SIDE, GAP = 32, 974, 112, 17
FORMULAS = {
    "project": "\u00d7 W^Q, W^K, W^V",
    "score": "Q K\u1d40 / \u221ad\u2096",
    "mask": "hidden: \u2212\u221e",
    "normalise": "softmax",
    "mix": "weights \u00d7 V",
}
SHAPES = {
    "project": ("Q (B, H, T, d\u2096)", "K, V (B, H, S, d\u2096)"),
    "score": ("scores", "(B, H, T, S)"),
    "mask": ("scores", "(B, H, T, S)"),
    "normalise": ("weights", "(B, H, T, S)"),
    "mix": ("context", "(B, H, T, d\u2096)"),
}


def weights():
    """Return the softmax of the scores over the keys that are words."""
    rows = []
    for row in SCORES:
        powers = [math.exp(score) for score in row[:-1]]
        rows.append([p / sum(powers) for p in powers])
    return rows


def project_picture(sheet, middle, y):
    """Draw what projecting makes: queries, keys and values."""
    for start, rows in ((-41, 4), (-8, 6), (25, 6)):
        sheet.grid(middle + start, y - 2, 8, [["project"] * 2] * rows)


def score_picture(sheet, middle, y):
    """Draw one number for each pair of query and key."""
    rows = [[f"score-{1 + 3 * s}" for s in row] for row in SCORES]
    sheet.grid(middle - 33, y, 11, rows)


def mask_picture(sheet, middle, y):
    """Draw which keys may be read."""
    rows = [["open"] * 5 + ["hidden"]] * 4
    sheet.grid(middle - 33, y, 11, rows)


def weight_rows():
    """Return the looks of the weights, the hidden key last."""
    rows = [[f"normalise-{round(10 * w)}" for w in row] for row in weights()]
    return [[*row, "hidden"] for row in rows]


def normalise_picture(sheet, middle, y):
    """Draw the weights; each row sums to 1."""
    sheet.grid(middle - 33, y, 11, weight_rows())


def mix_picture(sheet, middle, y):
    """Draw weights times values: one mixture for each query."""
    sheet.grid(middle - 50, y + 7, 7, weight_rows())
    sheet.text("label", middle, y + 26, "\u00d7")
    sheet.grid(middle + 8, y, 7, [["project"] * 2] * 6)
    sheet.text("label", middle + 29, y + 26, "=")
    sheet.grid(middle + 36, y + 7, 7, [["mix"] * 2] * 4)


PICTURES = {
    "project": project_picture,
    "score": score_picture,
    "mask": mask_picture,
    "normalise": normalise_picture,
    "mix": mix_picture,
}


def step(sheet, i, name):
    """Draw one of the five steps, and the shape of what it returns."""
    x = LEFT + i * (SIDE + GAP)
    middle = x + SIDE / 2
    sheet.rect(f"step-{name}", x, TOP, SIDE, 106)
    sheet.rect(f"full-{name}", x, TOP, SIDE, 6, rx=2)
    sheet.text("name", middle, TOP + 24, name)
    PICTURES[name](sheet, middle, TOP + 34)
    sheet.text("small", middle, TOP + 97, FORMULAS[name])
    y = TOP + 53
    sheet.path("flow", (x + SIDE, y), (x + SIDE + GAP - 1, y), tip="tip")
    for j, line in enumerate(SHAPES[name]):
        sheet.text("shape", middle, TOP + 124 + 16 * j, line)


def values_path(sheet):
    """Draw how the values go round the three steps in the middle."""
    start = LEFT + SIDE - 20
    end = LEFT + 4 * (SIDE + GAP) + SIDE / 2
    y = TOP - 14
    points = (start, TOP), (start, y), (end, y), (end, TOP - 1)
    sheet.path("flow", *points, tip="tip")
    sheet.text("small", start + 10, y - 5, "values V", "start")


def inside(sheet):
    """Draw the panel that zooms into one attention."""
    with sheet.group("one-attention"):
        sheet.rect("panel", 22, 912, 716, 222, rx=8)
        title = "Inside every dark box: five steps"
        sheet.text("heading", LEFT, 936, title, "start")
        line = "H heads side by side, T queries, S keys"
        sheet.text("label", 728, 936, line, "end")
        values_path(sheet)
        for i, name in enumerate(PICTURES):
            step(sheet, i, name)
        x = LEFT + 5 * (SIDE + GAP)
        sheet.rect("step-project", x, TOP, 48, 106)
        sheet.rect("full-project", x, TOP, 48, 6, rx=2)
        for j, line in enumerate(("merge", "heads,", "\u00d7 W^O")):
            sheet.text("small", x + 24, TOP + 42 + 18 * j, line)
        for j, line in enumerate(("output", "(B, T, D)")):
            sheet.text("shape", x + 24, TOP + 124 + 16 * j, line)


def signs(sheet, y, gap):
    """Draw the signs that the legend explains, one below the other."""
    sheet.rect("meet", 34, y, 48, 26)
    icon(sheet, "light", 43, y + 6, 30, 14, meet=True)
    y += gap
    sheet.rect("alone", 34, y, 48, 26)
    icon(sheet, "dark", 43, y + 6, 30, 14, meet=False)
    y += gap + 13
    sheet.path("stream", (34, y), (82, y))
    sheet.dot("read", 46, y, 5)
    plus(sheet, 69, y)
    y += gap - 13
    sheet.rect("mask-chip", 34, y, 48, 26)
    sheet.grid(46, y + 5, 8, [["open", "open", "hidden"]] * 2)
    y += gap
    five(sheet, 34, y + 7, 8, 12)


MEANINGS = (
    ("Words look at each other", "attention, nowhere else"),
    ("Each word is alone", "norm, feed-forward, linear"),
    ("Stream: always D wide", "residual: parts read it, add to it"),
    ("Mask: True = may attend", "white: True, grey: hidden"),
    ("Five steps", "in the colours of the panel below"),
)
LETTERS = (
    "B sentences, S source words, T target words,",
    "D width, F inner width, vocab target words,",
    "H heads, each d\u2096 = D / H wide",
)


def legend(sheet):
    """Draw the panel that says how to read the picture."""
    with sheet.group("legend"):
        sheet.rect("panel", 22, 20, 316, 268, rx=8)
        line = "Read it from bottom to top"
        sheet.text("heading", 34, 46, line, "start")
        signs(sheet, 58, 35)
        for i, (name, words) in enumerate(MEANINGS):
            sheet.text("name", 96, 69 + 35 * i, name, "start")
            sheet.text("small", 96, 85 + 35 * i, words, "start")
        for i, line in enumerate(LETTERS):
            sheet.text("small", 34, 249 + 15 * i, line, "start")
