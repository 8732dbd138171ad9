"""Multi30k on two cores: which stored runs still count."""

import multi30k_two_cores as two_cores
from attnbook import results


def test_stored_runs_count_while_their_command_is_todays(monkeypatch):
    runs = two_cores.stored_runs()
    stored = results.load("multi30k_two_cores")
    found = stored["values"]["en-de"]["20"]["runs"]
    for run in found:
        kept = runs["en-de", "20", run["seed"]]
        assert kept["test_beam"] == run["test_beam"]
        assert kept["commit"] == stored["commit"]
        assert kept["machine"] == stored["machine"]
    changed = two_cores.SETTINGS["20"] | {"steps": 7}
    monkeypatch.setitem(two_cores.SETTINGS, "20", changed)
    assert not two_cores.stored_runs()
    monkeypatch.setattr(two_cores, "SETTINGS", {})
    assert not two_cores.stored_runs()


def test_the_stored_means_and_times_are_those_of_the_stored_runs():
    for budgets in results.load("multi30k_two_cores")["values"].values():
        for minutes, budget in budgets.items():
            found = two_cores.summary(budget["runs"])
            assert budget["lowercased_moses_bleu"] == found
            assert found["slowest_seconds"] <= 60 * int(minutes)
