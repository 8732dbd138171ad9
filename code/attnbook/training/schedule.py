"""The learning rate of each step: up in a line, then down.

A new schedule is a line in `learning_rate`, a function if it needs one, and a
name in `config.SCHEDULES`.
"""

import math


def noam_lr(step, d_model, warmup):
    """Return the learning rate of the paper: up in a line, down as a root.

    Vaswani et al. (2017), sec. 5.3, eq. (3):
    d_model^-0.5 * min(step^-0.5, step * warmup^-1.5); the peak is at
    step = warmup.

    Args:
        step: number of the step, from 1.
        d_model: width of the model.
        warmup: steps until the peak, at least 1.

    Returns:
        float.

    Raises:
        ValueError: step or warmup below 1.
    """
    if step < 1 or warmup < 1:
        raise ValueError(
            f"expected step and warmup of at least 1, got {step} and {warmup}"
        )
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def cosine_lr(step, steps, peak, warmup):
    """Return a learning rate: up in a line, down along a cosine to 0.

    Loshchilov and Hutter (2017), eq. (5), without restarts.

    Args:
        step: number of the step, from 1.
        steps: number of the last step.
        peak: learning rate at step = warmup.
        warmup: steps until the peak, at least 1.

    Returns:
        float.

    Raises:
        ValueError: step or warmup below 1.
    """
    if step < 1 or warmup < 1:
        raise ValueError(
            f"expected step and warmup of at least 1, got {step} and {warmup}"
        )
    if step < warmup:
        return peak * step / warmup
    share = (step - warmup) / max(1, steps - warmup)
    return peak * (1 + math.cos(math.pi * min(1.0, share))) / 2


def learning_rate(step, model, config):
    """Return the learning rate of a step.

    Warm-up, stable, decay ("wsd") has no function of its own: it stays at the
    peak and goes down to 0 in a line in the last fifth of the steps (Hägele
    et al., 2024, sec. 3).

    Args:
        step: its number, from 1.
        model: the model, for its width.
        config: a `TrainConfig`.

    Returns:
        float.

    Raises:
        ValueError: a schedule that has a name and no formula here.
    """
    if config.schedule == "noam":
        rate = noam_lr(step, model.config.d_model, config.warmup)
        return config.learning_rate * rate
    peak, warmup, steps = config.learning_rate, config.warmup, config.steps
    if config.schedule == "cosine":
        return cosine_lr(step, steps, peak, warmup)
    if config.schedule == "wsd":
        left = (steps - step) / (0.2 * steps)
        return peak * max(0.0, min(1.0, step / warmup, left))
    raise ValueError(f"expected a known schedule, got {config.schedule!r}")
