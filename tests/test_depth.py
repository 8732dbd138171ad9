import math

import pytest
import torch
from torch.testing import assert_close

from attnbook.tasks.depth import (
    STARTS,
    VOCAB,
    Deep,
    T,
    compute_loss,
    draw_batch,
    gradient_by_layer,
    likeness_by_layer,
    train,
)


def test_the_target_is_the_row_reversed(rng):
    tokens, target = draw_batch(rng, 3)
    assert tokens.shape == target.shape == (3, T)
    assert tokens.max() < VOCAB
    for t in range(T):
        assert torch.equal(target[:, t], tokens[:, T - 1 - t])


@pytest.mark.parametrize("pre_norm", [True, False])
@pytest.mark.parametrize("residual", [True, False])
def test_every_variant_starts_near_guessing(pre_norm, residual, rng):
    model = Deep(pre_norm, residual, num_layers=3)
    tokens, target = draw_batch(rng)
    assert model(tokens).shape == (*tokens.shape, VOCAB)
    assert (
        abs(compute_loss(model, tokens, target).item() - math.log(VOCAB)) < 2
    )


@pytest.mark.parametrize("pre_norm", [True, False])
def test_variants_differ_in_one_thing(pre_norm, rng):
    x = torch.randn(2, T, 64, generator=rng)
    whole, alone = (
        Deep(pre_norm, residual, num_layers=1).stack.layers[0].around_feed
        for residual in (True, False)
    )
    y = torch.randn(2, T, 64, generator=rng)
    assert_close(alone.before(x), whole.before(x))
    if pre_norm:
        assert_close(alone.after(x, y) + x, whole.after(x, y))
    else:
        assert_close(alone.after(x, x + y), whole.after(x, y))


def test_starts_differ_in_size_only_where_they_say():
    sizes = {}
    for start in STARTS:
        layer = Deep(False, start=start, num_layers=1).stack.layers[0]
        both = layer.feed_forward.inner, layer.feed_forward.outer
        sizes[start] = [w.weight.std().item() for w in both]
    assert sizes["quiet"][0] == sizes["glorot"][0] > sizes["pytorch"][0]
    assert sizes["quiet"][1] * 3 == pytest.approx(sizes["glorot"][1])
    with pytest.raises(ValueError, match="expected one of"):
        Deep(False, start="zero")


def test_one_gradient_per_layer_and_one_likeness_more():
    model = Deep(False, num_layers=3)
    whole = gradient_by_layer(model)
    looks = gradient_by_layer(model, only=("w_q", "w_k"))
    rest = ("w_v", "w_o", "feed_forward", "around_self", "around_feed")
    others = gradient_by_layer(model, only=rest)
    for all_of_it, *parts in zip(whole, looks, others, strict=True):
        assert math.hypot(*parts) == pytest.approx(all_of_it)
    assert len(whole) == 3
    assert all(p.grad is None for p in model.parameters())
    alike = likeness_by_layer(model)
    assert len(alike) == 4 and all(-1 <= x <= 1 for x in alike)


def test_likeness_of_equal_and_of_different_tokens():
    model = Deep(True, num_layers=1)
    model.places.zero_()
    model.table.weight.data[:] = 1.0
    assert likeness_by_layer(model)[0] == pytest.approx(1.0, abs=1e-5)
    model.table.weight.data[:] = 0.0
    model.places.copy_(torch.eye(T, 64))
    assert likeness_by_layer(model)[0] == pytest.approx(0.0, abs=1e-5)


def test_a_seed_fixes_a_run_and_nothing_outside():
    before = torch.get_rng_state()
    losses = [
        train(Deep(False, num_layers=2, seed=3), 1e-3, 2, 3, seed=5)
        for _ in range(2)
    ]
    assert losses[0] == losses[1]
    assert torch.equal(before, torch.get_rng_state())


def test_training_lowers_the_loss_and_warmup_changes_it():
    cold, warm = (
        train(Deep(True, num_layers=1), 3e-3, warmup, 40) for warmup in (0, 20)
    )
    assert cold[0] == warm[0] and cold[1] != warm[1]
    assert cold[-1] < 0.9 * cold[0]
