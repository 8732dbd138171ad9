"""What stands around attention: layer norm, feed-forward, residuals.

Dimension letters:
    T length, D = d_model, F = d_ff; "..." stands for any leading axes.
"""

import torch
import torch.nn.functional as F
from torch import nn

from attnbook.dropout import Dropout


def layer_norm(x, gain, bias, eps=1e-5):
    """Give every vector mean 0 and variance 1, then rescale it.

    Ba et al. (2016), sec. 3.1, eq. (4), and eps, which they do not have:
    gain * (x - mean) / sqrt(variance + eps) + bias, where mean and
    variance (divided by D) are taken over the last axis.

    Args:
        x: vectors, float, (..., D).
        gain: scale of each feature, (D,).
        bias: shift of each feature, (D,).
        eps: keeps the root away from 0; inside the root, as in PyTorch.

    Returns:
        (..., D).
    """
    centred = x - x.mean(dim=-1, keepdim=True)  # (..., D)
    variance = centred.square().mean(dim=-1, keepdim=True)  # (..., 1)
    return gain * centred / (variance + eps).sqrt() + bias  # (..., D)


class LayerNorm(nn.Module):
    """Layer norm of width d_model, with learned gain and bias.

    Computes `layer_norm` through PyTorch's fused form of it, which is
    faster; a test shows the two equal.
    """

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        """Normalise every vector, float, (..., D)."""
        return F.layer_norm(x, self.gain.shape, self.gain, self.bias, self.eps)


def feed_forward(x, w_1, b_1, w_2, b_2):
    """Send every vector through the same two-layer network.

    Vaswani et al. (2017), sec. 3.3, eq. (2): max(0, x W_1 + b_1) W_2 + b_2.

    Args:
        x: vectors, float, (..., D).
        w_1: (D, F).
        b_1: (F,).
        w_2: (F, D).
        b_2: (D,).

    Returns:
        (..., D).
    """
    hidden = (x @ w_1 + b_1).relu()  # (..., F)
    return hidden @ w_2 + b_2  # (..., D)


class FeedForward(nn.Module):
    """The feed-forward part, d_model to d_ff and back; see `feed_forward`."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.inner = nn.Linear(d_model, d_ff)
        self.outer = nn.Linear(d_ff, d_model)

    def forward(self, x):
        """Transform every vector, float, (..., D), on its own."""
        return self.outer(self.inner(x).relu())  # (..., F) -> (..., D)


class PreNorm(nn.Module):
    """A residual around a sublayer, with the norm before it.

    x + dropout(sublayer(norm(x))): Xiong et al. (2020), fig. 1 (b).  While
    training, the share `dropout` of the sublayer's output is set to 0.
    """

    def __init__(self, d_model, dropout):
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = Dropout(dropout)

    def before(self, x):
        """Return what the sublayer reads, (..., T, D), given the stream."""
        return self.norm(x)

    def after(self, x, output):
        """Return the new stream, given the old and the sublayer's output."""
        return x + self.dropout(output)  # (..., T, D)


class PostNorm(nn.Module):
    """A residual around a sublayer, with the norm after it.

    norm(x + dropout(sublayer(x))): Vaswani et al. (2017), sec. 3.1.  While
    training, the share `dropout` of the sublayer's output is set to 0.
    """

    def __init__(self, d_model, dropout):
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = Dropout(dropout)

    def before(self, x):
        """Return what the sublayer reads, (..., T, D), given the stream."""
        return x

    def after(self, x, output):
        """Return the new stream, given the old and the sublayer's output."""
        return self.norm(x + self.dropout(output))  # (..., T, D)
