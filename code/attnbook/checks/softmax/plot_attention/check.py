"""Check of a drawn heatmap, by what its Axes holds; no display is needed.

Dimension letters:
    T queries (rows), S keys (columns).
"""

import contextlib
import warnings

import numpy as np
import torch

from attnbook.checks.engine.calling import call
from attnbook.checks.engine.draws import make_check
from attnbook.checks.engine.verdict import Mistake
from attnbook.checks.softmax.plot_attention.mistakes import (
    wrong_labels,
    wrong_limits,
    wrong_names,
    wrong_values,
)
from attnbook.checks.softmax.plot_attention.picture import read_picture

WORDS = ["we", "saw", "the", "dog", "that", "saw"]
WORDS += ["a", "cat", "and", "the", "bird"]


def example(draws, queries, keys, dtype=torch.float32):
    """Draw a map, which is not contiguous, and two lists of words."""
    words = [*map(draws.ciphered, WORDS)]
    generator = draws.seeded(5)
    scores = torch.randn(
        keys, queries, generator=generator, dtype=torch.float32
    )
    scores = scores.to(dtype).T
    weights = scores.softmax(-1).T.contiguous().T
    return weights, words[:queries], words[-keys:]


def part_of_a_map(draws):
    """Draw the first three columns of a map of five."""
    weights, rows, columns = example(draws, 4, 5)
    return weights[:, :3], rows, columns[:3]


def stages(draws):
    """Yield pairs of what is shown, and the inputs."""
    yield ("", example(draws, 4, 4))
    yield (
        "right for a square map, but not for 3 queries and 6 keys: ",
        example(draws, 3, 6),
    )
    yield (
        "right for a square map, but not for 8 queries and 5 keys, with a "
        "word that comes twice: ",
        example(draws, 8, 5),
    )
    yield (
        "right for small maps, but not for 11 x 11: ",
        example(draws, 11, 11),
    )
    yield ("right, but not for a single query: ", example(draws, 1, 3))
    yield (
        "right, but not for the first columns of a wider map, whose rows do "
        "not sum to 1: ",
        part_of_a_map(draws),
    )
    yield (
        "right for float32, but not for float64: ",
        example(draws, 2, 4, torch.float64),
    )


@contextlib.contextmanager
def own_figures():
    """Open an empty figure; afterwards, pyplot is as it was before."""
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    current = plt.gcf().number if before else None
    show = plt.show
    plt.show = lambda *given, **options: None
    with warnings.catch_warnings(), plt.ioff(), plt.rc_context():
        warnings.simplefilter("ignore")
        plt.figure()
        try:
            yield plt
        finally:
            plt.show = show
            for number in set(plt.get_fignums()) - set(before):
                plt.close(number)
            if current in plt.get_fignums():
                plt.figure(current)


def axes_of(answer, plt, inputs):
    """Call the answer and return its Axes, or say what came instead."""
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    empty = plt.gcf()
    try:
        result = call(answer, *inputs)
    except Mistake as mistake:
        drew = plt.gcf() is not empty or empty.axes
        if mistake.kind == "blank" and drew:
            raise Mistake(
                "your function draws, but returns nothing; return the Axes"
            ) from None
        raise
    if isinstance(result, Axes):
        return result
    kind = type(result).__name__
    if isinstance(result, (tuple, list, np.ndarray)) and any(
        isinstance(part, Artist) for part in np.ravel(result)
    ):
        raise Mistake("you return a {}; return the Axes alone", kind)
    if isinstance(result, plt.Figure):
        raise Mistake("you return the Figure; return the Axes in it")
    if isinstance(result, Artist):
        raise Mistake(
            "you return what was drawn ({}); return the Axes that holds it",
            kind,
        )
    raise Mistake("return a matplotlib Axes, not a {}", kind)


def judge_picture(picture, weights, rows, columns):
    """Raise the first mistake that a reader of the map would run into."""
    judges = (
        lambda: wrong_values(picture, weights, rows, columns),
        lambda: wrong_labels(picture.rows, rows, "y", "rows"),
        lambda: wrong_labels(picture.columns, columns, "x", "columns"),
        lambda: wrong_limits(picture),
        lambda: wrong_names(picture),
    )
    for judge in judges:  # labels are compared once the image has its size
        if hint := judge():
            raise Mistake(hint)


@make_check
def check_plot_attention(answer, draws):
    """Check exercise ``plot_attention(weights, rows, columns) -> Axes``.

    Its argument is a function of weights, (T, S), T labels of the queries and
    S labels of the keys, which returns a matplotlib Axes.  The check returns a
    `Verdict`, prints it too, and never raises.
    """
    for prefix, inputs in stages(draws):
        try:
            with own_figures() as plt:
                picture = read_picture(axes_of(answer, plt, inputs))
            weights, rows, columns = inputs
            judge_picture(picture, weights.numpy(), rows, columns)
        except Mistake as mistake:
            if mistake.kind == "blank":
                raise
            raise mistake.behind(prefix) from None
