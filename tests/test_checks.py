"""Checkers: right answers in many styles pass, wrong ones get their hint."""

import ast
import collections
import contextlib
import functools
import io
import random
import time
from pathlib import Path

import numpy as np
import pytest
import torch

import answers
from answers import TASKS
from attnbook import checks
from attnbook.checks.engine.steps import with_mistakes
from attnbook.checks.engine.verdict import (
    NOT_ANSWERED,
    Hint,
    Mistake,
    Verdict,
)
from attnbook.checks.translation.bucket_batches import check as bucket_batches

CHECKS = {task: getattr(checks, f"check_{task}") for task in TASKS}
bucket_batches.PATIENCE = 1.5  # seconds; a reader's computer may be slower
EXERCISES = {
    task: check.exercise
    for task, check in CHECKS.items()
    if hasattr(check, "exercise")
}
ROWS = [(task, row) for task, e in EXERCISES.items() for row in e.mistakes]


def judge(task, answer):
    """Return the verdict; exactly one line must be printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        verdict = CHECKS[task](answer)
    assert isinstance(verdict, Verdict)
    assert printed.getvalue() == f"{verdict}\n"
    assert "\n" not in str(verdict)
    return verdict


@functools.cache
def verdict_on(task, answer):
    """Return the verdict on an answer of the list, judged only once."""
    return judge(task, answer)


def name_of(value):
    return value if isinstance(value, str) else value.__name__


def test_every_checker_is_attacked():
    public = {n.removeprefix("check_") for n in checks.__all__}
    assert public - {"Verdict"} == set(TASKS)
    for name, task in TASKS.items():
        rows = [row for of, row in ROWS if of == name]
        wrong, right = len(task.wrong) + len(rows), len(task.right)
        assert wrong >= 11, (
            f"{name}: expected at least 11 wrong answers, got {wrong}"
        )
        assert right >= 3, (
            f"{name}: expected at least 3 right answers, got {right}"
        )


@pytest.mark.parametrize("task", EXERCISES)
def test_the_right_answer_of_the_table_passes(task):
    verdict = judge(task, EXERCISES[task].right)
    assert verdict, verdict.hint


def require_hints(pairs):
    """Fail, and list every verdict that is not as it should be.

    Args:
        pairs: (name, hint) of a wrong answer, and the verdict on it.
    """
    missed = [
        f"{name}: expected {hint!r}, got {verdict.hint!r}"
        for (name, hint), verdict in pairs
        if verdict or hint not in verdict.hint
    ]
    if missed:
        pytest.fail("\n".join(missed), pytrace=False)


@pytest.mark.parametrize("task", EXERCISES)
def test_every_row_of_a_table_gets_its_own_hint(task):
    right, rows = EXERCISES[task].right, EXERCISES[task].mistakes
    require_hints(
        (row, judge(task, with_mistakes(right, row.wrong))) for row in rows
    )


@pytest.mark.parametrize("task", TASKS)
def test_right_answers_pass(task):
    for answer in TASKS[task].right:
        verdict = verdict_on(task, answer)
        assert verdict and verdict.hint == "", f"{name_of(answer)}: {verdict}"


@pytest.mark.parametrize("task", TASKS)
def test_wrong_answers_get_their_own_hint(task):
    wrong = TASKS[task].wrong
    require_hints(((name_of(a), a.hint), verdict_on(task, a)) for a in wrong)


@pytest.mark.parametrize("task", TASKS)
def test_hints_tell_mistakes_apart(task):
    """At most three wrong answers may share one hint."""
    hints = collections.Counter(
        verdict_on(task, a).hint for a in TASKS[task].wrong
    )
    common = [h for h, count in hints.items() if count > 3]
    assert not common


@pytest.mark.parametrize("task", TASKS)
def test_an_unfilled_stub_is_not_answered_yet(task):
    pairs = [(stub.__name__, judge(task, stub)) for stub in answers.STUBS]
    said = [(name, v.hint) for name, v in pairs if v.hint != NOT_ANSWERED]
    assert not said and not any(verdict for _, verdict in pairs)


@pytest.mark.parametrize("task", TASKS)
def test_a_checker_never_raises(task):
    verdicts = {x: judge(task, f) for x, f in answers.HOSTILE.items()}
    assert not [x for x, verdict in verdicts.items() if verdict]
    assert not [x for x, verdict in verdicts.items() if not verdict.hint]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    "surroundings",
    [
        torch.inference_mode,
        torch.no_grad,
        lambda: torch.autocast("cpu"),
        lambda: torch.device("meta"),
    ],
    ids=["inference", "no_grad", "autocast", "meta"],
)
def test_the_learner_s_surroundings_are_not_judged(task, surroundings):
    with surroundings():
        assert judge(task, TASKS[task].right[0])


@pytest.mark.parametrize("task", TASKS)
def test_a_checker_leaves_the_random_state_alone(task):
    def draws(*inputs):
        torch.manual_seed(1), random.seed(1), np.random.seed(1)
        torch.set_grad_enabled(False)
        torch.set_default_dtype(torch.float64)
        try:
            return TASKS[task].right[0](*inputs)
        finally:
            torch.set_default_dtype(torch.float32)
            torch.set_default_dtype(torch.float64)

    torch.manual_seed(7), random.seed(7), np.random.seed(7)
    want = torch.rand(1).item(), random.random(), np.random.rand()
    torch.manual_seed(7), random.seed(7), np.random.seed(7)
    judge(task, draws)
    assert torch.is_grad_enabled()
    assert torch.get_default_dtype() == torch.float32
    assert (torch.rand(1).item(), random.random(), np.random.rand()) == want


@pytest.mark.parametrize("task", TASKS)
def test_ctrl_c_still_works(task):
    def interrupted(*inputs):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge(task, interrupted)


def test_checks_are_quick():
    """All checks of the chapters together, so that no single one drags."""
    start = time.process_time()
    for task in TASKS:
        judge(task, TASKS[task].right[0])
    assert time.process_time() - start < 10


def test_no_value_stands_in_the_text_of_a_hint():
    """It would be read by those who may not know the held-out inputs."""
    found = []
    for path in Path(checks.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = isinstance(node, ast.Call) and ast.unparse(node.func)
            if name in ("Mistake", "Hint"):
                values = [x for x in ast.walk(node.args[0])
                          if isinstance(x, ast.FormattedValue)]  # fmt: skip
                found += [
                    f"{path.name}, line {node.lineno}: {ast.unparse(x)}"
                    for x in values
                    if not ast.unparse(x.value).isupper()
                ]
    assert not found


def test_the_outline_of_a_hint_has_no_details():
    inner = Hint("yours has {}", (2, 3))
    mistake = Mistake("{}; use {}", inner, Hint("dim=-1"))
    later = mistake.behind(Hint("right for {}, but not for {}: ", 4, 5))
    said = "right for 4, but not for 5: yours has (2, 3); use dim=-1"
    outline = "right for ..., but not for ...: yours has ...; use dim=-1"
    assert (str(later), later.said.outline) == (said, outline)
    assert (mistake.status, later.status) == ("wrong", "partly")
    with pytest.raises(ValueError, match="zip"):
        str(Hint("{} and {}", 1))


@pytest.mark.parametrize("task", TASKS)
def test_a_check_says_which_end_an_answer_has(task):
    def fails(*inputs):
        raise RuntimeError("no")

    assert judge(task, answers.STUBS[0]).status == "blank"
    assert judge(task, fails).status in ("error", "wrong")
    assert judge(task, TASKS[task].right[0]).status == "right"


def test_a_verdict_shows_nothing_in_a_notebook_beside_its_line(capsys):
    verdict = Verdict("task", "right")
    verdict._ipython_display_()
    assert capsys.readouterr().out == ""
    assert str(verdict) == "task: right."
