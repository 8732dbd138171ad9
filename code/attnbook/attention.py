"""Scaled dot-product attention, and additive attention before it.

Dimension letters:
    T query length, S key length, d_k width of a query or key, d_v width of a
    value, A width of the additive score; "..." stands for any leading axes,
    (B, H) in multi-head attention.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

from attnbook.masks import check_visible_keys


def check_attention(q, k, v, mask=None):
    """Refuse queries, keys, values or a mask that do not fit together.

    Arguments as in `scaled_dot_product_attention`.

    Raises:
        ValueError: says what was expected and what came.
    """
    if min(q.dim(), k.dim(), v.dim()) < 2:
        raise ValueError(
            "expected q, k and v with at least 2 axes (length, width), got "
            f"{q.dim()}, {k.dim()} and {v.dim()}"
        )
    if not q.is_floating_point() or not q.dtype == k.dtype == v.dtype:
        raise ValueError(
            "expected q, k and v of one floating-point type, got "
            f"{q.dtype}, {k.dtype} and {v.dtype}"
        )
    if q.size(-1) != k.size(-1):
        raise ValueError(
            "expected q and k of the same width, got "
            f"{q.size(-1)} and {k.size(-1)}"
        )
    if k.size(-2) != v.size(-2) or k.size(-2) == 0:
        raise ValueError(
            "expected as many values as keys, at least one, got "
            f"{k.size(-2)} keys and {v.size(-2)} values"
        )
    leading = q.shape[:-2], k.shape[:-2], v.shape[:-2]
    try:
        leading = torch.broadcast_shapes(*leading)
    except RuntimeError:
        raise ValueError(
            "expected leading axes that fit together, got "
            + ", ".join(str(tuple(axes)) for axes in leading)
        ) from None
    if mask is not None:
        check_mask(mask, (*leading, q.size(-2), k.size(-2)))


def check_mask(mask, shape):
    """Refuse a mask that is not bool, does not fit, or blinds a query.

    Args:
        mask: the mask.
        shape: shape of the scores, (..., T, S).

    Raises:
        ValueError: says what was expected and what came.
    """
    if mask.dtype != torch.bool:
        raise ValueError(
            f"expected a bool mask, True = may attend, got {mask.dtype}"
        )
    try:
        fits = torch.broadcast_shapes(mask.shape, shape) == tuple(shape)
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(
            f"expected a mask broadcastable to {tuple(shape)}, got "
            f"{tuple(mask.shape)}"
        )
    check_visible_keys(mask)


def scaled_dot_product_attention(q, k, v, mask=None):
    """Mix the values, each query weighting the keys it matches.

    Vaswani et al. (2017), sec. 3.2.1, eq. (1):
    softmax(Q K^T / sqrt(d_k)) V.  Steps: score, mask, normalise, mix.

    Args:
        q: queries, float, (..., T, d_k).
        k: keys, float, (..., S, d_k).
        v: values, float, (..., S, d_v).
        mask: bool, broadcastable to (..., T, S), True = may attend, at least
            one True in every row; or None.

    Returns:
        The context, (..., T, d_v), and the weights, (..., T, S); every row
        of the weights sums to 1.

    Raises:
        ValueError: shapes or types that do not fit, or a row without a True.
    """
    check_attention(q, k, v, mask)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T, S)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)  # (..., T, S)
    weights = scores.softmax(dim=-1)  # (..., T, S)
    return weights @ v, weights  # (..., T, d_v), (..., T, S)


PLAIN_UP_TO = 256  # keys; `make experiments RUN=attention_forms`


def is_plain_faster(q, k):
    """Say whether the plain formula is the faster form for q and k.

    Measured (``results.load("attention_forms")``, ``"attention_forms_gpu"``):
    in bfloat16 on a CPU the plain formula wins while there are few keys, most
    of all in training; in float32 and float64, and on a GPU in every row,
    PyTorch's own form.  In float16 on a CPU that is taken unmeasured.

    Arguments as in `scaled_dot_product_attention`.
    """
    on_cpu = q.device.type == "cpu"
    return on_cpu and q.dtype == torch.bfloat16 and k.size(-2) <= PLAIN_UP_TO


def plain_attention(q, k, v, mask=None):
    """Return the context, (..., T, d_v), by the formula, unchecked.

    Arguments as in `scaled_dot_product_attention`.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T, S)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)  # (..., T, S)
    return scores.softmax(dim=-1) @ v  # (..., T, d_v)


