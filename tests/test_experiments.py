"""Stored results: what they need, whether they are stale, how they go on."""

import json
import re
import signal
import subprocess
import sys

import pytest
import torch

from attnbook import results
from attnbook.fast import halves
from attnbook.tasks import digits
from attnbook.training import number_types, precision
from attnbook.transformer import Transformer
from chapter_files import ROOT
from chapters import overlap
from lab import catalogue, fingerprints, needs, rerun, rows, store
from lab.needs import Missing

FOLDER = ROOT / "code/experiments"
EXPERIMENTS = sorted(catalogue.experiments())


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_says_what_it_needs_as_it_is_read(name):
    found = catalogue.find(name)
    assert found.name == name and found.needs == catalogue.needs_of(name)
    assert needs.split(found.needs)


def test_an_experiment_is_declared_once_and_no_name_means_two_things():
    names = [
        name
        for p in catalogue.paths().values()
        for name in catalogue.declared(p)
    ]
    assert sorted(names) == EXPERIMENTS
    paths = [p for d in catalogue.DRAWERS for p in (FOLDER / d).rglob("*.py")]
    stems = [p.stem for p in paths if p.stem != "__init__"]
    assert len(stems) == len(set(stems))


@pytest.mark.parametrize("name", results.names())
def test_a_result_has_a_script_and_a_fingerprint_of_hashes_and_numbers(name):
    assert name in EXPERIMENTS
    fingerprints.check(results.load(name).get("fingerprint", {}))


def test_every_result_is_quoted_or_read():
    """By name, or as what an experiment needs; a mention is not enough."""
    paths = [*ROOT.glob("chapters/text/*.md"), *ROOT.glob("book/*.md")]
    for folder in ("tools", "attnbook", "experiments"):
        paths += (ROOT / "code" / folder).rglob("*.py")
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    for name in results.names():
        read = re.compile(rf'"{name}"|needs=".*\b{name}\b')
        own = catalogue.experiments()[name].path
        assert own in texts  # else its own mention would count
        others = (t for p, t in texts.items() if p != own)
        assert any(map(read.search, others)), f"nothing reads {name}"


def test_needs_are_read_without_starting_anything(tmp_path):
    path = tmp_path / "some.py"
    path.write_text('1 / 0\nX = Experiment("some", needs="a GPU", row=f)\n')
    assert catalogue.declared(path) == {"some": (path, "a GPU")}
    path.write_text('X = Experiment("some", row=f)\n')
    with pytest.raises(ValueError, match="expected needs=.* in some.py"):
        catalogue.declared(path)


LOSSES = [6.843, 6.901, 0.002]
FOUND = {"data": "7db5b98d412755a1", "losses": LOSSES, "revision": 1}


@pytest.mark.parametrize(
    ("change", "differ"),
    [
        ({}, []),
        ({"losses": [x * 1.002 for x in LOSSES]}, []),  # another processor
        ({"losses": [x * 1.004 for x in LOSSES]}, ["losses"]),
        ({"losses": [6.843, 6.901, 0.00205]}, ["losses"]),
        ({"losses": LOSSES[:2]}, ["losses"]),
        ({"losses": {"fr": LOSSES}}, ["losses"]),
        ({"losses": None}, ["losses"]),
        ({"data": "7db5b98d412755a2"}, ["data"]),
        ({"data": "7db5b98d412755a2", "revision": 2}, ["data", "revision"]),
        ({"more": 1.0}, ["more"]),
    ],
)
def test_what_differs_is_named(change, differ):
    assert fingerprints.differences(FOUND, FOUND | change) == differ
    assert fingerprints.differences(FOUND | change, FOUND) == differ
    nested = {"fr": FOUND}, {"fr": FOUND | change}
    assert fingerprints.differences(*nested) == (["fr"] if differ else [])


def test_a_part_less_is_a_difference():
    less = {"losses": LOSSES, "revision": 1}
    assert fingerprints.differences(FOUND, less) == ["data"]
    assert fingerprints.differences({"fr": FOUND}, {"fr": less}) == ["fr"]


