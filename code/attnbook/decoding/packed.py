"""Products with weights that are laid out once for all of them.

Dimension letters:
    D width of the input, E width of the output; "..." stands for any
    leading axes.
"""

import torch
import torch.nn.functional as F

PACK_SIZE = 2**18  # numbers; PyTorch's products of small matrices are good


def can_pack(weight):
    """Say whether oneDNN can, and should, lay out weights for products."""
    on_cpu = weight.device.type == "cpu" and weight.dtype == torch.float32
    return (
        on_cpu
        and weight.numel() >= PACK_SIZE
        and torch.backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )


def linear(weight, bias, packed):
    """Return the function x -> x W^T + b of vectors.

    Packed once, weights lie in memory as the product reads them.  PyTorch
    has that for compiled models; it is worth most where rows are few.

    Args:
        weight: float, (E, D).
        bias: float, (E,), or None.
        packed: whether to lay out the weights anew, where that is possible.

    Returns:
        A function of (..., D) that returns (..., E).
    """
    if not (packed and can_pack(weight)):
        return lambda x: F.linear(x, weight, bias)
    ops = torch.ops.mkldnn
    weight = ops._reorder_linear_weight(weight.detach(), None)
    return lambda x: ops._linear_pointwise(x, weight, bias, "none", [], "")


def of_layer(layer, packed):
    """Return the products of a decoder layer, name -> function.

    Args:
        layer: a `DecoderLayer`.
        packed: see `linear`.
    """
    own, cross = layer.self_attention, layer.cross_attention
    joint = own.w_q, own.w_k, own.w_v  # one product instead of three
    weight = torch.cat([part.weight for part in joint])  # (3 D, D)
    bias = torch.cat([part.bias for part in joint])  # (3 D,)
    parts = {
        "own_out": own.w_o,
        "cross_q": cross.w_q,
        "cross_out": cross.w_o,
        "inner": layer.feed_forward.inner,
        "outer": layer.feed_forward.outer,
    }
    found = {
        name: linear(part.weight, part.bias, packed)
        for name, part in parts.items()
    }
    return found | {"joint": linear(weight, bias, packed)}
