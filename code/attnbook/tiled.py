"""Attention block by block: the same numbers, without the whole matrix.

The softmax needs the sum over all keys.  It can be kept as a running sum, if
a running maximum is kept with it: Milakov and Gimelshein (2018), Dao et al.
(2022).

Dimension letters:
    T queries, S keys, d_k width of a query or key, d_v width of a value, b
    keys in a block; "..." stands for any leading axes, (B, H) in multi-head
    attention.
"""

import math

import torch

from attnbook.attention import check_attention


def start_state(q, v):
    """Return the running maximum, sum and mixture before the first block.

    Args:
        q: queries, float, (..., T, d_k).
        v: values, float, (..., S, d_v).

    Returns:
        The maximum, (..., T, 1), all -inf; the sum of the powers,
        (..., T, 1), and the mixture of the values, (..., T, d_v), all 0.
    """
    one = (*q.shape[:-1], 1)
    largest = q.new_full(one, -math.inf)  # (..., T, 1)
    return largest, q.new_zeros(one), q.new_zeros(*q.shape[:-1], v.size(-1))


def add_block(state, scores, v):
    """Take one more block of keys into a running softmax.

    Milakov and Gimelshein (2018), alg. 3: if a block brings a larger score,
    what was summed before it shrinks by e^(old maximum - new maximum).

    Args:
        state: maximum, (..., T, 1), sum, (..., T, 1), and mixture,
            (..., T, d_v), of the blocks before.
        scores: of this block's keys, float, (..., T, b); -inf hides one.
        v: values of this block, float, (..., b, d_v).

    Returns:
        The new state; mixture / sum is the context of the keys so far.
    """
    largest, total, mixed = state
    new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
    level = new.masked_fill(new == -math.inf, 0)  # all hidden so far
    shrink = (largest - level).exp()  # (..., T, 1), of what was before
    powers = (scores - level).exp()  # (..., T, b)
    total = shrink * total + powers.sum(dim=-1, keepdim=True)  # (..., T, 1)
    return new, total, shrink * mixed + powers @ v


def block_scores(q, k, mask, part):
    """Return the scaled scores of one block of keys, (..., T, b).

    Args:
        q: queries, float, (..., T, d_k).
        k: all keys, float, (..., S, d_k).
        mask: bool, (..., T, S), or None.
        part: the slice of keys.
    """
    keys = k[..., part, :].transpose(-2, -1)  # (..., d_k, b)
    scores = q @ keys / math.sqrt(q.size(-1))  # (..., T, b)
    if mask is None:
        return scores
    return scores.masked_fill(~mask[..., part], -math.inf)  # (..., T, b)


class Tiled(torch.autograd.Function):
    """Attention in blocks, forwards and backwards.

    No weights, (T, S), are kept: the way back computes each block of them
    again, from the logarithm of its row's sum.  Dao et al. (2022), sec. 3.1
    and appendix B.4; one number for it is from Dao (2023).
    """

    @staticmethod
    def forward(ctx, q, k, v, mask, block):
        """Return the context, (..., T, d_v); see `tiled_attention`."""
        state = start_state(q, v)
        for at in range(0, k.size(-2), block):
            part = slice(at, at + block)
            scores = block_scores(q, k, mask, part)  # (..., T, b)
            state = add_block(state, scores, v[..., part, :])
        largest, total, mixed = state
        context = mixed / total  # (..., T, d_v)
        ctx.save_for_backward(q, k, v, mask, context, largest + total.log())
        ctx.block = block
        return context

    @staticmethod
    def backward(ctx, grad):
        """Return the gradients of queries, keys and values."""
        q, k, v, mask, context, log_sum = ctx.saved_tensors
        scale = 1 / math.sqrt(q.size(-1))
        grads = [torch.zeros_like(x) for x in (q, k, v)]
        mean = (grad * context).sum(dim=-1, keepdim=True)  # (..., T, 1)
        for at in range(0, k.size(-2), ctx.block):
            part = slice(at, at + ctx.block)
            scores = block_scores(q, k, mask, part)  # (..., T, b)
            weights = (scores - log_sum).exp()  # (..., T, b)
            back = grad @ v[..., part, :].transpose(-2, -1)  # (..., T, b)
            back = weights * (back - mean) * scale  # exercise 4.7
            grads[0] += back @ k[..., part, :]
            grads[1][..., part, :] = back.transpose(-2, -1) @ q
            grads[2][..., part, :] = weights.transpose(-2, -1) @ grad
        return *grads, None, None


def tiled_attention(q, k, v, mask=None, block=128):
    """Compute scaled dot-product attention one block of keys at a time.

    Arguments as in `attention.scaled_dot_product_attention`, whose context it
    returns in memory that grows with T, and not with T x S; block is the
    number of keys in a block.

    Returns:
        The context, (..., T, d_v), and None for the weights.

    Raises:
        ValueError: shapes or types that do not fit, a row without a True, or a
            block below 1.
    """
    check_attention(q, k, v, mask)
    if block < 1:
        raise ValueError(f"expected a block of at least 1 key, got {block}")
    axes = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    q, k, v = (x.expand(*axes, *x.shape[-2:]) for x in (q, k, v))
    if mask is not None:
        mask = mask.expand(*axes, q.size(-2), k.size(-2))  # (..., T, S)
    return Tiled.apply(q, k, v, mask, block), None
