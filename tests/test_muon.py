"""Muon beside AdamW: who takes what, how long a step is, and both as one."""

import torch

from attnbook.data.batches import make_batch
from attnbook.training.loop import make_optimizer, update
from attnbook.training.muon import Together, with_muon
from test_loop import config_of, model_of, task


def stepped(model, config, factor=1.0):
    """Make one step with gradients that are random; return the changes."""
    generator = torch.Generator().manual_seed(1)
    optimizer = with_muon(make_optimizer, model, config)
    before = {n: p.detach().clone() for n, p in model.named_parameters()}
    for p in model.parameters():
        p.grad = factor * torch.randn(p.shape, generator=generator)
    optimizer.step()
    return {n: p.detach() - before[n] for n, p in model.named_parameters()}


def test_each_parameter_has_one_optimizer():
    model = model_of()
    both = with_muon(make_optimizer, model, config_of(optimizer="muon"))
    assert isinstance(both, Together)
    muon, adamw = both.parts
    taken = [
        {id(p) for group in part.param_groups for p in group["params"]}
        for part in (muon, adamw)
    ]
    names = [
        {n for n, p in model.named_parameters() if id(p) in ids}
        for ids in taken
    ]
    assert names[0].isdisjoint(names[1])
    assert names[0] | names[1] == {n for n, _ in model.named_parameters()}
    assert "encoder.layers.0.self_attention.w_q.weight" in names[0]
    assert "decoder.layers.0.feed_forward.inner.weight" in names[0]
    assert "source_embedding.table.weight" in names[1]
    assert "encoder.layers.0.self_attention.w_q.bias" in names[1]


def test_a_step_has_like_singular_values_and_the_length_of_adam_s():
    config = config_of(optimizer="muon", weight_decay=0.0)
    changes = stepped(model_of(), config)
    name = "encoder.layers.0.self_attention.w_q.weight"
    values = torch.linalg.svdvals(changes[name])
    assert values[-1] > values[0] / 4  # of random numbers: 0.01 of it
    random = torch.randn(values.numel(), values.numel())
    plain = torch.linalg.svdvals(random)
    assert plain[-1] < plain[0] / 4
    length = changes[name].square().mean().sqrt() / config.learning_rate
    assert 0.1 < length < 0.4  # Adam's is 0.2 to 0.4 in practice


def test_the_size_of_the_gradient_does_not_matter():
    config = config_of(optimizer="muon", weight_decay=0.0)
    one, other = (stepped(model_of(), config, f) for f in (1.0, 128.0))
    for name, change in one.items():
        torch.testing.assert_close(
            other[name], change, rtol=0.05, atol=config.learning_rate / 50
        )


def test_a_step_of_training_goes_through_a_scaler():
    model, config = model_of(), config_of(optimizer="muon")
    optimizer = with_muon(make_optimizer, model, config)
    batch = make_batch(task()[0][:8])
    losses = []
    for enabled in (False, True):
        scaler = torch.amp.GradScaler("cpu", enabled=enabled)
        args = optimizer, scaler, [batch], config, "fp32"
        losses += [update(model, *args)[0].item() for _ in range(10)]
    assert losses[19] < losses[10] < losses[0]
