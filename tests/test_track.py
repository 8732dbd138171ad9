"""An experiment says how far it is."""

import io
import re

import pytest

from lab import progress as module
from lab.progress import track


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until a test moves it."""
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_items_come_in_order_and_all_of_them(clock):
    for stream in (io.StringIO(), Terminal()):
        assert list(track("abc", "letters", stream=stream)) == ["a", "b", "c"]


def test_plain_lines_elsewhere(clock):
    stream = io.StringIO()
    for _ in track(range(3), "models", stream=stream):
        clock[0] += 4
    assert stream.getvalue().splitlines() == [
        "models 0/3",
        "models 2/3, 8 s",  # at most one in five seconds
        "models 3/3, 12 s",
    ]


def test_a_line_stands_there_before_the_first_item(clock):
    stream = io.StringIO()
    assert next(track([1], "models", stream=stream)) == 1
    assert stream.getvalue() == "models 0/1\n"


def test_a_bar_on_a_terminal():
    stream = Terminal()
    list(track(range(3), "models", stream=stream))
    assert "\r" in stream.getvalue()
    assert re.search(r"models: 100%.*3/3", stream.getvalue())


def test_items_that_are_made_one_by_one_are_not_made_at_once(clock):
    made = []

    def items():
        for number in range(3):
            made.append(number)
            yield number

    stream = io.StringIO()
    for number in track(items(), "models", 3, stream):
        assert made == list(range(number + 1))
    assert stream.getvalue().endswith("models 3/3, 0 s\n")


def test_a_loop_may_end_early(clock):
    stream = io.StringIO()
    for _ in track(range(9), "schedules", stream=stream):
        break
    assert stream.getvalue() == "schedules 0/9\n"


def test_standard_error_if_nothing_else_is_said(capsys):
    list(track([1], "models"))
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith("models 0/1\n")
