import io

import pytest
import torch

from attnbook.training import progress
from attnbook.training.progress import Progress, format_minutes


class Clock:
    """A clock that the test moves."""

    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def time(monkeypatch):
    clock_ = Clock()
    monkeypatch.setattr(progress.time, "monotonic", clock_.monotonic)
    return clock_


def test_plain_lines_come_at_least_every_5_seconds(time):
    stream = io.StringIO()
    shown = Progress(100, stream=stream)
    moments = []
    for step in range(1, 101):
        time.now += 0.5
        before = stream.tell()
        shown.update(step, torch.tensor(2.5), tokens=300)
        if stream.tell() > before:
            moments.append(time.now)
    gaps = [b - a for a, b in zip([100.0, *moments], moments, strict=False)]
    assert max(gaps) <= 5
    assert len(moments) < 20
    lines = stream.getvalue().splitlines()
    assert lines[-1] == "step 100/100  loss 2.500  600 tokens/s  0:00 left"
    assert lines[0].endswith("0:46 left")


def test_time_left_of_a_resumed_run_counts_its_own_steps(time):
    stream = io.StringIO()
    shown = Progress(100, done=90, stream=stream)
    time.now += 10
    shown.update(92, 1.0, tokens=10)
    assert "0:40 left" in stream.getvalue()


def test_a_notebook_sees_step_and_rounded_loss_alone(time, capsys):
    shown = Progress(12, notebook=True)
    for step in range(1, 13):
        shown.update(step, 3.14159, tokens=1)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"step {s:>5}  loss 3.1" for s in (2, 4, 6, 8, 10, 12)]


@pytest.mark.parametrize("terminal", [True, False])
def test_words_stand_on_a_line_of_their_own(terminal):
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    shown = Progress(3, stream=stream)
    shown.say("training in fp32")
    shown.close()
    assert "training in fp32\n" in stream.getvalue()


def test_a_terminal_gets_a_bar():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    shown = Progress(20, stream=stream, notebook=False)
    for step in range(1, 21):
        shown.update(step, 1.25, tokens=100)
    shown.close()
    assert "20/20" in stream.getvalue()
    assert "loss=1.250" in stream.getvalue()


def test_durations_are_minutes_and_seconds():
    assert [format_minutes(s) for s in (0, 59.9, 61, 600)] == [
        "0:00",
        "0:59",
        "1:01",
        "10:00",
    ]
