"""Dropout by four decisions a draw does what `nn.Dropout` does."""

import pytest
import torch
from torch import nn

from attnbook.dropout import Dropout, keep_mask

SHARES = (0.05, 0.1, 0.3, 0.5, 0.9)


@pytest.mark.parametrize("share", SHARES)
def test_the_share_is_right_everywhere(share):
    """Also in each of the four places that a draw is cut into."""
    torch.manual_seed(0)
    kept = keep_mask(torch.empty(1000, 400), share)
    for place in range(4):
        part = kept[:, place::4].float()
        spread = (share * (1 - share) / part.numel()) ** 0.5
        assert abs(part.mean().item() - (1 - share)) < 5 * spread


def test_decisions_are_independent():
    """Neighbours, whether of one draw or of two, agree as chance has it."""
    torch.manual_seed(0)
    kept = keep_mask(torch.empty(1_000_000), 0.3).float()
    for distance in (1, 2, 3, 4, 5, 8):
        both = (kept[distance:] * kept[:-distance]).mean().item()
        assert abs(both - 0.49) < 0.003, distance
    assert not torch.equal(
        keep_mask(torch.empty(64), 0.5), keep_mask(torch.empty(64), 0.5)
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", [(7,), (3, 5, 11), (0, 4), ()])
def test_values_and_gradient(shape, dtype):
    torch.manual_seed(0)
    x = torch.full(shape, 2.0, dtype=dtype, requires_grad=True)
    y = Dropout(0.3)(x)
    assert y.shape == x.shape and y.dtype == dtype
    rest = torch.tensor(2.0 / 0.7, dtype=dtype)
    kept = y != 0
    torch.testing.assert_close(y[kept], rest.expand(int(kept.sum())))
    y.sum().backward()
    torch.testing.assert_close(x.grad, y.detach() / 2)


def test_a_seed_fixes_what_is_dropped():
    x = torch.ones(1000)
    drops = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        drops.append(Dropout(0.5)(x))
    assert torch.equal(drops[0], drops[1])
    assert not torch.equal(drops[0], drops[2])


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_eval_and_the_ends_are_as_in_pytorch(p):
    x = torch.randn(50)
    ours, theirs = Dropout(p), nn.Dropout(p)
    assert torch.equal(ours.eval()(x), x)
    if p in (0.0, 1.0):
        assert torch.equal(ours.train()(x), theirs.train()(x))


@pytest.mark.parametrize("p", [-0.1, 1.1])
def test_a_share_out_of_range_is_refused(p):
    with pytest.raises(ValueError):
        Dropout(p)


def test_the_model_uses_it():
    from attnbook.config import TransformerConfig
    from attnbook.transformer import Transformer

    model = Transformer(
        TransformerConfig(source_vocab=9, target_vocab=9, d_model=16)
    )
    found = [m for m in model.modules() if isinstance(m, nn.Dropout)]
    assert len(found) == 32 and all(isinstance(m, Dropout) for m in found)
