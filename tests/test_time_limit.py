"""A check stops an answer that does not end."""

import contextlib
import signal
import threading
import time

import pytest

from attnbook import checks
from attnbook.checks import check_scaled_attention
from attnbook.checks.engine import verdict
from attnbook.checks.engine.time_limit import TooLong, time_limit


def endless(q, k, v):
    while True:
        pass


def catches_exceptions(q, k, v):
    while True:
        with contextlib.suppress(Exception):
            q = q + k.sum()


def catches_everything(q, k, v):
    while True:
        with contextlib.suppress(BaseException):  # as a bare except does
            q = q + k.sum()


def sleeps(q, k, v):
    time.sleep(1000)


@pytest.mark.parametrize(
    "answer", [endless, catches_exceptions, catches_everything, sleeps]
)
def test_a_check_stops_an_endless_answer(answer, monkeypatch):
    monkeypatch.setattr(verdict, "SECONDS", 0.2)
    assert "does your loop end?" in check_scaled_attention(answer).hint


def test_an_answer_in_time_is_left_alone():
    with time_limit(0.05):
        pass
    time.sleep(0.1)  # no alarm is left


def test_the_alarm_of_others_comes_back():
    def theirs(*_):
        raise AssertionError

    before = signal.signal(signal.SIGALRM, theirs)
    try:
        with pytest.raises(TooLong), time_limit(0.05):
            time.sleep(5)
        assert signal.getsignal(signal.SIGALRM) is theirs
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_in_another_thread_there_is_no_limit():
    done = []

    def work():
        with time_limit(0.05):
            time.sleep(0.2)
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done


@pytest.mark.parametrize("task", ["attention_test", "batch_test", "flops"])
def test_no_check_takes_the_end_of_time_for_an_error(task, monkeypatch):
    def sleeping(*inputs):
        time.sleep(1000)

    monkeypatch.setattr(verdict, "SECONDS", 0.2)
    check = getattr(checks, f"check_{task}")
    assert "does your loop end?" in check(sleeping).hint
