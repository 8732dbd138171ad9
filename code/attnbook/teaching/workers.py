"""Do many jobs in a few processes, each job with a deadline.

The processes are those of pebble's pool, which ends one that is late and says
at which job one has died.  What is added here: what an earlier job has left in
a process may be why a later one fails there.  So that one is done once more,
in a process that has done nothing else.
"""

import contextlib
import functools
import multiprocessing
import os
import queue
import signal
from concurrent.futures import TimeoutError as LateError
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.util import Finalize

DIED = "its process ended"
LATE = "it took too long"
serve = None  # in a worker: the function of a job, or why there is none


class NotReadyError(Exception):
    """No worker can be started."""


def start(open_worker):
    """Open what this process does jobs with; it is closed at the end."""
    global serve
    stack = contextlib.ExitStack()
    try:
        serve = stack.enter_context(open_worker())
    except Exception as error:
        serve = str(error)
    Finalize(None, close, [stack], exitpriority=1)
    signal.signal(signal.SIGTERM, functools.partial(end, stack))


def close(stack):
    """Close it, whatever else asks this process to end meanwhile."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    stack.close()


def end(stack, *_):
    """Close it and end this process; a pool asks for that by a signal."""
    close(stack)
    os._exit(1)


def do(job):
    """Return this process, what it makes of a job, and why that is None."""
    if isinstance(serve, str):
        raise NotReadyError(serve)
    try:
        return os.getpid(), serve(*job), ""
    except BaseException as error:
        return os.getpid(), None, f"{type(error).__name__}: {error}"[:300]


def limit_memory(size):
    """Let this process take so many bytes more, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (used + size, hard))


def run_jobs(open_worker, jobs, workers, seconds):
    """Yield what comes out of jobs, in the order in which they end.

    Args:
        open_worker: a function, which can be pickled, that returns a context
            manager; it gives a function, which is called with a job.
        jobs: a list of tuples of arguments of that function.
        workers: how many processes.
        seconds: that a job may take.

    Yields:
        Triples of a job's index, its result or None, and why it has none.

    Raises:
        NotReadyError: no worker can be started.
    """
    jobs, served = dict(enumerate(jobs)), set()
    for most in (0, 1):
        again = run_round(open_worker, jobs, workers, seconds, most, served)
        jobs = yield from again
    for index, job in jobs.items():  # a pool has broken, not said by which
        again = run_round(open_worker, {index: job}, 1, seconds, 1, served)
        lost = yield from again
        if lost and not served:
            raise NotReadyError(DIED)
        if lost:
            yield index, None, DIED


def run_round(open_worker, jobs, workers, seconds, most, served):
    """Yield as `run_jobs`; return the jobs that a new process must repeat.

    Arguments as in `run_jobs`, but ``jobs`` maps an index to a job, ``most``
    is how many jobs a process does, 0 for any number, and ``served`` are the
    processes that have done jobs in any round, to which those of this one are
    added.
    """
    from pebble import ProcessPool

    if not jobs:
        return {}
    ended, used, again = queue.SimpleQueue(), set(), {}
    pool = ProcessPool(
        min(workers, len(jobs)), most, start, [open_worker],
        multiprocessing.get_context("spawn"),
    )  # fmt: skip
    try:
        for index, job in jobs.items():
            try:
                future = pool.schedule(do, [job], timeout=seconds)
            except RuntimeError:  # the pool has broken by now
                again[index] = job
                continue
            future.index = index
            future.add_done_callback(ended.put)
        for _ in range(len(jobs) - len(again)):
            future = next_of(ended, seconds)
            result, why, repeat = outcome_of(future, used)
            served |= used
            if repeat:
                again[future.index] = jobs[future.index]
            else:
                yield future.index, result, why
    finally:  # at Ctrl-C, do not wait for the others
        pool.stop()
        pool.join()
    return again


def next_of(ended, seconds):
    """Return the next job that has ended, a future."""
    try:
        return ended.get(timeout=2 * seconds)
    except queue.Empty:  # all hang before they begin
        raise NotReadyError(LATE) from None


def outcome_of(future, used):
    """Return a job's result, why it has none, and whether to repeat it.

    Args:
        future: that has ended.
        used: the processes that have done jobs, to which its own is added.
    """
    from pebble import ProcessExpired

    try:
        process, result, why = future.result()
    except LateError:
        return None, LATE, False
    except ProcessExpired as error:
        if error.exitcode == -getattr(signal, "SIGXCPU", 0):
            return None, LATE, False
        return None, DIED, error.pid in used
    except BrokenProcessPool:  # one has died between two jobs
        return None, DIED, True
    repeat = bool(why) and process in used
    used.add(process)
    return result, why, repeat
