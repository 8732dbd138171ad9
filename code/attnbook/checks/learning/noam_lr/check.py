"""Check of the learning rate of the paper."""

import math

import torch

from attnbook.checks.engine.asking import number_of
from attnbook.checks.engine.calling import close, unanswered
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint, Mistake, describe


def noam_lr(step, d_model, warmup):
    """Return the learning rate of a step: up along a line, down like a root.

    Args:
        step: counted from 1; 0 is treated as 1.
        d_model: the width of the model.
        warmup: the step with the largest rate.

    Returns:
        The rate, a number.
    """
    s = max(step, 1)
    width = d_model**-0.5
    line = s * warmup**-1.5
    root = s**-0.5
    rate = width * min(root, line)
    return rate


MISTAKES = table("""
    width = 1
        the factor 1 / sqrt(d_model) is missing
    width = d_model**0.5
        you multiply by sqrt(d_model); divide by it
    width = 1 / d_model
        you divide by d_model; divide by its root
    width = d_model**-1 / 2
        d_model ** -1 / 2 is half of 1 / d_model, as ** comes before /; write
        d_model ** -0.5
    root = s**-1 / 2
        step ** -1 / 2 is half of 1 / step, as ** comes before /; write
        step ** -0.5
    line = s * warmup**-3 / 2
        warmup ** -3 / 2 is half of warmup ** -3, as ** comes before /; write
        warmup ** -1.5
    width = d_model
        you multiply by d_model; divide by its root
    width = 512**-0.5
        512 is written into your function; use d_model
    rate = min(width * root, line)
        the factor 1 / sqrt(d_model) stands at the root alone; it belongs to
        the line as well
    rate = min(root, width * line)
        the factor 1 / sqrt(d_model) stands at the line alone; it belongs to
        the root as well
    width = (warmup / d_model)**0.5
        you divide by sqrt(d_model) and multiply by sqrt(warmup), so that the
        peak is 1 / sqrt(d_model); leave the second out
    rate = width * max(root, line)
        you take the larger of the two; the smaller one rises, then falls: min
    rate = width * line
    root = s**0.5
        your rate grows for ever; from step = warmup on it must fall like
        1 / sqrt(step) (has the power of step lost its minus?)
    rate = width * root
    line = s * warmup**1.5
        there is no warm-up: your rate falls from the first step on (has the
        power of warmup, -1.5, lost its minus?)
    root = warmup**-0.5
        your rate stays at its peak; after the warm-up it must fall like
        1 / sqrt(step)
    rate = width * root * line
        you multiply line and root; take the smaller of the two
    rate = width * (root + line)
        you add line and root; take the smaller of the two
    line = s * warmup**-0.5
    line = s / warmup
    line = s * warmup**-2
        the rising line must meet the falling root at step = warmup: step *
        warmup ** -1.5; yours has another power of warmup
    line = warmup**-1.5
        the line does not rise; step is missing in step * warmup ** -1.5
    s = max(step, warmup)
        your rate stays at its peak up to step = warmup; it must rise along a
        line, step * warmup ** -1.5
    root = warmup**0.5 / s
    root = 1 / s
        after the warm-up you fall like 1 / step; fall like its root
    line = s**0.5 / warmup
        you warm up along a root; warm up along a line, step * warmup ** -1.5
    width = warmup**-0.5; line = s * d_model**-1.5
        d_model and warmup have changed places
    line = s * 4000**-1.5
        4000 is written into your function; use warmup
    s = step + 1
        you count one step too many: step 1 is the first, use it as it comes
    s = max(step - 1, 1)
    line = max(s - 1, 0) * warmup**-1.5; root = max(s - 1, 1)**-0.5
        you count one step too few: step 1 is the first, use it as it comes
    line = s // warmup**1.5
        you divide whole numbers with //, which cuts the line down to 0; use /
    rate = width * (line if s <= warmup else (s - warmup)**-0.5)
    rate = width * (line if s < warmup else (s - warmup + 1)**-0.5)
        you count the steps after the warm-up from 1 again, so the rate jumps
        up; use the step itself
    rate = round(width * min(root, line), 3)
    rate = round(width * min(root, line), 4)
    rate = round(width * min(root, line), 5)
    rate = round(width * min(root, line), 6)
    rate = round(width * min(root, line), 7)
    rate = round(width * min(root, line), 8)
    rate = round(width * min(root, line), 9)
    rate = round(width * min(root, line), 10)
    rate = round(width * min(root, line), 12)
        you round the rate; the first ones are tiny, so leave every digit as it
        is
    rate = torch.tensor(width * min(root, line)).half()
    rate = torch.tensor(width * min(root, line)).bfloat16()
        you lose digits in a coarse type, such as float16 or bfloat16; leave
        the rate a float of Python
""")
AT_0 = (
    "right from step 1 on, but step 0, with which PyTorch's schedulers begin, "
)


