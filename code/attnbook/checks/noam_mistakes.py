"""The wrong schedules that the check of the learning rate knows by name."""

import math


def line(step, warmup):
    """Return the rising line, without the factor of the width."""
    return step * warmup**-1.5


def right_rate(step, d_model, warmup):
    """Return the rate of the paper; step 0 counts as step 1."""
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, line(step, warmup))


def wrong_factors():
    """Return pairs of a hint and a schedule with a wrong factor."""

    def times(factor):
        return lambda s, d, w: factor(d, w) * d**0.5 * right_rate(s, d, w)

    return [
        ("the factor 1 / sqrt(d_model) is missing", times(lambda d, w: 1)),
        (
            "you multiply by sqrt(d_model); divide by it",
            times(lambda d, w: d**0.5),
        ),
        (
            "you divide by d_model; divide by its root",
            times(lambda d, w: 1 / d),
        ),
        ("you multiply by d_model; divide by its root", times(lambda d, w: d)),
        (
            "512 is written into your function; use d_model",
            times(lambda d, w: 512**-0.5),
        ),
        (
            "the factor 1 / sqrt(d_model) stands at the root alone; it "
            "belongs to the line as well",
            lambda s, d, w: min((d * s) ** -0.5, line(s, w)),
        ),
        (
            "the factor 1 / sqrt(d_model) stands at the line alone; it "
            "belongs to the root as well",
            lambda s, d, w: min(s**-0.5, d**-0.5 * line(s, w)),
        ),
        (
            "you divide by sqrt(d_model) and multiply by sqrt(warmup), so "
            "that the peak is 1 / sqrt(d_model); leave the second out",
            times(lambda d, w: (w / d) ** 0.5),
        ),
    ]


def wrong_shapes():
    """Return pairs of a hint and a schedule with a wrong course."""
    root = "the rising line must meet the falling root at step = warmup: "
    root += "step * warmup ** -1.5; yours has another power of warmup"
    return [
        (
            "you take the larger of the two; the smaller one rises, then "
            "falls: min",
            lambda s, d, w: d**-0.5 * max(s**-0.5, line(s, w)),
        ),
        (
            "your rate grows for ever; from step = warmup on it must fall "
            "like 1 / sqrt(step) (has the power of step lost its minus?)",
            lambda s, d, w: d**-0.5 * line(s, w),
        ),
        (
            "there is no warm-up: your rate falls from the first step on "
            "(has the power of warmup, -1.5, lost its minus?)",
            lambda s, d, w: d**-0.5 * s**-0.5,
        ),
        (
            "your rate stays at its peak; after the warm-up it must fall "
            "like 1 / sqrt(step)",
            lambda s, d, w: d**-0.5 * min(w**-0.5, line(s, w)),
        ),
        (
            "you multiply line and root; take the smaller of the two",
            lambda s, d, w: d**-0.5 * s**-0.5 * line(s, w),
        ),
        (
            "you add line and root; take the smaller of the two",
            lambda s, d, w: d**-0.5 * (s**-0.5 + line(s, w)),
        ),
        (root, lambda s, d, w: d**-0.5 * min(s**-0.5, s * w**-0.5)),
        (root, lambda s, d, w: d**-0.5 * min(s**-0.5, s / w)),
        (
            "after the warm-up you fall like 1 / step; fall like its root",
            lambda s, d, w: d**-0.5 * min(w**0.5 / s, line(s, w)),
        ),
        (
            "after the warm-up you fall like 1 / step; fall like its root",
            lambda s, d, w: d**-0.5 * min(1 / s, line(s, w)),
        ),
        (
            "you warm up along a root; warm up along a line, step * "
            "warmup ** -1.5",
            lambda s, d, w: d**-0.5 * min(s**-0.5, s**0.5 / w),
        ),
    ]


def wrong_arguments():
    """Return pairs of a hint and a schedule of other arguments."""
    return [
        (
            "d_model and warmup have changed places",
            lambda s, d, w: right_rate(s, w, d),
        ),
        (
            "4000 is written into your function; use warmup",
            lambda s, d, w: right_rate(s, d, 4000),
        ),
        (
            "you count one step too many: step 1 is the first, use it as "
            "it comes",
            lambda s, d, w: right_rate(s + 1, d, w),
        ),
        (
            "you count one step too few: step 1 is the first, use it as it "
            "comes",
            lambda s, d, w: right_rate(s - 1, d, w) if s > 1 else 0.0,
        ),
        (
            "you divide whole numbers with //, which cuts the line down "
            "to 0; use /",
            lambda s, d, w: d**-0.5 * min(s**-0.5, s // w**1.5),
        ),
        (
            "you count the steps after the warm-up from 1 again, so the "
            "rate jumps up; use the step itself",
            lambda s, d, w: (
                d**-0.5 * (line(s, w) if s <= w else (s - w) ** -0.5)
            ),
        ),
        (
            "from step = warmup on you count from 1 again, so the rate jumps "
            "up; use the step itself",
            lambda s, d, w: (
                d**-0.5 * (line(s, w) if s < w else (s - w + 1) ** -0.5)
            ),
        ),
    ]


def wrong_rates():
    """Return pairs of a hint and a schedule, a function like the task's."""
    return [*wrong_factors(), *wrong_shapes(), *wrong_arguments()]


def unknown_rates(rates, steps, warmup):
    """Return a hint for a schedule that no mistake in the list explains.

    Args:
        rates: what the answer gives at the steps, floats.
        steps: the steps, rising.
        warmup: the step at which the peak must be.
    """
    if rates[0] == 0:
        return (
            "the rate at step 1 is 0; the line rises from the first step on "
            "(// or round cuts small numbers down)"
        )
    best = max(range(len(steps)), key=lambda i: rates[i])
    if best == len(steps) - 1:
        return (
            "your rate grows for ever; from step = warmup on it must fall "
            "like 1 / sqrt(step)"
        )
    if steps[best] != warmup:
        return (
            f"with warmup = {warmup} your largest rate is not at step "
            f"{warmup}: the peak must be at warmup"
        )
    factor = rates[0] / right_rate(steps[0], 1, warmup)
    wanted = [factor * right_rate(s, 1, warmup) for s in steps]
    pairs = zip(rates, wanted, strict=True)
    if all(math.isclose(a, b, rel_tol=1e-4) for a, b in pairs):
        return "the course is right, but a factor is not: 1 / sqrt(d_model)"
    if warmup == 1:
        return (
            "at step 1 the rate is largest, 1 / sqrt(d_model), and falls "
            "from there; put no other bound on it"
        )
    if not math.isclose(rates[1], 2 * rates[0], rel_tol=1e-4):
        return (
            "the rate must double from step 1 to step 2: a line up to warmup"
        )
    return (
        "the line up is right, or nearly; after the warm-up, four times as "
        "many steps must halve the rate"
    )
