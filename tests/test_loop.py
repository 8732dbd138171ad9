import math
import multiprocessing
import os
import signal
import time

import pytest
import torch
from safetensors.torch import load_file

from attnbook.config import RecurrentConfig, TransformerConfig
from attnbook.data.batches import Batch, make_batch
from attnbook.data.vocabulary import WordVocabulary
from attnbook.recurrent import Recurrent
from attnbook.tasks.digits import TOKENS, draw_rows
from attnbook.training import checkpoint, parallel
from attnbook.training.config import TrainConfig
from attnbook.training.loop import (
    learning_rate,
    make_optimizer,
    train,
    update,
    validation_loss,
)
from attnbook.training.repro import seed_everything
from attnbook.transformer import Transformer


def task(count=300, seed=1):
    pairs = [
        [" ".join(TOKENS[i] for i in side) for side in pair]
        for pair in draw_rows("reverse", count, seed, 2, 5)
    ]
    words = WordVocabulary.learn([s for s, _ in pairs])
    return [(words.encode(s), words.encode(t)) for s, t in pairs], words


def config_of(**changes):
    fields = {
        "steps": 12,
        "max_tokens": 96,
        "warmup": 3,
        "save_every": 4,
        "average": 2,
        "precision": "fp32",
    }
    return TrainConfig(**fields | changes)


def model_of(seed=0, **changes):
    seed_everything(seed)
    fields = {
        "source_vocab": 14,
        "target_vocab": 14,
        "d_model": 16,
        "num_heads": 2,
        "d_ff": 24,
        "num_encoder_layers": 1,
        "num_decoder_layers": 1,
        "dropout": 0.2,
        "max_length": 12,
    }
    return Transformer(TransformerConfig(**fields | changes))


def weights_of(model):
    return {n: t.clone() for n, t in model.state_dict().items()}


def same(a, b):
    return all(torch.equal(a[n], b[n]) for n in a)


def test_training_learns_and_notes_its_losses(tmp_path):
    pairs, _ = task()
    model = model_of(dropout=0.0)
    before = validation_loss(model, pairs[:50])
    history = train(
        model, pairs, config_of(steps=60, save_every=20), tmp_path, pairs[:50]
    )
    assert [note["step"] for note in history] == [20, 40, 60]
    assert history[-1]["valid"] < before - 0.3
    assert history[-1]["valid"] == pytest.approx(
        validation_loss(model, pairs[:50]), abs=1e-4
    )


def test_the_same_seed_trains_the_same_weights():
    pairs, _ = task()
    results = []
    for seed in (0, 0, 1):
        model = model_of()
        train(model, pairs, config_of(seed=seed))
        results.append(weights_of(model))
    assert same(results[0], results[1])
    assert not same(results[0], results[2])


def test_accumulated_batches_make_one_big_step():
    """The loss is averaged over the words of both batches together."""
    pairs, _ = task()
    config = config_of(clip=0.0)

    def after(groups):
        model = model_of(dropout=0.0)
        optimizer = make_optimizer(model, config)
        scaler = torch.amp.GradScaler("cpu", enabled=False)
        batches = [make_batch(group) for group in groups]
        loss, count = update(model, optimizer, scaler, batches, config, "fp32")
        return [p.grad for p in model.parameters()], loss, count

    one, loss, count = after([pairs[:30]])
    two, other_loss, other_count = after([pairs[:7], pairs[7:30]])
    assert count == other_count == make_batch(pairs[:30]).tokens
    torch.testing.assert_close(loss, other_loss)
    torch.testing.assert_close(one, two)


def test_clipping_bounds_the_step():
    pairs, _ = task()
    model = model_of(dropout=0.0)
    config = config_of(clip=1e-3)
    optimizer = make_optimizer(model, config)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    update(model, optimizer, scaler, [make_batch(pairs)], config, "fp32")
    norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
    assert norm <= 1.01e-3


