"""Check of the table of sinusoidal positions.

Dimension letters:
    T positions, D = d_model.
"""

import contextlib
import functools
import math

import torch

from attnbook.checks.engine.calling import SQUEEZED, close, lost_axis
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import mistaken, table, with_mistakes
from attnbook.checks.engine.verdict import Hint, Mistake
from attnbook.checks.position.sinusoids.shape import (
    wrong_size,
    wrong_type,
)


def sinusoids(length, d):
    """Write every position as sines and cosines, float32, in turn.

    Args:
        length: number of positions T; the first is position 0.
        d: width D; if it is odd, the last sine has no cosine.

    Returns:
        The table, (T, D).
    """
    base = 10000
    position = torch.arange(length, dtype=torch.float64)
    j = torch.arange(d, dtype=torch.float64)
    pair = j // 2
    exponent = 2 * pair / d
    angle = position[:, None] / base**exponent  # (T, D)
    even = j % 2 == 0
    sine = angle.sin()
    cosine = angle.cos()
    values = torch.where(even, sine, cosine)
    laid = values
    return laid.float()


MISTAKES = table("""
    exponent = -2 * pair / d
        your later hands turn faster than the first: you multiply the position
        by the power 10000^(2i/d); divide by it
    exponent = 4 * pair / d
        the exponent is doubled: if your i already runs over 0, 2, 4, ..., the
        exponent is i / d, not 2 * i / d
    exponent = pair / d
        the exponent is halved (or the base is 100): with pairs numbered 0, 1,
        2, ... it is 2 * i / d
    exponent = j / d
        sine and cosine of a pair must share one angle: the exponent goes up
        with every number; it goes up with every second one, 2 * (j // 2) / d
    exponent = 2 * j / d
        sine and cosine of a pair must share one angle: yours is 2 * j / d with
        j counting single numbers; it is 2 * (j // 2) / d
    exponent = 2 * (j + j % 2) / d
        the exponent is doubled, and the cosine has another angle than the sine
        beside it
    exponent = (j + j % 2) / d
        sine and cosine of a pair must share one angle: your cosine has the
        angle of the next sine; the exponent is 2 * (j // 2) / d, rounded down
    exponent = 2 * (j / 2).round() / d
        the sines are right, the cosines are not: round takes 1 / 2 to 0 and
        3 / 2 to 2; j // 2 always rounds down
    exponent = 2 * (j % ((d + 1) // 2)) / d
        the exponents start again in the middle of the row (repeat?); each
        stands twice in turn, as repeat_interleave lays them
    exponent = 2 * pair / max(d - 2, 1)
        the exponents reach 1 at the last pair; the paper divides by d, not by
        d - 2
    exponent = 2 * pair / (d + d % 2)
        the exponents belong to a width of d + 1; divide by d, not by d + 1
    exponent = 2 * pair / length
        the exponents are divided by T; divide them by d
    exponent = 2 * pair / (d + 1)
        the exponents are divided by d + 1; divide them by d
    exponent = 2 * pair / max(d - 1, 1)
        the exponents are divided by d - 1; divide them by d
    exponent = 2 * (pair + 1) / d
    exponent = (2 * pair + 1) / d
    exponent = (2 * pair - 1) / d
        the first pair must have the exponent 0; you count the pairs from 1, or
        add to 2 * i or take from it
    exponent = 0 * pair
        all pairs turn at one speed; the exponent 2 * i / d must differ from
        pair to pair (// makes every exponent 0)
    base = math.e
        the base is e; the paper's is 10000, so exp needs a factor of
        math.log(10000)
    base = math.inf
    exponent = 2 * pair
        the exponent is far too large, and all hands but the first stand still:
        divide it by d; exp needs a factor of math.log(10000), not 10000
    base = math.exp(math.log10(10000))
        log10 where exp needs the natural logarithm, math.log
    base = math.exp(math.log2(10000))
        log2 where exp needs the natural logarithm, math.log
    base = 1000
        the base is 1000; the paper's is 10000
    base = 100000
        the base is 100000; the paper's is 10000
    angle = position[:, None] / 10000**2 * pair / d
        Python reads 10000 ** 2 * i / d as (10000 ** 2) * i / d; put the
        exponent into brackets
    angle = (position[:, None] / base) ** exponent
        you raise t / 10000 to the power; raise 10000 alone, then divide t by
        it
    angle = position[:, None] // base**exponent
        your angles are whole numbers: divide with /, not with //
    position = torch.arange(1, length + 1).double()
        you start at position 1; the first row is position 0, all sines 0 and
        all cosines 1
    position = torch.arange(length).flip(0).double()
        the positions run backwards; row 0 is position 0
    position = torch.arange(length).double() / length
        you divide the position by the length; a position's row must not depend
        on how many rows there are
    position = torch.arange(length).double() / max(length - 1, 1)
        you divide the position by the length - 1; a position's row must not
        depend on how many rows there are
    position = torch.arange(length).double() / d
        you divide the position by d; it is divided by the power of 10000 alone
    position = torch.arange(length).double() * math.pi / 180
        your angles are degrees turned into radians; the paper's are radians
        already
    position = torch.arange(length).double() ** 2
        your angles grow with the square of the position; they grow in
        proportion to it
    position = torch.arange(length).double() * 2 * math.pi
        your angles have a factor of 2 pi; the paper's have none
    position = torch.arange(length).double() * math.pi
        your angles have a factor of pi; the paper's have none
    even = j % 2 == 1
        sine and cosine are exchanged; the sine comes first
    even = position[:, None] % 2 == 0
        sine and cosine take turns from row to row; they take turns from column
        to column
    even = pair % 2 == 0
        sine and cosine take turns from pair to pair; every pair is a sine and
        a cosine
    cosine = sine
        every number is a sine; the odd ones are cosines
    sine = angle.cos()
        every number is a cosine; the even ones are sines
    sine = angle.cos(); cosine = 0 * angle
        the cosines stand in the place of the sines, and the odd numbers are 0;
        the one slice is 0::2, the other 1::2
    cosine = 0 * angle
        the cosines are missing: the odd numbers are 0
    sine = 0 * angle
        the sines are missing: the even numbers are 0
    cosine = sine.cos()
        you take the cosine of numbers that are sines already; keep the angles
        until both are taken
    sine = -angle.sin()
        the sines have the wrong sign: is an angle negative?
    cosine = -angle.cos()
        the cosines have the wrong sign: a sine that is shifted by pi / 2 needs
        plus, not minus
    cosine = angle.cos().abs()
        the cosines have lost their sign; a root is never negative, so take the
        cosine of the angle
    values = -torch.where(even, sine, cosine)
        all signs are wrong, those of the sines and of the cosines; leave the
        minus out
    values = angle
        you return the angles; take their sine and cosine
    laid = values * d**0.5
        your table is multiplied by sqrt(d); the paper multiplies the embedding
        of the word by it, not the position
    laid = torch.cat([values[:, 0::2], values[:, 1::2]], 1)
        all sines stand in the first half and all cosines in the second;
        interleave them: sine, cosine, sine, cosine
    laid = torch.cat([values[:, 1::2], values[:, 0::2]], 1)
        all cosines stand in the first half and all sines in the second;
        interleave them, the sine first
    laid = torch.stack([values[:, 0::2], values[:, 1::2]]).reshape(length, d)
        the sines fill the first rows and the cosines the last ones; stack them
        on a new last axis, then flatten
    laid = values.T
        your table is transposed, (d, T); rows are positions, columns are
        numbers
    laid = values.T.reshape(length, d)
        the numbers are right, but reshape has mixed them up: it does not turn
        (d, T) into (T, d); transpose with .T
    laid = values.unflatten(1, (-1, 2)).flip(1).flatten(1)
        the pairs run backwards; the fastest pair comes first
    laid = values.flip(1)
        the columns run backwards; the sine of the fastest pair comes first
    laid = values.trunc()
        every number is cut to a whole one: the table that you fill, or what
        you put into it, holds integers
""")
FAR = 1000  # from this length on, float32 angles lose digits
NEARLY = (
    "nearly right: you lose digits on the way (rounding, float16, an "
    "approximation?)"
)


