"""Measure bars: how points are spread, how an exercise went."""

from attnbook.teaching.spreadsheet import format_number

GROUPS = {  # what is drawn -> statuses
    "right": ("right",),
    "partly right": ("partly",),
    "wrong": ("wrong", "refused", "stopped"),
    "no answer": ("blank", "missing"),
    "by hand": ("by hand",),
}
WIDTH, HEIGHT, FOOT = 360, 120, 24  # of a histogram; its scale is in the foot
TENTHS = 10


def measure_shares(counts):
    """Return the parts of a bar that is 100 wide.

    Args:
        counts: status -> how many answers have it.

    Returns:
        A list of dicts: kind (a class of the style sheet), text, and left
        and width of the rectangle, str.
    """
    total = sum(counts.values())
    parts, left = [], 0.0
    for group, statuses in GROUPS.items():
        count = sum(counts.get(x, 0) for x in statuses)
        if not count:
            continue
        width = 100 * count / total
        parts.append(
            {
                "kind": group.replace(" ", "-"),
                "text": f"{group} {count} ({width:.0f} %)",
                "left": f"{left:.2f}",
                "width": f"{width:.2f}",
            }
        )
        left += width
    return parts


def count_tenths(points, maximum):
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


def measure_histogram(points, maximum):
    """Return the bars of how many students have how many points.

    Args:
        points: of each student.
        maximum: of the assignment.

    Returns:
        A dict: width, height, foot; bars and labels, lists of dicts with
        their places; counts, a list of phrases that say the same.
    """
    counts = count_tenths(points, maximum)
    step, most = WIDTH / TENTHS, max(*counts, 1)
    edges = [format_number(maximum * i / TENTHS) for i in range(TENTHS + 1)]
    bars, labels, said = [], [], []
    for i, count in enumerate(counts):
        height = (HEIGHT - 24) * count / most
        top = HEIGHT - height
        bars.append(
            {
                "left": f"{i * step + 2:.1f}",
                "top": f"{top:.1f}",
                "width": f"{step - 4:.1f}",
                "height": f"{height:.1f}",
            }
        )
        if count:
            labels.append(label((i + 0.5) * step, f"{top - 6:.1f}", count))
            said.append(f"{edges[i]} to {edges[i + 1]}: {count}")
    for i in range(0, TENTHS + 1, 2):
        x = min(max(i * step, 12), WIDTH - 12)
        labels.append(label(x, HEIGHT + 16, edges[i]))
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "foot": FOOT,
        "bars": bars,
        "labels": labels,
        "counts": said,
    }


def label(x, y, text):
    """Return a text of a drawing and its place."""
    return {"x": f"{x:.1f}", "y": y, "text": text}
