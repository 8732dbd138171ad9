"""What waits for a GPU: its parts that a CPU can try."""

import json
from collections import Counter
from contextlib import contextmanager
from itertools import islice
from types import SimpleNamespace

import pytest
import torch

from attnbook import inputs, masks
from attnbook.compat import TorchDispatchMode
from attnbook.data.batches import batch_stream, make_batch
from attnbook.data.bpe import BytePairs
from attnbook.data.vocabulary import PAD
from attnbook.fast import chunked_loss
from attnbook.tasks import digits
from attnbook.training import loop, muon, precision
from attnbook.training.config import TrainConfig
from attnbook.training.loop import make_optimizer, train, update
from attnbook.training.repro import seed_everything
from attnbook.transformer import Transformer
from lab import catalogue, gpu
from lab.experiment import Run
from lab.needs import Missing, number_types
from speed import (
    attention_cost,
    benchmark,
    new_shapes_gpu,
    recorded_gpu,
    shapes_of_batches,
)
from speed.bench import build
from speed.bench.contenders import Contender, Ours, best_optimizer
from translation import (
    multi30k_gpu_gain,
    multi30k_number_types,
    quality,
    trial,
)
from translation.recorded import shape_of

CPU = torch.device("cpu")
ROWS = digits.draw_rows("reverse", 60, seed=0)


def model():
    """Return a small model without dropout, always the same."""
    seed_everything(0)
    config = digits.make_model_config(1, d_model=16, num_heads=2, d_ff=16)
    return Transformer(config).eval()


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
    for scaled in (False, True):
        one = model()
        contender = Contender("x", one, [batch], "fp32", best_optimizer(one))
        contender.scaler = torch.amp.GradScaler("cpu", enabled=scaled)
        contender.step(batch)
        found.append(one)
    for a, b in zip(*(one.parameters() for one in found), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-8)


def test_a_compiler_that_fails_leaves_the_others(monkeypatch, capsys):
    def contender(name, *_):
        if name.startswith("compiled"):
            raise RuntimeError("no compiler\nand a long story")
        return SimpleNamespace(batches=[])

    monkeypatch.setattr(build, "contender", contender)
    keys = [("ours", "fp32"), ("compiled-ours", "fp32")]
    made, peaks, seconds = build.build(keys, None, None, 9, CPU, 9)
    assert list(made) == list(seconds) == ["ours fp32"] and peaks == {}
    assert (
        "left out compiled-ours fp32: no compiler\n" in capsys.readouterr().out
    )
    with pytest.raises(RuntimeError):
        monkeypatch.setattr(build, "contender", raises)
        build.build(keys, None, None, 9, CPU, 9)


def raises(*_):
    raise RuntimeError


def test_fp16_has_a_scaler_wherever_it_trains():
    one = model()
    for kind in ("fp16", "bf16"):
        ours = Ours("ours", one, [], kind)
        other = Contender("x", one, [], kind, best_optimizer(one))
        for each in (ours, other):
            assert each.scaler.is_enabled() == (kind == "fp16")


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
    monkeypatch.setattr(benchmark.peers, "installed", lambda: {"x": None})
    device = torch.device("cuda")
    found = benchmark.plan(device)
    assert {p for name, p in found if name == "ours"} == {best, *others}
    assert ("compiled-ours", best) in found and ("x", best) in found
    assert {*number_types(device)} == {best, *others}


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
    assert attention_cost.is_too_much(error) == too_much


def test_what_the_first_size_has_compiled_the_others_have_not(monkeypatch):
    monkeypatch.setattr(benchmark.peers, "installed", dict)
    both = (benchmark.plan(CPU, some) for some in (True, False))
    more, less = ({name for name, _ in plan} for plan in both)
    assert more - less == {"compiled-ours", "compiled-torch-best"}


PAIRS = [("x", f"this is text number {n} of many .") for n in range(9)]
GOAL = {"de-en": (36.5, (30, 10))}


def made(right, seconds):
    """Return a run that translates so many sentences right."""
    texts = [t for _, t in PAIRS[:right]] + ["no"] * (9 - right)
    found = {"1": ["no"] * 9, "5": texts}
    return {"seconds": seconds, "updates": 1, "valid_bleu": {}, "test": found}


