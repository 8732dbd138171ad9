"""Where something is missing, an experiment ends in one line."""

import pytest
import torch

from lab import needs, store
from lab.run import main


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A computer without data, network, GPU or other libraries."""
    monkeypatch.setenv("ATTNBOOK_DATA", str(tmp_path))
    for kind in ("http", "https", "all"):  # nobody listens there
        monkeypatch.setenv(f"{kind}_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gpu"], "expected a GPU, got none"),
        (["benchmark_gpu"], "expected a GPU, got none"),
        (["benchmark"], "ATTNBOOK_DATA"),
        (["race_multi30k", "--small"], "could not fetch"),
        (["race_multi30k", "--score", "none.json"], "could not fetch"),
        (["fingerprint", "overlap"], "could not fetch"),
        (["warmups"], "expected one of list, gpu,"),
    ],
)
def test_without_data_network_or_gpu_it_ends_in_one_line(
    bare, words, said, capsys
):
    with pytest.raises(SystemExit) as ended:
        main(words)
    line = ended.value.code  # a text is printed, and the status is 1
    assert line.startswith(f"{words[0]}: ") and "\n" not in line
    assert said in line
    assert not capsys.readouterr().err


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
def test_one_line_names_the_experiment(error, words):
    with pytest.raises(SystemExit) as caught:
        needs.in_one_line("some", raising(error))
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
        needs.in_one_line("some", raising(error))


def test_arguments_arrive():
    found = []
    needs.in_one_line("some", found.append, 3)
    assert found == [3]


def test_a_result_that_is_kept_needs_all_peers(monkeypatch, capsys):
    there = {"x_transformers"}
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: name in there or None
    )
    needs.need_peers(stored=False)
    assert "without transformers" in capsys.readouterr().out
    with pytest.raises(needs.Missing, match="pip install -e"):
        needs.need_peers(stored=True)
    there.add("transformers")
    needs.need_peers(stored=True)
    assert capsys.readouterr().out == ""


def test_without_a_clone_nothing_is_stored(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "ROOT", tmp_path)
    with pytest.raises(needs.Missing, match="a clone of the project"):
        store.clean_commit("attention_forms")


def test_a_need_that_nobody_knows_is_refused():
    assert needs.split("a GPU, race") == ["a GPU", "race"]
    with pytest.raises(ValueError, match=r"got \['Multi30K'\]"):
        needs.split("a GPU, Multi30K")


def test_another_device_that_is_not_there_is_said(bare):
    with pytest.raises(SystemExit) as ended:
        main(["attention_forms", "--small", "--device", "cuda"])
    assert "expected a GPU, got none" in ended.value.code
