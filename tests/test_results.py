import re
import subprocess
from pathlib import Path

import pytest

from attnbook import results

ROOT = Path(__file__).resolve().parents[1]


def test_there_are_results():
    assert {"attention_forms", "scaling_learning", "score_functions"} <= set(
        results.names()
    )


@pytest.mark.parametrize("name", results.names())
def test_a_result_says_where_it_comes_from(name):
    result = results.load(name)
    assert result["name"] == name
    assert result["command"].startswith("python code/experiments/")
    assert name in result["command"]
    assert re.fullmatch("[0-9a-f]{40}", result["commit"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", result["date"])
    assert set(result["machine"]) >= {"device", "threads", "torch"}
    assert result["seeds"] and result["seconds"] > 0 and result["values"]


@pytest.mark.parametrize("name", results.names())
def test_the_commit_of_a_result_holds_its_script(name):
    result = results.load(name)
    script = result["command"].split()[1]
    command = ["git", "cat-file", "-e", f"{result['commit']}:{script}"]
    inside = subprocess.run(
        ["git", "rev-parse", "--is-shallow-repository"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if inside.stdout.strip() != "false":
        pytest.skip("not a whole git history")
    assert subprocess.run(command, cwd=ROOT).returncode == 0


def test_an_unknown_name_is_refused():
    with pytest.raises(
        ValueError, match="expected a result out of.*'nothing'"
    ):
        results.load("nothing")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.pop("commit"), "expected the fields"),
        (lambda r: r.update(extra=1), "expected the fields"),
        (lambda r: r.update(seeds=3), "expected seeds as list, got int"),
    ],
)
def test_a_result_without_its_origin_is_refused(change, message):
    result = results.load("attention_forms")
    results.check(result)
    change(result)
    with pytest.raises(ValueError, match=message):
        results.check(result)


def test_a_damaged_result_cannot_be_loaded(tmp_path, monkeypatch):
    (tmp_path / "results").mkdir()
    (tmp_path / "results/bad.json").write_text('{"name": "bad"}')
    monkeypatch.setattr(results, "files", lambda name: tmp_path)
    assert results.names() == ["bad"]
    with pytest.raises(ValueError, match="expected the fields"):
        results.load("bad")


def test_the_run_that_was_killed_ended_as_the_undisturbed_one():
    hashes = results.load("killed_writes")["values"]["sha256"]
    assert len(hashes["killed"]) == 64
    assert hashes["killed"] == hashes["undisturbed"]