def tolerance(length):
    """Return how far the numbers of a table may be off."""
    return 3e-3 if length > FAR else 4e-6


def judged(sizes, answer, length, d):
    """Return a learner's table, once it has the right type and size."""
    result = answer(length, d)
    right = sinusoids(length, d)
    if not isinstance(result, torch.Tensor) or (
        result.layout != right.layout or result.device != right.device
    ):
        return result  # the engine says so
    hint = wrong_type(result)
    if not (hint or lost_axis(result, right.shape)):
        hint = wrong_size(result, length, d, sizes)
    if hint or result.shape != right.shape:
        raise Mistake(hint or SQUEEZED)
    off = (result - right).abs().max().item()
    if off < tolerance(length):
        if result.requires_grad:
            raise Mistake(
                "the numbers are right, but they would be trained "
                "(requires_grad); this table is fixed, so return a plain "
                "tensor"
            )
    elif length > FAR:
        raise Mistake(far_rows(result, right))
    elif off < 2e-5:
        raise Mistake(NEARLY)
    elif length > 1 and result.equal(result[:1].expand_as(result)):
        raise Mistake(
            "all rows are the same; no position enters the angle, or "
            "nothing fills the table"
        )
    return result.detach()


def far_rows(result, right):
    """Return a hint for a table that is right as long as it is short."""
    off = (result - right).abs().amax(1) > tolerance(len(right))  # (T,)
    first = off.nonzero()[0].item()
    if first and (result[first:] == result[first - 1]).all():
        return Hint(
            "all rows from row {} on are the same; cut no position", first - 1
        )
    if close(result[first], right[0]):
        return Hint(
            "row {} is row 0 again; positions must not start again", first
        )
    return (
        "near positions are right and far ones are not; digits are lost: "
        "compute position and angle in float64"
    )


