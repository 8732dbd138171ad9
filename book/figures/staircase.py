"""Draw how the time to the speedrun's goal fell, step by step.

    python book/figures/staircase.py

writes staircase.svg beside this file, from the stored runs.
"""

from pathlib import Path

from attnbook import results
from attnbook.plots.svg import Sheet, element, measure_width, paint

WIDTH, LEFT, ROW, TOP = 340, 12, 50, 34  # pixels
FULL = WIDTH - 2 * LEFT  # of the longest run


def minutes(seconds):
    """Write seconds as minutes, with a decimal where they are few."""
    found = seconds / 60
    return f"{found:.0f}" if found >= 20 else f"{found:.1f}"


def middle(runs):
    """Return the run of the median time; those that missed come last."""

    def key(run):
        return not run["reached"], run["seconds"]

    return sorted(runs, key=key)[len(runs) // 2]


def saved(before, run):
    """Say how much less time a run took than the one before it.

    Args:
        before: the run of the way before; None if there is none.
        run: the run.
    """
    if before is None:
        return ""
    share = f"{1 - run['seconds'] / before['seconds']:.0%} less"
    return share if before["reached"] else f"at least {share}"


def alt_of(runs, target):
    """Return in words what the picture shows."""
    parts = [
        f"{name} {minutes(run['seconds'])}"
        + ("" if run["reached"] else " without reaching it")
        for name, run in runs.items()
    ]
    return (
        f"A staircase going down: minutes until {target} BLEU on validation "
        f"sentences. {'; '.join(parts)}."
    )


def draw(runs, target):
    """Return the drawing.

    Args:
        runs: name -> one run that `speedrun.py` stores, the oldest first.
        target: the goal.
    """
    sheet = Sheet(alt_of(runs, target), WIDTH)
    sheet.text(f"minutes until {target} BLEU", (LEFT, 22), "quiet")
    longest = max(run["seconds"] for run in runs.values())
    corners, y, before = [], TOP, None
    for name, run in runs.items():
        width = FULL * run["seconds"] / longest
        style = f"fill:{paint('ink')};fill-opacity:0.1"
        block = element(
            "rect", style=style, x=LEFT, y=y, width=width, height=ROW
        )
        box = LEFT, y, LEFT + width, y + ROW
        sheet.put([block], box, name)
        corners += [(LEFT + width, y), (LEFT + width, y + ROW)]
        time = minutes(run["seconds"])
        if not run["reached"]:
            time = f"over {time}"
        words = saved(before, run)
        wide = max(
            measure_width(f"{time}  {name}", bold=True), measure_width(words)
        )
        x = LEFT + 8 + (0 if wide + 16 < width else width)
        sheet.text(time, (x, y + 21), bold=True, quiet=f"  {name}")
        if words:
            sheet.text(words, (x, y + 40), "quiet", size=13)
        y, before = y + ROW, run
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    style = f"fill:none;stroke:{paint('ink')};stroke-width:2.5"
    edge = element("polyline", style=style, points=path)
    sheet.put([edge], (LEFT, TOP, WIDTH - LEFT, y), "the edge")
    return sheet


def drawn():
    """Return the drawing of the stored runs."""
    values = results.load("speedrun")["values"]
    runs = {name: middle(found) for name, found in values["ways"].items()}
    return draw(runs, values["target"])


def main():
    """Write the picture beside this file."""
    path = Path(__file__).with_suffix(".svg")
    path.write_text(drawn().svg + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
