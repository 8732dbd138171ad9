"""Judge many answers in several processes, each with a grader of its own."""

import contextlib
import functools

from attnbook.teaching.workers import (
    DIED,
    LATE,
    NotReadyError,
    limit_memory,
    run_jobs,
)

SECONDS = 300  # for one answer, far above what the sandbox lets it take
MEMORY = 3 * 2**30  # bytes, on top of what a judge has when it is ready
WORDS = {
    DIED: "its judge ended",
    LATE: f"its judge did not answer within {SECONDS} seconds",
}


@contextlib.contextmanager
def open_judge(make_grader):
    """Give the function that judges an answer in this process.

    A check may hand the answer a function, which runs here on whatever the
    answer calls it with: hence the bound on memory.

    Args:
        make_grader: see `judge_answers`.
    """
    with make_grader() as grader:
        limit_memory(MEMORY)
        yield grader.judge


def judge_answers(jobs, make_grader, workers):
    """Yield the results of jobs, as they come.

    Args:
        jobs: tuples of anything, a task and an entry.
        make_grader: a function, which can be pickled, that returns a context
            manager; it gives an object whose ``judge(task, entry)`` returns a
            result.
        workers: how many processes.

    Yields:
        Triples of a job, its result or None, and why there is none.

    Raises:
        ValueError: there can be no grader.
    """
    open_worker = functools.partial(open_judge, make_grader)
    answers = [job[1:] for job in jobs]
    try:
        for index, result, why in run_jobs(
            open_worker, answers, workers, SECONDS
        ):
            yield jobs[index], result, WORDS.get(why, why)
    except NotReadyError as error:
        said = WORDS.get(str(error), error)
        raise ValueError(f"no answer can be judged: {said}") from None
