"""What the type and the shape of a position table give away.

Dimension letters:
    T positions, D = d_model.
"""

import torch

from attnbook.checks.engine.calling import close
from attnbook.checks.engine.verdict import Hint
from attnbook.positions import sinusoids


def wrong_type(result):
    """Return a hint for a table that is not of float32 numbers, or None."""
    if result.is_complex():
        return (
            "the table is complex; put sine and cosine beside each other as "
            "two real numbers"
        )
    kind = Hint("the table must be float32; yours is {}", result.dtype)
    if not result.is_floating_point():
        return Hint(
            "{}, which cuts every number to a whole one; make it "
            "float32 before you fill it",
            kind,
        )
    if result.dtype != torch.float32:
        return Hint("{} (end with .float())", kind)
    if result.isnan().any():
        return (
            "the table holds NaN: an angle is infinite or 0/0; Python reads "
            "10000 ** 2 * i / d as (10000 ** 2) * i / d"
        )
    return None


def wrong_size(result, length, d, sizes):
    """Return a hint for a table that has another size, or None.

    Args:
        result: the learner's table.
        length: number of positions T.
        d: width D.
        sizes: all T and d with which the learner's function is called.
    """
    shape, want = tuple(result.shape), (length, d)
    hint = other_call(result, length, d, sizes)
    if hint or shape == want:
        return hint
    hints = {
        (length, (d + 1) // 2): "your table has one number per pair; each "
        "pair is a sine and a cosine",
        (d, d): "your table has as many rows as columns; rows are positions, "
        "torch.arange(T)",
        (length, d + 1): "your table has d + 1 columns; cut the last cosine "
        "off",
        (length, d - 1): "your table has d - 1 columns; the last sine is "
        "missing",
        (length, 2 * d): "your table is 2 d wide: there are d / 2 pairs of a "
        "sine and a cosine, not d",
        (d, length): "your table is transposed, (d, T); rows are positions, "
        "columns are numbers",
        (length, d, 2): "each number of your table is a sine and a cosine at "
        "once: there are d / 2 pairs, not d",
        (length, (d + 1) // 2, 2): "your table has shape (T, d / 2, 2): each "
        "pair is an axis of its own; flatten the last two axes into one",
        (1, *want): "your table has an axis for the batch; return (T, d)",
        (length, 1, d): "your table has shape (T, 1, d): added to x, "
        "(B, T, d), it would count the rows of the batch, not the tokens; "
        "return (T, d)",
    }
    return (
        hints.get(shape)
        or wrong_length(result, length, d)
        or Hint(
            "return one row per position, here {}; yours has shape {}",
            want,
            shape,
        )
    )


def wrong_length(result, length, d):
    """Return a hint for too many or too few rows, or None."""
    rows = len(result) if result.dim() else 0
    if rows in (length - 1, length + 1) and result.shape[1:] == (d,):
        return Hint(
            "you return {} rows for T = {}; positions 0 to T - 1 are T rows",
            rows,
            length,
        )
    both = min(rows, length)
    if not both or not close(result[:both], sinusoids(both, d), 1e-3):
        return None
    if rows > length:
        return Hint(
            "your table has {} rows, whatever T is; cut it after T", rows
        )
    return Hint("your table ends after {} rows; make as many as T says", rows)


def other_call(result, length, d, sizes):
    """Return a hint for the table of an earlier call, or None."""
    shape = tuple(result.shape)
    if shape == (length, d) or len(shape) != 2:
        return None
    rows, width = shape
    if shape in sizes and close(result, sinusoids(*shape), 1e-3):
        return Hint(
            "you return the table of an earlier call, T = {} and d = "
            "{}; keep nothing between calls",
            rows,
            width,
        )
    if shape == (d, length) and close(result, sinusoids(*shape)):
        return "T and d are exchanged; rows are positions, columns are numbers"
    seen = rows == length and abs(width - d) > 1
    seen = seen and width in {width for _, width in sizes}
    if seen and close(result, sinusoids(*shape), 1e-3):
        return Hint(
            "your table has {} columns, the d of an earlier call; keep "
            "nothing between calls",
            width,
        )
    return None
