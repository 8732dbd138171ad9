"""What waits for a GPU: its parts that a CPU can try."""

import sys
from types import SimpleNamespace

import pytest
import torch

import attention_cost_gpu
import attention_forms_gpu
import benchmark_gpu
import gpu
import multi30k_quality as quality
from attnbook.data.batches import make_batch
from attnbook.tasks import digits
from attnbook.training import checkpoint, loop
from attnbook.training.config import TrainConfig
from attnbook.training.loop import make_optimizer, train, update
from attnbook.training.repro import seed_everything
from attnbook.transformer import Transformer
from bench.contenders import Contender, Ours, best_optimizer
from needs import Missing

CPU = torch.device("cpu")
ROWS = digits.draw_rows("reverse", 60, seed=0)


def model():
    """Return a small model without dropout, always the same."""
    seed_everything(0)
    config = digits.model_config(1, d_model=16, num_heads=2, d_ff=16)
    return Transformer(config).eval()


@pytest.mark.parametrize(("steps", "every"), [(12, 3), (13, 3), (4, 1)])
def test_the_mean_on_the_device_is_that_of_the_checkpoints(
    tmp_path, steps, every
):
    config = TrainConfig(
        steps=steps,
        save_every=every,
        average=3,
        max_tokens=64,
        warmup=2,
        precision="fp32",
    )
    one, other = model(), model()
    progress = quality.Averaging(one, config)
    train(one, ROWS, config, tmp_path, None, progress)
    progress.give_mean()
    last = [path for _, path in checkpoint.steps(tmp_path)]
    checkpoint.average_weights(last[-config.average :], other)
    for a, b in zip(one.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-7)


def stepped(precision, scaler, clip=1.0):
    """Make one step from three batches; return model, optimizer, loss."""
    one = model()
    config = TrainConfig(clip=clip, learning_rate=1e-3, precision="fp32")
    optimizer = make_optimizer(one, config)
    batches = [make_batch(ROWS[i : i + 20]) for i in (0, 20, 40)]
    with torch.random.fork_rng():
        loss, _ = update(one, optimizer, scaler, batches, config, precision)
    return one, optimizer, loss


def without_scaler():
    return torch.amp.GradScaler("cpu", enabled=False)


@pytest.mark.parametrize("clip", [1.0, 0.01, 0.0])
def test_a_factor_of_two_changes_no_step(clip):
    """Scaled, added up over batches, divided, clipped: the same gradient."""
    plain, _, loss = stepped("fp32", without_scaler(), clip)
    scaler = torch.amp.GradScaler("cpu")
    scaled, _, found = stepped("fp32", scaler, clip)
    assert found == loss
    for a, b in zip(plain.parameters(), scaled.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-8)
        if clip:
            torch.testing.assert_close(a.grad, b.grad, rtol=1e-5, atol=1e-9)
    assert scaler.get_scale() == 2**16


def test_in_fp16_the_loss_in_chunks_and_its_gradients_are_near():
    plain, _, loss = stepped("fp32", without_scaler(), 0)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)
    half, _, found = stepped("fp16", scaler, clip=1e9)
    torch.testing.assert_close(found, loss, rtol=2e-3, atol=0)
    flat = [
        torch.cat([p.grad.flatten() for p in one.parameters()])
        for one in (plain, half)
    ]
    assert flat[1].isfinite().all()
    assert (flat[1] - flat[0]).norm() < 0.01 * flat[0].norm()


def test_a_gradient_that_overflows_leaves_everything_as_it_was():
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**120)
    one, optimizer, loss = stepped("fp16", scaler)
    assert loss.isfinite()
    for old, new in zip(model().parameters(), one.parameters(), strict=True):
        assert torch.equal(old, new)
    for state in optimizer.state.values():
        assert state["step"] == 0 and not state["exp_avg"].any()
    assert scaler.get_scale() == 2.0**119


def test_somebody_else_s_model_takes_the_same_step_with_a_scaler():
    batch, found = make_batch(ROWS[:20]), []
    for kind in (Contender, benchmark_gpu.Scaled):
        one = model()
        contender = kind("x", one, [batch], "fp32", best_optimizer(one))
        contender.step(batch)
        found.append(one)
    for a, b in zip(*(one.parameters() for one in found), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-8)


def test_a_compiler_that_fails_leaves_the_others(monkeypatch, capsys):
    def contender(name, *_):
        if name.startswith("compiled"):
            raise RuntimeError("no compiler\nand a long story")
        return SimpleNamespace(batches=[])

    monkeypatch.setattr(benchmark_gpu, "contender", contender)
    keys = [("ours", "fp32"), ("compiled-ours", "fp32")]
    made, peaks = benchmark_gpu.build(keys, None, None, 9, CPU, 9)
    assert list(made) == ["ours fp32"] and peaks == {}
    assert (
        "left out compiled-ours fp32: no compiler\n" in capsys.readouterr().out
    )
    with pytest.raises(RuntimeError):
        monkeypatch.setattr(benchmark_gpu, "contender", raises)
        benchmark_gpu.build(keys, None, None, 9, CPU, 9)


def raises(*_):
    raise RuntimeError


def test_fp16_has_a_scaler_wherever_it_trains():
    one = model()
    ours = benchmark_gpu.with_scaler(Ours("ours", one, [], "fp16"))
    assert ours.scaler.is_enabled()
    other = Contender("torch-best", one, [], "fp16", best_optimizer(one))
    assert benchmark_gpu.with_scaler(other).scaler.is_enabled()


