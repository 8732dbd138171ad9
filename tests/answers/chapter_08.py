"""Answers to the tasks of chapter 8, Position."""

import math

import numpy as np
import torch

from answers.registry import right, wrong

# ------------------------------------------------------------- sinusoids
TASK = "sinusoids"


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
def stacked_in_float64(length, d):
    i = torch.arange(math.ceil(d / 2), dtype=torch.float64)
    angle = torch.outer(
        torch.arange(length, dtype=torch.float64), 10000 ** (-2 * i / d)
    )
    both = torch.stack([angle.sin(), angle.cos()], dim=-1)
    return both.reshape(length, -1)[:, :d].float()


@right(TASK)
def by_einsum(length, d):
    j = torch.arange(d)
    rate = 10000.0 ** (-(j - j % 2) / d)
    angle = torch.einsum("t,j->tj", torch.arange(length).float(), rate)
    return torch.where(j % 2 == 0, angle.sin(), angle.cos())


@right(TASK)
def in_numpy(length, d):
    angle = np.arange(length)[:, None] / 10000 ** (2 * (np.arange(d) // 2) / d)
    angle[:, 0::2] = np.sin(angle[:, 0::2])
    angle[:, 1::2] = np.cos(angle[:, 1::2])
    return torch.from_numpy(angle).float()


@right(TASK)
def cosine_as_shifted_sine(length, d):
    j = torch.arange(d, dtype=torch.float64)
    t = torch.arange(length, dtype=torch.float64)[:, None]
    angle = t / 10000 ** (2 * (j // 2) / d)
    return (angle + (j % 2) * math.pi / 2).sin().float()


@right(TASK)
def as_complex_numbers(length, d):
    rate = torch.exp(-torch.arange(0, d, 2).double() / d * math.log(10000))
    hands = torch.exp(1j * torch.arange(length).double()[:, None] * rate)
    return torch.stack([hands.imag, hands.real], 2).flatten(1)[:, :d].float()


@right(TASK)
def turned_step_by_step(length, d):
    rate = 10000.0 ** (-torch.arange(0, d, 2).double() / d)
    sine, cosine, rows = torch.zeros_like(rate), torch.ones_like(rate), []
    for _ in range(length):
        rows.append(torch.stack([sine, cosine], -1).flatten()[:d])
        sine, cosine = (
            sine * rate.cos() + cosine * rate.sin(),
            cosine * rate.cos() - sine * rate.sin(),
        )
    return torch.stack(rows).float()


@right(TASK)
def in_place_in_float32(length, d):
    rate = 10000 ** (-torch.arange(0, d, 2) / d)
    angle = torch.arange(length)[:, None] * rate.repeat_interleave(2)[:d]
    angle[:, 0::2].sin_()
    angle[:, 1::2].cos_()
    return angle


@right(TASK)
def a_list_of_lists(length, d, base=10000):
    both = (math.sin, math.cos)
    rates = [base ** -(2 * (j // 2) / d) for j in range(d)]
    return torch.tensor(
        [[both[j % 2](t * rates[j]) for j in range(d)] for t in range(length)]
    )


@right(TASK)
def transposed_at_the_end(length, d):
    j = torch.arange(d)[:, None]
    angle = torch.arange(length).double() / 10000 ** (2 * (j // 2) / d)
    return torch.where(j % 2 == 0, angle.sin(), angle.cos()).float().T


kept = {}


@right(TASK)
def kept_by_both_sizes(length, d):
    if (length, d) not in kept:
        kept[length, d] = stacked_in_float64(length, d)
    return kept[length, d]


def made(length, d, exponent=None, base=10000.0, start=0, times=1.0):
    j = torch.arange(d, dtype=torch.float64)
    e = 2 * (j // 2) / d if exponent is None else exponent(j, d)
    t = torch.arange(start, start + length, dtype=torch.float64)[:, None]
    angle = times * t / base**e
    return torch.where(j % 2 == 0, angle.sin(), angle.cos()).float()


EXPONENTS = {
    "multiplied": ("later hands turn faster", lambda j, d: -2 * (j // 2) / d),
    "doubled": ("exponent is doubled: ", lambda j, d: 4 * (j // 2) / d),
    "halved": ("exponent is halved", lambda j, d: (j // 2) / d),
    "each_its_own": ("with every second one", lambda j, d: j / d),
    "each_its_own_doubled": ("j counting single", lambda j, d: 2 * j / d),
    "cosine_one_further": (
        "doubled, and the cosine",
        lambda j, d: 2 * (j + j % 2) / d,
    ),
    "to_the_end": ("by d - 2", lambda j, d: 2 * (j // 2) / max(d - 2, 1)),
    "pairs_from_1": ("exponent 0", lambda j, d: 2 * (j // 2 + 1) / d),
    "one_speed": ("one speed", lambda j, d: 0 * j),
    "floor_division": ("(// makes ev", lambda j, d: 2 * (j // 2) // d),
    "of_the_next_sine": ("of the next sine", lambda j, d: (j + j % 2) / d),
    "rounded": ("round takes", lambda j, d: 2 * (j / 2).round() / d),
    "repeated": ("repeat_inter", lambda j, d: 2 * (j % ((d + 1) // 2)) / d),
    "by_length": ("by T; divide", lambda j, d: 2 * (j // 2) / 9),
    "by_8": ("divided by 8; divide", lambda j, d: 2 * (j // 2) / 8),
    "by_512": ("divided by 512; divide", lambda j, d: 2 * (j // 2) / 512),
    "by_d_plus_1": ("by d + 1; di", lambda j, d: 2 * (j // 2) / (d + 1)),
    "by_d_minus_1": (
        "by d - 1; di",
        lambda j, d: 2 * (j // 2) / max(1, d - 1),
    ),
    "odd_rounded_down": (
        "odd d (there the last sine has no cosine): the exponents are div",
        lambda j, d: 2 * (j // 2) / max(1, d - d % 2),
    ),
    "for_64_pairs": (
        "for d = 600: the first 128 columns",
        lambda j, d: 2 * (j // 2).clamp(max=63) / d,
    ),
}
for name, (hint, exponent) in EXPONENTS.items():

    def answer(length, d, exponent=exponent):
        return made(length, d, exponent)

    answer.__name__ = f"sinusoids_{name}"
    wrong(TASK, hint)(answer)


@wrong(TASK, "the base is 1000;")
def base_1000(length, d):
    return made(length, d, base=1000.0)


@wrong(TASK, "or the base is 100")
def base_100(length, d):
    return made(length, d, base=100.0)


@wrong(TASK, "start at position 1")
def from_1(length, d):
    return made(length, d, start=1)


@wrong(TASK, "run backwards; row 0")
def positions_backwards(length, d):
    return made(length, d).flip(0)


@wrong(TASK, "factor of 2 pi")
def whole_turns(length, d):
    return made(length, d, times=2 * math.pi)


@wrong(TASK, "the base is 100000;")
def base_100000(length, d):
    return made(length, d, base=1e5)


@wrong(TASK, "depend on how many rows there are")
def from_0_to_1(length, d):
    return made(length, d, times=1 / max(length - 1, 1))


@wrong(TASK, "every number is a cosine")
def only_cosines(length, d):
    j = torch.arange(d).double()
    t = torch.arange(length).double()[:, None]
    return (t / 10000 ** (2 * (j // 2) / d)).cos().float()


@wrong(TASK, "return one row per position")
def flattened(length, d):
    return made(length, d).flatten()


@wrong(TASK, "degrees")
def in_degrees(length, d):
    return made(length, d, times=math.pi / 180)


@wrong(TASK, "by the length;")
def share_of_the_length(length, d):
    return made(length, d, times=1 / length)


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


@wrong(TASK, "first half and all cosines")
def in_halves(length, d):
    x = made(length, d)
    return torch.cat([x[:, 0::2], x[:, 1::2]], 1)


@wrong(TASK, "first half and all sines")
def in_halves_cosine_first(length, d):
    x = made(length, d)
    return torch.cat([x[:, 1::2], x[:, 0::2]], 1)


@wrong(TASK, "sine and cosine are exchanged")
def exchanged(length, d):
    t, i = torch.arange(length).double()[:, None], torch.arange(0, d, 2)
    angle = t * 10000.0 ** (-i / d)
    both = torch.stack([angle.cos(), angle.sin()], -1).flatten(1)
    return both[:, :d].float()


@wrong(TASK, "every number is a sine")
def only_sines(length, d):
    j = torch.arange(d).double()
    t = torch.arange(length).double()[:, None]
    return (t / 10000 ** (2 * (j // 2) / d)).sin().float()


@wrong(TASK, "the cosines are missing")
def odd_numbers_forgotten(length, d):
    x = made(length, d)
    x[:, 1::2] = 0
    return x


@wrong(TASK, "return the angles")
def angles_alone(length, d):
    j = torch.arange(d)
    return torch.arange(length)[:, None] / 10000 ** (2 * (j // 2) / d)


@wrong(TASK, "only row 0 is right")
def only_the_first_row(length, d):
    x = torch.full((length, d), -0.5)
    x[0] = made(length, d)[0]
    return x


@wrong(TASK, "all rows are the same")
def all_rows_the_same(length, d):
    return made(length, d)[:1].repeat(length, 1)


@wrong(TASK, "count the rows of the batch")
def by_batch(length, d):
    return made(length, d)[:, None]


@wrong(TASK, "an axis for the batch")
def with_batch_axis(length, d):
    return made(length, d)[None]


@wrong(TASK, "transposed, (d, T)")
def transposed(length, d):
    return made(length, d).T


@wrong(TASK, "rows for T = 9")
def one_row_too_many(length, d):
    return made(length + 1, d)


@wrong(TASK, "2 d wide")
def d_pairs(length, d):
    return made(length, 2 * d)


@wrong(TASK, "one number per pair")
def sines_of_pairs(length, d):
    return made(length, d)[:, 0::2].contiguous()


@wrong(TASK, "must be float32")
def stays_float64(length, d):
    return made(length, d).double()


@wrong(TASK, "must be a tensor")
def a_numpy_array(length, d):
    return made(length, d).numpy()


@wrong(TASK, "odd d (there the last sine has no cosine): your function raised")
def odd_crashes(length, d):
    x = torch.zeros(length, d)
    angle = made(length, d)[:, 0::2].clone()
    x[:, 0::2] = angle
    x[:, 1::2] = angle if d % 2 else made(length, d)[:, 1::2]
    return x


@wrong(TASK, "cut the last cosine off")
def odd_too_wide(length, d):
    return made(length, d + d % 2, lambda j, _: 2 * (j // 2) / d)


@wrong(TASK, "last sine is missing")
def odd_too_narrow(length, d):
    return made(length, d)[:, : d - d % 2]


@wrong(TASK, "but the last; it is a sine")
def odd_last_is_zero(length, d):
    x = made(length, d)
    if d % 2:
        x[:, -1] = 0
    return x


@wrong(TASK, "divide by d, not by d + 1")
def odd_rounded_up(length, d):
    return made(length, d, lambda j, d: 2 * (j // 2) / (d + d % 2))


@wrong(TASK, "but not for d = 1")
def d_1_refused(length, d):
    if d == 1:
        return torch.zeros(length, 1)
    return made(length, d)


@wrong(TASK, "T = d = 8 (do the same at every size): your table is tr")
def transposed_if_it_may(length, d):
    x = made(length, d)
    return x.T if d == length else x


@wrong(TASK, "lose digits")
def rounded(length, d):
    return (made(length, d) * 100).round() / 100


@wrong(TASK, "but not for T = 10001: near positions")
def half_precision_positions(length, d):
    t = torch.arange(length).bfloat16().double()[:, None]
    j = torch.arange(d).double()
    angle = t / 10000 ** (2 * (j // 2) / d)
    return torch.where(j % 2 == 0, angle.sin(), angle.cos()).float()


@wrong(TASK, "backwards; the fastest")
def slow_pairs_first(length, d):
    x = made(length, d)
    return x.unflatten(1, (-1, 2)).flip(1).flatten(1)


@wrong(TASK, "end it with a return")
def forgotten_return(length, d):
    x = made(length, d)
    x = x.float()


@wrong(TASK, "multiplied by sqrt(d)")
def scaled_by_the_width(length, d):
    return made(length, d) * d**0.5


@wrong(TASK, "you start at position 1, and the exponent is doubled")
def doubled_from_1(length, d):
    return made(length, d, EXPONENTS["doubled"][1], start=1)


@wrong(TASK, "in two halves, not in turn, and the exponent is doubled")
def doubled_in_halves(length, d):
    x = made(length, d, EXPONENTS["doubled"][1])
    return torch.cat([x[:, 0::2], x[:, 1::2]], 1)


@wrong(TASK, "the base is e;")
def without_the_logarithm(length, d):
    return made(length, d, base=math.e)


@wrong(TASK, "log10 where exp")
def with_log10(length, d):
    return made(length, d, base=math.exp(math.log10(10000)))


@wrong(TASK, "later hands turn faster than the first: you multiply")
def multiplied_in_float32(length, d):
    t, j = torch.arange(length)[:, None], torch.arange(d)
    angle = t * 10000 ** (2 * (j // 2) / d)
    return torch.where(j % 2 == 0, angle.sin(), angle.cos())


@wrong(TASK, "the first 2 columns are right and later ones are not")
def another_unknown_exponent(length, d):
    return made(length, d, lambda j, d: 1.7 * (j // 2) / d)


# ----------------------- sizes, states, types, and two mistakes at once
def trigonometry(length, d, sine=torch.sin, cosine=torch.cos):
    even = torch.arange(d) % 2 == 0
    j = torch.arange(d, dtype=torch.float64)
    t = torch.arange(length, dtype=torch.float64)[:, None]
    angle = t / 10000 ** (2 * (j // 2) / d)
    return torch.where(even, sine(angle), cosine(angle)).float()


@wrong(TASK, "log2 where exp")
def with_log2(length, d):
    return made(length, d, base=math.exp(math.log2(10000)))


@wrong(TASK, "would be trained")
def a_parameter(length, d):
    return torch.nn.Parameter(made(length, d))


@wrong(TASK, "ends after 5000 rows")
def at_most_5000_rows(length, d):
    return made(5000, d)[:length]


@wrong(TASK, "from row 4999 on")
def at_most_place_4999(length, d):
    t = torch.arange(length).clamp(max=4999)
    return made(length, d)[t]


@wrong(TASK, "row 512 is row 0 again")
def begun_again(length, d):
    return made(length, d)[torch.arange(length) % 512]


@wrong(TASK, "5000 rows, whatever T is")
def always_5000_rows(length, d):
    return made(5000, d)


@wrong(TASK, "for d = 600: the first 256")
def columns_in_8_bits(length, d):
    return made(length, d, lambda j, d: 2 * (j % 256 // 2) / d)


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


@wrong(TASK, "an earlier call, T = 6 and d = 7")
@keeping
def kept_by_length(length, d):
    return length


first_width = []


@wrong(TASK, "has 14 columns, the d of an earlier call")
def keeps_its_first_width(length, d):
    first_width.append(d)
    return made(length, first_width[0] if length == 5 else d)


calls = []


@wrong(TASK, "again (keep nothing between calls): you start at position 1")
def counts_its_calls(length, d):
    calls.append(length)
    return made(length, d, start=(len(calls) - 1) % 2)


@wrong(TASK, "lose digits on the way")
def five_digits(length, d):
    return made(length, d).round(decimals=5)


@wrong(TASK, "no number is negative")
def squared(length, d):
    return made(length, d).square()


@wrong(TASK, "(0, 14)")
def no_rows(length, d):
    return made(0, d)


@wrong(TASK, "single position: an axis of size 1 is gone")
def squeezed(length, d):
    return made(length, d).squeeze(0)


@wrong(TASK, "d = 1 (a single sine): an axis of size 1 is gone")
def last_axis_squeezed(length, d):
    return made(length, d).squeeze(-1)


@wrong(TASK, "flatten the last two axes")
def pairs_not_flattened(length, d):
    return made(length, d + d % 2).unflatten(1, (-1, 2))


@wrong(TASK, "a sine and a cosine at once")
def both_of_every_number(length, d):
    x = made(length, d)
    return torch.stack([x, x], dim=-1)


@wrong(TASK, "as many rows as columns")
def rows_counted_by_d(length, d):
    return made(d, d)


@wrong(TASK, "is complex")
def a_complex_table(length, d):
    x = made(length, d + d % 2).unflatten(1, (-1, 2))
    return torch.view_as_complex(x.contiguous())


@wrong(TASK, "yours is torch.int64, which cuts")
def filled_with_integers(length, d):
    out = torch.zeros(length, d, dtype=torch.long)
    out[:] = made(length, d)
    return out


@wrong(TASK, "every number is cut to a whole one")
def integers_turned_to_floats(length, d):
    return made(length, d).long().float()


@wrong(TASK, "your angles are whole numbers")
def floored_angles(length, d):
    j = torch.arange(d)
    angle = torch.arange(length)[:, None] // 10000 ** (2 * (j // 2) / d)
    return torch.where(j % 2 == 0, angle.sin(), angle.cos())


@wrong(TASK, "you raise t / 10000 to the power")
def brackets_around_the_quotient(length, d):
    j = torch.arange(d)
    t = torch.arange(length)[:, None].double()
    angle = (t / 10000) ** (2 * (j // 2) / d)
    return torch.where(j % 2 == 0, angle.sin(), angle.cos()).float()


@wrong(TASK, "factor of pi;")
def half_turns(length, d):
    return made(length, d, times=math.pi)


@wrong(TASK, "sines have the wrong sign")
def negative_angles(length, d):
    return made(length, d, times=-1)


@wrong(TASK, "cosines have the wrong sign")
def shifted_to_the_wrong_side(length, d):
    return trigonometry(length, d, cosine=lambda a: (a - math.pi / 2).sin())


@wrong(TASK, "lost their sign")
def cosine_as_a_root(length, d):
    return trigonometry(
        length, d, cosine=lambda a: (1 - a.sin().square()).sqrt()
    )


@wrong(TASK, "the sines are right, the cosines are not: the exponent is hal")
def cosines_of_half_the_exponent(length, d):
    x = made(length, d)
    x[:, 1::2] = made(length, d, EXPONENTS["halved"][1])[:, 1::2]
    return x


@wrong(TASK, "the cosines are right, the sines are not: the exponent is dou")
def sines_of_twice_the_exponent(length, d):
    x = made(length, d)
    x[:, 0::2] = made(length, d, EXPONENTS["doubled"][1])[:, 0::2]
    return x


@wrong(TASK, "outside -1 to 1")
def tangents(length, d):
    return trigonometry(length, d, cosine=torch.tan)


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


@wrong(TASK, "multiplied by 0.267")
def divided_by_the_root(length, d):
    return made(length, d) / d**0.5


@wrong(TASK, "the columns run backwards")
def columns_backwards(length, d):
    return made(length, d).flip(1)


@wrong(TASK, "from row to row")
def parity_of_the_place(length, d):
    j = torch.arange(d).double()
    t = torch.arange(length).double()[:, None]
    angle = t / 10000 ** (2 * (j // 2) / d)
    return torch.where(t % 2 == 0, angle.sin(), angle.cos()).float()


@wrong(TASK, "fill the first rows")
def stacked_on_axis_0(length, d):
    x = made(length, d)
    return torch.stack([x[:, 0::2], x[:, 1::2]]).reshape(length, d)


@wrong(TASK, "reshape has mixed them up")
def reshaped_instead_of_transposed(length, d):
    return made(length, d).T.reshape(length, d)


@wrong(TASK, "exchanged, and the exponent is halved")
def halved_and_exchanged(length, d):
    x = made(length, d + d % 2, lambda j, _: (j // 2) / d)
    return x.unflatten(1, (-1, 2)).flip(2).flatten(1)[:, :d]


@wrong(TASK, "exchanged, and you start at position 1")
def exchanged_from_1(length, d):
    return exchanged(length + 1, d)[1:]


@wrong(TASK, "cosines and sines stand in two halves, not in turn, and the b")
def base_1000_in_halves_cosine_first(length, d):
    x = made(length, d, base=1000.0)
    return torch.cat([x[:, 1::2], x[:, 0::2]], 1)
