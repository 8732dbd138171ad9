"""Muon, an optimizer that makes all directions of a step equally long.

A step of Adam can lie almost whole in a few directions of a matrix, that is,
have a few large singular values and many small ones.  Muon takes momentum and
moves all its singular values towards 1, by a few products of matrices
(Jordan et al., 2024): three rounds leave the smallest below, five cost more.
It is made for matrices inside the layers; embeddings, gains and biases stay
with AdamW.
"""

from collections import defaultdict

import torch
from torch import nn

from attnbook.training.precision import has_bfloat16

MOMENTUM = 0.95
PRODUCTS = 3  # rounds of the iteration that moves the singular values


class WideMuon(torch.optim.Muon):
    """The steps of `torch.optim.Muon`, with products in the gradient's type.

    PyTorch's rounds to bfloat16 first.  A processor that has no bfloat16
    emulates it, and then Muon took ten times as long as the gradients.  Always
    with Nesterov's momentum and ``adjust_lr_fn="match_rms_adamw"``.
    """

    @torch.no_grad()
    def step(self):
        """Make one step."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self.move(p, group)

    def move(self, p, group):
        """Move one matrix; all settings are in its group."""
        state, momentum = self.state[p], group["momentum"]
        if not state:
            state["momentum_buffer"] = torch.zeros_like(p)
        mean = state["momentum_buffer"].lerp_(p.grad, 1 - momentum)
        change = alike(
            p.grad.lerp(mean, momentum),  # Nesterov
            group["ns_coefficients"],
            group["ns_steps"],
            group["eps"],
        )
        p.mul_(1 - group["lr"] * group["weight_decay"])
        p.add_(change, alpha=-0.2 * group["lr"] * max(p.shape) ** 0.5)


def alike(matrix, coefficients, rounds, eps):
    """Return a matrix whose singular values are moved towards 1.

    Args:
        matrix: (M, N).
        coefficients: a, b, c: a value s becomes a s + b s^3 + c s^5.
        rounds: how often.
        eps: the least norm that it is divided by at first.
    """
    a, b, c = coefficients
    tall = matrix.size(0) > matrix.size(1)
    x = matrix.T if tall else matrix
    x = x / x.norm().clamp_min(eps)
    for _ in range(rounds):
        gram = x @ x.T
        x = torch.addmm(x, b * gram + c * (gram @ gram), x, beta=a)
    return x.T if tall else x


class Together:
    """Several optimizers, each of other parameters, used as one.

    Args:
        parts: the optimizers; from now on they share one `state`.
    """

    def __init__(self, *parts):
        self.parts, self.state = parts, defaultdict(dict)
        for part in parts:
            part.state = self.state

    @property
    def param_groups(self):
        """Return the groups of all parts, a list of dicts."""
        return [group for part in self.parts for group in part.param_groups]

    def zero_grad(self, set_to_none=True):
        """Forget the gradients."""
        for part in self.parts:
            part.zero_grad(set_to_none)

    def step(self):
        """Let every part make its step."""
        for part in self.parts:
            part.step()


def is_inner_matrix(name, parameter):
    """Say whether Muon takes a parameter: a matrix of encoder or decoder."""
    return parameter.dim() == 2 and name.startswith(("encoder.", "decoder."))


def with_muon(make_optimizer, model, config, products=PRODUCTS):
    """Return the optimizer that the settings name.

    Muon's steps are scaled to the size of AdamW's (Liu et al., 2025), so that
    one learning rate serves both.

    Args:
        make_optimizer: a function of a module and a `TrainConfig` that
            returns the optimizer of what Muon does not take, or of all.
        model: the model.
        config: a `TrainConfig`.
        products: rounds of Muon.

    Returns:
        What `make_optimizer` returns, or a `Together` with Muon.
    """
    if config.optimizer != "muon":
        return make_optimizer(model, config)
    named = list(model.named_parameters())
    inner = [p for name, p in named if is_inner_matrix(name, p)]
    outer = [p for name, p in named if not is_inner_matrix(name, p)]
    short = has_bfloat16(named[0][1].device)
    muon = (torch.optim.Muon if short else WideMuon)(
        inner,
        lr=config.learning_rate,
        weight_decay=config.weight_decay,
        momentum=MOMENTUM,
        ns_steps=products,
        adjust_lr_fn="match_rms_adamw",
    )
    return Together(muon, make_optimizer(nn.ParameterList(outer), config))