def fast_attention(q, k, v, mask=None):
    """Return the context, (..., T, d_v), and None for the weights.

    Arguments as in `scaled_dot_product_attention`, but unchecked, and the
    faster of two forms is taken: for training.
    """
    if is_plain_faster(q, k):
        return plain_attention(q, k, v, mask), None
    if mask is not None and mask.dim() < 2:  # PyTorch's form wants both axes
        mask = mask.expand(q.size(-2), k.size(-2))  # (T, S)
    return F.scaled_dot_product_attention(q, k, v, mask), None


def check_additive(query, keys, w_q, w_k, v, mask=None):
    """Refuse inputs or weights that do not fit together.

    Arguments as in `additive_attention`; under autocast the weights may have
    another type.

    Raises:
        ValueError: says what was expected and what came.
    """
    narrow = (torch.atleast_1d(x)[..., :1] for x in (query, keys))
    check_attention(*narrow, keys, mask)  # all but the widths
    sizes = [tuple(w.shape) for w in (w_q, w_k, v)]
    wanted = [(x.size(-1), *v.shape) for x in (query, keys)]
    fits = v.dim() == 1 and sizes == [*wanted, tuple(v.shape)]
    types = {query.dtype, w_q.dtype, w_k.dtype, v.dtype}
    alike = len(types) == 1 or torch.is_autocast_enabled(query.device.type)
    if not fits or not alike:
        raise ValueError(
            f"expected w_q, w_k and v of {query.dtype} and shapes (d_q, A), "
            f"(d_k, A) and (A,) with d_q = {query.size(-1)} and "
            f"d_k = {keys.size(-1)}, got shapes {sizes} and types "
            f"{[w.dtype for w in (w_q, w_k, v)]}"
        )


def additive_attention(query, keys, w_q, w_k, v, mask=None):
    """Mix the keys, scored against each query by a small neural network.

    Bahdanau et al. (2015), sec. 3.1 and A.1.2:
    score = v . tanh(query W^Q + key W^K); the keys are the values too.

    Args:
        query: queries, float, (..., T, d_q).
        keys: keys, float, (..., S, d_k).
        w_q: weights of the query, (d_q, A).
        w_k: weights of the keys, (d_k, A).
        v: weights of the score, (A,).
        mask: bool, broadcastable to (..., T, S), True = may attend, at least
            one True in every row; or None.

    Returns:
        The context, (..., T, d_k), and the weights, (..., T, S); every row
        of the weights sums to 1.

    Raises:
        ValueError: shapes or types that do not fit, or a row without a True.
    """
    check_additive(query, keys, w_q, w_k, v, mask)
    q, k = query @ w_q, keys @ w_k  # (..., T, A), (..., S, A)
    hidden = q.unsqueeze(-2) + k.unsqueeze(-3)  # (..., T, S, A)
    scores = hidden.tanh() @ v  # (..., T, S)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)  # (..., T, S)
    weights = scores.softmax(dim=-1)  # (..., T, S)
    return weights @ keys, weights  # (..., T, d_k), (..., T, S)


class AdditiveAttention(nn.Module):
    """Additive attention with learned weights.

    Bahdanau et al. (2015), sec. 3.1 and A.1.2.  Widths: d_query of a query,
    d_key of a key, d_hidden of the score's hidden layer.
    """

    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_q = nn.Parameter(torch.empty(d_query, d_hidden))
        self.w_k = nn.Parameter(torch.empty(d_key, d_hidden))
        self.v = nn.Parameter(torch.empty(d_hidden))
        nn.init.xavier_uniform_(self.w_q)
        nn.init.xavier_uniform_(self.w_k)
        nn.init.uniform_(self.v, -(d_hidden**-0.5), d_hidden**-0.5)

    def forward(self, query, keys, mask=None):
        """Return context and weights; arguments as in `additive_attention`."""
        return additive_attention(
            query, keys, self.w_q, self.w_k, self.v, mask
        )