@pytest.mark.parametrize(
    ("runs", "within"),
    [
        ([made(9, 9.1), made(8, 9.9)], [30, 10]),
        ([made(9, 9.1), made(8, 10.1)], [30]),
        ([made(9, 9.1), made(2, 9.1)], []),
        ([made(9, 31.0), made(9, 9.0)], []),
    ],
)
def test_a_goal_is_reached_when_every_seed_reaches_it_in_time(
    monkeypatch, runs, within
):
    data = SimpleNamespace(test=PAIRS)
    monkeypatch.setattr(quality, "need_multi30k", lambda *_: data)
    monkeypatch.setattr(quality, "GOALS", GOAL)
    left = iter(runs)
    plan = {"de-en": ({"minutes": 0.1}, (3, 4))}
    asked = []

    def get(key, make, options):
        asked.append((key, make, options["seed"], options["source"]))
        return next(left)

    monkeypatch.setattr(Run, "get", lambda _, *some: get(*some))
    run = Run(quality.GOALS_REACHED, ["--dry"])
    (found,) = quality.runs_of(run, plan).values()
    assert [a[0] for a in asked] == ["de-en 3", "de-en 4"]
    assert asked[1][1:] == (quality.trial, 4, "de")
    assert found["reached_within"] == within
    assert [run["seed"] for run in found["runs"]] == [3, 4]
    assert not any("test" in run for run in found["runs"])
    assert found["runs"][0]["test_greedy"]["bleu"]["score"] < 1


def test_any_device_adds_the_gradients_of_the_trainer():
    """`trial.add_gradients` beside the loss of `loop.update`."""
    batch, found = make_batch(ROWS[:20]), []
    for add in (True, False):
        one = model()
        loss_of = chunked_loss.loss_and_gradients
        if add:
            loss = trial.add_gradients(
                one, batch, batch.tokens, 0.1, torch.float32, loss_of
            )
        else:
            states = one.states(batch.source, batch.target)
            weight = one.output.weight
            loss = chunked_loss.output_loss(
                states, weight, batch.labels, PAD, 0.1
            )
            (loss / batch.tokens).backward()
        found.append([loss.detach(), *(p.grad for p in one.parameters())])
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-8)


def test_a_record_adds_the_gradients_of_every_batch_that_it_is_given():
    """On places of its own; a batch of an unknown shape is computed plainly.

    The first gradients, of learning, must not remain.
    """
    batches = [make_batch(ROWS[i : i + n]) for i, n in ((0, 20), (20, 20))]
    batches.append(make_batch(ROWS[40:47]))
    options = trial.BASE | {"recorded": True}
    wanted, one = model(), model()
    plain = trial.gradients_of(wanted, options)
    add = trial.recorded(
        trial.gradients_of(one, options), batches[:2], options
    )
    assert [*add.known] == [shape_of(batches[0])]
    for batch in batches:
        one.zero_grad(set_to_none=False)
        wanted.zero_grad()
        kept = batch.source.clone()
        add(batch, batch.tokens)
        plain(batch, batch.tokens)
        assert torch.equal(batch.source, kept)
        for a, b in zip(one.parameters(), wanted.parameters(), strict=True):
            torch.testing.assert_close(a.grad, b.grad, rtol=1e-6, atol=1e-9)


