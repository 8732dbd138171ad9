"""What is wrong with a position table that is no known mistake by itself.

Dimension letters:
    T positions, D = d_model.
"""

import torch

from attnbook.checks.engine.calling import close, first_match
from attnbook.checks.sinusoids_mistakes import (
    table,
    wrong_exponents,
    wrong_positions,
)

WIDTHS = (32, 64, 100, 128, 256, 300, 512, 768, 1000, 1024)  # written down


def two_mistakes(result, known):
    """Return a hint for a mistake on top of another, or None.

    Args:
        result: the learner's table, (T, D), with D above 2.
        known: pairs of a hint and a table, interleaved.
    """
    length, d = result.shape
    hint = first_match(result, wrong_exponents(length, d, start=1))
    if hint:
        return f"two mistakes: you start at position 1, and {hint}"
    exchanged = wrong_exponents(length, d, cosine_first=True)
    exchanged += wrong_positions(length, d, cosine_first=True)
    hint = first_match(result, exchanged)
    if hint:
        return f"two mistakes: sine and cosine are exchanged, and {hint}"
    if d % 2:
        return None
    halves = result.unflatten(1, (2, -1))  # (T, 2, D / 2)
    for first, second in ((0, 1), (1, 0)):
        pairs = torch.stack([halves[:, first], halves[:, second]], dim=-1)
        hint = first_match(pairs.flatten(1), known)
        if hint:
            name = ("sines and cosines", "cosines and sines")[first]
            return (
                f"two mistakes: {name} stand in two halves, not in turn, and "
                f"{hint}"
            )
    return None


def another_divisor(result):
    """Return a hint if the exponents are divided by another number than d."""
    length, d = result.shape
    pair = torch.arange(d, dtype=torch.float64) // 2
    names = {length: "T", d + 1: "d + 1", d - 1: "d - 1"}
    for divisor in (*range(1, 2 * d), *WIDTHS):
        if close(result, table(length, d, 2 * pair / divisor)):
            name = names.get(divisor, divisor)
            return f"the exponents are divided by {name}; divide them by d"
    return None


def one_half(result, right, known):
    """Return a hint if all sines or all cosines are right, or None."""
    same = ((result - right).abs() < 1e-4).all(dim=0)  # (D,)
    halves = (0, "sines", 1, "cosines"), (1, "cosines", 0, "sines")
    for good, name, bad, other in halves:
        if result.size(1) > 1 and same[good::2].all():
            hint = first_match(
                result[:, bad::2], [(h, x[:, bad::2]) for h, x in known]
            )
            hint = hint or "look at what stands in those columns"
            return f"the {name} are right, the {other} are not: {hint}"
    return None


def some_rows(result, right):
    """Return a hint if most rows or the near ones are right, or None."""
    same = ((result - right).abs() < 1e-4).all(dim=1)  # (T,)
    wrong = (~same).nonzero().flatten().tolist()
    first = wrong[0]
    if same.sum() > 1 and wrong == [0]:
        return "row 0 alone is wrong: the sine of 0 is 0 and the cosine 1"
    if same.sum() > 1 and wrong == [len(same) - 1]:
        return "the last row alone is wrong; positions are 0 to T - 1"
    if first < 20:
        return None
    if (result[first:] == result[first - 1]).all():
        return (
            f"all rows from row {first - 1} on are the same; cut no position"
        )
    if close(result[first], right[0]):
        return f"row {first} is row 0 again; positions must not start again"
    return (
        "near positions are right and far ones are not; digits are lost: "
        "compute position and angle in float64"
    )


def a_factor(result, right):
    """Return a hint if the table is multiplied by something, or None."""
    factor = ((result * right).sum() / right.square().sum()).item()
    if factor == 0 or not close(result, factor * right, 1e-4):
        return None
    if abs(factor - right.size(1) ** 0.5) < 1e-3:
        return (
            "your table is multiplied by sqrt(d); the paper multiplies the "
            "embedding of the word by it, not the position"
        )
    return f"your table is multiplied by {factor:.3g}; the paper's is not"


def unknown(result, right, known=()):
    """Return a hint for a table that no known mistake explains.

    Args:
        result: the learner's table, (T, D).
        right: the right one.
        known: pairs of a hint and a wrong table.
    """
    columns = ((result - right).abs() < 1e-4).all(dim=0)  # (D,)
    if result.size(1) % 2 and len(columns) > 1 and columns[:-1].all():
        return "all columns are right but the last; it is a sine"
    if close(result, right, 2e-2):
        return (
            "nearly right: you lose digits on the way (rounding, float16, an "
            "approximation?)"
        )
    hint = some_rows(result, right) or a_factor(result, right)
    hint = hint or another_divisor(result)
    if hint:
        return hint
    if result.abs().max() > 1 + 1e-4:
        return "a number lies outside -1 to 1; sines and cosines do not"
    hint = one_half(result, right, known) or by_columns(result, columns)
    if hint:
        return hint
    if (right < 0).any() and (result >= 0).all():
        return "no number is negative; sines and cosines are, half of the time"
    if close(result[0], right[0]):
        return "only row 0 is right; how does the angle grow with t?"
    return (
        "the numbers are wrong; compute row 1 by hand for d = 4: 0.84, 0.54, "
        "0.01, 1.00"
    )


def by_columns(result, columns):
    """Return a hint if the first columns alone are right, or None.

    Args:
        result: the learner's table, (T, D).
        columns: which of its columns are right, bool, (D,).
    """
    if columns[:2].all() and len(columns) > 2:
        hint, fast = wrong_exponents(*result.shape)[0]  # multiplied
        if close(result, fast, 2e-2):  # its large angles lose digits
            return hint
        right = columns.long().cumprod(dim=0).sum().item()
        return (
            f"the first {right} columns are right and later ones are not; "
            "look at the exponent"
        )
    return None
