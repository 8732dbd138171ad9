"""Is something written in a state?  Let a linear map try to read it off.

What a probe reads is present; whether the model uses it, only a change
shows (see `tracing.patch_states`).

Dimension letters:
    B batch, S source length, D = d_model, N layers.
"""

import torch

from attnbook.probes import tracing


def encoder_states(model, source, target):
    """Return the encoder's stream at every depth.

    Args:
        model: a `Transformer` in eval mode.
        source: source ids, int, (B, S).
        target: decoder input ids, int, (B, T); they change nothing.

    Returns:
        (N + 1, B, S, D): before the first layer, and after each.
    """
    states = []

    def note(depth, x):
        states.append(x)
        return x

    tracing.run(model, source, target, edit=note)
    return torch.stack(states)  # (N + 1, B, S, D)


def fit_ridge(x, y, strength=0.01):
    """Fit a linear map with small weights, in closed form.

    Args:
        x: inputs, (B, D).
        y: what to predict, (B,).
        strength: how much the squared weights cost, in units of the mean
            variance of the inputs (or of a millionth, if they hardly vary).

    Returns:
        Weights, (D,), and bias, a tensor of one number.
    """
    x, y = x.double(), y.double()
    middle, level = x.mean(0), y.mean()
    centred = x - middle  # (B, D)
    moments = centred.T @ centred / len(x)  # (D, D)
    cost = strength * moments.diagonal().mean().clamp(min=1e-6)
    penalty = cost * torch.eye(len(moments), dtype=x.dtype)
    weights = torch.linalg.solve(
        moments + penalty, centred.T @ (y - level) / len(x)
    )  # (D,)
    return weights, level - middle @ weights


def probe_accuracy(x, label, train):
    """Return how often a linear map reads a label off states it is new to.

    Args:
        x: states, (B, D).
        label: bool, (B,).
        train: bool, (B,), True = fit on it; the others judge.

    Returns:
        A float between 0 and 1.
    """
    y = label * 2.0 - 1  # -1 or 1
    weights, bias = fit_ridge(x[train], y[train])
    read = x[~train].double() @ weights + bias  # (judged,)
    return ((read > 0) == label[~train]).float().mean().item()