class Asked(TorchDispatchMode):
    """Count what makes Python wait for a number of the device."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = str(function)
        flags = "aten.index" in name and any(
            index is not None and index.dtype == torch.bool
            for index in args[1]
        )  # how many places there are is asked, too
        if flags or "_local_scalar_dense" in name or "nonzero" in name:
            self.found.append(name)
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("r_drop", [0.0, 2.0])
@pytest.mark.parametrize("recording", [False, True])
def test_what_is_recorded_asks_for_no_number(monkeypatch, r_drop, recording):
    """But for the checks, which ask unless something is recorded."""
    for module in (masks, inputs):
        monkeypatch.setattr(module, "is_symbolic", lambda _: recording)
    batch, options = make_batch(ROWS[:20]), {"recorded": True}
    options = trial.BASE | options | {"r_drop": r_drop}
    add, number = trial.gradients_of(model(), options), torch.ones(())
    with Asked() as asked:
        add(batch, number)
    assert len(asked.found) == (0 if recording else 8)


def test_programs_are_those_of_the_device_alone(monkeypatch):
    """Neither what starts them nor copies; of one update, not of five."""
    rows = [
        ("gemm", "CUDA", 10, 4000.0),
        ("cudaLaunchKernel", "CPU", 10, 0.0),
        ("Memcpy HtoD", "CUDA", 5, 1000.0),
    ]
    events = [
        SimpleNamespace(
            key=key,
            device_type=SimpleNamespace(name=device),
            count=count,
            self_device_time_total=time,
        )
        for key, device, count, time in rows
    ]
    asked = []

    @contextmanager
    def profile(activities):
        yield SimpleNamespace(key_averages=lambda: events)

    monkeypatch.setattr(recorded_gpu, "profile", profile)
    way = SimpleNamespace(options={"device": "cuda"}, updates=asked.append)
    assert recorded_gpu.programs(way) == (2, 0.8)
    assert asked == [recorded_gpu.PROFILED] == [5]


def test_every_epoch_has_batches_of_the_same_shapes():
    rows = [([5] * (n % 17 + 1), [6] * (n % 13 + 1)) for n in range(400)]
    wanted = Counter(map(shape_of, trial.first_epoch(rows, 200)))
    stream = batch_stream(rows, 200, seed=3, start=(5, 0))
    later = Counter(shape_of(b) for (n, _), b in islice(stream, 99) if n == 5)
    assert later == wanted and len(wanted) > 5


def test_a_process_cuts_ahead_what_would_be_cut_here():
    pairs = [("aa bb ab", "ba bb aab")] * 3
    vocab = BytePairs.learn([text for pair in pairs for text in pair], 4)
    arguments = pairs, vocab, 0.5, 7
    here, ahead = trial.Cutter(*arguments), trial.cut_ahead(*arguments)
    wanted = [here() for _ in range(3)]
    assert [next(ahead) for _ in range(3)] == wanted
    assert wanted[0] != wanted[1]
    ahead.close()


def test_training_leaves_out_the_form_that_plans_for_every_shape():
    enabled = torch.backends.cuda.cudnn_sdp_enabled
    with precision.for_many_shapes(CPU):
        assert enabled()
    with precision.for_many_shapes(torch.device("cuda")):
        assert not enabled()
        assert torch.backends.cuda.mem_efficient_sdp_enabled()
    assert enabled()


def test_no_two_batches_have_the_same_shape():
    """Most batches have one and the same shape."""
    rows = [([5] * 99, [5] * 99)] * 1000
    rows += [([5] * n, [5] * (n + 1)) for n in (9, 29, 49) for _ in range(50)]
    stream = batch_stream(rows, new_shapes_gpu.TOKENS, 0)
    first = [b for (epoch, _), b in islice(stream, 20) if not epoch]
    count = len({b.source.shape for b in first})
    assert 2 <= count < len(first) < 20
    found = new_shapes_gpu.of_new_shapes(rows, count)
    assert len({b.source.shape for b in found}) == count
    with pytest.raises(ValueError, match=f"{count + 1} shapes, got {count}"):
        new_shapes_gpu.of_new_shapes(rows, count + 1)


def test_what_a_new_shape_costs_is_the_first_step_less_the_others():
    rows = [
        {"way": way, "seconds": seconds}
        for way, seconds in (
            ("a", [0.6, 0.1, 0.1]),
            ("a", [0.4, 0.1, 0.2]),
            ("a", [9.0, 0.1, 0.1]),
            ("b", [0.1, 0.1, 0.1]),
        )
    ]
    assert new_shapes_gpu.cost(rows, "a") == 0.5
    assert new_shapes_gpu.cost(rows, "b") == 0


def test_every_way_has_its_form_and_takes_its_turn(monkeypatch):
    rows = [([5] * n, [6] * n) for n in range(1, 60) for _ in range(150)]
    data = SimpleNamespace(train=rows)
    begun = data, SimpleNamespace(encode=list), model(), None
    monkeypatch.setattr(new_shapes_gpu, "begin", lambda _: begun)
    steps = []
    monkeypatch.setattr(new_shapes_gpu.Run, "step", lambda *_: steps.append(1))
    found = new_shapes_gpu.table(CPU, 2, {})
    ways = [*new_shapes_gpu.WAYS]
    assert [row["way"] for row in found] == [*ways[::-1], *ways]
    assert len(steps) == new_shapes_gpu.STEPS * 3 * len(ways)
    assert {row["form"] for row in found} <= {"FLASH_ATTENTION", "MATH"}
    shapes = {tuple(row["batch_source_target"]) for row in found}
    assert len(shapes) == len(found)


@pytest.fixture
def entered(monkeypatch):
    """Note when a trainer enters the context, steps and leaves it."""
    log = []

    @contextmanager
    def context(_):
        log.append("in")
        yield
        log.append("out")

    for module in (loop, trial):
        monkeypatch.setattr(module, "for_many_shapes", context)
    return log


def test_the_trainer_computes_within_it(monkeypatch, entered):
    monkeypatch.setattr(
        loop.Run, "step", lambda *_: (entered.append("step"), 1)
    )
    monkeypatch.setattr(loop.Run, "note", lambda *_: None)
    train(model(), ROWS, TrainConfig(steps=2, save_every=9, warmup=1))
    assert entered == ["in", "step", "step", "out"]


@pytest.mark.parametrize("any_form", [False, True])
def test_a_trial_computes_within_it_unless_any_form_will_do(
    monkeypatch, entered, any_form
):
    data = SimpleNamespace(valid=[], train=[])
    begun = data, None, model(), None
    monkeypatch.setattr(trial, "begin", lambda _: begun)
    monkeypatch.setattr(
        trial, "train", lambda *_: entered.append("step") or (1, 1, None)
    )
    monkeypatch.setattr(trial, "validation_loss", lambda *_: 1.0)
    monkeypatch.setattr(trial, "translated", lambda *_: ([], 0.0))
    monkeypatch.setattr(trial.metrics, "old_bleu", lambda *_: (9.0, "x"))
    before = torch.get_num_threads()
    try:
        found = trial.trial(trial.BASE | {"any_form": any_form})
    finally:
        torch.set_num_threads(before)
    assert found["valid_bleu"] == {"2.0": 9.0}
    assert entered == (["step"] if any_form else ["in", "step", "out"])


@pytest.mark.parametrize("short", [True, False])
def test_muon_on_a_gpu_stacks_matrices_in_the_type_it_has(monkeypatch, short):
    monkeypatch.setattr(muon, "has_bfloat16", lambda _: short)
    config = TrainConfig(optimizer="muon")
    both = muon.with_muon(
        lambda *_: torch.optim.SGD([torch.ones(1)]), model().to("meta"), config
    )
    part = both.parts[0]
    assert type(part) is muon.WideMuon and part.stacked
    assert part.dtype == (torch.bfloat16 if short else None)


def test_a_shape_counts_once_in_all_runs(monkeypatch):
    """Runs of one process; the second one sees one shape that is new."""
    shapes = {0: ["a", "b", "a"], 1: ["b", "c"]}
    monkeypatch.setattr(
        shapes_of_batches, "shapes_of", lambda o, n: shapes[o["seed"]][:n]
    )
    runs = [
        {"seed": seed, "updates": n, "seconds": 1.0}
        for seed, n in ((0, 3), (1, 2))
    ]
    stored = {"values": {"de-en": {"changes": {}, "runs": runs}}}
    found = shapes_of_batches.of_runs(stored)
    assert [row["new_shapes"] for row in found] == [2, 1]


def test_shapes_are_those_that_the_device_is_given(monkeypatch):
    """With R-Drop every row twice; with BPE dropout other ones each time."""
    pairs = [("aa bb ab" * (n % 7 + 1), "ba bb aab") for n in range(61)]
    vocab = BytePairs.learn([text for pair in pairs for text in pair], 4)
    data = SimpleNamespace(train=pairs)
    monkeypatch.setattr(
        shapes_of_batches, "texts_of", lambda *_: (data, vocab)
    )
    options = trial.BASE | {"max_tokens": 400}
    plain = shapes_of_batches.shapes_of(options, 40)
    assert len(plain) == 40 and len({*plain}) < 15
    twice = shapes_of_batches.shapes_of(options | {"r_drop": 1.0}, 40)
    assert twice == [(b // 2 * 4, s, t) for b, s, t in plain]
    other = shapes_of_batches.shapes_of(options | {"bpe_dropout": 0.5}, 40)
    assert len({*other}) > len({*plain})


def test_translations_come_from_kept_rows_or_from_the_stored_result(tmp_path):
    row = {"row": {"test": {"5": ["ein Hund"]}}, "commit": "abc"}
    keys = [*multi30k_gpu_gain.KEYS.values()]
    paths = [tmp_path / "one", tmp_path / "none", tmp_path / "other"]
    paths[0].write_text(json.dumps({keys[0]: row}))
    paths[2].write_text(json.dumps(dict.fromkeys(keys[1:], row)))
    found = multi30k_gpu_gain.translations(paths)
    one = {"commit": "abc", "translations": ["ein Hund"]}
    assert found == dict.fromkeys(multi30k_gpu_gain.KEYS, one)
    for run in multi30k_gpu_gain.translations([]).values():
        assert len(run["translations"]) == 1000 and len(run["commit"]) == 40
    with pytest.raises(Missing, match="expected rows of .'en-de 0'., got"):
        multi30k_gpu_gain.translations(paths[1:])


def test_a_command_is_killed_once_and_begun_again(tmp_path, monkeypatch):
    folder = tmp_path / "run"
    program = tmp_path / "program"
    program.write_text(
        f"#!/bin/sh\nif [ -d {folder} ]; then exit 0; fi\n"
        f"mkdir -p {folder}/step-00000010\nexec sleep 60\n"
    )
    program.chmod(0o755)
    types = multi30k_number_types
    monkeypatch.setattr(types.sys, "executable", str(program))
    monkeypatch.setattr(
        types.checkpoint, "steps", lambda f: [(10, f / "step-00000010")]
    )
    folder.mkdir()  # of an earlier run
    seconds, killed = types.train(["train"], folder, kill_after=10)
    assert killed == 10 and seconds < 30


def test_a_command_that_fails_is_no_run(tmp_path, monkeypatch):
    types = multi30k_number_types
    monkeypatch.setattr(types.sys, "executable", "/bin/false")
    with pytest.raises(RuntimeError, match="the command failed"):
        types.train(["train"], tmp_path / "run", None)


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
    with pytest.raises(Missing, match="to their end: b$"):
        gpu.main([])
    assert course == [("b",), ("c",)]


def test_what_needs_what_is_missing_is_left_out(course, monkeypatch, capsys):
    monkeypatch.setattr(gpu, "missing", lambda: {"Multi30k": "no network"})
    with pytest.raises(Missing, match="to their end: b$"):
        gpu.main([])
    assert course == [("c",)]
    assert "without Multi30k: no network" in capsys.readouterr().out


def test_without_a_gpu_nothing_is_started(course, monkeypatch):
    monkeypatch.setattr(gpu, "missing", lambda: {"a GPU": "got none"})
    with pytest.raises(Missing, match="got none"):
        gpu.main([])
    assert course == []


def test_a_try_is_one_of_every_script(course, monkeypatch):
    with pytest.raises(Missing, match="to their end: b$"):
        gpu.main(["--small"])
    assert course == [(name, "--small") for name in "abc"]


def test_the_plan_is_all_that_needs_a_gpu():
    found = catalogue.experiments().items()
    on_gpu = {name for name, entry in found if "a GPU" in entry.needs}
    assert {*gpu.PLAN} == on_gpu and len(gpu.PLAN) == len(on_gpu)


def test_a_run_without_scaler_goes_on_with_one(tmp_path, monkeypatch):
    """Begun in bf16 on one GPU, resumed in fp16 on another."""
    config = TrainConfig(steps=2, save_every=1, warmup=1, precision="fp32")
    train(model(), ROWS, config, tmp_path)
    monkeypatch.setattr(
        "attnbook.training.number_types.choose_precision", lambda *_: "fp16"
    )
    run = loop.Run(model(), config, tmp_path)
    assert run.state["step"] == 2
    assert run.scaler.is_enabled() and run.scaler.get_scale() == 2.0**16