def guess(results, rights, inputs):
    """Return a hint for a table that no row explains."""
    (x,), (right,) = results, rights
    return (
        most_is_right(x, right)
        or multiplied(x, right)
        or another_power(x)
        or one_half(x, right)
        or first_columns(x, right)
        or last_resort(x, right)
    )


def most_is_right(x, right):
    """Return a hint if a row or a column alone is wrong, or None."""
    same = (x - right).abs() < 1e-4  # (T, D)
    columns, rows = same.all(0), same.all(1)
    if x.size(1) % 2 and columns[:-1].any() and columns[:-1].all():
        return "all columns are right but the last; it is a sine"
    if close(x, right, 2e-2):
        return NEARLY
    if len(x) > 2 and rows[1:].all():
        return "row 0 alone is wrong: the sine of 0 is 0 and the cosine 1"
    if len(x) > 2 and rows[:-1].all():
        return "the last row alone is wrong; positions are 0 to T - 1"
    return None


def multiplied(x, right):
    """Return a hint if the table is multiplied by something, or None."""
    factor = ((x * right).sum() / right.square().sum()).item()
    if factor == 0 or not close(x, factor * right, 1e-4):
        return None
    return Hint(
        "your table is multiplied by {}; the paper's is not", f"{factor:.3g}"
    )


def another_power(x):
    """Return a hint for another divisor of the exponents or base, or None."""
    length, d = x.shape
    if length < 2:
        return None
    first = math.asin(max(-1, min(x[1, 0].item(), 1)))  # should be 1
    slower = f"position = torch.arange(length).double() * {first}"
    if close(x, with_mistakes(sinusoids, slower)(length, d), 1e-4):
        return Hint("your angles are the paper's times {}", f"{first:.3g}")
    slow = x[1, 2].item() if d > 2 else 0
    if not 1e-8 < slow < 0.999:
        return None
    log = -math.log(math.asin(slow))  # of the base to 2 / divisor
    divisor = round(2 * math.log(10000) / log)
    wrong = with_mistakes(sinusoids, f"exponent = 2 * pair / {divisor}")
    if close(x, wrong(length, d)):
        return Hint(
            "the exponents are divided by {}; divide them by d", divisor
        )
    base = float(f"{math.exp(min(log * d / 2, 99)):.2g}")
    if close(x, with_mistakes(sinusoids, f"base = {base}")(length, d)):
        return Hint("the base is {}; the paper's is 10000", f"{base:.0f}")
    return None


