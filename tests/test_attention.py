import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from attnbook import results
from attnbook.attention import (
    AdditiveAttention,
    additive_attention,
    fast_attention,
    is_plain_faster,
    plain_attention,
    scaled_dot_product_attention,
)
from attnbook.masks import causal_mask

B, H, T, S, d_k, d_v = 2, 3, 5, 7, 11, 13


@pytest.fixture
def qkv(rng):
    shapes = (B, H, T, d_k), (B, H, S, d_k), (B, H, S, d_v)
    return [torch.randn(shape, generator=rng) for shape in shapes]


@pytest.fixture
def mask(rng):
    mask = torch.rand(B, 1, T, S, generator=rng) > 0.4
    mask[..., 2] = True
    return mask


@pytest.mark.parametrize("masked", [False, True])
def test_equals_pytorch(qkv, mask, masked):
    mask = mask if masked else None
    context, weights = scaled_dot_product_attention(*qkv, mask)
    assert context.shape == (B, H, T, d_v)
    assert weights.shape == (B, H, T, S)
    assert_close(context, F.scaled_dot_product_attention(*qkv, mask))


def test_rows_of_weights_sum_to_1_and_hide_masked_keys(qkv, mask):
    _, weights = scaled_dot_product_attention(*qkv, mask)
    assert_close(weights.sum(-1), torch.ones(B, H, T))
    hidden = weights[~mask.expand_as(weights)]
    assert hidden.numel() > 0
    assert (hidden == 0).all()


def test_without_leading_axes(qkv):
    q, k, v = (x[0, 0] for x in qkv)
    whole = scaled_dot_product_attention(*qkv)[0][0, 0]
    assert_close(scaled_dot_product_attention(q, k, v)[0], whole)


def test_permuting_queries_permutes_the_output(qkv):
    q, k, v = qkv
    order = torch.tensor([3, 0, 4, 1, 2])
    context, _ = scaled_dot_product_attention(q, k, v)
    permuted, _ = scaled_dot_product_attention(q[:, :, order], k, v)
    assert_close(permuted, context[:, :, order])


def test_a_future_key_moves_no_earlier_output(rng):
    q, k, v = (torch.randn(2, 6, 5, generator=rng) for _ in range(3))
    before, _ = scaled_dot_product_attention(q, k, v, causal_mask(6))
    k[:, 4], v[:, 4] = 9.0, -9.0
    after, _ = scaled_dot_product_attention(q, k, v, causal_mask(6))
    assert torch.equal(before[:, :4], after[:, :4])
    assert not torch.allclose(before[:, 4:], after[:, 4:])


def test_gradients_are_finite(qkv, mask):
    inputs = [x.requires_grad_() for x in qkv]
    context, weights = scaled_dot_product_attention(*inputs, mask)
    (context.sum() + weights.square().sum()).backward()
    assert all(x.grad.isfinite().all() for x in inputs)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("masked", [False, True])
def test_fast_form_equals_the_checked_one(qkv, mask, dtype, masked):
    mask = mask if masked else None
    qkv = [x.to(dtype) for x in qkv]
    want, _ = scaled_dot_product_attention(*qkv, mask)
    context, weights = fast_attention(*qkv, mask)
    assert weights is None
    assert context.dtype == dtype
    assert_close(context, want)
    assert_close(plain_attention(*qkv, mask), want)


def test_the_faster_form_was_chosen_by_measurement():
    rows = results.load("attention_forms")["values"]["rows"]
    assert len(rows) >= 12
    for row in rows:
        b, h, t, k = row["batch_heads_length_width"]
        q = torch.empty(b, h, t, k, dtype=getattr(torch, row["dtype"]))
        chosen = row["plain" if is_plain_faster(q, q) else "pytorch"]
        assert chosen <= 1.1 * min(row["plain"], row["pytorch"]), row


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda q, k, v: (q[..., :3], k, v), "same width, got 3 and 11"),
        (lambda q, k, v: (q, k, v[:, :, :2]), "7 keys and 2 values"),
        (lambda q, k, v: (q, k[:, :, :0], v[:, :, :0]), "at least one"),
        (lambda q, k, v: (q, k, v.double()), "one floating-point type"),
        (lambda q, k, v: (q.long(), k.long(), v.long()), "floating-point"),
        (lambda q, k, v: (q[0, 0, 0], k, v), "at least 2 axes"),
        (lambda q, k, v: (q, k[:1, :2], v), "leading axes"),
    ],
)
def test_refuses_inputs_that_do_not_fit(qkv, change, message):
    with pytest.raises(ValueError, match=message):
        scaled_dot_product_attention(*change(*qkv))


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (torch.ones(T, S), "bool mask.*float32"),
        (torch.ones(T, S, dtype=torch.long), "bool mask.*int64"),
        (torch.ones(S, T, dtype=torch.bool), r"broadcastable.*\(7, 5\)"),
        (torch.ones(4, 1, 1, T, S, dtype=torch.bool), "broadcastable"),
        (torch.zeros(T, S, dtype=torch.bool), "at least one True"),
    ],
)
def test_refuses_masks(qkv, mask, message):
    with pytest.raises(ValueError, match=message):
        scaled_dot_product_attention(*qkv, mask)
    query, keys, _ = qkv
    w = torch.ones(d_k, 4)
    with pytest.raises(ValueError, match=message):
        additive_attention(query, keys, w, w, torch.ones(4), mask)


