"""Check of the table of sinusoidal positions.

Dimension letters:
    T positions, D = d_model.
"""

import torch

from attnbook.checks.engine.calling import (
    SQUEEZED,
    call,
    check_tensor,
    close,
    first_match,
    lost_axis,
)
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.sinusoids_guess import two_mistakes, unknown
from attnbook.checks.sinusoids_layout_mistakes import (
    wrong_layouts,
    wrong_values,
)
from attnbook.checks.sinusoids_mistakes import wrong_exponents, wrong_positions
from attnbook.positions import sinusoids

STAGES = (
    ("", 9, 14, 3e-6),
    (
        "right the first time, but not when it is called again (keep nothing "
        "between calls): ",
        9,
        14,
        3e-6,
    ),
    (
        "right for T = 9 and d = 14, but not for T = 5 and d = 12: ",
        5,
        12,
        3e-6,
    ),
    (
        "right for T = 5 and d = 12, but not for T = 20 after it: ",
        20,
        12,
        3e-6,
    ),
    (
        "right, but not when there are as many positions as numbers, T = d = "
        "8 (do the same at every size): ",
        8,
        8,
        3e-6,
    ),
    ("right, but not for a single position: ", 1, 6, 3e-6),
    ("right, but not for d = 2: ", 7, 2, 3e-6),
    (
        "right for even d, but not for odd d (there the last sine has no "
        "cosine): ",
        6,
        7,
        3e-6,
    ),
    ("right, but not for d = 1 (a single sine): ", 6, 1, 3e-6),
    ("right for small d, but not for d = 600: ", 3, 600, 3e-6),
    ("right for small T, but not for T = 10001: ", 10001, 4, 2e-3),
)


def judge_type(result):
    """Raise a mistake if the table is no float32 tensor of numbers."""
    if not isinstance(result, torch.Tensor):
        return  # check_tensor says so
    if result.is_complex():
        raise Mistake(
            "the table is complex; put sine and cosine beside each other as "
            "two real numbers"
        )
    if not result.is_floating_point():
        raise Mistake(
            f"the table must be float32; yours is {result.dtype}, which cuts "
            "every number to a whole one; make it float32 before you fill it"
        )
    if result.dtype != torch.float32:
        raise Mistake(
            f"the table must be float32; yours is {result.dtype} (end with "
            ".float())"
        )
    if result.isnan().any():
        raise Mistake(
            "the table holds NaN: an angle is infinite or 0/0; Python reads "
            "10000 ** 2 * i / d as (10000 ** 2) * i / d"
        )


def judge_memory(result, length, d, earlier):
    """Raise a mistake if the size of an earlier call is seen in a table."""
    for rows, width in earlier:
        if (rows, width) == (length, d):
            continue
        if close(result, sinusoids(rows, width), 1e-3):
            raise Mistake(
                f"you return the table of an earlier call, T = {rows} and "
                f"d = {width}; keep nothing between calls"
            )
        far = abs(width - d) > 1
        if far and close(result, sinusoids(length, width), 1e-3):
            raise Mistake(
                f"your table has {width} columns, the d of an earlier call; "
                "keep nothing between calls"
            )


def judge_axes(result, length, d):
    """Raise a mistake if an axis is missing or one too many."""
    shape = tuple(result.shape)
    if lost_axis(result, (length, d)):
        raise Mistake(SQUEEZED)
    if shape == (length, 1, d) != (length, d):
        raise Mistake(
            "your table has shape (T, 1, d): added to x, (B, T, d), it would "
            "count the rows of the batch, not the tokens; return (T, d)"
        )
    if shape == (1, length, d):
        raise Mistake("your table has an axis for the batch; return (T, d)")
    if shape == (length, (d + 1) // 2, 2):
        raise Mistake(
            "your table has shape (T, d / 2, 2): each pair is an axis of its "
            "own; flatten the last two axes into one"
        )
    if shape == (length, d, 2):
        raise Mistake(
            "each number of your table is a sine and a cosine at once: there "
            "are d / 2 pairs, not d"
        )
    if result.dim() != 2:
        raise Mistake(
            f"return one row per position, here {(length, d)}; yours has "
            f"shape {shape}"
        )


def judge_size(result, length, d):
    """Raise a mistake that can be seen from rows and columns."""
    shape = tuple(result.shape)
    if shape == (d, length) != (length, d):
        raise Mistake(
            "your table is transposed, (d, T); rows are positions, columns "
            "are numbers"
        )
    if shape in ((length + 1, d), (length - 1, d)):
        raise Mistake(
            f"you return {shape[0]} rows for T = {length}; positions 0 to "
            "T - 1 are T rows"
        )
    if shape == (d, d) != (length, d):
        raise Mistake(
            "your table has as many rows as columns; rows are positions, "
            "torch.arange(T)"
        )
    if shape[0] > length and close(result[:length], sinusoids(length, d)):
        raise Mistake(
            f"your table has {shape[0]} rows, whatever T is; cut it after T"
        )
    if 0 < shape[0] < length and close(result, sinusoids(shape[0], d), 1e-3):
        raise Mistake(
            f"your table ends after {shape[0]} rows; make as many as T says"
        )
    judge_columns(shape, length, d)
    if shape != (length, d):
        raise Mistake(
            f"return one row per position, here {(length, d)}; yours has "
            f"shape {shape}"
        )


def judge_columns(shape, length, d):
    """Raise a mistake that can be seen from the number of columns."""
    if shape == (length, 2 * d):
        raise Mistake(
            "your table is 2 d wide: there are d / 2 pairs of a sine and a "
            "cosine, not d"
        )
    if d % 2 and shape == (length, d + 1):
        raise Mistake("your table has d + 1 columns; cut the last cosine off")
    if d % 2 and shape == (length, d - 1):
        raise Mistake("your table has d - 1 columns; the last sine is missing")
    if shape == (length, (d + 1) // 2) != (length, d):
        raise Mistake(
            "your table has one number per pair; each pair is a sine and a "
            "cosine"
        )


def judge(answer, length, d, tolerance, earlier):
    """Raise a mistake in type, shape or numbers for one size."""
    result = call(answer, length, d)
    right = sinusoids(length, d)
    judge_type(result)
    check_tensor(result, right, "the table")
    judge_memory(result, length, d, earlier)
    judge_axes(result, length, d)
    judge_size(result, length, d)
    if close(result, right, tolerance):
        if result.requires_grad:
            raise Mistake(
                "the numbers are right, but they would be trained "
                "(requires_grad); this table is fixed, so return a plain "
                "tensor"
            )
        return
    result = result.detach()
    if length > 1 and torch.equal(result, result[:1].expand_as(result)):
        raise Mistake("all rows are the same; no position enters the angle")
    hint, known = None, []
    if d > 2:  # with one pair there is no exponent to be wrong
        known = wrong_exponents(length, d) + wrong_positions(length, d)
        layouts = wrong_layouts(length, d) + wrong_values(length, d)
        hint = first_match(result, known + layouts)
        hint = hint or two_mistakes(result, known)
    raise Mistake(hint or unknown(result, right, known))


@checker
def check_sinusoids(answer):
    """Check exercise ``sinusoids(T, d)``.

    Args:
        answer: a function of the number of positions T and the width d
            that returns the sinusoidal table, float32, (T, d), sine and
            cosine interleaved; for odd d the last sine has no cosine.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    earlier = []
    for prefix, length, d, tolerance in STAGES:
        try:
            judge(answer, length, d, tolerance, earlier)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
        earlier.append((length, d))
