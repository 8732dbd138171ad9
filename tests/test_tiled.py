"""Attention in blocks equals attention in one piece."""

import math

import pytest
import torch
from torch.testing import assert_close

from attnbook import tiled
from attnbook.attention import scaled_dot_product_attention
from attnbook.multihead import MultiHeadAttention
from attnbook.tiled import tiled_attention

B, H, T, S, d_k, d_v = 2, 3, 5, 7, 11, 4


@pytest.fixture
def qkv(rng):
    sizes = (T, d_k), (S, d_k), (S, d_v)
    return [torch.randn(B, H, *size, generator=rng) for size in sizes]


@pytest.fixture
def mask(rng):
    mask = torch.rand(B, H, T, S, generator=rng) > 0.4
    mask[..., 0, :5] = False  # the first blocks of this query are hidden
    mask[..., 6] = True
    return mask


@pytest.mark.parametrize("block", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("masked", [False, True])
def test_equals_the_checked_attention_and_its_gradient(
    qkv, mask, block, masked
):
    mask = mask if masked else None
    found = []
    for attend in (scaled_dot_product_attention, tiled_attention):
        given = [x.clone().requires_grad_() for x in qkv]
        blocks = {} if attend is not tiled_attention else {"block": block}
        context, _ = attend(*given, mask, **blocks)
        grads = torch.autograd.grad(context.cos().sum(), given)
        found.append([context, *grads])
    for a, b in zip(*found, strict=True):
        assert_close(a, b)


def test_its_gradient_is_right_in_float64(qkv, mask):
    given = [x[0].double().requires_grad_() for x in qkv]
    assert torch.autograd.gradcheck(
        lambda q, k, v: tiled_attention(q, k, v, mask[0], 3)[0], given
    )


def test_large_scores_and_other_axes(rng):
    q = 100 * torch.randn(T, 2, d_k, generator=rng).transpose(
        0, 1
    )  # (2, T, d_k)
    k = 100 * torch.randn(1, S, d_k, generator=rng)
    v = torch.randn(S, d_v, generator=rng)
    want, _ = scaled_dot_product_attention(q, k, v)
    assert_close(tiled_attention(q, k, v, block=2)[0], want)


def test_keeps_nothing_of_the_size_of_the_scores(rng):
    """What waits for the way back grows with T + S, not with T x S."""
    q, k, v = (
        torch.randn(400, d_k, generator=rng).requires_grad_() for _ in range(3)
    )
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda x: kept.append(x.numel()) or x, lambda x: x
    ):
        tiled_attention(q, k, v, block=20)
    assert kept and max(kept) == 400 * d_k


def test_a_block_of_hidden_keys_changes_nothing(qkv):
    q, k, v = qkv
    state = tiled.start_state(q, v)
    hidden = torch.full((B, H, T, 2), -math.inf)
    state = tiled.add_block(state, hidden, v[..., :2, :])
    assert not any(part.isnan().any() for part in state)
    scores = q @ k.transpose(-2, -1)
    largest, total, mixed = tiled.add_block(state, scores, v)
    assert_close(mixed / total, scores.softmax(-1) @ v)


def test_serves_as_the_attention_of_all_heads(rng):
    torch.manual_seed(1)
    layer, x = MultiHeadAttention(12, 3), torch.randn(2, T, 12, generator=rng)
    assert_close(layer(x, x, x, attend=tiled_attention)[0], layer(x, x, x)[0])


def test_bad_inputs_are_refused(qkv):
    with pytest.raises(ValueError, match="block of at least 1 key, got 0"):
        tiled_attention(*qkv, block=0)
    q, k, v = qkv
    with pytest.raises(ValueError, match="as many values as keys"):
        tiled_attention(q, k, v[..., 1:, :])
    blind = torch.ones(T, S, dtype=torch.bool)
    blind[2] = False
    with pytest.raises(ValueError, match="row"):
        tiled_attention(q, k, v, blind)
