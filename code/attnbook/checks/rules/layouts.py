"""What rules about the order of axes share."""

import torch

from attnbook.checks.engine.rules import RuleMistake
from attnbook.checks.engine.verdict import Hint


def require_axes(x, name, axes, shape):
    """Refuse a tensor that does not have the axes of a rule.

    Args:
        x: a result; what is no tensor passes, the check speaks of it.
        name: what it is, such as "the context".
        axes: letters, such as "B, T, H, d_k".
        shape: the sizes that go with them.

    Raises:
        RuleMistake: another shape.
    """
    if isinstance(x, torch.Tensor) and x.shape != torch.Size(shape):
        raise RuleMistake(
            "{} must have the axes ({}), here {}; yours has the shape {}",
            Hint(name),
            Hint(axes),
            tuple(shape),
            tuple(x.shape),
        )


def relaid(x, name, axes, shape, change):
    """Return a result in the page's order of axes.

    Args:
        x: as in `require_axes`.
        name: as there.
        axes: as there.
        shape: as there.
        change: a function of the tensor that puts its axes in order.
    """
    if not isinstance(x, torch.Tensor):
        return x
    require_axes(x, name, axes, shape)
    return change(x)


def relaid_at(result, place, *how):
    """Return a pair, one of which is relaid; anything else as it is.

    Args:
        result: what an answer returned.
        place: 0 or 1.
        how: `name`, `axes`, `shape` and `change` of `relaid`.
    """
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        return result
    pair = list(result)
    pair[place] = relaid(pair[place], *how)
    return tuple(pair)
