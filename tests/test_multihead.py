import pytest
import torch
from torch import nn
from torch.testing import assert_close

from attnbook.attention import fast_attention
from attnbook.modern import GroupedQueryAttention
from attnbook.multihead import MultiHeadAttention, merge_heads, split_heads
from torch_weights import attention_from_torch, attention_to_torch

B, H, T, S, d_k = 2, 3, 5, 7, 11
D = H * d_k


@pytest.fixture
def qkv(rng):
    return [torch.randn(B, n, D, generator=rng) for n in (T, S, S)]


@pytest.fixture
def mask(rng):
    mask = torch.rand(B, H, T, S, generator=rng) > 0.4
    mask[..., 1] = True
    return mask


def pytorch(reference, q, k, v, mask):
    blocked = None if mask is None else ~mask.flatten(0, 1)
    return reference(q, k, v, attn_mask=blocked, average_attn_weights=False)


def test_split_gives_head_h_its_own_block(rng):
    x = torch.arange(12.0).view(1, 2, 6)
    heads = split_heads(x, 3)
    assert heads.shape == (1, 3, 2, 2)
    for h in range(3):
        assert torch.equal(heads[:, h], x[..., 2 * h : 2 * h + 2])


def test_merge_undoes_split(rng):
    x = torch.randn(B, T, D, generator=rng)
    assert torch.equal(merge_heads(split_heads(x, H)), x)


def test_merge_keeps_positions_apart():
    x = torch.arange(12).view(1, 2, 3, 2)
    assert merge_heads(x).tolist() == [
        [[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11]]
    ]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("direction", ["to", "from"])
def test_equals_pytorch_with_copied_weights(qkv, mask, masked, direction):
    torch.manual_seed(3)
    mask = mask if masked else None
    ours = MultiHeadAttention(D, H)
    reference = nn.MultiheadAttention(D, H, batch_first=True)
    nn.init.normal_(reference.in_proj_bias)
    nn.init.normal_(reference.out_proj.bias)
    if direction == "to":
        attention_to_torch(ours, reference)
    else:
        attention_from_torch(reference, ours)
    output, weights = ours(*qkv, mask)
    want, want_weights = pytorch(reference, *qkv, mask)
    assert_close(output, want, atol=1e-5, rtol=1e-5)
    assert_close(weights, want_weights, atol=1e-5, rtol=1e-5)


def test_the_attention_function_can_be_passed_in(qkv, mask):
    ours = MultiHeadAttention(D, H)
    want, _ = ours(*qkv, mask)
    output, weights = ours(*qkv, mask, attend=fast_attention)
    assert weights is None
    assert_close(output, want)


def test_changing_one_position_of_the_query_moves_that_output_only(qkv):
    q, k, v = qkv
    ours = MultiHeadAttention(D, H)
    before, _ = ours(q, k, v)
    q = q.clone()
    q[:, 2] += 1
    after, _ = ours(q, k, v)
    moved = (before != after).any(-1)
    assert moved.nonzero()[:, 1].unique().tolist() == [2]


def test_gradients_are_finite(qkv, mask):
    ours = MultiHeadAttention(D, H)
    ours(*qkv, mask)[0].square().sum().backward()
    assert all(p.grad.isfinite().all() for p in ours.parameters())


@pytest.mark.parametrize(
    ("d_model", "num_heads"), [(10, 3), (8, 0), (0, 1), (8, -2)]
)
def test_refuses_heads_that_do_not_divide_the_width(d_model, num_heads):
    message = rf"divisible by num_heads.*got d_model {d_model} .*{num_heads}$"
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention(d_model, num_heads)


def test_split_and_merge_refuse_other_shapes():
    with pytest.raises(ValueError, match="divisible by num_heads"):
        split_heads(torch.ones(2, 3, 10), 3)
    with pytest.raises(ValueError, match=r"\(batch, length, d_model\)"):
        split_heads(torch.ones(3, 10), 2)
    with pytest.raises(ValueError, match=r"\(batch, heads, length, width\)"):
        merge_heads(torch.ones(2, 3, 10))


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(
    "ours", [MultiHeadAttention(D, H), GroupedQueryAttention(D, H, 1)]
)
def test_refuses_inputs_of_another_shape_or_type(qkv, place, ours):
    right = qkv[place]
    others = right[..., 1:], right[..., :1], right[0], right.double()
    for wrong in (*others, right.long()):
        message = rf"expected {'qkv'[place]} as torch.float32 .*, {D}\), got"
        with pytest.raises(ValueError, match=message):
            ours(*qkv[:place], wrong, *qkv[place + 1 :])


def test_autocast_and_compiling_take_both_types(qkv):
    ours = MultiHeadAttention(D, H)
    want, _ = ours(*qkv)
    compiled = torch.compile(ours, backend="eager", fullgraph=True)
    assert_close(compiled(*qkv)[0], want)
    with torch.autocast("cpu", torch.bfloat16):
        for attend in (ours, compiled):
            low, _ = attend(qkv[0], *(x.bfloat16() for x in qkv[1:]))
            assert_close(low.float(), want, atol=0.05, rtol=0.05)
    absent = (x.to("meta") for x in qkv)
    assert ours.to("meta")(*absent)[0].shape == want.shape


def test_refuses_a_mask_of_the_wrong_type(qkv):
    with pytest.raises(ValueError, match="bool mask"):
        MultiHeadAttention(D, H)(*qkv, torch.ones(T, S))
