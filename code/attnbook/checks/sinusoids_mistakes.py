"""The wrong position tables that the check of sinusoids knows by name.

Dimension letters:
    T positions, D = d_model.
"""

import math

import torch


def table(
    length,
    d,
    exponents=None,
    base=10000.0,
    position=None,
    times=1.0,
    cosine_first=False,
):
    """Return sines and cosines, interleaved, float32, (T, D).

    Args:
        length: number of positions T.
        d: width D.
        exponents: exponent of the base for each of the D numbers, (D,);
            the paper's if None.
        base: what is raised to them.
        position: (T,); 0 to T - 1 if None.
        times: a factor on every angle.
        cosine_first: whether sine and cosine are exchanged.
    """
    number = torch.arange(d, dtype=torch.float64)  # (D,)
    if exponents is None:
        exponents = 2 * (number // 2) / d
    if position is None:
        position = torch.arange(length, dtype=torch.float64)
    angle = times * position[:, None] / base**exponents  # (T, D)
    sine = number % 2 == int(cosine_first)  # (D,)
    return torch.where(sine, angle.sin(), angle.cos()).float()


def wrong_exponents(length, d, start=0, cosine_first=False):
    """Return pairs of a hint and the table of a wrong exponent.

    Args:
        length: number of positions T.
        d: width D.
        start: the first position.
        cosine_first: whether sine and cosine are exchanged besides.
    """
    number = torch.arange(d, dtype=torch.float64)  # (D,)
    pair = number // 2
    here = torch.arange(start, start + length, dtype=torch.float64)  # (T,)
    share = "sine and cosine of a pair must share one angle: "

    def hit(exponents, **how):
        how |= {"position": here, "cosine_first": cosine_first}
        return table(length, d, exponents, **how)

    return [
        (
            "your later hands turn faster than the first: you multiply the "
            "position by the power 10000^(2i/d); divide by it",
            hit(-2 * pair / d),
        ),
        (
            "the exponent is doubled: if your i already runs over 0, 2, 4, "
            "..., the exponent is i / d, not 2 * i / d",
            hit(4 * pair / d),
        ),
        (
            "the exponent is halved (or the base is 100): with pairs numbered "
            "0, 1, 2, ... it is 2 * i / d",
            hit(pair / d),
        ),
        (
            share + "the exponent goes up with every number; it goes up with "
            "every second one, 2 * (j // 2) / d",
            hit(number / d),
        ),
        (
            share + "yours is 2 * j / d with j counting single numbers; it is "
            "2 * (j // 2) / d",
            hit(2 * number / d),
        ),
        (
            "the exponent is doubled, and the cosine has another angle than "
            "the sine beside it",
            hit(2 * (number + number % 2) / d),
        ),
        (
            share + "your cosine has the angle of the next sine; the exponent "
            "is 2 * (j // 2) / d, rounded down",
            hit((number + number % 2) / d),
        ),
        (
            "the sines are right, the cosines are not: round takes 1 / 2 to 0 "
            "and 3 / 2 to 2; j // 2 always rounds down",
            hit(2 * (number / 2).round() / d),
        ),
        (
            "the exponents start again in the middle of the row (repeat?); "
            "each stands twice in turn, as repeat_interleave lays them",
            hit(2 * (number % ((d + 1) // 2)) / d),
        ),
        (
            "the exponents reach 1 at the last pair; the paper divides by d, "
            "not by d - 2",
            hit(2 * pair / max(d - 2, 1)),
        ),
        (
            "the first pair must have the exponent 0; you count the pairs "
            "from 1",
            hit(2 * (pair + 1) / d),
        ),
        (
            "Python reads 10000 ** 2 * i / d as (10000 ** 2) * i / d; put the "
            "exponent into brackets",
            hit(0 * pair, times=pair / d / 10000**2),
        ),
        (
            "all pairs turn at one speed; the exponent 2 * i / d must differ "
            "from pair to pair (// makes every exponent 0)",
            hit(0 * pair),
        ),
        (
            "the base is e; the paper's is 10000, so exp needs a factor of "
            "math.log(10000)",
            hit(None, base=math.e),
        ),
        (
            "log10 where exp needs the natural logarithm, math.log",
            hit(None, base=math.exp(4)),
        ),
        (
            "log2 where exp needs the natural logarithm, math.log",
            hit(None, base=math.exp(math.log2(10000))),
        ),
    ] + [
        (f"the base is {base}; the paper's is 10000", hit(None, base=base))
        for base in (500, 1000, 100000, 500000)
    ]


def wrong_positions(length, d, cosine_first=False):
    """Return pairs of a hint and the table of wrong positions or angles.

    Args:
        length: number of positions T.
        d: width D.
        cosine_first: whether sine and cosine are exchanged besides.
    """
    here = torch.arange(length, dtype=torch.float64)

    def at(position, **how):
        how |= {"position": position, "cosine_first": cosine_first}
        return table(length, d, **how)

    even = d + d % 2
    rounded_up = 2 * (torch.arange(d, dtype=torch.float64) // 2) / even
    odd = (
        "the exponents belong to a width of d + 1; divide by d, not by d + 1",
        at(here, exponents=rounded_up),
    )
    return [odd] * (d % 2) + [
        (
            "you start at position 1; the first row is position 0, all sines "
            "0 and all cosines 1",
            at(here + 1),
        ),
        ("the positions run backwards; row 0 is position 0", at(here.flip(0))),
        (
            "you divide the position by the length; a position's row must not "
            "depend on how many rows there are",
            at(here / length),
        ),
        (
            "you divide the position by the length - 1; a position's row must "
            "not depend on how many rows there are",
            at(here / max(length - 1, 1)),
        ),
        (
            "your angles are degrees turned into radians; the paper's are "
            "radians already",
            at(here, times=math.pi / 180),
        ),
        (
            "your angles have a factor of 2 pi; the paper's have none",
            at(here, times=2 * math.pi),
        ),
        (
            "your angles have a factor of pi; the paper's have none",
            at(here, times=math.pi),
        ),
    ]
