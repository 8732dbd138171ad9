"""Gradients from two halves side by side are those of the whole batch."""

import threading

import pytest
import torch
from torch.testing import assert_close

from attnbook.data.batches import Batch, make_batch
from attnbook.data.vocabulary import PAD
from attnbook.fast import halves, layers
from attnbook.fast.chunked_loss import output_loss
from attnbook.multihead import MultiHeadAttention
from attnbook.training import precision as precisions
from attnbook.training.loop import make_optimizer, train, update
from attnbook.training.precision import autocast
from attnbook.transformer import Transformer
from test_loop import config_of, model_of, same, task, weights_of

CPU = torch.device("cpu")
LAYERS = {"num_encoder_layers": 2, "num_decoder_layers": 3}


@pytest.fixture(autouse=True)
def two_threads():
    """Give PyTorch the threads that the halves are made for."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def shared(seed=0, **changes):
    fields = {"shared_embeddings": True} | LAYERS | changes
    return model_of(seed, **fields)


def plain_gradients(model, batch, smoothing, precision):
    """Return loss and gradients as `loop.update` has them for any model."""
    with autocast(precision, CPU):
        states = model.states(batch.source, batch.target)
        weight = model.output.weight
        loss = output_loss(states, weight, batch.labels, PAD, smoothing)
    (loss / batch.tokens).backward()
    found = {n: p.grad for n, p in model.named_parameters()}
    model.zero_grad()
    return loss.detach(), found


def fast_gradients(model, batches, smoothing, dtype):
    count = sum(batch.tokens for batch in batches)
    loss = sum(
        halves.add_gradients(model, batch, count, smoothing, dtype)
        for batch in batches
    )
    return loss, {n: p.grad for n, p in model.named_parameters()}


def test_one_thread_and_two_draw_the_same_dropout():
    """So a run that goes on elsewhere differs by rounding alone."""
    batch, found = make_batch(task()[0][:31]), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        model = shared(dropout=0.5).double()
        torch.manual_seed(3)
        found.append(fast_gradients(model, [batch], 0.1, torch.float64))
    assert_close(*found)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("positions", ["sinusoidal", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("plain", [True, False])
def test_gradients_are_those_of_the_whole_batch(
    threads, positions, smoothing, plain, monkeypatch
):
    """By either form of attention."""
    monkeypatch.setattr(layers, "is_plain_faster", lambda *_: plain)
    torch.set_num_threads(threads)
    model = shared(dropout=0.0, positions=positions).double()
    batch = make_batch(task()[0][:31])
    wanted = plain_gradients(model, batch, smoothing, "fp32")
    found = fast_gradients(model, [batch], smoothing, torch.float64)
    assert_close(found, wanted)


@pytest.mark.parametrize(
    ("precision", "off"), [("fp32", 1e-5), ("bf16", 0.02)]
)
def test_a_step_is_that_of_the_loop(precision, off):
    """Clipped, from two batches, with the same loss and count."""
    batches = [make_batch(rows) for rows in (task()[0][:9], task()[0][9:30])]
    found = []
    for asked in ("fp32", "bf16"):
        model, config = shared(dropout=0.0), config_of(clip=0.5)
        optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
        scaler = torch.amp.GradScaler("cpu", enabled=False)
        arguments = optimizer, scaler, batches, config, precision
        dtype = precisions.PRECISIONS[precision]
        fast = halves.find_gradients(model, asked, dtype)
        loss, count = update(model, *arguments, fast)
        found.append((loss, count, weights_of(model)))
    (a, n, one), (b, m, other) = found
    assert n == m
    torch.testing.assert_close(a, b, rtol=min(off, 1e-3), atol=0)
    names = [n for n, _ in shared().named_parameters()]  # each of them once
    start = weights_of(shared())
    moved, apart = (
        torch.stack([(one[n] - w[n]).norm() for n in names]).norm()
        for w in (start, other)
    )
    assert moved == pytest.approx(0.5, rel=1e-3)  # the clipped norm
    assert apart < off * moved


def test_gradients_of_several_batches_add_up():
    pairs = task()[0]
    model = shared(dropout=0.0).double()
    wanted = plain_gradients(model, make_batch(pairs[:12]), 0.1, "fp32")
    parts = [make_batch(pairs[:1]), make_batch(pairs[1:12])]
    assert_close(fast_gradients(model, parts, 0.1, torch.float64), wanted)


def test_bfloat16_is_as_far_from_the_truth_as_autocast():
    batch = make_batch(task()[0][:64])
    model = shared(dropout=0.0, d_model=64, d_ff=128)
    truth, autocasted = (
        plain_gradients(model, batch, 0.1, p)[1] for p in ("fp32", "bf16")
    )
    _, fast = fast_gradients(model, [batch], 0.1, torch.bfloat16)

    def error(found):
        apart = [(found[n] - truth[n]).norm() for n in truth]
        return torch.stack(apart).norm()

    whole = torch.stack([g.norm() for g in truth.values()]).norm()
    assert error(autocasted) < 0.02 * whole
    assert error(fast) < 1.2 * error(autocasted)


@pytest.mark.parametrize("precision", ["auto", "bf16"])
def test_a_run_takes_the_fast_way_and_can_be_resumed(
    tmp_path, monkeypatch, precision
):
    """In fp32, too, if the processor has no bfloat16."""
    monkeypatch.setattr(precisions, "cpu_has_bfloat16", lambda: False)
    pairs, _ = task()
    seen = set()
    half = halves.half

    def watched(*args):
        seen.add(threading.current_thread().name)
        return half(*args)

    monkeypatch.setattr(halves, "half", watched)
    once = shared()
    train(once, pairs, config_of(precision=precision), tmp_path / "once")
    assert len(seen) == 2 and "MainThread" not in seen
    again = shared()
    for steps in (4, 12):
        config = config_of(precision=precision, steps=steps, schedule="noam")
        again = shared()
        train(again, pairs, config, tmp_path / "twice")
    straight = shared()
    train(straight, pairs, config_of(precision=precision, schedule="noam"))
    assert same(weights_of(again), weights_of(straight))
    assert not same(weights_of(again), weights_of(once))


def test_each_half_drops_its_own_numbers():
    """Two equal rows, one in each half, are not dropped alike."""
    torch.manual_seed(0)
    model = shared(dropout=0.5)
    row = make_batch(task()[0][:1])
    two = Batch(*(x.repeat(2, 1) for x in vars(row).values()))
    leaves = halves.leaves_of(model, torch.float32)
    found = halves.halves_of(
        model, leaves, two, 0.0, torch.float32, halves.loss_and_gradients
    )
    losses = [one.loss.item() for _, one in found]
    assert losses[0] != pytest.approx(losses[1], rel=1e-3)


def test_dropout_keeps_the_mean_and_its_share():
    model = shared(dropout=0.25)
    leaves = halves.leaves_of(model, torch.bfloat16)
    forward = halves.Forward(model, leaves, torch.Generator().manual_seed(0))
    dropped = forward.drop(torch.ones(400, 500))
    assert (dropped == 0).float().mean() == pytest.approx(0.25, abs=0.005)
    assert dropped.mean() == pytest.approx(1.0, abs=0.01)
    model.eval()
    forward = halves.Forward(model, leaves, torch.Generator())
    assert torch.equal(forward.drop(dropped), dropped)


class Own(Transformer):
    """Somebody's own Transformer, which may compute anything."""