def one_half(x, right):
    """Return a hint if all sines or all cosines are right, or None."""
    if x.abs().max() > 1 + 1e-4:
        return "a number lies outside -1 to 1; sines and cosines do not"
    same = ((x - right).abs() < 1e-4).all(0)  # (D,)
    halves = (0, "sines", 1, "cosines"), (1, "cosines", 0, "sines")
    for good, name, bad, other in halves:
        if x.size(1) > 1 and same[good::2].all():
            hint = known(x, slice(bad, None, 2))
            hint = hint or "look at what stands in those columns"
            return Hint(
                "the {} are right, the {} are not: {}",
                Hint(name),
                Hint(other),
                Hint(hint),
            )
    return None


def known(x, columns):
    """Return the hint of a row that explains some columns, or None."""
    for wrong, hint in mistaken(sinusoids, MISTAKES):
        with contextlib.suppress(RuntimeError):  # pairs of an odd width
            if close(x[:, columns], wrong(*x.shape)[:, columns]):
                return hint
    return None


def first_columns(x, right):
    """Return a hint if the first columns alone are right, or None."""
    columns = ((x - right).abs() < 1e-4).all(0)  # (D,)
    if len(columns) < 3 or not columns[:2].all():
        return None
    fast = with_mistakes(sinusoids, MISTAKES[0].wrong)(*x.shape)
    if close(x, fast, 2e-2):  # its large angles lose digits
        return MISTAKES[0].hint
    count = columns.long().cumprod(0).sum().item()
    return Hint(
        "the first {} columns are right and later ones are not; "
        "look at the exponent",
        count,
    )


def last_resort(x, right):
    """Return a hint for a table of which little is right."""
    if (right < 0).any() and (x >= 0).all():
        return "no number is negative; sines and cosines are, half of the time"
    rows = ((x - right).abs() < 1e-4).all(1)  # (T,)
    first = (~rows).nonzero()[0].item()
    if first and close(x[first], right[0]):
        return Hint(
            "row {} is row 0 again; positions must not start again", first
        )
    if first and rows[1:].any():
        return Hint(
            "row {} is wrong, and {} of {} rows are right; treat all "
            "positions alike",
            first,
            rows.sum(),
            len(x),
        )
    if first:
        return "only row 0 is right; how does the angle grow with t?"
    return (
        "the numbers are wrong; compute row 1 by hand for d = 4: 0.84, 0.54, "
        "0.01, 1.00"
    )


SHOWN = {  # T and d on the page: what the cases before have shown
    (9, 14): "",
    (5, 12): "right for T = 9 and d = 14, but not for T = 5 and d = 12: ",
    (20, 12): "right for T = 5 and d = 12, but not for T = 20 after it: ",
    (8, 8): "right, but not when there are as many positions as numbers, T = "
    "d = 8 (do the same at every size): ",
    (1, 6): "right, but not for a single position: ",
    (7, 2): "right, but not for d = 2: ",
    (4, 7): "right for even d, but not for odd d (there the last sine has no "
    "cosine): ",
    (4, 1): "right, but not for d = 1 (a single sine): ",
    (3, 600): "right for small d, but not for d = 600: ",
    (6001, 2): "right for small T, but not for T = 6001: ",
}


def sizes_of(draws):
    """Return T and d on the page -> those of a check."""
    number = draws.number
    wide, same, few = 2 * number(6, 5, 9), 2 * number(4, 4, 7), number(4, 3, 6)
    return {
        (9, 14): (number(9, 9, 13), 2 * number(7, 10, 13)),
        (5, 12): (number(5, 5, 8), wide),
        (20, 12): (number(20, 18, 27), wide),
        (8, 8): (same, same),
        (1, 6): (1, 2 * number(3, 3, 9)),
        (7, 2): (number(7, 5, 11), 2),
        (4, 7): (few, 1 + 2 * number(3, 3, 6)),
        (4, 1): (few, 1),
        (3, 600): (number(3, 3, 5), 2 * number(300, 290, 350)),
        (6001, 2): (number(6001, 5900, 6400), 2),
    }


def exercise(draws):
    """Return the exercise with its inputs."""
    sizes = sizes_of(draws)
    return Exercise(
        right=sinusoids,
        returns={"the table": "T D"},
        takes=("", ""),
        cases=tuple(
            Case(SHOWN[usual], size, max(1e-5, tolerance(size[0])))
            for usual, size in sizes.items()
        ),
        mistakes=MISTAKES,
        through=functools.partial(judged, {*sizes.values()}),
        guess=guess,
    )


check_sinusoids = check(exercise)
