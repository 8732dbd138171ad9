import json
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F

from attnbook.config import RecurrentConfig
from attnbook.recurrent import Recurrent
from attnbook.training import checkpoint, muon, number_types, precision
from attnbook.training.loop import Run, train
from attnbook.training.number_types import decide
from attnbook.training.precision import autocast, choose_precision
from attnbook.training.runs import RunFolder
from test_loop import config_of, model_of, same, task, weights_of

CPU = torch.device("cpu")
NEW = RunFolder(None).read_state()


def test_precision():
    assert choose_precision("fp32", CPU) == "fp32"
    assert choose_precision("auto", CPU) in ("fp32", "bf16")
    with pytest.raises(ValueError, match="got 'fp8'"):
        choose_precision("fp8", CPU)
    with pytest.raises(ValueError, match="on a CPU, got fp16"):
        choose_precision("fp16", CPU)
    a = torch.randn(3, 3)
    with autocast("bf16", CPU):
        assert F.linear(a, a).dtype == torch.bfloat16
    with autocast("fp32", CPU):
        assert F.linear(a, a).dtype == torch.float32


@pytest.fixture
def short(monkeypatch):
    """Let the processor have instructions for bfloat16."""
    monkeypatch.setattr(precision, "cpu_has_bfloat16", lambda: True)


@pytest.fixture
def times(monkeypatch):
    """Return a list: the times of the trials to come; one more is refused."""
    found = []
    monkeypatch.setattr(number_types, "measure", lambda *_: found.pop())
    return found


@pytest.mark.parametrize(
    ("wide", "short", "best"),
    [
        (1.0, 1.9, "fp32"),  # 325 and 170 GFLOP/s
        (1.0, 1.0, "fp32"),
        (1.09, 1.0, "fp32"),
        (1.1, 1.0, "bf16"),
        (0.023, 0.01, "bf16"),
    ],
)
def test_bf16_is_taken_if_it_is_a_tenth_faster(wide, short, best):
    found, said = number_types.choose_faster(wide, short)
    assert found == best
    assert said.endswith(f": training in {best}")
    assert f"{wide / short:.2f} times as fast" in said


def test_a_cpu_with_bfloat16_tries_it(short, times):
    config = config_of(precision="auto")
    for pair, best in (((1.0, 2.0), "fp32"), ((2.0, 1.0), "bf16")):
        times.append(pair)
        assert decide(model_of(), config, NEW)[0] == best
        assert not times


@pytest.mark.parametrize("name", ["fp32", "bf16"])
def test_a_number_type_by_name_is_never_tried(short, times, name):
    config = config_of(precision=name)
    assert decide(model_of(), config, NEW) == (name, None)
    other = {"fp32": "bf16", "bf16": "fp32"}[name]
    assert decide(model_of(), config, {"precision": other}) == (name, None)


def test_a_cpu_without_bfloat16_tries_nothing(monkeypatch, times):
    """Emulated products could take minutes."""
    monkeypatch.setattr(precision, "cpu_has_bfloat16", lambda: False)
    config = config_of(precision="auto")
    for state in (NEW, {}, {"precision": "fp32"}, {"precision": "bf16"}):
        assert decide(model_of(), config, state) == ("fp32", None)


@pytest.mark.parametrize("has", [True, False])
def test_a_gpu_is_chosen_for_as_ever(monkeypatch, times, has):
    monkeypatch.setattr(number_types, "choose_precision", lambda *_: has)
    model = SimpleNamespace(
        parameters=lambda: iter([SimpleNamespace(device=torch.device("cuda"))])
    )
    state = {"precision": "fp32"}  # the run began on a CPU
    assert decide(model, config_of(precision="auto"), state) == (has, None)


@pytest.mark.parametrize(
    ("state", "best"),
    [
        ({"precision": "fp32"}, "fp32"),
        ({"precision": "bf16"}, "bf16"),
        ({"step": 3}, "bf16"),  # of a run before there was a trial
    ],
)
def test_a_run_that_goes_on_keeps_its_number_type(short, times, state, best):
    found, said = decide(model_of(), config_of(precision="auto"), state)
    assert found == best
    assert said == f"training in {best}, as this run began"


