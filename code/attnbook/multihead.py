"""Multi-head attention: split, attend in every head, merge.

Dimension letters:
    B batch, H heads, T query length, S key length, D = d_model, d_k = D / H
    width of one head.
"""

import torch
from torch import nn

from attnbook.attention import scaled_dot_product_attention


def check_heads(d_model, num_heads):
    """Refuse a width D that H heads cannot share evenly.

    Args:
        d_model: width D.
        num_heads: number of heads H.

    Raises:
        ValueError: no head, or d_model not divisible by num_heads.
    """
    if num_heads < 1 or d_model < 1 or d_model % num_heads:
        raise ValueError(
            "expected d_model divisible by num_heads, both at least 1, got "
            f"d_model {d_model} and num_heads {num_heads}"
        )


def split_heads(x, num_heads):
    """Cut the width into heads, one block of d_k = D / H numbers each.

    Vaswani et al. (2017), sec. 3.2.2.  The cut comes after the
    projection: each head then sees all of the input.

    Args:
        x: projected queries, keys or values, (B, T, D).
        num_heads: number of heads H.

    Returns:
        (B, H, T, d_k).

    Raises:
        ValueError: x without three axes, or D not divisible by H.
    """
    if x.dim() != 3:
        raise ValueError(
            f"expected (batch, length, d_model), got {tuple(x.shape)}"
        )
    check_heads(x.size(-1), num_heads)
    x = x.unflatten(-1, (num_heads, -1))  # (B, T, D) -> (B, T, H, d_k)
    return x.transpose(1, 2)  # (B, T, H, d_k) -> (B, H, T, d_k)


def merge_heads(x):
    """Lay the heads side by side again; the inverse of `split_heads`.

    Vaswani et al. (2017), sec. 3.2.2, "Concat".  The transpose must come
    before the flattening, or positions are mixed.

    Args:
        x: what each head found, (B, H, T, d_k).

    Returns:
        (B, T, D).

    Raises:
        ValueError: x without four axes.
    """
    if x.dim() != 4:
        raise ValueError(
            f"expected (batch, heads, length, width), got {tuple(x.shape)}"
        )
    x = x.transpose(1, 2)  # (B, H, T, d_k) -> (B, T, H, d_k)
    return x.flatten(start_dim=2)  # (B, T, H, d_k) -> (B, T, D)


def check_inputs(weight, q, k, v):
    """Refuse what a layer's projections cannot read.

    Args:
        weight: matrix of a projection, float, (D, D).
        q: what asks, (B, T, D).
        k: what is asked, (B, S, D).
        v: what answers, (B, S, D).

    Raises:
        ValueError: another shape, or another type than the matrix has; under
            autocast any floating-point type.
    """
    for name, x in (("q", q), ("k", k), ("v", v)):
        typed = x.dtype == weight.dtype or (
            x.is_floating_point()
            and torch.is_autocast_enabled(weight.device.type)
        )
        if x.dim() != 3 or x.size(-1) != weight.size(-1) or not typed:
            raise ValueError(
                f"expected {name} as {weight.dtype} of shape (batch, length, "
                f"{weight.size(-1)}), got {x.dtype} of shape {tuple(x.shape)}"
            )


class MultiHeadAttention(nn.Module):
    """Attend several times side by side, each head in its own projection.

    Vaswani et al. (2017), sec. 3.2.2.  The projections have biases, like
    those of `nn.MultiheadAttention`; the paper's formula has none.
    Raises ValueError unless num_heads divides the width d_model.
    """

    def __init__(self, d_model, num_heads):
        super().__init__()
        check_heads(d_model, num_heads)
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, mask=None, attend=scaled_dot_product_attention):
        """Project, attend in every head, merge, project.

        Args:
            q: what asks, float, (B, T, D).
            k: what is asked, float, (B, S, D).
            v: what answers, float, (B, S, D).
            mask: bool, broadcastable to (B, H, T, S), True = may attend.
            attend: the attention function, called in every head.

        Returns:
            The output, (B, T, D), and the weights, (B, H, T, S), of `attend`.

        Raises:
            ValueError: another width or type, or what `attend` refuses.
        """
        check_inputs(self.w_q.weight, q, k, v)
        q = split_heads(self.w_q(q), self.num_heads)  # (B, H, T, d_k)
        k = split_heads(self.w_k(k), self.num_heads)  # (B, H, S, d_k)
        v = split_heads(self.w_v(v), self.num_heads)  # (B, H, S, d_k)
        context, weights = attend(q, k, v, mask)
        return self.w_o(merge_heads(context)), weights
