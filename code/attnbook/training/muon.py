"""Muon, an optimizer that makes all directions of a step equally long.

A step of Adam can lie almost whole in a few directions of a matrix, that is,
have a few large singular values and many small ones.  Muon takes momentum and
moves all its singular values towards 1, by a few products of matrices
(Jordan et al., 2024): three rounds leave the smallest below, five cost more.
It is made for matrices inside the layers; embeddings, gains and biases stay
with AdamW.
"""

from collections import defaultdict
from functools import partial

import torch
from torch import nn

from attnbook import compat
from attnbook.training.precision import has_bfloat16

MOMENTUM = 0.95
NS_STEPS = 3  # rounds of the Newton-Schulz iteration


class WideMuon(torch.optim.Muon):
    """The steps of `torch.optim.Muon`, with products in a type of choice.

    PyTorch's rounds to bfloat16 first.  A processor that has no bfloat16
    emulates it, and then Muon took ten times as long as the gradients.
    Always with Nesterov's momentum and ``adjust_lr_fn="match_rms_adamw"``.

    Args:
        params: matrices, on one device.
        dtype: of the products; the gradient's if None.
        stacked: whether matrices of one shape share their products; for a
            GPU, for which each alone is too small.
        settings: see `torch.optim.Muon`.
    """

    def __init__(self, params, dtype=None, stacked=False, **settings):
        super().__init__(params, **settings)
        self.dtype, self.stacked = dtype, stacked

    @torch.no_grad()
    def step(self):
        """Make one step."""
        for group in self.param_groups:
            parts = defaultdict(list)
            for p in group["params"]:
                if p.grad is not None:
                    parts[p.shape if self.stacked else id(p)].append(p)
            for parameters in parts.values():
                self.move(parameters, group)

    def momentum_buffer(self, p):
        """Return the mean of a matrix's gradients so far."""
        state = self.state[p]
        if not state:
            state["momentum_buffer"] = torch.zeros_like(p)
        return state["momentum_buffer"]

    def move(self, parameters, group):
        """Move matrices of one shape; all settings are in their group."""
        momentum, rate = group["momentum"], group["lr"]
        buffers = [self.momentum_buffer(p) for p in parameters]
        gradients = [p.grad for p in parameters]
        compat.foreach_lerp_(buffers, gradients, 1 - momentum)
        wanted = compat.foreach_lerp(gradients, buffers, momentum)  # Nesterov
        change = newton_schulz(
            torch.stack(wanted).to(self.dtype or wanted[0].dtype),
            group["ns_coefficients"],
            group["ns_steps"],
            group["eps"],
        ).to(wanted[0].dtype)
        compat.foreach_mul_(parameters, 1 - rate * group["weight_decay"])
        far = -0.2 * rate * max(parameters[0].shape) ** 0.5
        compat.foreach_add_(parameters, list(change), alpha=far)


def newton_schulz(matrices, coefficients, steps, eps):
    """Return matrices whose singular values are moved towards 1.

    The Newton-Schulz iteration of Jordan et al. (2024).

    Args:
        matrices: (N, rows, columns).
        coefficients: a, b, c: a value s becomes a s + b s^3 + c s^5.
        steps: how often.
        eps: the least norm that a matrix is divided by at first.

    Returns:
        The same shape.
    """
    a, b, c = coefficients
    tall = matrices.size(1) > matrices.size(2)
    x = matrices.mT if tall else matrices
    norms = torch.linalg.vector_norm(x, dim=(1, 2), keepdim=True)
    x = x / norms.clamp_min(eps)
    for _ in range(steps):
        gram = x @ x.mT
        x = torch.baddbmm(x, b * gram + c * (gram @ gram), x, beta=a)
    return x.mT if tall else x


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


def with_muon(
    make_optimizer, model, config, precision=None, ns_steps=NS_STEPS
):
    """Return the optimizer that the settings name.

    Muon's steps are scaled to the size of AdamW's (Liu et al., 2025), so that
    one learning rate serves both.

    Args:
        make_optimizer: a function of a module and a `TrainConfig` that
            returns the optimizer of what Muon does not take, or of all.
        model: the model.
        config: a `TrainConfig`.
        precision: of the run, or None.  On a CPU that has bfloat16 the
            rounds are in that type, unless the run is in another.
        ns_steps: rounds of `newton_schulz`.

    Returns:
        What `make_optimizer` returns, or a `Together` with Muon.
    """
    if config.optimizer != "muon":
        return make_optimizer(model, config)
    named = list(model.named_parameters())
    inner = [p for name, p in named if is_inner_matrix(name, p)]
    outer = [p for name, p in named if not is_inner_matrix(name, p)]
    device = named[0][1].device
    short, kind = has_bfloat16(device), WideMuon
    if device.type != "cpu":
        dtype = torch.bfloat16 if short else None
        kind = partial(WideMuon, dtype=dtype, stacked=True)
    elif short and precision in (None, "bf16"):
        kind = torch.optim.Muon
    muon = kind(
        inner,
        lr=config.learning_rate,
        weight_decay=config.weight_decay,
        momentum=MOMENTUM,
        ns_steps=ns_steps,
        adjust_lr_fn="match_rms_adamw",
    )
    return Together(muon, make_optimizer(nn.ParameterList(outer), config))
