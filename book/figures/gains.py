"""Draw how much faster something is, and how surely, for *What made it fast*.

    python book/figures/gains.py

writes gains.svg (what each change gained), and beside.svg and beside_gpu.svg
(our training beside what people use, on two cores and on a GPU) next to this
file, from the stored runs.
"""

import math
from pathlib import Path

from attnbook import results
from attnbook.plots.svg import Sheet, element, paint

WIDTH, LEFT, ROW, TOP = 340, 12, 46, 46  # pixels
LOOKS = {"faster": "mix", "slower": "score", "either": "quiet"}  # colours
OTHERS = {  # whose steps were timed beside ours, and where that is stored
    "the common loop, in fp32": "common-loop",
    "nn.Transformer at its best": "torch-best",
    "x-transformers": "x-transformers",
    "Marian of transformers": "transformers",
    "ours, compiled": "compiled-ours",
    "nn.Transformer, compiled": "compiled-torch-best",
}


def across(gain, ends):
    """Return where a gain stands, in pixels from the left.

    Args:
        gain: a factor.
        ends: the factors at both ends of the axis, which is logarithmic.
    """
    low, high = map(math.log, ends)
    share = (math.log(gain) - low) / (high - low)
    return LEFT + share * (WIDTH - 2 * LEFT)


def verdict(row):
    """Say whether all rounds of a change lie on one side of no gain."""
    if row["least"] > 1:
        return "faster"
    return "slower" if row["most"] < 1 else "either"


def alt_of(rows, title):
    """Return in words what the picture shows."""
    parts = [
        f"{row['change']} {row['gain']:.2f}, {row['least']:.2f} to "
        f"{row['most']:.2f}"
        for row in rows
    ]
    return (
        f"{title}, on a logarithmic axis, each a dot on the range of its "
        f"rounds, beside a line at 1. {'; '.join(parts)}."
    )


def draw(rows, title, ends, one):
    """Return the drawing.

    Args:
        rows: dicts with "change", "gain", and its "least" and "most".
        title: what a gain is.
        ends: see `across`.
        one: what a factor of 1 means.
    """
    sheet = Sheet(alt_of(rows, title), WIDTH)
    sheet.text(title, (LEFT, 22), "quiet")
    middle = across(1, ends)
    sheet.text(f"1: {one}", (middle, TOP - 4), "quiet")
    for i, row in enumerate(rows):
        y, kind = TOP + i * ROW, verdict(row)
        colour = paint(LOOKS[kind])
        sheet.text(f"{row['gain']:.2f}", (LEFT, y + 16), bold=True)
        sheet.text(row["change"], (LEFT + 40, y + 16), size=13)
        style = f"stroke:{paint('quiet')};stroke-dasharray:3 2"
        edge = element(
            "line", style=style, x1=middle, x2=middle, y1=y + 21, y2=y + 39
        )
        first, last = (across(row[end], ends) for end in ("least", "most"))
        style = f"stroke:{colour};stroke-width:2.5"
        reach = element(
            "line", style=style, x1=first, x2=last, y1=y + 30, y2=y + 30
        )
        ground = "card" if kind == "either" else LOOKS[kind]
        style = f"fill:{paint(ground)};stroke:{colour};stroke-width:2.5"
        at = across(row["gain"], ends)
        dot = element("circle", style=style, cx=at, cy=y + 30, r=4.5)
        box = LEFT, y, max(last, at + 6), y + ROW
        sheet.put([edge, reach, dot], box, row["change"])
    return sheet


def changes():
    """Return what each change gained over the row before it."""
    return results.load("speed_steps")["values"]["rows"][1:]


def others(name="benchmark", device="cpu"):
    """Return how much faster our training in bf16 is than theirs.

    Args:
        name: of the stored benchmark.
        device: that it ran on, "cpu" or "cuda".
    """
    return [
        {"change": f"{other}, size {size}"}
        | dict(zip(("gain", "least", "most"), found, strict=True))
        for size, values in results.load(name)["values"].items()
        for other, key in OTHERS.items()
        for found in [values["ratios"].get(f"{key} {size} {device} bf16")]
        if found
    ]


def drawn():
    """Return the drawings, name of the file -> drawing."""
    before, theirs = "times as fast as before", "times as fast as theirs"
    return {
        "gains": draw(changes(), before, (0.6, 3.2), "no gain"),
        "beside": draw(
            others(), f"our training: {theirs}", (0.9, 13.5), "as fast"
        ),
        "beside_gpu": draw(
            others("benchmark_gpu", "cuda"),
            f"our training: {theirs}",
            (0.5, 2.5),
            "as fast",
        ),
    }


def main():
    """Write the pictures beside this file."""
    for name, sheet in drawn().items():
        path = Path(__file__).with_name(f"{name}.svg")
        path.write_text(sheet.svg + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
