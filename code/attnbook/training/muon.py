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

MOMENTUM = 0.95
PRODUCTS = 3  # rounds of the iteration that moves the singular values


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
    muon = torch.optim.Muon(
        inner,
        lr=config.learning_rate,
        weight_decay=config.weight_decay,
        momentum=MOMENTUM,
        ns_steps=products,
        adjust_lr_fn="match_rms_adamw",
    )
    return Together(muon, make_optimizer(nn.ParameterList(outer), config))
