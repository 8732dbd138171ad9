"""Check of the learning rate of the paper."""

import math
import numbers

import numpy as np
import torch

from attnbook.checks.engine.calling import call
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.noam_mistakes import (
    right_rate,
    unknown_rates,
    wrong_rates,
)

STAGES = {  # what to say when the answer fails: d_model, warmup
    "": (512, 4000),
    "right for d_model = 512, but not for 64: ": (64, 4000),
    "right for warmup = 4000, but not for 100: ": (512, 100),
    "right, but not when warmup is the width: ": (128, 128),
    "right, but not for a warmup of 1: ": (32, 1),
    "right, but not for a warmup of 100000: ": (4096, 100_000),
}


def steps_of(warmup):
    """Return the steps to try, from 1 to far beyond the warm-up, rising."""
    shares = {warmup // 4, warmup - 1, warmup, warmup + 1, 2 * warmup}
    whole = {1, 2, 3, *shares, 4 * warmup, 25 * warmup}
    return sorted(step for step in whole if step >= 1)


def number_of(result):
    """Return a result as a float, or say why it is no learning rate."""
    arrays = torch.Tensor, np.ndarray
    if isinstance(result, arrays) and result.ndim == 0:
        result = result.item()
    if isinstance(result, (tuple, list, *arrays)):
        raise Mistake("return one number, the learning rate of this step")
    real = isinstance(result, numbers.Real) and not isinstance(result, bool)
    if not real:
        raise Mistake(
            f"return a number, not {type(result).__name__}"
            + ": a root of something negative?"
            * isinstance(result, numbers.Complex)
        )
    if not math.isfinite(result):
        raise Mistake(f"a learning rate must be a finite number, not {result}")
    if result < 0:
        raise Mistake("a learning rate must not be negative; yours is")
    return float(result)


def same(rates, others):
    """Say whether two courses agree but for rounding."""
    pairs = zip(rates, others, strict=True)
    return all(math.isclose(a, b, rel_tol=1e-5) for a, b in pairs)


def judge_course(answer, d_model, warmup):
    """Raise a mistake in the rates from step 1 on."""
    steps = steps_of(warmup)
    given = [(step, d_model, warmup) for step in steps]
    rates = [number_of(call(answer, *values)) for values in given]
    if same(rates, [right_rate(*values) for values in given]):
        return
    again = [number_of(call(answer, *values)) for values in given]
    if not same(rates, again):
        raise Mistake(
            "two calls with the same step differ; keep no counter, the step "
            "is passed"
        )
    rights = [right_rate(*values) for values in given]
    for digits in range(3, 8):
        if same(rates, [round(rate, digits) for rate in rights]):
            raise Mistake(
                "you round the rate; the first ones are tiny, so leave every "
                "digit as it is"
            )
    for hint, schedule in wrong_rates():
        if same(rates, [schedule(*values) for values in given]):
            raise Mistake(hint)
    raise Mistake(unknown_rates(rates, steps, warmup))


def judge_start(answer, d_model, warmup):
    """Raise a mistake in step 0, from which PyTorch's schedulers count."""
    late = "right from step 1 on, but step 0, with which PyTorch's "
    late += "schedulers begin, "
    try:
        rate = number_of(call(answer, 0, d_model, warmup))
    except Mistake as mistake:
        zero = "ZeroDivision" in str(mistake)
        why = "raises an error: 0 ** -0.5 is no number" if zero else "fails"
        tail = "" if zero else f" ({mistake})"
        raise Mistake(f"{late}{why}; treat it as step 1{tail}") from None
    if rate == 0:
        raise Mistake(
            f"{late}has the rate 0, a wasted step; treat it as step 1"
        )
    if not same([rate], [right_rate(1, d_model, warmup)]):
        raise Mistake(
            f"{late}has another rate than step 1; treat it as step 1"
        )


@checker
def check_noam_lr(answer):
    """Check exercise ``noam_lr(step, d_model, warmup)``.

    Args:
        answer: a function of the step, from 1, or 0 for the same as 1, the
            width and the number of warm-up steps; it returns the rate.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, (d_model, warmup) in STAGES.items():
        try:
            judge_course(answer, d_model, warmup)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    for d_model, warmup in STAGES.values():
        judge_start(answer, d_model, warmup)