@pytest.mark.parametrize(
    "wrong",
    ["/home/x/data", "2026-11-22", "runs/race", "", float("nan"), None],
)
def test_a_path_or_a_date_is_no_part_of_a_fingerprint(wrong):
    fingerprints.check(FOUND | {"nested": {"fr": [FOUND, 2]}})
    for where in (wrong, [wrong], {"fr": [wrong]}):
        with pytest.raises(ValueError, match="expected a"):
            fingerprints.check(FOUND | {"more": where})


def test_a_hash_is_the_same_everywhere_and_keeps_parts_apart():
    assert fingerprints.hash_of([("il", "dort")]) == "9aef4d9e48590b68"
    assert fingerprints.hash_of(["a"], ["b"]) != fingerprints.hash_of(
        ["a", "b"]
    )
    assert fingerprints.hash_of(b"ab", b"c") != fingerprints.hash_of(
        b"a", b"bc"
    )


def learn(steps, seed=0, rate=0.1):
    """Train a line; return the losses."""
    torch.manual_seed(seed)
    weight = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=rate)
    losses = []
    for _ in range(steps):
        loss = (weight * torch.randn(3)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_first_losses_are_those_of_the_training_which_ends_there():
    backward, found = torch.Tensor.backward, []
    losses = fingerprints.first_losses(lambda: found.extend(learn(100)))
    assert found == []  # it did not come to its end
    assert losses == pytest.approx(learn(20), rel=1e-3)
    assert torch.Tensor.backward is backward


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_first_losses_of_the_course_s_own_loop(shared, short, monkeypatch):
    """One matrix for all is computed in halves, in bfloat16 or without."""
    monkeypatch.setattr(precision, "cpu_has_bfloat16", lambda: short)
    monkeypatch.setattr(number_types, "measure", lambda *_: (2, 1))
    made = []

    def fit(steps):
        torch.manual_seed(0)
        config = digits.make_model_config(
            1, d_model=16, num_heads=2, d_ff=16, shared_embeddings=shared
        )
        rows = digits.draw_rows("copy", 200, 0)
        settings = digits.make_train_config(
            steps, 0, save_every=1, max_tokens=64, precision="auto"
        )
        made.append(Transformer(config))
        return digits.fit(made[-1], rows, settings)

    found = fingerprints.first_losses(fit, 1000)
    assert len(found) == 20
    assert found == pytest.approx(fit(1000 // 50), rel=1e-3)
    assert halves.is_fast(made[0], "auto") == shared


def test_a_training_that_ends_before_is_refused():
    backward = torch.Tensor.backward
    with pytest.raises(ValueError, match="expected 20 steps.*got 3"):
        fingerprints.first_losses(learn, 3)
    with pytest.raises(ZeroDivisionError):
        fingerprints.first_losses(lambda: 1 / 0)
    assert torch.Tensor.backward is backward


def test_a_script_is_asked_in_a_process_of_its_own():
    assert fingerprints.find("attention_forms") == {"revision": 1}
    with pytest.raises(RuntimeError, match="KeyError: 'no_such'"):
        fingerprints.find("no_such")


def test_what_is_missing_is_said_in_one_line(monkeypatch):
    line = "fingerprint: no Multi30k: not there\n"
    done = subprocess.CompletedProcess([], 1, "", line)
    monkeypatch.setattr(fingerprints.subprocess, "run", lambda *a, **k: done)
    with pytest.raises(Missing, match="^no Multi30k: not there$"):
        fingerprints.find("padding_share, as nobody asked before")


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Make `Rows` of an experiment whose fingerprint a test may change."""
    found = {"data": "7db5b98d412755a1"}
    monkeypatch.setattr(rows, "FOLDER", tmp_path / "rows")
    monkeypatch.setattr(rows, "find", lambda name: found)
    return lambda commit="a" * 40, **new: (
        found.update(new) or rows.Rows("some", commit)
    )


def test_a_finished_row_is_not_made_again(kept):
    assert kept().get("one", lambda x: {"x": x, 2: (1, 2)}, 5) == {
        "x": 5,
        "2": [1, 2],  # as JSON gives it back, whether it was kept or not
    }
    again = kept("b" * 40)
    assert again.get("one", pytest.fail)["x"] == 5
    again.get("two", dict)
    assert kept().commits() == ["a" * 40, "b" * 40]


def test_rows_of_other_data_are_not_taken(kept):
    kept().get("one", lambda: 1)
    assert kept(data="7db5b98d412755a2").get("one", lambda: 2) == 2
    assert kept(data="7db5b98d412755a1").get("one", pytest.fail) == 1


def test_a_row_that_cannot_be_kept_leaves_the_others(kept, monkeypatch):
    kept().get("one", lambda: 1)
    with pytest.raises(TypeError, match="not JSON"):
        kept().get("two", object)

    def full(*_):
        raise OSError(28, "no space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("attnbook.data.files.os.replace", full)
        with pytest.raises(OSError, match="no space"):
            kept().get("two", lambda: 2)
    assert list(kept().kept) == ["one"]


def test_killed_between_rows_or_in_one_it_loses_none(tmp_path):
    script = f"""
import os, signal
from lab import rows
from pathlib import Path
rows.FOLDER = Path({str(tmp_path)!r})
rows.find = lambda name: {{}}
kept = rows.Rows("some", None)
made = [kept.get(str(n), lambda: n) for n in range(len(kept.kept) + 1)]
print(*made, flush=True)
kept.get("half", os.kill, os.getpid(), signal.SIGKILL)
"""
    for count in range(2):
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=FOLDER,
            capture_output=True,
            text=True,
        )
        assert done.returncode == -signal.SIGKILL, done.stderr
        (file,) = tmp_path.iterdir()  # no part of another one
        content = json.loads(file.read_text())
        assert [row["row"] for row in content.values()] == [*range(count + 1)]


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """Store a result of a script called some.py; return how."""
    (tmp_path / "code/attnbook/results").mkdir(parents=True)
    monkeypatch.setattr(store, "ROOT", tmp_path)
    monkeypatch.setattr(store, "find", lambda name: FOUND)
    monkeypatch.setattr(sys, "argv", ["run.py", "some", "--x"])

    def write(made):
        about = "some", "a" * 40, "about", [0], "data"
        store.store(*about, {"x": 1}, made)
        path = tmp_path / "code/attnbook/results/some.json"
        return json.loads(path.read_text())

    return write


def test_a_result_is_stored_with_its_fingerprint(stored, kept):
    result = stored(kept())
    assert result["command"] == "python code/experiments/run.py some --x"
    results.check(result)
    assert result["fingerprint"] == FOUND
    assert "commits" not in result


def test_rows_add_their_seconds_and_end_with_the_result(stored, kept):
    made = kept()
    made.get("one", lambda: 1)
    made.kept["one"]["seconds"] = 1e6
    rows.write_json(made.path, made.kept)
    assert "commits" not in stored(made)  # all of one commit
    after = kept("b" * 40)
    after.get("three", lambda: 3)
    result = stored(after)
    assert result["seconds"] > 1e6
    assert result["commits"] == ["a" * 40, "b" * 40]
    results.check(result)


def result_of(name, **fingerprint):
    """Return a result with `FOUND`, or what is given, as its fingerprint."""
    return {"name": name, "seconds": 90.0, "fingerprint": FOUND} | fingerprint


def without(name):
    """Return a result of the time before fingerprints."""
    return {"name": name, "seconds": 90.0}


OTHER = FOUND | {"data": "7db5b98d412755a2"}


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """Three experiments with results; the first needs the last."""
    needs = {"a": "a GPU, c", "b": "nothing", "c": "Linux", "cc": "cccc, d"}
    monkeypatch.setattr(rerun, "needs_of", needs.get)
    monkeypatch.setattr(rerun.results, "names", lambda: list("abc") + ["cc"])
    monkeypatch.setattr(rerun, "find", lambda name: FOUND)


def test_states(scripts, monkeypatch):
    assert rerun.state_of(result_of("b")) == ("fresh", "")
    old = result_of("b", fingerprint=OTHER)
    assert rerun.state_of(old) == ("stale", "other data")
    assert rerun.state_of(without("b"))[0] == "unknown"

    def missing(name):
        raise Missing("no Multi30k")

    monkeypatch.setattr(rerun, "find", missing)
    assert rerun.state_of(result_of("b")) == ("unknown", "no Multi30k")


def test_what_needs_a_stale_result_is_stale_and_comes_later(scripts):
    found = {name: result_of(name) for name in "abc"}
    assert {s for s, _ in rerun.check_all(found).values()} == {"fresh"}
    found["c"] = result_of("c", fingerprint=OTHER)
    states = rerun.check_all(found)
    assert states["c"][0] == "stale"
    assert states["a"] == ("stale", "as c is")
    assert states["b"] == ("fresh", "")
    assert rerun.order({"a", "b", "c"}) == ["b", "c", "a"]
    assert rerun.order({"a", "b", "cc"}) == ["a", "b", "cc"]


def test_the_list(scripts, capsys):
    found = {"a": result_of("a"), "b": without("b"), "c": result_of("c")}
    rerun.show(found, rerun.check_all(found))
    shown = capsys.readouterr().out.splitlines()
    assert shown[1].split() == ["a", "a", "GPU,", "c", "1.5", "fresh"]
    assert "unknown: stored without a fingerprint" in shown[2]
    assert shown[-3:] == [
        "2 fresh, 3 minutes",
        "0 stale, 0 minutes",
        "1 unknown, 2 minutes",
    ]


@pytest.fixture
def course(scripts, monkeypatch):
    """Results of which a is stale, b unknown, c fresh; what was started."""
    found = {"a": result_of("a", fingerprint=OTHER), "b": without("b")}
    found["c"] = result_of("c")
    monkeypatch.setattr(rerun.results, "names", lambda: list(found))
    monkeypatch.setattr(rerun.results, "load", found.get)
    started = []

    def start(name):
        started.append(name)
        return started[-1] != "b"  # which fails

    monkeypatch.setattr(rerun, "start", start)
    return started


@pytest.mark.parametrize(
    ("words", "want"),
    [
        ([], []),
        (["stale"], ["a"]),
        (["c", "a"], ["c", "a"]),
        (["stale", "c"], ["c", "a"]),
        (["fresh", "stale"], ["c", "a"]),
    ],
)
def test_what_is_asked_for_is_re_run(course, words, want):
    rerun.main(words)
    assert course == want


def test_what_fails_is_named_and_the_others_run(course):
    with pytest.raises(Missing, match="^not re-run: b$"):
        rerun.main(["a", "b", "c"])
    assert course == ["b", "c", "a"]


def test_another_word_is_refused(course):
    with pytest.raises(Missing, match="results out of a, b, c; got racing"):
        rerun.main(["stale", "racing"])
    assert course == []


def test_a_command_is_run_and_its_end_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(rerun, "RUN", tmp_path / "run.py")
    rerun.RUN.write_text("import sys\nsys.exit(len(sys.argv) - 2)\n")
    assert rerun.start("some")
    assert not rerun.start("some", "--small")


def test_ctrl_c_waits_for_the_experiment(monkeypatch):
    waits = []

    class Process:
        def wait(self):
            waits.append(1)
            if len(waits) == 1:
                raise KeyboardInterrupt

    monkeypatch.setattr(rerun.subprocess, "Popen", lambda *a, **k: Process())
    with pytest.raises(KeyboardInterrupt):
        rerun.start("some")
    assert len(waits) == 2


def test_the_overlap_counts_sides_and_pairs():
    train = [("A cat runs.", "Eine Katze rennt."), ("A dog.", "Ein Hund.")]
    pairs = [
        ("a cat runs", "eine katze rennt"),  # both, in small letters
        ("A dog!", "Eine Katze rennt."),  # each side, but of two pairs
        ("A dog runs.", "Ein Hund"),  # the target alone
        ("A cat.", "Eine Katze."),  # neither
    ]
    found = overlap.overlap(train, pairs)
    assert found == {"pairs": 4, "pair": 1, "source": 2, "target": 3}
