"""A new exercise: the skeleton works at once, and nothing is overwritten."""

import os
import shutil
import subprocess
import sys

import pytest

import chapter_files
import new_exercise

CODE = ("code/attnbook", "code/tools", "code/experiments")
CODE += ("tests", "chapters/text", "book")
LEFT_OUT = shutil.ignore_patterns("models", "_static", "__pycache__")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A scratch copy of the project with exercise 6.N, centred, in it."""
    root = tmp_path_factory.mktemp("copy")
    for folder in CODE:
        shutil.copytree(
            chapter_files.ROOT / folder, root / folder, ignore=LEFT_OUT
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chapter_files, "ROOT", root)
        patch.setattr(chapter_files, "TEXTS", root / "chapters/text")
        text = new_exercise.text_of(6)
        number = len(new_exercise.exercises_of(text)) + 1
        assert new_exercise.main([f"6.{number}", "centred"]) == 0
        yield root, f"6.{number}"


def run(root, number):
    """Run the tests of the new exercise in the copy."""
    command = [sys.executable, "-m", "pytest", "-c", "tests/pytest.ini"]
    command += ["--rootdir=.", "tests/test_checks.py"]
    command += ["tests/test_exercises.py", "tests/test_hero.py"]
    command += ["-k", f"centred or {number} or minutes or attacked"]
    env = os.environ | {"PYTHONPATH": str(root / "code")}
    return subprocess.run(
        command, cwd=root, env=env, capture_output=True, text=True
    ).stdout


def test_the_skeleton_is_an_exercise_that_lacks_wrong_answers(copy):
    said = run(*copy)
    failed = [line for line in said.splitlines() if "FAILED" in line]
    assert len(failed) == 1, said
    assert "centred: expected at least 11 wrong answers, got 7" in said


def test_the_text_has_gaps_and_the_minutes_are_added_up(copy):
    root, number = copy
    (text,) = (root / "chapters/text").glob("06_*.md")
    written = text.read_text(encoding="utf-8")
    assert f"### Exercise {number} (a title)" in written
    assert written.index(f"Exercise {number}") < written.index("## Summary")


def test_it_stands_behind_the_last_exercise():
    path = new_exercise.text_of(10)  # has a section before its summary
    id = f"10.{len(new_exercise.exercises_of(path)) + 1}"
    written = new_exercise.with_exercise(path, id, "### Exercise new\n\n")
    assert "\n\n### Exercise new\n\n## After the exercises" in written


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "such as 6.8 centred; got nothing"),
        (["6.99", "centred_too"], "expected the next id"),
        (["99.1", "centred_too"], "expected the number of a chapter, got 99"),
        (["6.9", "Centred"], "got 6.9 Centred"),
        (["6.9", "centred"], "expected a name that is free; got centred"),
    ],
)
def test_nothing_is_written_if_something_is_in_the_way(
    copy, words, message, capsys
):
    root, _ = copy
    before = {p: p.read_bytes() for p in root.rglob("*.md")}
    assert new_exercise.main(words) == 1
    assert message in capsys.readouterr().err
    assert {p: p.read_bytes() for p in root.rglob("*.md")} == before
