"""One chapter can be checked alone, and nothing of it is left out."""

import subprocess
import sys

import pytest

import chapter_tests
from answers import TASKS
from attnbook import checks
from attnbook.teaching.exercises import exercises_of

TEXTS = chapter_tests.texts()
LAST = len(TEXTS) - 1  # the first is chapter 0
ALWAYS = {f"tests/{name}.py" for name in chapter_tests.ALWAYS}


def collected(number):
    """Return the test ids that belong to a chapter in the three files."""
    words = ["-c", "tests/pytest.ini", "--rootdir=.", *sorted(ALWAYS)]
    words += [f"--chapter={number}", "--collect-only"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=chapter_tests.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split("::")[1] for line in done.stdout.splitlines()
            if "::" in line]  # fmt: skip


def test_a_chapter_has_its_checkers_solutions_and_text():
    text = chapter_tests.text_of("10")
    found = collected(10)
    tasks = {
        line.split("[")[1].removesuffix("]")
        for line in found
        if line.startswith("test_right_answers_pass[")
    }
    exercises = exercises_of(text)
    assert {e.check.removeprefix("check_") for e in exercises if e.check} == (
        tasks
    )
    for task in tasks:
        assert f"test_wrong_answers_get_their_own_hint[{task}]" in found
    solutions = [n for n in found if n.startswith("test_code_of_a_solution")]
    assert len(solutions) == len(exercises) > 4
    assert "test_anatomy[10_masks]" in found
    assert not any("[11_" in name or "[09_" in name for name in found)


def test_every_checker_belongs_to_one_chapter():
    """The wrong answers to a task stand in the module of its chapter."""
    for text in TEXTS:
        module = f"answers.chapter_{text.stem[:2]}"
        for e in exercises_of(text):
            if e.check:
                given = TASKS[e.check.removeprefix("check_")]
                modules = {answer.__module__ for answer in given.wrong}
                assert modules == {module}, e.id
    assert len(TASKS) == len(checks.__all__) - 1


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.stem)
def test_a_chapter_has_the_tests_of_what_it_imports(text):
    found = set(chapter_tests.files_of(text))
    assert found > ALWAYS
    for path in found:
        assert (chapter_tests.ROOT / path).is_file()


@pytest.mark.parametrize(
    ("number", "file"),
    [("10", "masks"), ("7", "multihead"), ("08", "positions"),
     ("14", "greedy"), ("12", "loop")],
)  # fmt: skip
def test_the_modules_of_a_chapter_are_among_them(number, file):
    text = chapter_tests.text_of(number)
    assert f"tests/test_{file}.py" in chapter_tests.files_of(text)


def test_the_notebook_is_executed_and_all_else_is_checked():
    text = chapter_tests.text_of("4")
    notebook = "chapters/04_scaling.ipynb"
    execution = chapter_tests.execution_of(text)
    assert {"tests/pytest-notebooks.ini", notebook} < set(execution)
    checks_ = chapter_tests.checks_of(text)
    assert sum(notebook in command for command in checks_) == 2  # ruff, twice
    assert [sys.executable, "code/tools/sync.py"] in checks_  # pages, too
    assert "--chapter=4" in checks_[-1]
    assert set(chapter_tests.files_of(text)) < set(checks_[-1])


@pytest.mark.parametrize(
    "number", ["", "00x", str(LAST + 1), "-1", "x", "masks", "1 2"]
)
def test_an_unknown_chapter_is_one_line(number, capsys):
    assert chapter_tests.main([number]) == 2
    said = capsys.readouterr().err
    assert said == (f"expected CHAPTER=0 to CHAPTER={LAST}, got {number!r}\n")


def command(code):
    return [sys.executable, "-S", "-c", code]


PASS, FAIL = command("pass"), command("raise SystemExit(3)")


@pytest.mark.parametrize(
    ("beside", "commands", "want"),
    [
        (PASS, [PASS, PASS], 0),
        (FAIL, [PASS, PASS], 1),
        (PASS, [PASS, FAIL], 1),
        (PASS, [FAIL, PASS], 1),
    ],
)
def test_one_failure_is_a_failure(beside, commands, want, capfd):
    assert chapter_tests.run(beside, commands) == want


def test_what_runs_beside_is_shown_at_the_end(capfd):
    said = command("print('beside')")
    assert chapter_tests.run(said, [command("print('first')")]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[1] == "first" and lines[-1] == "beside"


def test_a_failure_ends_what_runs_beside():
    forever = command("import time; time.sleep(600)")
    assert chapter_tests.run(forever, [FAIL]) == 1
