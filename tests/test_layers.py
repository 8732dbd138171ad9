import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from attnbook.layers import (
    FeedForward,
    LayerNorm,
    PostNorm,
    PreNorm,
    feed_forward,
    layer_norm,
)


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e3])
def test_layer_norm_equals_pytorch(rng, size):
    x = size * torch.randn(2, 3, 5, generator=rng)
    gain, bias = torch.randn(2, 5, generator=rng)
    want = F.layer_norm(x, (5,), gain, bias)
    assert_close(layer_norm(x, gain, bias), want)
    module = LayerNorm(5)
    module.gain.data, module.bias.data = gain, bias
    assert_close(module(x), want)


def test_layer_norm_gives_mean_0_and_variance_1(rng):
    y = LayerNorm(7)(3 + 5 * torch.randn(2, 7, generator=rng))
    assert_close(y.mean(-1), torch.zeros(2), atol=1e-6, rtol=0)
    assert_close(y.var(-1, unbiased=False), torch.ones(2), atol=1e-5, rtol=0)


def test_feed_forward_equals_its_module(rng):
    module = FeedForward(3, 7)
    x = torch.randn(2, 5, 3, generator=rng)
    inner, outer = module.inner, module.outer
    want = feed_forward(
        x, inner.weight.T, inner.bias, outer.weight.T, outer.bias
    )
    assert_close(module(x), want)
    by_hand = outer(F.relu(inner(x[1, 4])))
    assert_close(want[1, 4], by_hand)


def test_feed_forward_keeps_positions_apart(rng):
    module = FeedForward(3, 7)
    x = torch.randn(1, 5, 3, generator=rng)
    before = module(x)
    x[0, 2] += 1
    moved = (module(x) != before).any(-1)
    assert moved.nonzero().tolist() == [[0, 2]]


def test_pre_norm_and_post_norm(rng):
    x = torch.randn(2, 3, 5, generator=rng)
    norm = lambda y: F.layer_norm(y, (5,))  # noqa: E731
    pre, post = PreNorm(5, 0.0), PostNorm(5, 0.0)
    assert_close(pre.after(x, pre.before(x).sin()), x + norm(x).sin())
    assert_close(post.after(x, post.before(x).sin()), norm(x + x.sin()))


@pytest.mark.parametrize("part", [PreNorm, PostNorm])
def test_residual_dropout_acts_in_training_only(part, rng):
    torch.manual_seed(2)
    x = torch.randn(2, 3, 50, generator=rng)
    part = part(50, 0.5)
    assert not torch.equal(part.after(x, x), part.after(x, x))
    part.eval()
    assert torch.equal(part.after(x, x), part.after(x, x))


@pytest.mark.parametrize(
    "module", [LayerNorm(5), FeedForward(5, 7), PreNorm(5, 0.1).norm]
)
def test_gradients_are_finite(module, rng):
    x = 1e-4 * torch.randn(2, 5, generator=rng)
    module(x).square().sum().backward()
    assert all(p.grad.isfinite().all() for p in module.parameters())


def test_eps_is_passed_on(rng):
    x = 1e-2 * torch.randn(2, 5, generator=rng)
    want = F.layer_norm(x, (5,), eps=0.1)
    assert_close(LayerNorm(5, eps=0.1)(x), want)
    assert not torch.allclose(LayerNorm(5)(x), want, atol=1e-3)


@pytest.mark.parametrize("part", [PreNorm, PostNorm])
def test_dropout_hits_the_sublayer_and_not_the_stream(part, rng):
    x = torch.randn(2, 3, 50, generator=rng)
    part = part(50, 0.9)  # in training mode
    nothing = torch.zeros_like(x)
    want = x if isinstance(part, PreNorm) else part.norm(x)
    assert_close(part.after(x, nothing), want)
