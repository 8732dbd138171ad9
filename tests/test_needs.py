"""Where something is missing, an experiment ends in one line."""

import runpy
import sys

import pytest

import needs
import store
from bench import peers
from chapter_files import ROOT

SCRIPTS = sorted((ROOT / "code/experiments").glob("*.py"))
HELPERS = {"looking_up.py", "needs.py", "pronoun_measures.py", "rows.py"}
HELPERS |= {"recorded.py", "store.py", "track.py"}
# A quarter of a minute in one piece, or what another script does.
NO_LOOP = {"speed_steps.py", "overlap.py"}
NO_LOOP |= {"fingerprints.py", "race_multi30k.py", "trial.py"}
NO_LOOP |= {"race_one_table.py", "race_speeds_gpu.py"}  # that of race.py
NO_LOOP |= {"multi30k_gpu_goals.py"}  # that of multi30k_quality.py


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A computer without data, network or GPU."""
    monkeypatch.setenv("ATTNBOOK_DATA", str(tmp_path))
    for kind in ("http", "https", "all"):  # nobody listens there
        monkeypatch.setenv(f"{kind}_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("gpu", [], "expected a GPU, got none"),
        ("benchmark_gpu", [], "expected a GPU, got none"),
        ("benchmark", ["--data", "multi30k"], "ATTNBOOK_DATA"),
        ("race_multi30k", ["--small"], "could not fetch"),
        ("race_multi30k", ["--score", "none.json"], "got none.json"),
    ],
)
def test_without_data_network_or_gpu_it_ends_in_one_line(
    bare, name, arguments, words, monkeypatch, capsys
):
    script = str(ROOT / f"code/experiments/{name}.py")
    monkeypatch.setattr(sys, "argv", [script, *arguments])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(script, run_name="__main__")
    line = ended.value.code  # a text is printed, and the status is 1
    assert line.startswith(f"{name}: ") and "\n" not in line
    assert words in line
    assert not capsys.readouterr().err


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_every_experiment_ends_so_and_says_where_it_is(script):
    text = script.read_text(encoding="utf-8")
    end = text.partition('if __name__ == "__main__":')[2]
    if script.name in HELPERS:
        assert not end
        return
    assert "in_one_line(" in end
    assert (" track(" in text) == (script.name not in NO_LOOP)


def raising(error):
    def main():
        raise error

    return main


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (needs.Missing("no such thing"), "no such thing"),
        (ModuleNotFoundError("No x", name="transformers"), "pip install -e"),
        (KeyboardInterrupt(), "interrupted"),
    ],
)
def test_one_line_names_the_script(error, words, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["code/experiments/some.py"])
    with pytest.raises(SystemExit) as caught:
        needs.in_one_line(raising(error))
    assert caught.value.code.startswith("some: ")
    assert words in caught.value.code


@pytest.mark.parametrize(
    "error",
    [
        ValueError("a bug"),
        ImportError("a bug: cannot import a name"),
        ModuleNotFoundError("a bug: no attnbook.gone", name="attnbook.gone"),
    ],
)
def test_a_mistake_of_the_script_keeps_its_traceback(error):
    with pytest.raises(type(error), match="a bug"):
        needs.in_one_line(raising(error))


def test_arguments_arrive():
    found = []
    needs.in_one_line(found.append, 3)
    assert found == [3]


def test_a_result_that_is_kept_needs_all_peers(monkeypatch, capsys):
    monkeypatch.setattr(peers, "installed", lambda: {"x-transformers": None})
    peers.note_absent(stored=False)
    assert "without transformers" in capsys.readouterr().out
    with pytest.raises(needs.Missing, match="pip install -e"):
        peers.note_absent(stored=True)
    monkeypatch.setattr(peers, "installed", lambda: peers.PEERS)
    peers.note_absent(stored=True)
    assert capsys.readouterr().out == ""


def test_without_a_clone_nothing_is_stored(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "ROOT", tmp_path)
    with pytest.raises(needs.Missing, match="a clone of the project"):
        store.clean_commit()
