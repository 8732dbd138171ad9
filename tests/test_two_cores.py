"""Multi30k on two cores: which runs still count."""

import pytest

from attnbook import results
from translation import multi30k_two_cores as two_cores


def test_stored_runs_count_while_their_command_is_todays(monkeypatch):
    runs = two_cores.stored_runs()
    for way, budgets in results.load("multi30k_two_cores")["values"].items():
        for minutes, budget in budgets.items():
            for run in budget["runs"]:
                assert runs[way, minutes, run["seed"]] == run
                assert run["commit"] and run["machine"]["threads"] == 2
    changed = two_cores.SETTINGS["20"] | {"steps": 7}
    monkeypatch.setitem(two_cores.SETTINGS, "20", changed)
    assert {minutes for _, minutes, _ in two_cores.stored_runs()} == {"75"}
    monkeypatch.setattr(two_cores, "SETTINGS", {})
    assert not two_cores.stored_runs()


def test_the_stored_means_and_times_are_those_of_the_stored_runs():
    for budgets in results.load("multi30k_two_cores")["values"].values():
        for minutes, budget in budgets.items():
            found = two_cores.summary(budget["runs"])
            assert budget["lowercased_moses_bleu"] == found
            assert found["slowest_seconds"] <= 60 * int(minutes)


def test_the_run_without_bfloat16_had_the_command_of_20_minutes():
    """Only then may its minutes stand beside those of the others."""
    values = results.load("no_bfloat16")["values"]
    way = values["direction"]
    assert values["command"] == two_cores.pattern(way, "20")
    with_it = results.load("multi30k_two_cores")["values"][way]["20"]["runs"]
    for part in ("model", "training"):
        assert values["run"][part] == with_it[0][part]
    seconds = values["step_seconds"]
    assert seconds["torch"] > seconds["gradients"] > seconds["ours"]


def test_a_finished_run_is_of_its_command(tmp_path):
    two_cores.run(["this"], tmp_path)
    before = (tmp_path / "seconds.json").read_text()
    assert two_cores.run(["this"], tmp_path) == float(before)
    with pytest.raises(ValueError, match="the command this 7, got this$"):
        two_cores.run(["this", "7"], tmp_path)
    assert (tmp_path / "seconds.json").read_text() == before