def test_what_a_gpu_began_in_fp16_is_tried_anew(short, times):
    times.append((1.0, 2.0))
    state = {"precision": "fp16"}
    assert decide(model_of(), config_of(precision="auto"), state)[0] == "fp32"


@pytest.mark.parametrize("rows", [1, 48, 300, 4096])
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"shared_embeddings": True},
        {"d_model": 256, "d_ff": 512, "target_vocab": 3000},
        {"d_model": 16, "d_ff": 16, "target_vocab": 16},  # one shape for all
    ],
)
def test_a_trial_stands_for_all_products_of_a_step(fields, rows):
    model = model_of(**fields)
    products = number_types.count_products(model, rows)
    tables = model.source_embedding.table, model.target_embedding.table
    numbers = {p for p in model.parameters() if p.dim() == 2}
    numbers -= {table.weight for table in tables}
    numbers |= {model.output.weight}
    whole = rows * sum(p.numel() for p in numbers)
    stands_for = sum(
        r * m * n * times for (r, m, n), times in products.items()
    )
    assert stands_for == pytest.approx(whole)
    assert all(r <= rows for r, _, _ in products)
    tried = sum(r * m * n for r, m, n in products)
    assert tried <= 2 * number_types.WORK


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_trial_draws_no_random_number_of_the_run(shared, threads):
    """And takes as many threads as it was given."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        model = model_of(shared_embeddings=shared)
        torch.manual_seed(5)
        found = number_types.measure(model, 96)
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert torch.initial_seed() == 5
    drawn = torch.rand(1)
    assert torch.equal(drawn, torch.rand(1, generator=seeded(5)))
    assert len(found) == 2 and all(0 < t < 60 for t in found)


def seeded(seed):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_other_models_can_be_tried_too(cell):
    config = RecurrentConfig(
        source_vocab=9, target_vocab=9, d_model=8, cell=cell, max_length=9
    )
    assert min(number_types.measure(Recurrent(config), 64)) > 0


ENDS = [((1.0, 2.0), "adamw"), ((2.0, 1.0), "adamw"), ((1.0, 2.0), "muon")]


@pytest.mark.parametrize(("pair", "optimizer"), ENDS)
def test_a_run_cut_off_ends_the_same_whatever_a_second_trial_says(
    short, times, tmp_path, pair, optimizer
):
    """Bit for bit; a trial is not even made."""
    pairs, ends = task()[0], []
    for name, parts in (("whole", [12]), ("cut", [4, 8, 12])):
        times.append(pair)
        for steps in parts:
            model = model_of(shared_embeddings=True)
            config = config_of(
                precision="auto",
                steps=steps,
                optimizer=optimizer,
                schedule="noam",
            )
            train(model, pairs, config, tmp_path / name)
        assert not times
        kept = RunFolder(tmp_path / name).read_state()["precision"]
        assert kept == ("fp32" if pair[0] < pair[1] else "bf16")
        ends.append(weights_of(model))
    assert same(*ends)


@pytest.mark.parametrize("asked", ["auto", "fp32"])
def test_a_run_from_before_there_was_a_trial_goes_on_as_it_was(
    short, times, tmp_path, monkeypatch, asked
):
    """In bf16, and Muon too, which had the processor's type."""
    monkeypatch.setattr(muon, "has_bfloat16", lambda _: True)
    pairs = task()[0]
    for steps in (4, 8):  # a second checkpoint is as old as the first
        config = config_of(precision=asked, optimizer="muon", steps=steps)
        times += [(2.0, 1.0)] * (asked == "auto" and steps == 4)
        train(model_of(), pairs, config, tmp_path)
        path = checkpoint.steps(tmp_path)[-1][1] / "state.json"
        state = json.loads(path.read_text())
        assert ("precision" in state) == (steps == 4)
        state.pop("precision", None)
        path.write_text(json.dumps(state))
        run = Run(model_of(), config, tmp_path)
        assert run.precision == ("bf16" if asked == "auto" else "fp32")
        assert type(run.optimizer.parts[0]) is torch.optim.Muon
