import random

import numpy as np
import pytest
import torch
from torch import nn

from attnbook.training import repro


def draw():
    return random.random(), np.random.rand(), torch.rand(1).item()


def test_the_same_seed_draws_the_same_numbers():
    repro.seed_everything(3)
    first = draw()
    repro.seed_everything(3)
    assert draw() == first
    repro.seed_everything(4)
    assert all(a != b for a, b in zip(draw(), first, strict=True))


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError, match="at least 0, got -1"):
        repro.seed_everything(-1)


def test_parameters_are_counted_once():
    layer = nn.Linear(3, 5)
    frozen = nn.Linear(2, 2).requires_grad_(False)
    assert repro.parameter_count(nn.ModuleList([layer, layer, frozen])) == 20


def test_machine_says_what_computed():
    machine = repro.describe_machine()
    assert machine["torch"] == torch.__version__
    assert machine["threads"] == torch.get_num_threads()
    assert machine["device"].split(":")[0] in {"cpu", "cuda"}
    assert set(machine) >= {"python", "capability"}