class OneWay(MultiHeadAttention):
    """Attention that may attend in another way."""

    def __init__(self):
        super().__init__(16, 2)


def test_only_models_that_it_can_train_are_fast():
    assert halves.is_fast(shared(), "bf16")
    assert halves.is_fast(shared(), "auto")
    assert not halves.is_fast(shared(), "fp32")  # by name
    assert not halves.is_fast(Own(shared().config), "bf16")
    assert not halves.is_fast(shared().to("meta"), "bf16")
    assert not halves.is_fast(shared().double(), "auto")
    for changes in (
        {"shared_embeddings": False},
        {"pre_norm": False},
        {"positions": "rotary"},
        {"positions": "learned"},
    ):
        assert not halves.is_fast(shared(**changes), "bf16"), changes
    for change in (
        lambda m: setattr(m, "states", m.states),
        lambda m: setattr(m.decoder, "forward", m.decoder.forward),
        lambda m: m.encoder.register_forward_hook(lambda *_: None),
        lambda m: setattr(m.encoder, "norm", torch.nn.LayerNorm(16)),
        lambda m: setattr(m.encoder.layers[0].around_self.dropout, "p", 0.5),
        lambda m: setattr(m.decoder.layers[0], "cross_attention", OneWay()),
    ):
        model = shared()
        change(model)
        assert not halves.is_fast(model, "bf16")
    frozen = shared()
    frozen.encoder.norm.gain.requires_grad_(False)
    assert not halves.is_fast(frozen, "bf16")


def test_bad_ids_are_refused_as_the_model_refuses_them():
    model, config = shared(), config_of(precision="bf16")
    good = make_batch(task()[0][:4])
    wrong = Batch(good.source + 20, good.target, good.labels)
    with pytest.raises(ValueError) as plain:
        model(wrong.source, wrong.target)
    with pytest.raises(ValueError) as fast:
        optimizer = make_optimizer(model, config)
        scaler = torch.amp.GradScaler("cpu", enabled=False)
        way = halves.find_gradients(model, "bf16", torch.bfloat16)
        update(model, optimizer, scaler, [wrong], config, "bf16", way)
    assert str(fast.value) == str(plain.value)
    nothing = Batch(good.source, good.target, torch.zeros_like(good.labels))
    with pytest.raises(ValueError, match="at least one label"):
        halves.add_gradients(model, nothing, 1, 0.0, torch.float32)


def test_the_threads_of_the_caller_stay_as_they_are():
    model = shared()
    fast_gradients(model, [make_batch(task()[0][:8])], 0.1, torch.bfloat16)
    assert torch.get_num_threads() == 2
    inside = halves.pool_of(2).submit(torch.get_num_threads).result()
    assert inside == 1
