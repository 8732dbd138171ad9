"""Bars: how points are spread, how an exercise went."""

from attnbook.teaching.pages import e
from attnbook.teaching.spreadsheet import spelled

GROUPS = {  # what is drawn -> statuses
    "right": ("right",),
    "partly right": ("partly",),
    "wrong": ("wrong", "refused", "stopped"),
    "no answer": ("blank", "missing"),
    "by hand": ("by hand",),
}
WIDTH, HEIGHT, FOOT = 360, 120, 24  # of a histogram; below stand its numbers
TENTHS = 10


def shares(name, counts):
    """Return a bar of parts, and below it what each is.

    Args:
        name: of the exercise.
        counts: status -> how many.
    """
    total = sum(counts.values()) or 1
    found = {
        group: sum(counts.get(x, 0) for x in statuses)
        for group, statuses in GROUPS.items()
    }
    found = {group: count for group, count in found.items() if count}
    said = [f"{x} {n} ({100 * n / total:.0f} %)" for x, n in found.items()]
    parts, left = [], 0.0
    for group, count in found.items():
        width = 100 * count / total
        parts.append(
            e("rect", x=f"{left:.2f}", y="0", width=f"{width:.2f}",
              height="10", class_=group.replace(" ", "-"))
        )  # fmt: skip
        left += width
    bar = e(
        "svg", *parts, viewBox="0 0 100 10", preserveAspectRatio="none",
        role="img", aria_label=f"{name}: {', '.join(said)}", class_="shares",
    )  # fmt: skip
    keys = [
        e("li", e("span", class_=f"key {x.replace(' ', '-')}"), f" {text}")
        for x, text in zip(found, said, strict=True)
    ]
    return e("div", bar, e("ul", *keys, class_="keys"))


def tenths(points, maximum):
    """Return how many students lie in each tenth of the points.

    Args:
        points: of each student.
        maximum: of the assignment.
    """
    found = [0] * TENTHS
    for x in points:
        share = x / maximum if maximum else 0
        found[min(int(share * TENTHS + 1e-9), TENTHS - 1)] += 1
    return found


def histogram(points, maximum):
    """Return bars of how many students have how many points.

    Args:
        points: of each student.
        maximum: of the assignment.
    """
    counts = tenths(points, maximum)
    step, most = WIDTH / TENTHS, max(*counts, 1)
    edges = [spelled(maximum * i / TENTHS) for i in range(TENTHS + 1)]
    parts, said = [], []
    for i, count in enumerate(counts):
        height = (HEIGHT - 24) * count / most
        middle = f"{(i + 0.5) * step:.1f}"
        top = HEIGHT - height
        parts.append(
            e("rect", x=f"{i * step + 2:.1f}", y=f"{top:.1f}",
              width=f"{step - 4:.1f}", height=f"{height:.1f}", class_="bar")
        )  # fmt: skip
        if count:
            parts.append(e("text", str(count), x=middle, y=f"{top - 6:.1f}"))
            said.append(f"{edges[i]} to {edges[i + 1]}: {count}")
    for i in range(0, TENTHS + 1, 2):
        x = min(max(i * step, 12), WIDTH - 12)
        parts.append(e("text", edges[i], x=f"{x:.1f}", y=str(HEIGHT + 16)))
    line = e("line", x1="0", x2=str(WIDTH), y1=str(HEIGHT), y2=str(HEIGHT))
    return e(
        "figure",
        e(
            "svg", *parts, line, role="img", class_="histogram",
            viewBox=f"0 0 {WIDTH} {HEIGHT + FOOT}",
            aria_label=f"Students per points. {'; '.join(said)}",
        ),
        e("figcaption", "Students (above the bars) per total of points."),
    )  # fmt: skip
