"""Check of a drawn heatmap, by what its Axes holds; no display is needed.

Dimension letters:
    T queries (rows), S keys (columns).
"""

import contextlib
import re
import warnings

import numpy as np
import torch

from attnbook.checks.engine.calling import call
from attnbook.checks.engine.draws import make_check
from attnbook.checks.engine.verdict import Hint, Mistake

WORDS = ["we", "saw", "the", "dog", "that", "saw"]
WORDS += ["a", "cat", "and", "the", "bird"]
STAGES = {  # what has been shown -> queries, keys, columns that are drawn
    "": (4, 4, 4),
    "right for a square map, but not for 3 queries and 6 keys: ": (3, 6, 6),
    "right for a square map, but not for 8 queries and 5 keys, with a word "
    "that comes twice: ": (8, 5, 5),
    "right for small maps, but not for 11 x 11: ": (11, 11, 11),
    "right, but not for a single query: ": (1, 3, 3),
    "right, but not for the first columns of a wider map, whose rows do not "
    "sum to 1: ": (4, 5, 3),
}
CAUSAL = (
    "right, but not for a causal map, whose two axes have the same words: "
)
TURNED = {
    "your map is transposed; row i of the image is row i of the weights, with "
    "the queries on the y axis and the keys on the x axis": lambda w: w.T,
    "your map is upside down: the first query belongs at the top "
    "(origin='lower' and pcolormesh start at the bottom; ax.invert_yaxis() "
    "turns the axis round)": lambda w: w[::-1],
    "your columns are mirrored: the first key belongs on the left": (
        lambda w: w[:, ::-1]
    ),
}


def examples(draws):
    """Yield what has been shown, weights (T, S), and words of both axes."""
    words = [*map(draws.ciphered, WORDS)]
    for shown, (queries, keys, drawn) in STAGES.items():
        scores = torch.randn(keys, queries, generator=draws.seeded(5))
        weights = scores.softmax(0).T  # not contiguous
        yield shown, weights[:, :drawn], words[:queries], words[-keys:][:drawn]
    future = torch.ones(5, 5).triu(1).bool()
    scores = torch.randn(5, 5, generator=draws.seeded(6))
    weights = scores.masked_fill(future, -torch.inf).softmax(-1)
    yield CAUSAL, weights, words[:5], words[:5]


@contextlib.contextmanager
def own_figures():
    """Open an empty figure; afterwards, pyplot is as it was before."""
    import matplotlib.pyplot as plt

    before, show = plt.get_fignums(), plt.show
    current = plt.gcf().number if before else None
    layout = {"figure.constrained_layout.use": False}  # lets tight_layout work
    with warnings.catch_warnings(), plt.ioff(), plt.rc_context(layout):
        warnings.simplefilter("ignore")
        plt.show = lambda *given, **options: None
        plt.figure()
        try:
            yield
        finally:
            plt.show = show
            for number in set(plt.get_fignums()) - set(before):
                plt.close(number)
            if current in plt.get_fignums():
                plt.figure(current)


def is_seen(drawn):
    """Say whether an image or a mesh is drawn, and not see-through."""
    alpha = drawn.get_alpha()
    return drawn.get_visible() and (alpha is None or np.max(alpha) > 0.1)


