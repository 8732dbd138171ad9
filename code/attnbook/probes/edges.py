"""Take edges out of a trained Transformer's attention; see chapter 15.

An edge leads from a query to a key.  To take it out before the softmax is
two changes at once: the query does not hear this key, and the other keys
share its weight.  To take it out after the softmax is the first alone.  The
functions here make the `attend` of `tracing.run`.

Dimension letters:
    B batch, H heads, T queries, S keys.
"""

import torch

from attnbook.attention import scaled_dot_product_attention
from attnbook.probes.tracing import check_parts, keep_attention


def cut_edges(**edges):
    """Make the attention of a model in which edges are cut in all heads.

    The cut stands before the softmax, so the other keys get its weight.

    Args:
        edges: for "encoder", "decoder" or "cross" what is cut there in all
            layers, bool, broadcastable to (B, H, T, S), True = cut.

    Returns:
        A function to pass to `tracing.run` as `attend`.

    Raises:
        ValueError: an unknown part.
    """
    check_parts(edges)

    def attend(part, layer):
        if part not in edges:
            return keep_attention(part, layer)

        def cutting(q, k, v, mask=None):
            kept = ~edges[part] if mask is None else mask & ~edges[part]
            return scaled_dot_product_attention(q, k, v, kept)

        return cutting

    return attend


def reweight(change, parts):
    """Make attention whose weights are changed after the softmax.

    Args:
        change: a function of the part and its weights, (B, H, T, S), that
            returns the weights to mix with.
        parts: in which parts, out of "encoder", "decoder" and "cross".

    Returns:
        A function to pass to `tracing.run` as `attend`.

    Raises:
        ValueError: an unknown part.
    """
    check_parts(parts)

    def attend(part, layer):
        if part not in parts:
            return keep_attention(part, layer)

        def changed(q, k, v, mask=None):
            _, weights = scaled_dot_product_attention(q, k, v, mask)
            weights = change(part, weights)  # (B, H, T, S)
            return weights @ v, weights

        return changed

    return attend


def zero_edges(**edges):
    """Make the attention of a model in which edges are silent in all heads.

    They are set to zero after the softmax: the other keys keep the weights
    that they had, and the row sums to less than 1.  Arguments, returns and
    raises as in `cut_edges`.
    """

    def zeroed(part, weights):
        return weights.masked_fill(edges[part], 0)  # (B, H, T, S)

    return reweight(zeroed, edges)


def match_weight(weights, edges, order):
    """Choose other weights that are worth as much as those of some edges.

    The row's other keys give what they have, in all heads, one key after
    the other, until the heads together lose as much as the edges hold
    (which they can as long as the edges hold no more than half).

    Args:
        weights: (B, H, T, S).
        edges: bool, broadcastable to (B, H, T, S).
        order: which key gives first, the lowest number; (B, S).

    Returns:
        What to take from each weight, (B, H, T, S); 0 on the edges.
    """
    wanted = (weights * edges).sum((1, 3), keepdim=True)  # (B, 1, T, 1)
    others = weights.masked_fill(edges, 0)  # (B, H, T, S)
    keys = others.sum(1, keepdim=True)  # (B, 1, T, S)
    turn = order.argsort(-1)[:, None, None].expand_as(keys)
    queue = keys.gather(-1, turn)  # (B, 1, T, S)
    still = wanted - queue.cumsum(-1) + queue  # before each key's turn
    share = (still / queue.clamp(min=1e-9)).clamp(0, 1)
    return others * torch.zeros_like(keys).scatter(-1, turn, share)


def take_as_much(order, share_out, **edges):
    """Make attention that loses as much weight as edges hold, elsewhere.

    A control: if an edge matters because of what its key says, to take as
    much from other keys must do less.

    Args:
        order: see `match_weight`; (B, S).
        share_out: whether the keys that are left share what was taken, as
            after `cut_edges`; otherwise it is lost, as after `zero_edges`.
            A head with nothing left stays silent.
        edges: as in `cut_edges`; they themselves stay.

    Returns:
        A function to pass to `tracing.run` as `attend`.

    Raises:
        ValueError: an unknown part.
    """

    def changed(part, weights):
        weights = weights - match_weight(weights, edges[part], order)
        total = weights.sum(-1, keepdim=True)  # (B, H, T, 1)
        return weights / total.clamp(min=1e-9) if share_out else weights

    return reweight(changed, edges)
