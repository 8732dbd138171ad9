"""What the check of self-attention says when PyTorch refuses an operation.

Dimension letters:
    T words, D = d_model, d_k width of a query or key, d_v width of a value;
    "..." is a batch or nothing.
"""

import contextlib

import torch
from torch.overrides import TorchFunctionMode

from attnbook.checks.engine.calling import close, copy_of
from attnbook.compat import tree_leaves


class Watch(TorchFunctionMode):
    """Remember the tensors of an operation that fails."""

    def __init__(self):
        super().__init__()
        self.tensors = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        """Run the operation; if it raises, keep its tensors."""
        given = [x for x in tree_leaves(args) if isinstance(x, torch.Tensor)]
        self.tensors = given
        result = func(*args, **(kwargs or {}))
        self.tensors = []
        return result


def refused_tensors(answer, inputs):
    """Return the tensors of the operation at which the answer fails."""
    given = [copy_of(x) for x in inputs]
    watch = Watch()
    with contextlib.suppress(Exception, SystemExit), watch:
        answer(*given)
    return watch.tensors


def names_of(tensor, x, w_q, w_k, w_v):
    """Return what a tensor is, by its numbers or else by its shape."""
    known = {
        "x": x,
        "w_q": w_q,
        "w_k": w_k,
        "w_v": w_v,
        "q": x @ w_q,
        "k": x @ w_k,
        "v": x @ w_v,
    }
    for name, other in known.items():
        if close(tensor, other):
            return name
        if close(tensor, other.mT):
            return f"{name} transposed"
    if tensor.shape == (*x.shape[:-1], x.size(-2)):
        return "weights"
    return "context" if tensor.shape == (x @ w_v).shape else "other"


def wrong_operands():
    """Return pairs of a hint and the names that the operation was given."""
    mix = "the context is weights @ v, in this order and with nothing added"
    turned = "the projections are x @ w_q, x @ w_k and x @ w_v, in this order "
    turned += "and without a transpose"
    values = "queries are scored against values; score them against the keys"
    return [
        ("in the product of q and k, use k.transpose(-2, -1)", {"q", "k"}),
        (
            "in the product of q and k, exchange the last two axes of k and "
            "leave the batch in front: k.transpose(-2, -1)",
            {"q", "other"},
        ),
        (values, {"q", "v"}),
        (values, {"q", "v transposed"}),
        (mix, {"x", "context"}),
        (mix, {"v", "weights"}),
        (mix, {"v transposed", "weights"}),
        *((turned, {"x", w}) for w in ("w_q", "w_k", "w_v")),
        *((turned, {"x", f"{w} transposed"}) for w in ("w_q", "w_k", "w_v")),
    ]


def refusal(answer, inputs):
    """Return a hint for an answer that raised an error, or None.

    Args:
        answer: the learner's function.
        inputs: x, w_q, w_k and w_v, as it was called with.

    Returns:
        A sentence, or None if the operation is not a known one.
    """
    tensors = refused_tensors(answer, inputs)
    names = {names_of(tensor, *inputs) for tensor in tensors}
    for hint, expected in wrong_operands():
        if names == expected:
            return hint
    return None
