"""Checks with inputs of a key: the same verdicts, other inputs.

Three keys.  Every right answer is tried under one of them, of the wrong ones
every sixth under each (of tests, which take long, every twelfth); that all
rows of a table show, `held_out` sees to.
`test_checks.py` tries all of them on the public inputs.
"""

import contextlib
import copy
import functools
import hashlib
import io

import numpy as np
import pytest
import torch

import answers
from answers import TASKS
from attnbook import checks
from attnbook.checks.engine import exercise
from attnbook.checks.engine.held_out import held_out
from attnbook.checks.engine.verdict import NOT_ANSWERED, Mistake

KEYS = tuple(hashlib.sha256(name).digest() for name in (b"a", b"b", b"c"))
TESTS = ("attention_test", "batch_test")  # whose inputs are functions
BOTH = [(task, key) for task in TASKS for key in range(len(KEYS))]


@pytest.fixture(autouse=True)
def unexplained(monkeypatch):
    """Leave out the search for the reason, which `test_checks.py` tries."""

    def explain(*_):
        raise Mistake("wrong")

    monkeypatch.setattr(exercise, "explain", explain)


@functools.cache
def check_of(task, key):
    """Return the check of a task: of a key, a place in KEYS, or the public."""
    if key is None:
        return getattr(checks, f"check_{task}")
    return held_out(task, KEYS[key])


def judge(task, key, answer):
    """Return the verdict on an answer."""
    with contextlib.redirect_stdout(io.StringIO()):
        return check_of(task, key)(answer)


def digest(x):
    """Return bytes that are the same for the same inputs."""
    if isinstance(x, torch.Tensor):
        x = x.detach()
        shown = x.contiguous().numpy().tobytes()
        return repr((x.dtype, tuple(x.shape))).encode() + shown
    if isinstance(x, list | tuple):
        return b"[" + b",".join(map(digest, x)) + b"]"
    if isinstance(x, torch.nn.Module):
        return b"model"
    return repr(x).encode() if isinstance(x, dict | str | float | int) else b""


def probed(attend):
    """Return bytes that say what an attention under test returns."""
    generator = torch.Generator().manual_seed(4)
    words = torch.randn(3, 3, 4, 6, generator=generator)
    with contextlib.suppress(Exception):
        return digest(attend(words[0]).round(decimals=3))
    results = attend(*words.unsqueeze(1))
    return digest([x.round(decimals=3) for x in results])


def shown(task, inputs):
    """Return bytes for all that an answer can see of its inputs."""
    if task in TESTS:
        return probed(*inputs)
    step = inputs[0] if task == "beam_search" else None
    model = inputs[0] if task == "greedy" else None
    said = b""
    if step:
        said = digest(copy.deepcopy(step)([[inputs[3]]]))
    if model:
        model = copy.deepcopy(model)
        words = torch.full((len(inputs[1]), 1), inputs[2])
        said = digest(model.eval()(inputs[1], words))
    return hashlib.sha256(said + digest(inputs)).digest()


def listening(task, answer, heard):
    """Return the answer; what it is called with goes into a list."""

    @functools.wraps(answer)
    def listen(*inputs):
        heard.append(shown(task, inputs))
        return answer(*inputs)

    return listen


@functools.cache
def heard_by(task, key):
    """Return what a right answer is called with, in the order of the calls."""
    heard = []
    right = TASKS[task].right[0]
    assert judge(task, key, listening(task, right, heard))
    return heard


def spoiled(result):
    """Return a wrong result of the same type."""
    if isinstance(result, torch.Tensor):
        return ~result if result.dtype == torch.bool else result + 1
    if isinstance(result, bool | np.bool_):
        return not result
    if isinstance(result, int | float):
        return result + 1
    if isinstance(result, str):
        return result + "."
    if isinstance(result, dict):
        return dict(zip(result, [*result.values()][::-1], strict=True))
    if isinstance(result, list | tuple):
        return type(result)(map(spoiled, result)) or type(result)([1])
    for image in result.get_images():  # of Axes
        image.set_data(1 - np.asarray(image.get_array()))
    return result


def recogniser(task):
    """Return an answer that is right on the public inputs, and wrong else."""
    known, right = set(heard_by(task, None)), TASKS[task].right[0]

    @functools.wraps(right)
    def answer(*inputs):
        result = right(*inputs)
        return result if shown(task, inputs) in known else spoiled(result)

    return answer


@pytest.mark.parametrize(("task", "key"), BOTH)
def test_right_answers_pass(task, key):
    for answer in TASKS[task].right[key :: len(KEYS)]:
        verdict = judge(task, key, answer)
        assert verdict, f"{answer.__name__}: {verdict.hint}"


@pytest.mark.parametrize(("task", "key"), BOTH)
def test_wrong_answers_are_refused(task, key):
    for answer in TASKS[task].wrong[key :: 12 if task in TESTS else 6]:
        assert not judge(task, key, answer), answer
    assert judge(task, key, answers.STUBS[0]).hint == NOT_ANSWERED


@pytest.mark.parametrize("task", TASKS)
def test_who_recognises_the_public_inputs_fails(task):
    answer = recogniser(task)
    assert judge(task, None, answer)
    for key in range(len(KEYS)):
        assert not judge(task, key, answer)


@pytest.mark.parametrize("task", TASKS)
def test_two_keys_give_other_inputs(task):
    public, one, other = (heard_by(task, key) for key in (None, 0, 1))
    for heard, others in ((public, one), (public, other), (one, other)):
        assert heard != others
        if task not in TESTS:  # some of their attentions stay as they are
            same = set(heard) & set(others)
            assert len(same) <= len(set(heard)) / 2


def test_the_same_key_gives_the_same_inputs():
    heard = []
    check = held_out("scores", KEYS[0])
    answer = listening("scores", TASKS["scores"].right[0], heard)
    with contextlib.redirect_stdout(io.StringIO()):
        assert check(answer)
    assert heard == heard_by("scores", 0)


def test_the_public_check_is_untouched():
    public = checks.check_masks_for
    before = digest([case.inputs for case in public.exercise.cases])
    check = held_out("masks_for", KEYS[0])
    assert check is not public
    assert check.exercise.right is public.exercise.right
    assert digest([case.inputs for case in check.exercise.cases]) != before
    assert digest([case.inputs for case in public.exercise.cases]) == before


@pytest.mark.parametrize("task", TESTS)
def test_an_error_does_not_tell_which_attention_it_is(task):
    said = set()

    def learners_test(attend):
        for inputs in ((), (3,), (torch.zeros(3),), (1, 2, 3)):
            with pytest.raises((TypeError, ValueError, AttributeError)) as e:
                attend(*inputs)
            said.add((repr(inputs), str(e.value)))
        return True

    assert "raised" not in judge(task, 0, learners_test).hint
    assert len(said) <= 4
