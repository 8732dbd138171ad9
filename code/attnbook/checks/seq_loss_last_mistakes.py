"""What learners make of a right loss in a last step, by name.

Dimension letters:
    B batch, T target length, V vocabulary.
"""

import math

import torch


def wrong_last_steps(right, logits, target, pad_id, e):
    """Return pairs of a hint and what is made of the right loss."""
    v = logits.size(-1)
    shares = torch.full((v,), e / v, dtype=torch.float64)
    shares[0] += 1 - e
    floor = -torch.special.xlogy(shares, shares).sum()
    labels = target[:, 1:]
    real = labels != pad_id  # (B, T)
    p = logits.softmax(-1).gather(-1, labels[..., None])[..., 0][real]
    rows = [
        ("the sign is missing: a loss is minus the log-probability", -right),
        (
            "this is the perplexity, exp of the loss; return the loss",
            exp(right),
        ),
        ("you use the logarithm to base 2; use ln", right / math.log(2)),
        (
            "you average probabilities; average their logarithms, with a "
            "minus",
            -p.mean(),
        ),
        ("you average 1 - p; average -ln p", 1 - p.mean()),
        (
            "you take the logarithm of the mean probability; take the mean "
            "of the logarithms",
            -p.mean().log(),
        ),
    ]
    if e:
        kl = "this is the loss minus its floor (a KL divergence); return the "
        rows.append((kl + "cross-entropy itself", right - floor))
    return rows


def exp(x):
    """Return e to the x without overflow."""
    return x.clamp(max=80).exp()
