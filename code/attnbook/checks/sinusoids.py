"""Check of the table of sinusoidal positions.

Dimension letters:
    T positions, D = d_model.
"""

import torch

from attnbook.checks.calling import call, check_tensor, close, first_match
from attnbook.checks.sinusoids_mistakes import (
    wrong_exponents,
    wrong_layouts,
    wrong_positions,
)
from attnbook.checks.verdict import Mistake, checker
from attnbook.positions import sinusoids

STAGES = (
    ("", 9, 6, 1e-4),
    ("right for T = 9 and d = 6, but not for T = 5 and d = 12: ", 5, 12, 1e-4),
    (
        "right, but not when there are as many positions as numbers, T = d = "
        "8 (do the same at every size): ",
        8,
        8,
        1e-4,
    ),
    ("right, but not for a single position: ", 1, 6, 1e-4),
    ("right, but not for d = 2: ", 7, 2, 1e-4),
    (
        "right for even d, but not for odd d (there the last sine has no "
        "cosine): ",
        6,
        7,
        1e-4,
    ),
    ("right, but not for d = 1 (a single sine): ", 6, 1, 1e-4),
    ("right for small T, but not for T = 3000: ", 3000, 16, 2e-3),
)


def judge_shape(result, length, d):
    """Raise a mistake that can be seen from the shape."""
    shape = tuple(result.shape)
    if shape == (length, 1, d) != (length, d):
        raise Mistake(
            "your table has shape (T, 1, d): added to x, (B, T, d), it would "
            "count the rows of the batch, not the tokens; return (T, d)"
        )
    if shape == (1, length, d):
        raise Mistake("your table has an axis for the batch; return (T, d)")
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
    if shape != (length, d):
        raise Mistake(
            f"return one row per position, here {(length, d)}; yours has "
            f"shape {shape}"
        )


def unknown(result, right):
    """Return a hint for a table that no mistake in the list explains."""
    same = (result - right).abs() < 1e-4  # (T, D)
    columns = same.all(dim=0)  # (D,)
    if result.size(1) % 2 and len(columns) > 1 and columns[:-1].all():
        return "all columns are right but the last; it is a sine"
    if close(result, right, 2e-2):
        return "nearly right: you lose digits on the way (rounding, float16?)"
    if same.all(dim=1)[0] and not same[1:].any():
        return "only row 0 is right; how does the angle grow with t?"
    if len(same) > 20 and same[:20].all():
        return (
            "near positions are right and far ones are not; keep position and "
            "angle in float32 or float64"
        )
    if result.abs().max() > 1 + 1e-4:
        return "a number lies outside -1 to 1; sines and cosines do not"
    if columns[:2].all() and len(columns) > 2:
        hint, fast = wrong_exponents(*result.shape)[0]  # multiplied
        if close(result, fast, 2e-2):  # its large angles lose digits
            return hint
        return (
            "the first pair is right and later ones are not; look at the "
            "exponent"
        )
    if columns[0::2].all():
        return "the even numbers are right, the odd ones are not; see cosine"
    if columns[1::2].any() and columns[1::2].all():
        return "the odd numbers are right, the even ones are not; see sine"
    return (
        "the numbers are wrong; compute row 1 by hand for d = 4: 0.84, 0.54, "
        "0.01, 1.00"
    )


def two_mistakes(result, length, d, known):
    """Return a hint for a mistake on top of another, or None."""
    hint = first_match(result, wrong_exponents(length, d, start=1))
    if hint:
        return f"two mistakes: you start at position 1, and {hint}"
    if d % 2 == 0:
        halves = result.unflatten(1, (2, -1))  # (T, 2, D / 2)
        hint = first_match(halves.transpose(1, 2).flatten(1), known)
        if hint:
            return (
                "two mistakes: sines and cosines stand in two halves, not in "
                f"turn, and {hint}"
            )
    return None


def judge(answer, length, d, tolerance):
    """Raise a mistake in type, shape or numbers for one size."""
    result = call(answer, length, d)
    right = sinusoids(length, d)
    if isinstance(result, torch.Tensor) and result.dtype != torch.float32:
        raise Mistake(
            f"the table must be float32; yours is {result.dtype} (end with "
            ".float())"
        )
    if isinstance(result, torch.Tensor) and result.isnan().any():
        raise Mistake(
            "the table holds NaN: an angle is infinite or 0/0; Python reads "
            "10000 ** 2 * i / d as (10000 ** 2) * i / d"
        )
    check_tensor(result, right, "the table")
    judge_shape(result, length, d)
    if close(result, right, tolerance):
        return
    if length > 1 and torch.equal(result, result[:1].expand_as(result)):
        raise Mistake("all rows are the same; no position enters the angle")
    hint = None
    if d > 2:  # with one pair there is no exponent to be wrong
        known = wrong_exponents(length, d) + wrong_positions(length, d)
        hint = first_match(result, known + wrong_layouts(length, d))
        hint = hint or two_mistakes(result, length, d, known)
    raise Mistake(hint or unknown(result, right))


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
    for prefix, length, d, tolerance in STAGES:
        try:
            judge(answer, length, d, tolerance)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