@pytest.mark.parametrize(
    ("part", "wrong", "message"),
    [
        ("w_q", torch.ones(4, 6), r"d_q = 3 and d_k = 8, got .*\(4, 6\)"),
        ("w_k", torch.ones(8, 5), r"shapes .*\(8, 5\)"),
        ("w_k", torch.ones(8, 6).double(), "of torch.float32 .*float64"),
        ("v", torch.ones(5), r"\(5,\)"),
        ("v", torch.ones(1, 6), r"\(1, 6\)"),
        ("v", torch.ones(()), r"\(\)"),
        ("v", torch.ones(6).long(), "int64"),
        ("keys", torch.ones(S, 8).double(), "floating-point type"),
        ("keys", torch.ones(S, 1), "d_k = 1"),
        ("query", torch.ones(T, 3).long(), "floating-point type"),
        ("query", torch.tensor(1.0), "at least 2 axes"),
        ("query", torch.ones(3), "at least 2 axes"),
    ],
)
def test_additive_attention_refuses(part, wrong, message):
    sizes = {"query": (T, 3), "keys": (S, 8), "w_q": (3, 6), "w_k": (8, 6)}
    right = {name: torch.ones(size) for name, size in sizes.items()}
    right["v"] = torch.ones(6)
    additive_attention(**right)
    with pytest.raises(ValueError, match=message):
        additive_attention(**right | {part: wrong})


def test_additive_attention_runs_under_autocast(rng):
    module = AdditiveAttention(3, d_k, 6)
    query, keys = torch.randn(T, 3), torch.randn(S, d_k)
    with torch.autocast("cpu", torch.bfloat16):
        low, _ = module(query.bfloat16(), keys.bfloat16())
        found, _ = module(query, keys)
    assert_close(found.float(), module(query, keys)[0], atol=0.1, rtol=0.1)
    assert_close(low.float(), module(query, keys)[0], atol=0.1, rtol=0.1)


def test_additive_attention_equals_its_loop(rng):
    query, keys = torch.randn(T, 3), torch.randn(S, d_k)
    module = AdditiveAttention(3, d_k, 6)
    context, weights = module(query, keys)
    for t in range(T):
        scores = torch.stack(
            [
                module.v @ torch.tanh(query[t] @ module.w_q + key @ module.w_k)
                for key in keys
            ]
        )
        assert_close(weights[t], scores.softmax(0))
        assert_close(context[t], scores.softmax(0) @ keys)


def test_additive_attention_hides_masked_keys_and_trains(rng):
    module = AdditiveAttention(3, d_k, 6)
    query = torch.randn(B, T, 3, generator=rng)
    keys = torch.randn(B, S, d_k, generator=rng)
    mask = torch.rand(B, T, S, generator=rng) > 0.5
    mask[..., 0] = True
    context, weights = module(query, keys, mask)
    assert context.shape == (B, T, d_k)
    assert (weights[~mask] == 0).all()
    assert_close(weights.sum(-1), torch.ones(B, T))
    context.sum().backward()
    assert all(p.grad.isfinite().all() for p in module.parameters())


def test_only_short_bfloat16_on_a_cpu_takes_the_formula():
    def on(device, dtype, queries, keys):
        q = torch.empty(2, queries, 8, dtype=dtype, device=device)
        k = torch.empty(2, keys, 8, dtype=dtype, device=device)
        return is_plain_faster(q, k)

    assert on("cpu", torch.bfloat16, 999, 256)
    assert not on("cpu", torch.bfloat16, 1, 257)
    assert not on("cpu", torch.float32, 5, 5)
    assert not on("meta", torch.bfloat16, 5, 5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_fast_form_takes_masks_of_any_rank(qkv, dtype):
    q, k, v = (x.to(dtype) for x in qkv)
    keys = torch.tensor([True, False, True, True, False, True, True])
    want, _ = scaled_dot_product_attention(q, k, v, keys)
    assert_close(fast_attention(q, k, v, keys)[0], want)
    assert_close(
        fast_attention(q, k, v, torch.tensor(True))[0],
        scaled_dot_product_attention(q, k, v)[0],
    )
