"""Answers to the tasks of chapter 8, Position."""

import math

import numpy as np
import torch

from answers.registry import right, wrong

# ------------------------------------------------------------- sinusoids
TASK = "sinusoids"


@right(TASK)
def stacked_in_float64(length, d):
    i = torch.arange(math.ceil(d / 2), dtype=torch.float64)
    angle = torch.outer(
        torch.arange(length, dtype=torch.float64), 10000 ** (-2 * i / d)
    )
    both = torch.stack([angle.sin(), angle.cos()], dim=-1)
    return both.reshape(length, -1)[:, :d].float()


@right(TASK)
def in_loops(length, d):
    out = torch.zeros(length, d)
    for t in range(length):
        for j in range(d):
            angle = t / 10000 ** (2 * (j // 2) / d)
            out[t, j] = math.cos(angle) if j % 2 else math.sin(angle)
    return out


@right(TASK)
def sliced(length, width):
    t = torch.arange(length).float()[:, None]
    w = torch.exp(-math.log(10000) * torch.arange(0, width, 2) / width)
    out = torch.zeros(length, width, dtype=torch.float32)
    out[:, 0::2] = torch.sin(t * w)
    out[:, 1::2] = torch.cos(t * w)[:, : width // 2]
    return out


@right(TASK)
def in_numpy(length, d):
    angle = np.arange(length)[:, None] / 10000 ** (2 * (np.arange(d) // 2) / d)
    angle[:, 0::2] = np.sin(angle[:, 0::2])
    angle[:, 1::2] = np.cos(angle[:, 1::2])
    return torch.from_numpy(angle).float()


@right(TASK)
def as_complex_numbers(length, d):
    rate = torch.exp(-torch.arange(0, d, 2).double() / d * math.log(10000))
    hands = torch.exp(1j * torch.arange(length).double()[:, None] * rate)
    return torch.stack([hands.imag, hands.real], 2).flatten(1)[:, :d].float()


@right(TASK)
def in_place_in_float32(length, d):
    rate = 10000 ** (-torch.arange(0, d, 2) / d)
    angle = torch.arange(length)[:, None] * rate.repeat_interleave(2)[:d]
    angle[:, 0::2].sin_()
    angle[:, 1::2].cos_()
    return angle


kept = {}


@right(TASK)
def kept_by_both_sizes(length, d):
    if (length, d) not in kept:
        kept[length, d] = stacked_in_float64(length, d)
    return kept[length, d]


def made(length, d, exponent=None, base=10000.0, start=0, even=0):
    j = torch.arange(d, dtype=torch.float64)
    e = 2 * (j // 2) / d if exponent is None else exponent(j, d)
    t = torch.arange(start, start + length, dtype=torch.float64)[:, None]
    angle = t / base**e
    return torch.where(j % 2 == even, angle.sin(), angle.cos()).float()


EXPONENTS = {
    "doubled": ("exponent is doubled: ", lambda j, d: 4 * (j // 2) / d),
    "by_8": ("divided by 8; divide", lambda j, d: 2 * (j // 2) / 8),
    "by_512": ("divided by 512; divide", lambda j, d: 2 * (j // 2) / 512),
    "odd_rounded_down": (
        "odd d (there the last sine has no cosine): the exponents are div",
        lambda j, d: 2 * (j // 2) / max(1, d - d % 2),
    ),
    "odd_rounded_up": (
        "odd d (there the last sine has no cosine): the exponents belong",
        lambda j, d: 2 * (j // 2) / (d + d % 2),
    ),
    "for_64_pairs": (
        "for d = 600: the first 128 columns",
        lambda j, d: 2 * (j // 2).clamp(max=63) / d,
    ),
    "of_no_name": (
        "the first 2 columns are right and later ones are not",
        lambda j, d: 1.7 * (j // 2) / d,
    ),
}
TABLES = {
    "base_500": ("base is 500;", lambda t, d: made(t, d, base=500)),
    "flattened": ("one row per position", lambda t, d: made(t, d).flatten()),
    "no_rows": ("(0, 14)", lambda t, d: made(0, d)),
    "d_pairs": ("2 d wide", lambda t, d: made(t, 2 * d)),
    "rows_counted_by_d": ("as many rows as col", lambda t, d: made(d, d)),
    "one_row_too_many": ("10 rows for T = 9", lambda t, d: made(t + 1, d)),
    "by_batch": ("rows of the batch", lambda t, d: made(t, d)[:, None]),
    "with_batch_axis": ("axis for the batch", lambda t, d: made(t, d)[None]),
    "transposed": ("is transposed, (d, T)", lambda t, d: made(t, d).T),
    "t_and_d": ("T and d are exchanged", lambda t, d: made(d, t)),
    "sines_of_pairs": ("number per pair", lambda t, d: made(t, d)[:, 0::2]),
    "pairs_apart": (
        "flatten the last two axes",
        lambda t, d: made(t, d + d % 2).unflatten(1, (-1, 2)),
    ),
    "both_of_every_number": (
        "a sine and a cosine at once",
        lambda t, d: torch.stack([made(t, d)] * 2, -1),
    ),
    "odd_too_narrow": (
        "last sine is missing",
        lambda t, d: made(t, d)[:, : d - d % 2],
    ),
    "odd_too_wide": (
        "cut the last cosine off",
        lambda t, d: made(t, d + d % 2, lambda j, _: 2 * (j // 2) / d),
    ),
    "always_5000_rows": ("5000 rows, whatever", lambda t, d: made(5000, d)),
    "at_most_5000_rows": ("after 5000 rows", lambda t, d: made(5000, d)[:t]),
    "squeezed": (
        "position: an axis of size",
        lambda t, d: made(t, d).squeeze(0),
    ),
    "last_axis_squeezed": (
        "d = 1 (a single sine): an axis of size 1 is gone",
        lambda t, d: made(t, d).squeeze(-1),
    ),
    "stays_float64": ("must be float32", lambda t, d: made(t, d).double()),
    "integers": ("yours is torch.int64", lambda t, d: made(t, d).long()),
    "a_numpy_array": ("be a tensor", lambda t, d: made(t, d).numpy()),
    "a_complex_table": (
        "is complex",
        lambda t, d: torch.complex(made(t, d), made(t, d)),
    ),
    "a_parameter": (
        "would be trained",
        lambda t, d: torch.nn.Parameter(made(t, d)),
    ),
    "rounded": ("lose digits", lambda t, d: made(t, d).round(decimals=2)),
    "five_digits": (
        "lose digits on the way",
        lambda t, d: made(t, d).round(decimals=5),
    ),
    "squared": ("no number is negative", lambda t, d: made(t, d).square()),
    "divided_by_the_root": (
        "multiplied by 0.267",
        lambda t, d: made(t, d) / d**0.5,
    ),
    "all_rows_the_same": (
        "all rows are the same",
        lambda t, d: made(t, d)[:1].repeat(t, 1),
    ),
    "at_most_place_4999": (
        "from row 4999 on",
        lambda t, d: made(t, d)[torch.arange(t).clamp(max=4999)],
    ),
    "begun_again": (
        "row 512 is row 0 again",
        lambda t, d: made(t, d)[torch.arange(t) % 512],
    ),
    "doubled_from_1": (
        "doubled: if your i already runs over 0, 2, 4, ..., the exponent is "
        "i / d, not 2 * i / d; and: you start at position 1",
        lambda t, d: made(t, d, EXPONENTS["doubled"][1], start=1),
    ),
    "halved_and_exchanged": (
        "it is 2 * i / d; and: sine and cosine are exchanged",
        lambda t, d: made(t, d, lambda j, d: (j // 2) / d, even=1),
    ),
}
TABLES |= {
    name: (hint, lambda t, d, exponent=exponent: made(t, d, exponent))
    for name, (hint, exponent) in EXPONENTS.items()
}
for name, (hint, make) in TABLES.items():

    def answer(length, d, make=make):
        return make(length, d)

    answer.__name__ = f"sinusoids_{name}"
    wrong(TASK, hint)(answer)


@wrong(TASK, "into brackets")
def precedence(length, d):
    out = torch.zeros(length, d)
    for t in range(length):
        for i in range(d // 2):
            out[t, 2 * i] = math.sin(t / 10000**2 * i / d)
            out[t, 2 * i + 1] = math.cos(t / 10000**2 * i / d)
    return out


@wrong(TASK, "infinite or 0/0")
def divided_by_zero(length, d):
    i = torch.arange(0, d, 2)
    angle = torch.arange(length)[:, None] / (10000**2 * i / d)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


@wrong(TASK, "later hands turn faster than the first: you multiply")
def multiplied_in_float32(length, d):
    t, j = torch.arange(length)[:, None], torch.arange(d)
    angle = t * 10000 ** (2 * (j // 2) / d)
    return torch.where(j % 2 == 0, angle.sin(), angle.cos())


@wrong(TASK, "outside -1 to 1")
def tangents(length, d):
    j = torch.arange(d)
    angle = torch.arange(length)[:, None] / 10000 ** (2 * (j // 2) / d)
    return torch.where(j % 2 == 0, angle.sin(), angle.tan())


@wrong(TASK, "only row 0 is right")
def only_the_first_row(length, d):
    x = torch.full((length, d), -0.5)
    x[0] = made(length, d)[0]
    return x


@wrong(TASK, "row 0 alone is wrong")
def loop_from_1(length, d):
    x = made(length, d)
    x[0] = 0
    return x


@wrong(TASK, "the last row alone is wrong")
def loop_ends_too_early(length, d):
    x = made(length, d)
    x[-1] = 0
    return x


@wrong(TASK, "the sines are right, the cosines are not: the exponent is hal")
def cosines_of_half_the_exponent(length, d):
    x = made(length, d)
    x[:, 1::2] = made(length, d, lambda j, d: (j // 2) / d)[:, 1::2]
    return x


@wrong(TASK, "the cosines are right, the sines are not: the exponent is dou")
def sines_of_twice_the_exponent(length, d):
    x = made(length, d)
    x[:, 0::2] = made(length, d, EXPONENTS["doubled"][1])[:, 0::2]
    return x


@wrong(TASK, "odd d (there the last sine has no cosine): your function raised")
def odd_crashes(length, d):
    angle = torch.arange(length)[:, None] / 10000 ** (
        torch.arange(0, d, 2) / d
    )
    x = torch.zeros(length, d)
    x[:, 0::2], x[:, 1::2] = angle.sin(), angle.cos()
    return x


@wrong(TASK, "but the last; it is a sine")
def odd_last_is_zero(length, d):
    x = made(length, d)
    if d % 2:
        x[:, -1] = 0
    return x


@wrong(TASK, "T = d = 8 (do the same at every size): your table is tr")
def transposed_if_it_may(length, d):
    x = made(length, d)
    return x.T if d == length else x


@wrong(TASK, "but not for T = 6001: near positions")
def half_precision_positions(length, d):
    t = torch.arange(length).bfloat16().double()[:, None]
    j = torch.arange(d).double()
    angle = t / 10000 ** (2 * (j // 2) / d)
    return torch.where(j % 2 == 0, angle.sin(), angle.cos()).float()


@wrong(TASK, "end it with a return")
def forgotten_return(length, d):
    x = made(length, d)
    x = x.float()


def keeping(name_of_size):
    """Return an answer that keeps its tables under part of their size."""
    tables = {}

    def answer(length, d):
        if length == 9:
            tables.clear()
        name = name_of_size(length, d)
        if name not in tables:
            tables[name] = made(length, d)
        return tables[name][:length]

    answer.__name__ = name_of_size.__name__
    return answer


@wrong(TASK, "an earlier call, T = 5 and d = 12")
@keeping
def kept_by_width(length, d):
    return d


@wrong(TASK, "an earlier call, T = 4 and d = 7")
@keeping
def kept_by_length(length, d):
    return length


first_width = []


@wrong(TASK, "has 14 columns, the d of an earlier call")
def keeps_its_first_width(length, d):
    first_width.append(d)
    return made(length, first_width[0] if length == 5 else d)


calls = []


@wrong(TASK, "keep nothing between calls")
def counts_its_calls(length, d):
    calls.append(length)
    return made(length, d, start=(len(calls) - 1) % 2)