@pytest.mark.parametrize(
    ("capability", "best", "others"),
    [((7, 5), "fp16", {"fp32"}), ((9, 0), "bf16", {"fp32", "fp16"})],
)
def test_every_type_that_a_gpu_has_is_measured(
    monkeypatch, capability, best, others
):
    """Of a T4, and of one that has bf16."""
    ask = "get_device_capability"
    monkeypatch.setattr(torch.cuda, ask, lambda _: capability)
    monkeypatch.setattr(benchmark_gpu.peers, "installed", lambda: {"x": None})
    device = torch.device("cuda")
    found = benchmark_gpu.plan(device)
    assert {p for name, p in found if name == "ours"} == {best, *others}
    assert ("compiled-ours", best) in found and ("x", best) in found
    assert {*quality.number_types(device)} == {best, *others}
    assert {*attention_forms_gpu.number_types(device)} == {best, *others}


@pytest.mark.parametrize(
    ("error", "too_much"),
    [
        (torch.OutOfMemoryError("CUDA out of memory"), True),
        (MemoryError(), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("CUDA error: an illegal memory access"), False),
    ],
)
def test_a_fault_is_not_taken_for_a_form_that_does_not_fit(error, too_much):
    assert attention_cost_gpu.is_too_much(error) == too_much


class Words:
    """Data of which half, or all, is translated well."""

    name, target = "de-en", "en"
    valid = test = [
        ("x", f"this is text number {n} of many .") for n in range(9)
    ]


def made(right, seconds):
    """Return a run that translates so many sentences right."""
    texts = [t for _, t in Words.valid[:right]]
    way = {"written": texts + ["no"] * (9 - right), "beam": 5, "seconds": 1}
    names = ("valid", "test_beam", "test_greedy")
    return {"training_seconds": seconds} | dict.fromkeys(names, way)


def test_the_shortest_schedule_that_reaches_the_goal_is_tested():
    runs = {4: made(9, 80), 3: made(8, 25), 2: made(1, 9), 1: pytest.fail}
    found = quality.soon(Words, runs.get, [4, 3, 2, 1])
    seconds = [run["training_seconds"] for run in found["tried"]]
    assert seconds == [80, 25, 9]  # the first that misses is the last
    assert not any("test_beam" in run for run in found["tried"])
    assert found["chosen"]["training_seconds"] == 25
    assert found["chosen"]["test_beam"]["lowercased_moses_bleu"]["score"] > 80
    assert found["reached_on_test"] and found["within_seconds"] == [30]


def test_a_goal_that_none_reaches_is_said():
    found = quality.soon(Words, lambda _: made(1, 9), [2, 1])
    assert len(found["tried"]) == 1
    assert not found["reached_on_test"]
    assert found["within_seconds"] == []


@pytest.fixture
def course(monkeypatch):
    """Scripts of which the first is stored and the second fails."""
    started = []

    def start(name, *words):
        started.append((name, *words))
        return name != "b"

    monkeypatch.setattr(gpu, "PLAN", ("a", "b", "c"))
    monkeypatch.setattr(gpu, "missing", dict)
    needs = {"a": "a GPU", "b": "a GPU, Multi30k", "c": "a GPU"}
    monkeypatch.setattr(gpu, "needs_of", needs.get)
    monkeypatch.setattr(gpu, "start", start)
    stored = SimpleNamespace(names=lambda: ["a", "c"], load=str)
    monkeypatch.setattr(gpu, "results", stored)
    states = {"a": ("fresh", ""), "c": ("stale", "other losses")}
    monkeypatch.setattr(gpu, "state_of", states.get)
    return started


def test_what_is_stored_is_not_measured_again(course, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["gpu.py"])
    with pytest.raises(Missing, match="to their end: b$"):
        gpu.main()
    assert course == [("b",), ("c",)]


def test_what_needs_what_is_missing_is_left_out(course, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["gpu.py"])
    monkeypatch.setattr(gpu, "missing", lambda: {"Multi30k": "no network"})
    with pytest.raises(Missing, match="to their end: b$"):
        gpu.main()
    assert course == [("c",)]
    assert "without Multi30k: no network" in capsys.readouterr().out


def test_without_a_gpu_nothing_is_started(course, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["gpu.py"])
    monkeypatch.setattr(gpu, "missing", lambda: {"a GPU": "got none"})
    with pytest.raises(Missing, match="got none"):
        gpu.main()
    assert course == []


def test_a_try_is_one_of_every_script(course, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["gpu.py", "--small"])
    with pytest.raises(Missing, match="to their end: b$"):
        gpu.main()
    assert course == [(name, "--small") for name in "abc"]


def test_all_scripts_of_the_plan_are_there_and_need_a_gpu():
    for name in gpu.PLAN:
        text = (gpu.FOLDER / f"{name}.py").read_text(encoding="utf-8")
        assert '"--small"' in text or "from race import" in text
        assert "a GPU" in text.partition("NEEDS = ")[2].partition("\n")[0]


def test_a_run_without_scaler_goes_on_with_one(tmp_path, monkeypatch):
    """Begun in bf16 on one GPU, resumed in fp16 on another."""
    config = TrainConfig(steps=2, save_every=1, warmup=1, precision="fp32")
    train(model(), ROWS, config, tmp_path)
    monkeypatch.setattr(loop, "choose_precision", lambda *_: "fp16")
    run = loop.Run(model(), config, tmp_path)
    assert run.state["step"] == 2
    assert run.scaler.is_enabled() and run.scaler.get_scale() == 2.0**16
