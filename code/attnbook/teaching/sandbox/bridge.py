"""A call elsewhere as one operation of autograd."""

import torch

from attnbook.teaching.sandbox.compat import is_view


class Bridge(torch.autograd.Function):
    """A call elsewhere, as one operation of autograd."""

    @staticmethod
    def forward(ctx, token, results, *sources):
        """Return the results, which may be changed in place.

        The inputs are kept, so that backward() notices what was overwritten,
        as it does where the call is not elsewhere.

        Args:
            ctx: of autograd.
            token: a `Token`.
            results: a list of tensors.
            sources: the inputs that need a gradient.
        """
        ctx.token = token
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*sources)
        return tuple(x.clone() if is_view(x) else x for x in results)

    @staticmethod
    def backward(ctx, *gradients):
        """Ask for the gradients of the inputs."""
        ctx.saved_tensors  # noqa: B018 (raises if one was overwritten)
        return None, None, *ctx.token.gradients(gradients)


class Token:
    """Stands for one call elsewhere, as long as its results live."""

    def __init__(self, peer, number):
        self.peer, self.number = peer, number

    def gradients(self, gradients):
        """Return the gradients of the inputs of the call."""
        return self.peer.gradients(self.number, list(gradients))

    def __del__(self):
        self.peer.dropped.append(self.number)