@pytest.mark.parametrize("clip", [0.0, 0.1])
def test_a_scaled_loss_makes_the_step_of_an_unscaled_one(clip):
    """Gradients are divided by the factor again before they are clipped."""
    pairs, _ = task()
    weights = []
    for enabled in (False, True):
        model, config = model_of(dropout=0.0), config_of(clip=clip)
        optimizer = make_optimizer(model, config)
        scaler = torch.amp.GradScaler("cpu", init_scale=8.0, enabled=enabled)
        batches = [make_batch(pairs[:7]), make_batch(pairs[7:30])]
        update(model, optimizer, scaler, batches, config, "fp32")
        norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
        weights.append((weights_of(model), norm))
    (one, plain), (two, scaled) = weights
    if clip:  # without clipping, gradients are unscaled in a copy
        torch.testing.assert_close(plain, scaled)
    torch.testing.assert_close(one, two, atol=1e-5, rtol=1e-4)


def no_rows(batch):
    return Batch(batch.source[:0], batch.target[:0], batch.labels[:0])


def fill_gradients(model, loss):
    """Do what the other workers' message does: bring their gradients."""
    assert loss == 0
    for p in model.parameters():
        p.grad = torch.ones_like(p)
    return loss + 6.0


def test_a_worker_without_rows_makes_the_others_step(monkeypatch):
    pairs, _ = task()
    monkeypatch.setattr(parallel, "shard", no_rows)
    monkeypatch.setattr(parallel, "sum_gradients", fill_gradients)
    model, config = model_of(), config_of(clip=0.1)
    before = weights_of(model)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    optimizer = make_optimizer(model, config)
    batch = make_batch(pairs[:3])
    loss, count = update(model, optimizer, scaler, [batch], config, "fp32")
    assert (loss, count) == (6.0 / count, batch.tokens)
    assert not same(before, weights_of(model))


def test_learning_rate_follows_the_schedule():
    model = model_of()
    cosine = config_of(steps=100, warmup=10, learning_rate=1e-3)
    assert learning_rate(10, model, cosine) == pytest.approx(1e-3)
    noam = config_of(schedule="noam", warmup=10, learning_rate=2.0)
    want = 2.0 * 16**-0.5 * 10**-0.5
    assert learning_rate(10, model, noam) == pytest.approx(want)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_recurrent_models_train_too(cell):
    pairs, _ = task()
    seed_everything(0)
    model = Recurrent(
        RecurrentConfig(
            source_vocab=14,
            target_vocab=14,
            cell=cell,
            d_model=16,
            max_length=12,
        )
    )
    before = validation_loss(model, pairs)
    train(model, pairs, config_of(steps=30))
    assert validation_loss(model, pairs) < before


def test_bf16_trains():
    pairs, _ = task()
    model = model_of()
    before = validation_loss(model, pairs)
    train(model, pairs, config_of(steps=30, precision="bf16"))
    assert validation_loss(model, pairs) < before
    assert all(p.dtype == torch.float32 for p in model.parameters())


@pytest.mark.parametrize(
    ("cut", "optimizer"),
    [(1, "adamw"), (4, "adamw"), (6, "adamw"), (11, "adamw"), (6, "muon")],
)
def test_a_run_that_was_cut_off_ends_the_same(tmp_path, cut, optimizer):
    pairs, _ = task()
    whole, config = model_of(), config_of(optimizer=optimizer)
    train(whole, pairs, config, tmp_path / "whole")

    class Stop:
        def update(self, step, loss, tokens):
            if step == cut:
                raise RuntimeError("cut off")

    first = model_of()
    with pytest.raises(RuntimeError, match="cut off"):
        train(first, pairs, config, tmp_path / "cut", progress=Stop())
    second = model_of()
    history = train(second, pairs, config, tmp_path / "cut", pairs[:9])
    assert same(weights_of(second), weights_of(whole))
    assert [note["step"] for note in history] == [4, 8, 12]
    ours, theirs = (
        [p.name for _, p in checkpoint.steps(tmp_path / name)]
        for name in ("cut", "whole")
    )
    assert ours == theirs