def steps_of(warmup):
    """Return the steps to try, from 1 to far beyond the warm-up, rising."""
    near = {warmup // 4, warmup - 1, warmup, warmup + 1, 2 * warmup}
    steps = {1, 2, 3, *near, 4 * warmup, 400 * warmup}
    return sorted(step for step in steps if step)


def rate_of(answer, *inputs):
    """Return the rate of a step, a float."""
    what = "the learning rate of this step"
    rate = float(number_of(answer(*inputs), what))
    if rate < 0:
        raise Mistake("a learning rate must not be negative; yours is")
    return rate


def course(answer, d_model, warmup):
    """Return the rates as shares of the right ones, so that tiny ones count.

    Step 0 is judged once the others are right.
    """
    if unanswered(result := answer(1, d_model, warmup)):
        return result
    shares = []
    for step in steps_of(warmup):
        inputs = step, d_model, warmup
        try:
            shares.append(rate_of(answer, *inputs) / noam_lr(*inputs))
        except ArithmeticError as error:
            raise Mistake(
                "your function raised an error for step = {}, d_model = "
                "{}, warmup = {}: {}",
                step,
                d_model,
                warmup,
                describe(error),
                kind="error",
            ) from None
    shares = torch.tensor(shares, dtype=torch.float64)
    if close(shares, torch.ones_like(shares)):
        judge_start(answer, d_model, warmup)
    return shares


def judge_start(answer, d_model, warmup):
    """Raise a mistake in step 0, from which PyTorch's schedulers count."""
    try:
        rate = rate_of(answer, 0, d_model, warmup)
    except ZeroDivisionError:
        raise Mistake(
            "raises an error: 0 ** -0.5 is no number; treat it as step 1",
            after=AT_0,
        ) from None
    except Exception as error:
        raise Mistake(
            "fails; treat it as step 1 ({})", describe(error), after=AT_0
        ) from None
    if rate == 0:
        raise Mistake(
            "has the rate 0, a wasted step; treat it as step 1", after=AT_0
        )
    if not math.isclose(rate, noam_lr(1, d_model, warmup), rel_tol=1e-5):
        raise Mistake(
            "has another rate than step 1; treat it as step 1", after=AT_0
        )


def guess(results, rights, inputs):
    """Return a hint for a course that no row explains."""
    (shares,), (d_model, warmup), steps = results, inputs, steps_of(inputs[1])
    rates = [
        share * noam_lr(step, d_model, warmup)
        for share, step in zip(shares.tolist(), steps, strict=True)
    ]
    near = (1 - 1e-9) * max(rates)  # the first of equal ones is the peak
    pairs = zip(steps, rates, strict=True)
    peak = next(step for step, rate in pairs if rate >= near)
    if shares[0] == 0:
        return (
            "the rate at step 1 is 0; the line rises from the first step on "
            "(// or round cuts small numbers down)"
        )
    if peak == steps[-1]:
        return (
            "your rate grows for ever; from step = warmup on it must fall "
            "like 1 / sqrt(step)"
        )
    if peak != warmup:
        return Hint(
            "with warmup = {} your largest rate is not at step {}: the "
            "peak must be at warmup",
            *(warmup, warmup),
        )
    if shares.allclose(shares[0], 1e-4):
        return Hint(
            "the course is right, but a factor is not: your rate is {} "
            "times what it must be; all that multiplies the course is "
            "1 / sqrt(d_model)",
            f"{shares[0]:.3g}",
        )
    if warmup == 1:
        return (
            "at step 1 the rate is largest, 1 / sqrt(d_model), and falls "
            "from there; put no other bound on it"
        )
    if not shares[1].isclose(shares[0], 1e-4):
        return (
            "the rate must double from step 1 to step 2: a line up to warmup"
        )
    return (
        "the line up is right, or nearly; after the warm-up, four times as "
        "many steps must halve the rate"
    )


def cases(draws):
    """Yield all cases."""
    paper, long = draws.number(512, 400, 640), draws.number(4000, 3000, 6000)
    small, wide = draws.number(64, 40, 99), draws.number(4096, 3000, 6000)
    same = draws.number(128, 100, 180)
    yield Case("", (paper, long))
    yield Case("right for d_model = 512, but not for 64: ", (small, long))
    yield Case(
        "right for d_model = 512 and 64, but not for 6: ",
        (draws.number(6, 5, 9), long),
    )
    yield Case("right for d_model up to 512, but not for 4096: ", (wide, long))
    yield Case(
        "right for warmup = 4000, but not for 100: ",
        (paper, draws.number(100, 90, 130)),
    )
    yield Case("right, but not when warmup is the width: ", (same, same))
    yield Case(
        "right, but not for a warmup of 1: ", (draws.number(32, 20, 48), 1)
    )
    yield Case(
        "right, but not for a warmup of 100000: ",
        (wide, draws.number(100_000, 80_000, 120_000)),
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=noam_lr,
        returns={"the course": "step"},
        takes=("", ""),
        through=course,
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        guess=guess,
        differ="two calls with the same step differ; keep no counter, the "
        "step is passed",
    )


check_noam_lr = check(exercise)
