"""The one loop that runs every experiment."""

import json
from dataclasses import replace

import pytest

from attnbook import results
from lab import experiment, rows, store
from lab.curves import block_means
from lab.experiment import Experiment, Run, run_experiment


@pytest.fixture
def made():
    """The combinations whose rows were made."""
    return []


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A clean clone in which results and rows are kept; its results."""
    folder = tmp_path / "code/attnbook/results"
    folder.mkdir(parents=True)
    monkeypatch.setattr(store, "ROOT", tmp_path)
    monkeypatch.setattr(rows, "FOLDER", tmp_path / "rows")
    for module in (store, rows):
        monkeypatch.setattr(module, "find", lambda name: {"revision": 1})
    monkeypatch.setattr(experiment, "clean_commit", lambda name: "a" * 40)
    return folder


@pytest.fixture
def one(made):
    """An experiment with four rows."""

    def row(n, letter):
        made.append((n, letter))
        return {"n": n, "letter": letter, "curve": [n]}

    return Experiment(
        "one",
        needs="nothing",
        about="what rows are",
        data="numbers",
        seeds=(0, 1),
        plan=lambda: [(n, letter) for n in (0, 1) for letter in "ab"],
        row=row,
        revision=1,
        key="{1} {0}",
        hide=("curve",),
    )


def test_all_rows_are_made_printed_and_stored(lab, one, made, capsys):
    run_experiment(one, [])
    assert len(made) == 4
    result = json.loads((lab / "one.json").read_text())
    results.check(result)
    assert [row["curve"] for row in result["values"]["runs"]] == [
        [n] for n, _ in made
    ]
    assert (result["seeds"], result["about"]) == ([0, 1], "what rows are")
    out = capsys.readouterr().out
    assert "'letter': 'b'" in out and "curve" not in out


@pytest.mark.parametrize(
    ("words", "count"), [(["--small"], 1), (["--dry"], 4)]
)
def test_a_try_makes_one_row_and_stores_nothing(lab, one, made, words, count):
    run_experiment(one, words)
    assert len(made) == count
    assert [*lab.iterdir()] == [] and not rows.FOLDER.exists()


def test_the_help_says_what_is_measured(one, capsys):
    for about, said in (("what rows are", True), (lambda values: "", False)):
        with pytest.raises(SystemExit):
            Run(replace(one, about=about), ["--help"])
        shown = capsys.readouterr().out
        assert ("what rows are" in shown) == said
        assert "It needs: nothing." in shown and "Attributes" not in shown


def test_a_try_makes_no_row_twice(one, made):
    run = Run(one, ["--small"])
    for _ in range(2):
        assert run.get("a", one.row, 5, "a")["n"] == 5
    assert len(made) == 1


def test_what_was_stopped_goes_on_and_ends_with_the_result(lab, one, made):
    def stopped(n, letter):
        if n:
            raise KeyboardInterrupt
        return one.row(n, letter)

    with pytest.raises(KeyboardInterrupt):
        run_experiment(replace(one, row=stopped), [])
    (path,) = rows.FOLDER.iterdir()
    assert [*json.loads(path.read_text())] == ["a 0", "b 0"]
    run_experiment(replace(one, forget=False), [])
    assert len(made) == 4 and path.is_file()
    run_experiment(one, [])  # all are kept
    assert len(made) == 4 and not path.exists()


def test_values_that_are_not_complete_are_not_stored(lab, one):
    some = replace(one, plan=None, row=None, measure=lambda run: None)
    run_experiment(some, [])
    assert [*lab.iterdir()] == []


def test_rows_side_by_side_are_in_order_of_the_plan(lab, one):
    run = Run(one, [])
    plan = [(n,) for n in range(8)]
    assert run.each(plan, lambda n: {"n": n}, workers=4) == [
        {"n": n} for n in range(8)
    ]


def test_the_device_is_that_of_the_experiment(one, monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    on_gpu = replace(one, needs="a GPU")
    for some, words, device, stored in (
        (one, [], "cpu", True),
        (one, ["--device", "cuda"], "cuda", False),
        (on_gpu, [], "cuda", True),
        (on_gpu, ["--small"], "cpu", False),
        (on_gpu, ["--device", "cpu"], "cpu", False),
    ):
        run = Run(some, words)
        assert (run.device.type, run.stored) == (device, stored)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 1)
    assert Run(on_gpu, ["--small"]).device.type == "cuda"


def test_finished_runs_of_another_computer_must_hold_all(lab, tmp_path):
    path = tmp_path / "finished.json"
    path.write_text(json.dumps({"a": {"row": 1, "commit": "b", "seconds": 2}}))
    kept = rows.Rows("one", "a")
    kept.take(path, complete=True)
    assert kept.get("a", pytest.fail) == 1 and kept.seconds == 2
    with pytest.raises(ValueError, match="expected a row 'b', got .'a'"):
        kept.get("b", dict)


def test_rows_of_two_gpus_do_not_belong_together(lab):
    names = [rows.Rows("one", "a", card).path for card in ("H 1", "H 2", "")]
    assert len({*names}) == 3


@pytest.mark.parametrize(
    "change",
    [
        {"revision": None},
        {"fingerprint": dict},
        {"row": None},
        {"measure": lambda run: {}},
    ],
)
def test_an_experiment_is_measured_and_grows_stale_in_one_way(one, change):
    with pytest.raises(ValueError, match="expected one with"):
        replace(one, **change)


def test_a_curve_has_the_mean_of_every_block():
    assert block_means([1.0, 2.0, 4.0, 4.0, 7.0], 2, 1) == [1.5, 4.0, 7.0]
