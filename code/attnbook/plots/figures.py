"""Drawn figures: heatmaps, grids of heads, curves, positions."""

from importlib.resources import as_file, files

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import font_manager
from matplotlib.colors import to_rgb

HANGUL = "Attnbook Hangul"
# Okabe and Ito's colours, which colour-blind readers can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P")

with as_file(files("attnbook") / "plots/fonts/attnbook-hangul.ttf") as path:
    font_manager.fontManager.addfont(path)
plt.rcParams.update(
    {
        "font.family": ["sans-serif", HANGUL],
        "font.sans-serif": ["DejaVu Sans", "Verdana"],  # as wide
        "font.size": 10,
        "axes.prop_cycle": plt.cycler(color=COLOURS),
        "axes.grid": False,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "figure.titlesize": 11,
        "figure.facecolor": "white",
        "savefig.facecolor": "white",
        "figure.dpi": 100,
        "figure.constrained_layout.use": True,
        "image.interpolation": "none",  # a pixel for each cell
    }
)


def headline(fig, text):
    """Write over all panels of a figure what it shows, from its left edge."""
    fig.suptitle(text, x=0.01, ha="left")


def labels(ids, names):
    """Return the tokens of a row of ids, for the axes of its map.

    Args:
        ids: token ids, int, (T,); the very tensor that made the map.
        names: the tokens, indexed by id.

    Returns:
        A list of T strings.
    """
    return [names[int(i)] for i in ids]


def check_labels(shape, rows, columns):
    """Refuse labels that do not count like the map.

    Args:
        shape: shape of the map.
        rows: labels of the queries.
        columns: labels of the keys.

    Raises:
        ValueError: says what was expected and what came.
    """
    if tuple(shape) != (len(rows), len(columns)):
        raise ValueError(
            f"expected a map of {len(rows)} queries x {len(columns)} keys, "
            f"got {tuple(shape)}"
        )


def contrast(one, other):
    """Return how far two colours differ in brightness, from 1 to 21.

    WCAG 2.1: (lighter + 0.05) / (darker + 0.05), of relative luminances.
    It asks 4.5 of small letters, 3 of the parts of a graphic.

    Args:
        one: a colour as matplotlib takes it.
        other: likewise.

    Returns:
        The ratio; the order of the two does not matter.
    """
    parts = np.array([to_rgb(one), to_rgb(other)])  # (2, 3)
    linear = np.where(
        parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4
    )
    darker, lighter = sorted(linear @ (0.2126, 0.7152, 0.0722))
    return (lighter + 0.05) / (darker + 0.05)


def heatmap(
    ax, weights, rows, columns, title=None, numbers=True, limits=(0, 1)
):
    """Draw a map: one row per query, one column per key.

    Args:
        ax: where to draw.
        weights: (T, S), a tensor or an array.
        rows: T labels of the queries.
        columns: S labels of the keys.
        title: what the map shows.
        numbers: whether every cell shows its number, two decimals.
        limits: numbers at the two ends of the colours; (0, 1) for weights.

    Returns:
        ax.

    Raises:
        ValueError: labels that do not count like the map.
    """
    weights = to_array(weights)
    check_labels(weights.shape, rows, columns)
    low, high = limits
    image = ax.imshow(
        weights, cmap="Blues", vmin=low, vmax=high, aspect="auto"
    )
    columns, rows = (
        [label.replace("$", r"\$") for label in side]  # no formula
        for side in (columns, rows)
    )
    wide = max(map(len, columns), default=0) > 2  # letters need room
    turned = {"rotation": 45, "ha": "right"} if wide else {}
    turned |= {"rotation_mode": "anchor"}
    ax.set_xticks(range(len(columns)), columns, **turned)
    ax.set_yticks(range(len(rows)), rows)
    ax.set(xlabel="key (attended to)", ylabel="query (attending)")
    if title:
        ax.set_title(title)
    if numbers:
        for i, row in enumerate(weights):
            for j, value in enumerate(row):
                ground = image.to_rgba(value)
                colour = max(
                    ("black", "white"), key=lambda c: contrast(c, ground)
                )
                text = f"{value:.2f}"
                ax.text(j, i, text, ha="center", va="center", color=colour)
    return ax


def head_grid(weights, rows, columns, title=None):
    """Draw the maps of all heads side by side, at most four in a row.

    Args:
        weights: (H, T, S), a tensor or an array.
        rows: T labels of the queries.
        columns: S labels of the keys.
        title: what the figure shows.

    Returns:
        The figure and its H axes.

    Raises:
        ValueError: labels that do not count like the maps.
    """
    weights = to_array(weights)
    heads = len(weights)
    if not heads:
        raise ValueError("expected at least one head, got none")
    across = min(heads, 4)
    down = -(-heads // across)
    fig, axes = plt.subplots(
        down, across, figsize=(7, 2.2 * down), squeeze=False
    )
    for head, ax in enumerate(axes.flat):
        if head >= heads:
            ax.remove()
            continue
        name = f"head {head}"
        heatmap(ax, weights[head], rows, columns, name, numbers=False)
        if head + across < heads:  # another head stands below
            ax.set_xlabel("")
            ax.tick_params(labelbottom=False)
        if head % across:  # another head stands to the left
            ax.set_ylabel("")
            ax.tick_params(labelleft=False)
    if title:
        headline(fig, title)
    return fig, list(axes.flat[:heads])


def curves(ax, x, series, x_label, y_label, title=None):
    """Draw one line per series; several seeds become a line and a band.

    Args:
        ax: where to draw.
        x: N numbers.
        series: dict of name -> (N,) numbers, or (seeds, N): then the line
            is the mean and the band reaches from the least to the most.
        x_label: what x is, with its unit.
        y_label: what y is, with its unit.
        title: what the figure shows.

    Returns:
        ax.

    Raises:
        ValueError: a series that does not count like x.
    """
    for number, (name, values) in enumerate(series.items()):
        values = to_array(values)
        if values.shape[-1] != len(x):
            raise ValueError(
                f"expected {len(x)} values of {name!r}, got {values.shape[-1]}"
            )
        marker = MARKERS[number % len(MARKERS)]
        line = values if values.ndim == 1 else values.mean(axis=0)
        (drawn,) = ax.plot(x, line, marker=marker, markersize=4, label=name)
        if values.ndim == 2:
            colour = drawn.get_color()
            low, high = values.min(axis=0), values.max(axis=0)
            ax.fill_between(x, low, high, color=colour, alpha=0.2, lw=0)
    ax.set(xlabel=x_label, ylabel=y_label)
    ax.legend()
    if title:
        ax.set_title(title)
    return ax


def positions(ax, table, title=None):
    """Draw a table of position vectors, one row per position.

    Args:
        ax: where to draw.
        table: (T, D), a tensor or an array, numbers from -1 to 1.
        title: what the figure shows.

    Returns:
        ax.
    """
    image = ax.imshow(
        to_array(table), cmap="RdBu", vmin=-1, vmax=1, aspect="auto"
    )
    ax.figure.colorbar(image, ax=ax, label="value")
    ax.set(xlabel="feature (index)", ylabel="position (index)")
    if title:
        ax.set_title(title)
    return ax


def to_array(values):
    """Return a tensor, array or list as a NumPy array of floats."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().double().numpy()
    return np.asarray(values, dtype=float)
