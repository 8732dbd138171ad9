"""A call elsewhere as one operation of autograd."""

import torch


class Bridge(torch.autograd.Function):
    """A call elsewhere, as one operation of autograd."""

    @staticmethod
    def forward(ctx, token, results, *sources):
        """Return the results."""
        ctx.token = token
        ctx.set_materialize_grads(False)
        return tuple(results)

    @staticmethod
    def backward(ctx, *gradients):
        """Ask for the gradients of the inputs."""
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
