"""The mistakes in a drawn heatmap that the check knows by name.

Dimension letters:
    T queries (rows), S keys (columns).
"""

import re

import numpy as np

from attnbook.checks.engine.verdict import Hint

KEY = r"(?<![a-z])keys?(?![a-z])"
QUERY = r"(?<![a-z])quer(y|ies)(?![a-z])"


def same(a, b, tolerance=1e-5):
    """Say whether two arrays agree in shape and, nearly, in value."""
    return a.shape == b.shape and np.allclose(a, b, 0, tolerance)


def wrong_values(picture, weights, rows, columns):
    """Return the hint for an image that does not show the weights, or None.

    Args:
        picture: a `Picture`.
        weights: the weights, (T, S), an array.
        rows: T labels of the queries.
        columns: S labels of the keys.

    Returns:
        A sentence, or None.
    """
    shown, turned = picture.values, weights.T
    labels = picture.rows.labels, picture.columns.labels
    exchanged = labels == (columns, rows) != (rows, columns)
    if same(shown, weights) and exchanged:
        return (
            "the image is right, but its labels are exchanged: the y axis "
            "carries the queries (rows), the x axis the keys (columns)"
        )
    if same(shown, weights):
        return None
    if same(shown, turned) and labels == (columns, rows):
        return (
            "your queries run along the x axis; put the queries on the y "
            "axis, one row each, and the keys on the x axis"
        )
    if same(shown, turned):
        return (
            "the image is transposed while the labels are not; row i of the "
            "image is row i of the weights"
        )
    hint = wrong_direction(picture, weights, rows, columns)
    if hint or shown.shape != weights.shape:
        return hint or Hint(
            "the image has {} x {} cells; the weights have {} x {}",
            *shown.shape[:2],
            *weights.shape,
        )
    return wrong_numbers(shown, weights)


def wrong_direction(picture, weights, rows, columns):
    """Return the hint for a map that is upside down or mirrored, or None."""
    shown = picture.values
    if same(shown, weights[::-1]):
        if picture.rows.labels != rows:
            return (
                "your map is upside down: the first query belongs at the "
                "top (origin='lower' and pcolormesh start at the bottom; "
                "ax.invert_yaxis() turns the axis round)"
            )
        return (
            "the rows of the image are upside down while the labels are not, "
            "so every row carries the name of another query"
        )
    if same(shown, weights[:, ::-1]):
        return "your columns are mirrored: the first key belongs on the left"
    if same(shown, weights[::-1, ::-1]):
        return "your map is turned by half a circle"
    return None


def wrong_numbers(shown, weights):
    """Return the hint for numbers other than the weights."""
    greatest = weights.max(1, keepdims=True)
    least = weights.min()
    for hint, wrong in (
        ("percentages; draw the weights themselves", 100 * weights),
        (
            "every row divided by its largest weight, which makes all rows "
            "look equally sure; draw the weights themselves",
            weights / greatest,
        ),
        (
            "weights stretched to reach from 0 to 1; draw the weights "
            "themselves",
            (weights - least) / (weights.max() - least),
        ),
        (
            "every row divided by its sum; draw the weights themselves",
            weights / weights.sum(1, keepdims=True),
        ),
        ("logarithms of the weights", np.log(weights)),
        ("1 minus the weights", 1 - weights),
        (
            "the softmax of the weights; they are normalised already",
            np.exp(weights) / np.exp(weights).sum(1, keepdims=True),
        ),
        (
            "a map scaled by its largest weight, so that two maps cannot be "
            "compared; draw the weights themselves",
            weights / weights.max(),
        ),
    ):
        if same(shown, wrong):
            return Hint("the numbers in your image are {}", hint)
    if same(shown, weights, 0.051):
        return (
            "the numbers in your image are nearly the weights (rounded, or "
            "scaled?); round in texts, not in the image"
        )
    return "the numbers in your image are not the weights"


