"""Jobs in a few processes; the functions here are called in those."""

import contextlib
import functools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attnbook.teaching.workers import DIED, LATE, NotReadyError, run_jobs

USED = []  # in a worker, what it has done


def open_worker(folder, ends="", slow=0):
    """Give `work`, or do as ends says before that."""
    if ends == "refuses":
        raise ValueError("no room")
    if ends == "dies":
        os._exit(3)
    time.sleep(slow)
    return close_late(folder)


@contextlib.contextmanager
def close_late(folder):
    (folder / f"{os.getpid()}.open").touch()
    yield work
    (folder / f"{os.getpid()}.closed").touch()


def work(word):
    """Do as the word says; "tired" dies where anything was done before."""
    USED.append(word)
    if word == "dies" or word == "tired" and len(USED) > 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "raises" or word == "worn" and len(USED) > 1:
        raise SystemExit(3)
    if word == "computes too long":
        os.kill(os.getpid(), signal.SIGXCPU)
    if word in ("naps", "sleeps"):
        time.sleep(5 if word == "naps" else 60)
    return f"{word}!"


def run(words, folder, workers=1, seconds=60, **how):
    start = functools.partial(open_worker, folder, **how)
    jobs = [(word,) for word in words]
    found = list(run_jobs(start, jobs, workers, seconds))
    assert sorted(i for i, *_ in found) == [*range(len(words))]
    return {words[i]: result or why for i, result, why in found}


def opened(folder):
    return {x.stem for x in folder.glob("*.open")}


def closed(folder):
    return {x.stem for x in folder.glob("*.closed")}


@pytest.mark.parametrize("workers", [1, 2])
def test_what_fails_costs_itself(tmp_path, workers):
    said = run(["a", "dies", "b", "raises", "c"], tmp_path, workers)
    assert said == {
        "a": "a!", "b": "b!", "c": "c!", "dies": DIED,
        "raises": "SystemExit: 3",
    }  # fmt: skip


def test_what_an_earlier_job_has_left_costs_nothing(tmp_path):
    said = run(["a", "tired", "worn", "b"], tmp_path)
    assert said == {x: f"{x}!" for x in ("a", "tired", "worn", "b")}


def test_who_is_late_is_ended_and_not_asked_again(tmp_path):
    start = time.monotonic()
    said = run(["a", "sleeps", "b"], tmp_path, seconds=2)
    assert said == {"a": "a!", "sleeps": LATE, "b": "b!"}
    assert time.monotonic() - start < 30
    if hasattr(signal, "SIGXCPU"):
        said = run(["a", "computes too long", "b"], tmp_path)
        assert said["computes too long"] == LATE and said["b"] == "b!"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"ends": "refuses"}, "no room"),
        ({"ends": "dies"}, DIED),
        ({"slow": 60, "seconds": 1}, LATE),
    ],
)
def test_where_no_worker_can_start_nothing_is_done(tmp_path, how, said):
    with pytest.raises(NotReadyError, match=said):
        run(["a", "b"], tmp_path, **how)


def test_workers_are_no_more_than_jobs_and_close_what_they_opened(tmp_path):
    assert run([], tmp_path) == {}
    assert run(["a"], tmp_path, workers=4) == {"a": "a!"}
    assert len(opened(tmp_path)) == 1 and closed(tmp_path) == opened(tmp_path)


def is_alive(process):
    """Say whether a process runs; one that only waits to be read does not."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_nobody_is_left_when_the_parent_ends(tmp_path, sign):
    code = (
        "import sys, pathlib, test_workers\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "test_workers.run(['a', 'naps', 'b'], folder, 2)"
    )
    path = os.pathsep.join(sys.path)
    parent = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path],
        env=os.environ | {"PYTHONPATH": path}, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    end = time.monotonic() + 60
    while len(opened(tmp_path)) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.5)  # one naps, the other has nothing to do
    workers = opened(tmp_path)
    assert len(workers) == 2 and all(map(is_alive, workers))
    parent.send_signal(sign)
    parent.wait(10)
    end = time.monotonic() + (15 if sign == signal.SIGKILL else 3)
    while any(map(is_alive, workers)):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert closed(tmp_path) == workers
