"""What rules about attention functions share: arguments, layouts, results.

An adapter here makes an answer to the changed exercise into one to the
page's; `for_tests` turns it round, for tests that get an attention.

Dimension letters:
    B batch, H heads, T queries, S keys, d_k per query or key, d_v per value.
"""

import torch

from attnbook.checks.engine.rules import returned, swapped

TEMPERATURES = (0.4, 0.5, 0.6, 0.7, 0.8, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)
ORDERS = {  # of the arguments
    "memory-first": ("k", "v", "q"),
    "values-first": ("v", "k", "q"),
    "keys-first": ("k", "q", "v"),
    "values-second": ("q", "v", "k"),
}
LAYOUTS = {  # name: axes of the page, shapes, in words
    "heads-behind": (
        (0, 2, 1, 3),
        ("(B, T, H, d_k)", "(B, S, H, d_k)", "(B, S, H, d_v)"),
        "the heads behind the words",
    ),
    "words-first": (
        (2, 0, 1, 3),
        ("(T, B, H, d_k)", "(S, B, H, d_k)", "(S, B, H, d_v)"),
        "the words in front of the batch",
    ),
    "heads-first": (
        (1, 0, 2, 3),
        ("(H, B, T, d_k)", "(H, B, S, d_k)", "(H, B, S, d_v)"),
        "the heads in front of the batch",
    ),
}


def back(axes):
    """Return the axes by which `permute` undoes a permutation."""
    return tuple(axes.index(axis) for axis in range(len(axes)))


def reordered(order, page=("q", "k", "v")):
    """Return an adapter that hands inputs on in another order."""
    places = [page.index(name) for name in order]

    def adapt(answer):
        return lambda *inputs: answer(*(inputs[place] for place in places))

    return adapt


def permuted(axes):
    """Return an adapter that permutes the axes of all inputs."""

    def adapt(answer):
        return lambda *inputs: answer(*(x.permute(axes) for x in inputs))

    return adapt


def with_keys_upright(answer):
    """Hand on the keys with their last two axes exchanged."""
    return lambda q, k, v: answer(q, k.mT, v)


def with_temperature(answer, value):
    """Undo a temperature: the answer divides all scores by it."""
    return lambda q, *rest: answer(value * q, *rest)


def with_pair(context=None, weights=None):
    """Return an adapter that changes results (context, weights).

    Args:
        context: a function of the context, None for none; what has too few
            axes for it stays as it is.
        weights: the same, of the weights.
    """

    def change(result):
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            return result
        pairs = zip(result, (context, weights), strict=True)
        return tuple(tried(change, x) for x, change in pairs)

    return lambda answer: returned(answer, change)


def tried(change, x):
    """Return a changed tensor, or anything else as it is."""
    if change is None or not isinstance(x, torch.Tensor):
        return x
    try:
        return change(x)
    except (IndexError, RuntimeError):  # fewer axes than that
        return x


def heads_back(context):
    """Return a context (B, T, H, d_v) as (B, H, T, d_v)."""
    return context.transpose(1, 2)


def turned(x):
    """Return a tensor with its last two axes exchanged."""
    return x.transpose(-2, -1)


def results_swapped(answer):
    """Exchange the two results."""
    return returned(answer, swapped)


def for_tests(adapt):
    """Return an adapter of tests that get an attention.

    Args:
        adapt: makes the page's attention into the one that the test gets,
            a function of it, and of the value if there are values.
    """

    def adapted(answer, *value):
        return lambda attend: answer(adapt(attend, *value))

    return adapted
