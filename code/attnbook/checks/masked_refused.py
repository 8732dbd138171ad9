"""What the check of masked attention says when PyTorch refuses a step.

Dimension letters:
    B batch, H heads, T queries, S keys.
"""

import torch

from attnbook.checks.refused import refused_tensors

PRODUCT = "q @ k needs k.transpose(-2, -1); k.T turns all four axes round"
BROADCAST = (
    "the mask may have fewer axes than the scores, or axes of size 1; "
    "masked_fill and torch.where broadcast, indexing does not"
)
HALF = (
    "-1e9 is no float16 number, and a mask times a number is float32; "
    "masked_fill with -inf keeps the type"
)
TYPES = "new tensors are float32 unless you say dtype=q.dtype"
BOOL = "leave the mask bool; ~mask turns it round"
VALUES = "queries are scored against values; score them against the keys"
KEYS_FIRST = (
    "your scores have one row per key; rows are queries: "
    "q @ k.transpose(-2, -1)"
)
TURNED = "the mask is transposed; its rows are queries already, leave it"


def names_of(tensor, q, k, v, mask):
    """Return what a tensor is, by its shape."""
    shape = tuple(tensor.shape)
    full = (*q.shape[:3], k.size(2))
    if tensor.dtype == torch.bool:
        turned = mask.dim() > 1 and shape == mask.transpose(-2, -1).shape
        return "turned mask" if turned and shape != mask.shape else "mask"
    known = {
        tuple(q.shape): "q",
        tuple(k.shape): "k",
        tuple(v.shape): "v",
        tuple(v.transpose(-2, -1).shape): "v",
        full: "scores",
        (*full[:2], full[3], full[2]): "turned scores",
    }
    return known.get(shape, "other")


def help_for(answer, inputs, said):
    """Return what to add to the words of an error, or an empty text.

    Args:
        answer: the learner's function.
        inputs: q, k, v and mask, as it was called with.
        said: what the error says.
    """
    q, k, v, mask = inputs
    if "bool" in said and "support" in said:
        return BOOL
    if q.dtype == torch.float16:
        return HALF
    if "type" in said:
        return TYPES
    if mask.dim() < 4 or min(mask.shape[:3]) == 1:
        return BROADCAST
    names = {names_of(x, *inputs) for x in refused_tensors(answer, inputs)}
    if "turned scores" in names:
        return KEYS_FIRST
    if names == {"scores", "turned mask"}:
        return TURNED
    if names == {"q", "v"}:
        return VALUES
    product = names & {"q", "k"} and "expand" not in said
    return PRODUCT if product else ""