def wrong_labels(side, tokens, axis, argument):
    """Return the hint for the tick labels of one axis, or None."""
    labels = side.labels
    if labels == tokens:
        return None
    shown = [label for label in labels if label]
    if side.astray and not shown:
        where = "at the borders" if side.astray > 0.4 else "beside the centres"
        return Hint(
            "the tick labels of the {} axis stand {} of the cells; put "
            "them at the centres (with imshow at i, with pcolormesh at "
            "i + 0.5)",
            Hint(axis),
            where,
        )
    if not shown and side.pale:
        return Hint(
            "the tick labels of the {} axis are too small to be read, "
            "or have the colour of what is behind them",
            Hint(axis),
        )
    if not shown:
        return Hint(
            "the {} axis has no tick labels that one can see; show the "
            "tokens in {}, one per cell",
            Hint(axis),
            Hint(argument),
        )
    if all(is_number(label) for label in shown):
        return Hint(
            "the {} axis counts cells; show the tokens in {} instead",
            Hint(axis),
            Hint(argument),
        )
    if labels == tokens[::-1]:
        return Hint(
            "the tick labels of the {} axis are in reverse order", Hint(axis)
        )
    if len(shown) < len(labels) or side.astray:
        return Hint(
            "the {} axis does not show one token per cell; fix the "
            "ticks and their labels together, with "
            "set_{}ticks(range(n), labels)",
            Hint(axis),
            Hint(axis),
        )
    wrong = next(
        i
        for i, (a, b) in enumerate(zip(labels, tokens, strict=True))
        if a != b
    )
    return Hint(
        "cell {} of the {} axis is called {}, which is not token "
        "{} of {}; a label belongs to its own cell",
        wrong,
        Hint(axis),
        repr(labels[wrong]),
        wrong,
        Hint(argument),
    )


def is_number(text):
    """Say whether a tick label is a number."""
    try:
        float(text.replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return False
    return True


def wrong_limits(picture):
    """Return the hint for the scale of the colours, or None."""
    if not picture.even:
        return (
            "your colours do not run evenly from 0 to 1; leave the norm "
            "(logarithm, power, steps) out, and fix vmin=0 and vmax=1"
        )
    if not picture.distinct:
        return (
            "different weights have one colour in your colour map (few "
            "steps, or two ends alike); leave cmap out, or take one that "
            "runs from light to dark, such as 'Blues'"
        )
    low, high = picture.limits
    if not np.allclose((low, high), (0, 1), atol=1e-6):
        least, most = picture.values.min(), picture.values.max()
        if np.allclose((low, high), (least, most)):
            return Hint(
                "the colours run from {} to {}, the least and the largest "
                "weight of this very map, so two maps cannot be compared; "
                "fix vmin=0 and vmax=1",
                f"{low:.2f}",
                f"{high:.2f}",
            )
        if np.allclose(low, 0, atol=1e-6):
            return Hint(
                "the colours start at 0 but end at {}; fix vmax=1 for "
                "every map",
                f"{high:.2f}",
            )
        if np.allclose(high, 1):
            return Hint(
                "the colours end at 1 but start at {}; fix vmin=0, because "
                "no weight is below",
                f"{low:.2f}",
            )
        return Hint(
            "the colours run from {} to {}; weights go from 0 to 1 in "
            "every map",
            f"{low:.2f}",
            f"{high:.2f}",
        )
    return None


def wrong_names(picture):
    """Return the hint for the labels of the two axes, or None."""
    x, y = picture.columns.name.lower(), picture.rows.name.lower()
    right_x, right_y = re.search(KEY, x), re.search(QUERY, y)
    exchanged = re.search(QUERY, x) and re.search(KEY, y)
    if exchanged and not right_x and not right_y:
        return (
            "the names of the axes are exchanged: columns are keys, rows "
            "are queries"
        )
    if not x.strip() and not y.strip():
        return (
            "both axes lack a name that one can see; use set_xlabel and "
            "set_ylabel"
        )
    hidden = ", where one can see it (colour, size)"
    if not right_x:
        return Hint(
            "the label of the x axis must say that columns are keys, "
            "with that very word{}",
            "" if x.strip() else hidden,
        )
    if not right_y:
        return Hint(
            "the label of the y axis must say that rows are queries, "
            "with that very word{}",
            "" if y.strip() else hidden,
        )
    return None