def test_a_finished_run_is_not_trained_again(tmp_path):
    pairs, _ = task()
    model = model_of()
    train(model, pairs, config_of(), tmp_path)
    again = model_of()
    history = train(again, pairs, config_of(), tmp_path)
    assert same(weights_of(again), weights_of(model))
    assert len(history) == 3


# Forks of one process that has imported torch, and can be killed.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["torch._dynamo"])


def be_slow(folder, pause, every, said):
    """Train with a pause after each step; say each step, and how it ends."""
    torch.set_num_threads(1)

    class Slow:
        def update(self, step, loss, tokens):
            said.send(step)
            time.sleep(pause)

    config = config_of(steps=24, save_every=every)
    try:
        train(model_of(), task()[0], config, folder, progress=Slow())
    except KeyboardInterrupt:
        said.send("interrupted")


def start(folder, pause, every):
    """Start such a training; return its process and what hears it."""
    heard, said = PROCESSES.Pipe(duplex=False)
    arguments = folder, pause, every, said
    run = PROCESSES.Process(target=be_slow, args=arguments, daemon=True)
    run.start()
    said.close()
    return run, heard


def finish(folder):
    """Train to the end what the program above began, or all of it."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    train(model_of(), task()[0], config_of(steps=24, save_every=3), folder)
    torch.set_num_threads(threads)
    return last_weights(folder)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return finish(tmp_path_factory.mktemp("whole"))


def last_weights(folder):
    return load_file(checkpoint.steps(folder)[-1][1] / "model.safetensors")


def kill_inside_a_write(folder, step):
    """Kill a run that writes a step; return whether it was half-way."""
    run, heard = start(folder, pause=0.0, every=1)
    partial = folder / f".step-{step:08d}.partial"
    while not partial.exists() and run.is_alive():
        time.sleep(1e-4)
    run.kill()
    run.join()
    heard.close()
    return partial.exists()


def test_killed_three_times_inside_a_write_it_ends_bit_for_bit_the_same(
    tmp_path, undisturbed
):
    """kill -9 while a checkpoint is half there."""
    inside, step = 0, 1
    while inside < 3:
        assert step < 24, f"{inside} of {step - 1} kills fell into a write"
        inside += kill_inside_a_write(tmp_path, step)
        step += 1
    assert same(undisturbed, finish(tmp_path))


def test_ctrl_c_saves_between_two_steps(tmp_path, undisturbed):
    run, heard = start(tmp_path, pause=0.05, every=3)
    while heard.recv() != 5:
        pass
    os.kill(run.pid, signal.SIGINT)
    while (last := heard.recv()) != "interrupted":
        assert last < 24
    run.join()
    heard.close()
    step = checkpoint.steps(tmp_path)[-1][0]
    assert step >= 5 and step < 24
    assert same(undisturbed, finish(tmp_path))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"steps": 0}, "steps of at least 1, got 0"),
        ({"average": 0}, "average of at least 1, got 0"),
        ({"learning_rate": -1.0}, "learning_rate of at least 0, got -1.0"),
        ({"learning_rate": math.inf}, "a finite learning_rate .*got inf"),
        ({"weight_decay": math.inf}, "a finite weight_decay .*got inf"),
        ({"clip": math.nan}, "a finite clip of at least 0, got nan"),
        ({"seed": 10**14 + 1}, "seed of at most 10{14}, got 10{13}1"),
        ({"smoothing": 1.0}, "smoothing from 0 to below 1, got 1.0"),
        ({"schedule": "linear"}, "a schedule of .*got 'linear'"),
        ({"optimizer": "sgd"}, "an optimizer of .*got 'sgd'"),
    ],
)
def test_settings_are_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        config_of(**fields)


def test_the_largest_seed_trains():
    pairs, _ = task()
    train(model_of(), pairs, config_of(steps=1, seed=10**14))


def test_pairs_that_do_not_fit_are_refused():
    pairs, _ = task()
    with pytest.raises(ValueError, match="1 to 4 tokens"):
        train(model_of(), pairs, config_of(max_tokens=4))
    with pytest.raises(ValueError, match="side of 0"):
        train(model_of(), [], config_of())
