"""Muon beside AdamW: who takes what, how long a step is, and both as one."""

from functools import partial

import pytest
import torch

from attnbook.data.batches import make_batch
from attnbook.training import muon
from attnbook.training.loop import make_optimizer, update
from attnbook.training.muon import Together, WideMuon, newton_schulz, with_muon
from attnbook.training.precision import PRECISIONS
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


@pytest.fixture(params=[True, False], ids=["bf16", "no bf16"], autouse=True)
def short(request, monkeypatch):
    """Let the processor have bfloat16, or not."""
    monkeypatch.setattr(muon, "has_bfloat16", lambda device: request.param)
    return request.param


def test_a_processor_without_bfloat16_is_not_asked_for_it(short):
    config = config_of(optimizer="muon")
    part = with_muon(make_optimizer, model_of(), config).parts[0]
    assert type(part) is (torch.optim.Muon if short else WideMuon)


@pytest.mark.parametrize(
    ("precision", "rounded"), [(None, True), ("bf16", True), ("fp32", False)]
)
def test_muon_multiplies_in_the_type_of_the_run(precision, rounded, short):
    config = config_of(optimizer="muon")
    part = with_muon(make_optimizer, model_of(), config, precision).parts[0]
    assert (type(part) is torch.optim.Muon) == (rounded and short)


@pytest.mark.parametrize("shape", [(6, 9), (9, 6), (7, 7)])
@pytest.mark.parametrize("rounds", [1, 3, 5])
def test_every_singular_value_goes_through_the_polynomial(shape, rounds):
    generator = torch.Generator().manual_seed(0)
    matrix = torch.randn(2, *shape, generator=generator, dtype=torch.float64)
    left, values, right = torch.linalg.svd(matrix, full_matrices=False)
    values = values / values.norm(dim=1, keepdim=True)  # (2, least side)
    for _ in range(rounds):
        values = 3.4445 * values - 4.775 * values**3 + 2.0315 * values**5
    found = newton_schulz(matrix, (3.4445, -4.775, 2.0315), rounds, 1e-7)
    torch.testing.assert_close(found, left * values[:, None] @ right)


@pytest.mark.parametrize(("dtype", "near"), [(None, 0.02), ("bf16", 0.01)])
@pytest.mark.parametrize("stacked", [False, True])
def test_steps_are_those_of_pytorch_but_for_its_rounding(dtype, near, stacked):
    """Wide and tall matrices; momentum, decay and rate are not 1 or 0."""
    ends = []
    dtype = PRECISIONS.get(dtype)
    ours = partial(WideMuon, dtype=dtype, stacked=stacked)
    for cls in (torch.optim.Muon, ours):
        generator = torch.Generator().manual_seed(0)
        shapes = (24, 40), (40, 24), (32, 32), (24, 40)
        ps = [
            torch.nn.Parameter(torch.randn(s, generator=generator))
            for s in shapes
        ]
        start = [p.detach().clone() for p in ps]
        optimizer = cls(
            ps,
            lr=0.05,
            weight_decay=0.3,
            momentum=0.95,
            ns_steps=3,
            adjust_lr_fn="match_rms_adamw",
        )
        for _ in range(4):
            for p in ps:
                p.grad = torch.randn(p.shape, generator=generator)
            optimizer.step()
        ends.append([p.detach() - s for p, s in zip(ps, start, strict=True)])
    for one, other in zip(*ends, strict=True):
        assert (one - other).norm() < near * one.norm()
        if dtype is None:
            assert (one - other).norm() > 0  # PyTorch's is rounded


def test_a_run_of_one_processor_goes_on_where_the_other_left_off():
    """Both keep the same numbers under the same name."""
    kept = []
    for cls in (torch.optim.Muon, WideMuon):
        p = torch.nn.Parameter(torch.eye(3))
        p.grad = torch.ones(3, 3)
        optimizer = cls([p])
        optimizer.step()
        kept.append(dict(optimizer.state[p]))
    torch.testing.assert_close(*kept)


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
