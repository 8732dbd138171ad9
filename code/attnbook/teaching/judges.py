"""Judge many answers in several processes.

A judge that fails costs the answer it was at, and another one takes its
place.  What an earlier answer has left there may be the reason; so a judge
that had others before hands its answer on, to one that has judged nothing.
"""

import contextlib
import multiprocessing
import signal
import time
from collections import deque
from multiprocessing.connection import wait

SECONDS = 300.0  # for one answer, far above what the sandbox lets it take
MEMORY = 3 * 2**30  # bytes, on top of what it has when it is ready
DIED = "its judge ended"
LATE = f"its judge did not answer within {SECONDS:.0f} seconds"


def limit():
    """Bound the memory of this process, where the system can.

    A check may hand the answer a function, which runs here on whatever the
    answer calls it with.
    """
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, hard))


def work(pipe, make_desk):
    """Judge what comes through a pipe until it closes.

    Args:
        pipe: a `multiprocessing.Connection`.
        make_desk: see `judged`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    with contextlib.ExitStack() as stack:
        try:
            desk = stack.enter_context(make_desk())
        except Exception as error:
            with contextlib.suppress(OSError):  # another has refused already
                pipe.send(("refuses", str(error)))
            return
        limit()
        with contextlib.suppress(EOFError, OSError):  # it is not needed
            pipe.send(("ready", ""))
            while True:
                task, entry = pipe.recv()
                try:
                    said = "result", desk.judge(task, entry)
                except BaseException as error:
                    said = "fails", f"{type(error).__name__}: {error}"[:300]
                pipe.send(said)


class Judge:
    """A process that judges one answer at a time.

    Args:
        make_desk: see `judged`.
    """

    def __init__(self, make_desk):
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(
            target=work, args=(theirs, make_desk), daemon=False
        )
        self.process.start()
        theirs.close()
        self.job, self.count = None, 0
        self.ready = False
        self.since = time.monotonic()

    def give(self, job):
        """Hand it a job."""
        self.job, self.since = job, time.monotonic()
        self.count += 1
        with contextlib.suppress(OSError):  # it is dead, as we will see
            self.pipe.send(job[1:])

    def said(self):
        """Return what it says: a word, and what belongs to it."""
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            return "died", DIED

    def end(self):
        """Let it end, or end it."""
        self.pipe.close()
        self.process.join(5 if self.job is None else 0)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def judged(jobs, make_desk, workers):
    """Yield the results of jobs, as they come.

    Args:
        jobs: tuples of anything, a task and an entry.
        make_desk: a function, which can be pickled, that returns a context
            manager; it gives an object whose ``judge(task, entry)`` returns a
            result.
        workers: how many processes.

    Yields:
        Triples of a job, its result or None, and why there is none.

    Raises:
        ValueError: there can be no desk.
    """
    waiting, judges = deque(jobs), []
    try:
        while waiting or any(judge.job for judge in judges):
            busy = sum(judge.job is not None for judge in judges)
            while len(judges) < min(workers, len(waiting) + busy):
                judges.append(Judge(make_desk))
            for judge in judges:
                if waiting and judge.ready and judge.job is None:
                    judge.give(waiting.popleft())
            yield from results(judges, make_desk)
    finally:
        for judge in judges:
            judge.pipe.close()  # all at once: each takes a while to end
        for judge in judges:
            judge.end()


def results(judges, make_desk):
    """Yield what judges say of their jobs, and let those that fail go.

    Args:
        judges: a list of `Judge`; those that fail are replaced.
        make_desk: see `judged`, also for what is yielded.

    Raises:
        ValueError: there can be no desk.
    """
    for judge, (word, what) in heard(judges):
        if word == "refuses" or not judge.ready and word == "died":
            raise ValueError(f"no answer can be judged: {what}")
        if word == "ready":
            judge.ready = True
            continue
        job, judge.job = judge.job, None
        if word == "result":
            yield job, what, ""
            continue
        judge.end()
        judges.remove(judge)
        if job and judge.count > 1 and what != LATE:
            judges.append(Judge(make_desk))
            judges[-1].give(job)
        elif job:
            yield job, None, what


def heard(judges):
    """Return what judges say, a list of pairs, after a second at most."""
    ready = wait([judge.pipe for judge in judges], timeout=1)
    found = [(x, x.said()) for x in judges if x.pipe in ready]
    now = time.monotonic()
    for judge in judges:
        busy = judge.pipe not in ready and (judge.job or not judge.ready)
        if busy and now - judge.since > SECONDS:
            judge.process.kill()
            found.append((judge, ("died", LATE)))
    return found