def image_of(ax):
    """Return the one image or mesh of the Axes that came back."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        kind = type(ax).__name__
        raise Mistake(
            "return the Axes alone; you return a thing of type {}", kind
        )
    meshes = [c for c in ax.collections if hasattr(c, "get_coordinates")]
    drawn = [x for x in (*ax.images, *meshes) if is_seen(x)]
    drawn = drawn if ax.get_visible() else []
    if len(drawn) != 1:
        raise Mistake(
            "your Axes shows {} images; draw the weights once, with imshow, "
            "into a new Axes at every call",
            len(drawn) or "no",
        )
    if np.ndim(drawn[0].get_array()) != 2:
        raise Mistake(
            "your image holds colours; give imshow the weights themselves, "
            "so that it knows their scale"
        )
    return drawn[0]


def borders_of(image):
    """Return where columns and rows begin and end, S + 1 and T + 1."""
    rows, columns = image.get_array().shape
    if hasattr(image, "get_coordinates"):
        corners = image.get_coordinates()  # (T + 1, S + 1, 2)
        x, y = corners[0, :, 0], corners[:, 0, 1]
        even = len(x) == columns + 1  # else one colour per corner
    else:
        x0, x1, *ends = image.get_extent()
        y0, y1 = ends if image.origin == "lower" else ends[::-1]
        x, y = np.linspace(x0, x1, columns + 1), np.linspace(y0, y1, rows + 1)
        sharp = "none", "nearest", "antialiased", "auto"
        even = image.get_interpolation() in sharp
    for widths in np.diff(x), np.diff(y):
        even = even and widths.all() and np.ptp(widths) < 1e-6
    if not even:
        raise Mistake(
            "draw one even cell per weight, all of one size: no smoothing "
            "(interpolation, shading), and no coordinates for pcolormesh"
        )
    return x, y


def is_shown(ax, axis):
    """Say whether an axis of an Axes is drawn."""
    return ax.axison and axis.get_visible()


def read_axis(ax, letter, borders):
    """Return order of cells and labels, from the left or from the top.

    A label is a pair of its place, in cells from the first one's centre, and
    its text.
    """
    axis = getattr(ax, f"{letter}axis")
    low, high = sorted(axis.get_view_interval())
    first, last = min(borders), max(borders)
    width = (last - first) / (len(borders) - 1)
    if first < low - width / 50 or last > high + width / 50:
        raise Mistake("the limits of the {} axis cut cells off", Hint(letter))
    order, labels = np.argsort(borders[:-1] + borders[1:]), []
    if axis.get_inverted() != (letter == "y"):  # y starts at the bottom
        order, first = order[::-1], last
    for label in axis.get_ticklabels(which="both"):
        place = label.get_position()["xy".index(letter)]
        place = abs(place - first) / width - 0.5
        text = label.get_text().strip()
        if text and -0.5 <= place < len(order) and is_shown(ax, axis):
            labels.append((place, text))
    return order, sorted(labels)


def agree(a, b, tolerance=1e-5):
    """Say whether two arrays agree in shape and, nearly, in value."""
    return a.shape == b.shape and np.allclose(a, b, 0, tolerance)


def judge_values(shown, weights):
    """Raise a mistake if the image, as one reads it, is not the weights."""
    if agree(shown, weights):
        return
    for hint, turn in TURNED.items():
        if agree(shown, turn(weights)):
            raise Mistake(hint)
    if shown.shape != weights.shape:
        raise Mistake(
            "the image has {} x {} cells; the weights have {} x {}",
            *shown.shape,
            *weights.shape,
        )
    times = shown.max(1) / weights.max(1)
    if agree(shown, times[:, None] * weights):
        raise Mistake(
            "the rows of your image are those of the weights times {}; draw "
            "the weights themselves, so that rows and maps can be compared",
            ", ".join(f"{factor:.2f}" for factor in times),
        )
    raise Mistake(
        "the numbers in your image are not the weights{}; draw the weights as "
        "they are, and round in texts alone",
        ", but nearly" if agree(shown, weights, 0.051) else "",
    )


def judge_labels(labels, tokens, axis, argument):
    """Raise a mistake if the tick labels of an axis are not the tokens."""
    texts = [text for _, text in labels]
    if texts != tokens:
        raise Mistake(
            "the tick labels of the {} axis show {}, and not the tokens in "
            "{}; set ticks and labels together, with set_{}ticks",
            axis,
            texts or "nothing",
            argument,
            axis,
        )
    if any(abs(place - i) > 0.15 for i, (place, _) in enumerate(labels)):
        raise Mistake(
            "the tick labels of the {} axis do not stand at the centres of "
            "the cells; set ticks and labels together, with imshow at i, with "
            "pcolormesh at i + 0.5",
            axis,
        )


def judge_colours(image):
    """Raise a mistake unless the colours run evenly from 0 to 1."""
    image.autoscale_None()  # limits that were left open, as when drawn
    limits, norm = image.get_clim(), type(image.norm).__name__
    if norm != "Normalize" or not np.allclose(limits, (0, 1), atol=1e-6):
        raise Mistake(
            "the colours run from {} to {} ({}); two maps can be compared if "
            "both have one even scale, so fix vmin=0 and vmax=1, without "
            "another norm",
            *(f"{limit:.2f}" for limit in limits),
            norm,
        )
    colours = image.get_cmap()(np.linspace(0, 1, 17))[:, :3]
    apart = np.abs(colours[:, None] - colours).max(-1)  # (17, 17)
    if apart[np.triu_indices(17, 4)].min() < 0.1:
        raise Mistake(
            "different weights have one colour in your colour map (few "
            "steps, or two ends alike); leave cmap out, or take one that "
            "runs from light to dark, such as 'Blues'"
        )
    light = image.get_cmap()(np.linspace(0, 1, 65))[:, :3] ** 2.2
    steps = np.diff((light @ (0.21, 0.72, 0.07)) ** (1 / 2.2))  # of lightness
    if (
        min(np.clip(steps, 0, None).sum(), np.clip(-steps, 0, None).sum())
        > 0.1
    ):
        raise Mistake(
            "your colours get lighter and darker again as weights grow (a "
            "rainbow, or two hues with a middle), so a reader cannot see "
            "which weight is larger; leave cmap out, or take one that runs "
            "from light to dark, such as 'Blues'"
        )


def words_of(text):
    """Return the words of a label."""
    return {*re.findall("[a-z]+", text.lower())}


def judge_names(ax):
    """Raise a mistake unless the axes are called keys and queries."""
    keys, queries = ("key", "keys"), ("query", "queries")
    for axis, side, names in (
        (ax.xaxis, "columns", keys),
        (ax.yaxis, "rows", queries),
    ):
        seen = is_shown(ax, axis) and axis.label.get_visible()
        text = axis.label.get_text() if seen else ""
        if not {*names} & words_of(text):
            raise Mistake(
                "the label of the {} axis is {}; it must say that {} are {}, "
                "with that very word",
                Hint(axis.axis_name),
                repr(text),
                Hint(side),
                Hint(names[1]),
            )
    if ax.get_xlabel() == ax.get_ylabel():
        raise Mistake(
            "both axes have the label {}; a reader must see which of them "
            "holds the queries, and which the keys",
            repr(ax.get_xlabel()),
        )
    for axis, others in ((ax.xaxis, queries), (ax.yaxis, keys)):
        text = axis.label.get_text()
        if {*others} & words_of(re.sub(r"\(.*?\)", "", text)):
            raise Mistake(
                "the label of the {} axis is {}; outside of brackets it may "
                "name what this axis holds and not what the other one holds",
                Hint(axis.axis_name),
                repr(text),
            )


def judge_map(ax, weights, rows, columns):
    """Raise the first mistake that a reader of the map would run into."""
    image = image_of(ax)
    x, y = borders_of(image)
    across, x_labels = read_axis(ax, "x", x)
    down, y_labels = read_axis(ax, "y", y)
    values = np.ma.filled(np.ma.asarray(image.get_array(), float), np.nan)
    judge_values(values[down][:, across], weights.numpy())
    judge_labels(y_labels, rows, Hint("y"), Hint("rows"))
    judge_labels(x_labels, columns, Hint("x"), Hint("columns"))
    judge_colours(image)
    judge_names(ax)


@make_check
def check_plot_attention(answer, draws):
    """Check exercise ``plot_attention(weights, rows, columns) -> Axes``.

    Its argument is a function of weights, (T, S), T labels of the queries and
    S labels of the keys, which returns a matplotlib Axes.  The check returns a
    `Verdict`, prints it too, and never raises.
    """
    for shown, *inputs in examples(draws):
        try:
            with own_figures():
                judge_map(call(answer, *inputs), *inputs)
        except Mistake as mistake:
            raise mistake.behind(shown) from None
