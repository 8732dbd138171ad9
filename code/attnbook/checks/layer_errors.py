"""What the checks of a layer's parts say of errors and of gradients."""

import contextlib

import torch

from attnbook.checks.engine.verdict import Mistake

VIEW = (
    "view wants numbers that lie in memory in order, and those of x need "
    "not; use reshape, or no other shape at all"
)
NUMPY = "NumPy knows no gradients; use PyTorch operations throughout"
TYPES = "float32 and another type meet; compute in the type of the inputs"
SHARED = {  # words of an error, what to say of it
    "view size is not compatible": VIEW,
    "call numpy()": NUMPY,
    "__array_wrap__": NUMPY,
    "same dtype": TYPES,
}


@contextlib.contextmanager
def naming(table):
    """Say in the place of an error what the learner did.

    Args:
        table: a dict from words of an error to a hint; it comes before
            what both parts of a layer share.
    """
    try:
        yield
    except Mistake as mistake:
        for words, hint in {**SHARED, **table}.items():
            if words in str(mistake):
                raise Mistake(hint) from None
        raise


def require_finite_gradient(answer, hint, *inputs):
    """Refuse an answer whose gradient is infinite or NaN.

    Args:
        answer: the learner's function, right otherwise; returns a tensor.
        hint: what to say if the gradient is not finite.
        inputs: what it is called with; tensors of floats get a gradient.

    Raises:
        Mistake: a gradient holds NaN or infinity.
    """
    given = [
        x.clone().requires_grad_() if isinstance(x, torch.Tensor) else x
        for x in inputs
    ]
    result = answer(*given)
    weights = torch.arange(1.0, result.numel() + 1).view(result.shape)
    (result * weights).sum().backward()
    grads = [x.grad for x in given if isinstance(x, torch.Tensor)]
    if not all(g is None or g.isfinite().all() for g in grads):
        raise Mistake(hint)
