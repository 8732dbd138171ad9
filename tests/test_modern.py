"""The parts of after 2017 against PyTorch's, and against what they replace."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from attnbook import modern
from attnbook.config import TransformerConfig
from attnbook.data.batches import make_batch
from attnbook.layers import LayerNorm
from attnbook.modern import DecoderOnly, GroupedQueryAttention, RMSNorm
from attnbook.multihead import MultiHeadAttention
from attnbook.probes import costs
from attnbook.tasks import digits
from attnbook.training.repro import parameter_count

B, H, T, S, d_k = 2, 4, 5, 7, 3
D = H * d_k
CONFIG = TransformerConfig(
    source_vocab=11,
    target_vocab=13,
    d_model=16,
    num_heads=4,
    d_ff=24,
    num_encoder_layers=2,
    num_decoder_layers=3,
    dropout=0.0,
    positions="rotary",
    max_length=40,
)
PAIRS = [([4, 5, 6], [7, 8]), ([9], [4, 5, 6, 7]), ([5] * 6, [12])]


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e3])
def test_rms_norm_equals_pytorch_s(rng, size):
    x = size * torch.randn(3, 5, D, generator=rng)
    ours, theirs = RMSNorm(D), nn.RMSNorm(D, eps=1e-5)
    gain = torch.randn(D, generator=rng)
    ours.gain.data = theirs.weight.data = gain
    assert_close(ours(x), theirs(x))
    assert_close(modern.rms_norm(x, gain), theirs(x))


def test_rms_norm_keeps_the_mean(rng):
    """It does not centre: a layer norm of centred vectors is the same."""
    x = torch.randn(4, D, generator=rng)
    centred = x - x.mean(-1, keepdim=True)
    assert_close(RMSNorm(D)(centred), LayerNorm(D)(x))
    assert not torch.allclose(RMSNorm(D)(x), LayerNorm(D)(x), atol=0.01)


def test_as_many_groups_as_heads_is_multi_head_attention(rng):
    torch.manual_seed(2)
    grouped, usual = GroupedQueryAttention(D, H, H), MultiHeadAttention(D, H)
    usual.load_state_dict(grouped.state_dict())
    q, k = (torch.randn(B, n, D, generator=rng) for n in (T, S))
    mask = torch.rand(B, H, T, S, generator=rng) > 0.4
    mask[..., 0] = True
    assert_close(grouped(q, k, k, mask), usual(q, k, k, mask))


@pytest.mark.parametrize("groups", [1, 2])
def test_fewer_groups_are_repeated_keys_and_values(rng, groups):
    torch.manual_seed(2)
    grouped, usual = (
        GroupedQueryAttention(D, H, groups),
        MultiHeadAttention(D, H),
    )
    state = grouped.state_dict()
    for name in ("w_k.weight", "w_k.bias", "w_v.weight", "w_v.bias"):
        blocks = state[name].unflatten(0, (groups, d_k))
        state[name] = blocks.repeat_interleave(H // groups, 0).flatten(0, 1)
    usual.load_state_dict(state)
    q, k = (torch.randn(B, n, D, generator=rng) for n in (T, S))
    assert_close(grouped(q, k, k), usual(q, k, k))


def test_groups_must_share_the_heads_evenly():
    for groups in (0, 3, 8):
        with pytest.raises(ValueError, match="divisible by num_groups"):
            GroupedQueryAttention(D, H, groups)


def test_padding_goes_to_the_front():
    rows = torch.tensor([[4, 5, 0, 0], [6, 7, 8, 9], [5, 0, 0, 0]])
    moved = modern.pad_in_front(rows, 0)
    want = [[0, 0, 4, 5], [6, 7, 8, 9], [0, 0, 0, 5]]
    assert moved.tolist() == want


def test_decoder_only_neither_sees_the_future_nor_the_padding():
    torch.manual_seed(3)
    model = DecoderOnly(CONFIG).eval()
    batch = make_batch(PAIRS)
    logits = model(batch.source, batch.target)  # (B, T, vocab)
    assert logits.shape == (*batch.target.shape, 13)
    for i, pair in enumerate(PAIRS):
        one = make_batch([pair])
        alone = model(one.source, one.target)[0]
        assert_close(logits[i, : len(alone)], alone)
    target = batch.target.clone()
    target[:, 2:] = 9  # another future
    assert_close(model(batch.source, target)[:, :2], logits[:, :2])
    source = batch.source.clone()
    source[0, 0] = 8
    changed = model(source, batch.target)[0]
    assert not torch.allclose(changed, logits[0], atol=1e-3)


def test_decoder_only_wants_rotary_positions():
    config = TransformerConfig(source_vocab=5, target_vocab=5)
    with pytest.raises(ValueError, match="rotary positions, got 'sinusoidal'"):
        DecoderOnly(config)


@pytest.mark.parametrize("alone", [False, True])
def test_the_parts_are_exchanged_everywhere(alone):
    torch.manual_seed(4)
    model = modern.make_model(CONFIG, rms=True, num_groups=2, alone=alone)
    kinds = [type(part) for part in model.modules()]
    assert LayerNorm not in kinds and MultiHeadAttention not in kinds
    assert kinds.count(GroupedQueryAttention) == (3 if alone else 2 + 2 * 3)
    usual = modern.make_model(CONFIG, alone=alone)
    assert parameter_count(model) < parameter_count(usual)
    batch = make_batch(PAIRS)
    model(batch.source, batch.target).sum().backward()
    assert all(p.grad.isfinite().all() for p in model.parameters())


def test_the_cache_is_counted():
    assert costs.cache_bytes(CONFIG) == (2 * 3 * 16 * 4,) * 2
    assert costs.cache_bytes(CONFIG, num_groups=1)[1] == 2 * 3 * 4 * 4


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ([[5, 25]], [[1, 5]], "source ids from 0 to 19.* 25"),
        ([[5, 6]], [[1, -3]], "target ids from 0 to 19.*got -3"),
        ([[5, 6]], [[1, 25]], "target ids from 0 to 19.* 25"),
    ],
)
def test_a_decoder_alone_refuses_ids_that_it_does_not_have(
    source, target, message
):
    """Source and target share a table: a wrong id would be another word."""
    config = digits.make_model_config(
        1, source_vocab=20, target_vocab=20, positions="rotary"
    )
    with pytest.raises(ValueError, match=message):
        DecoderOnly(config)(torch.tensor(source), torch.tensor(target))
