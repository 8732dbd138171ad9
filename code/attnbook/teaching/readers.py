"""Read the files of a class in several processes with limits.

A file that is a bomb, or that crashes what reads it, costs that file only.
"""

import contextlib
import functools
import time
import warnings

from tqdm import tqdm

from attnbook.teaching.files import read_upload
from attnbook.teaching.workers import NotReadyError, limit_memory, run_jobs

MEMORY = 3 * 2**30  # bytes
SECONDS = 30  # of computing, for one file
PATIENCE = 120  # seconds, in all
KILLED = "could not be read: it is too large, too deep or too slow"


def limit():
    """Bound what this process may use for its next file."""
    limit_memory(MEMORY)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        end = int(time.process_time()) + SECONDS
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (end, hard))


@contextlib.contextmanager
def open_reader(tasks, released):
    """Give a function that reads an `Upload` in this process.

    Arguments as in `read_all`.
    """

    def read(upload):
        limit()
        return read_upload(tasks, released, upload)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield read


def read_all(found, tasks, released, workers):
    """Return what all uploads hold, in order, and show how far it is.

    Args:
        found: list of `Upload`.
        tasks: all `Task` of the assignment.
        released: pairs of kind and source, the cells that were given out.
        workers: how many files are read at a time.

    Returns:
        For each a list of dicts, as `files.read` makes them.

    Raises:
        ValueError: no process can read.
    """
    held = [[{"file": x.name, "problem": x.problem or KILLED}] for x in found]
    open_ = [i for i, upload in enumerate(found) if not upload.problem]
    jobs = [(found[i],) for i in open_]
    open_worker = functools.partial(open_reader, tasks, released)
    ended = run_jobs(open_worker, jobs, workers, PATIENCE)
    bar = tqdm(ended, total=len(jobs), unit="file", desc="collect")
    try:
        for index, result, _ in bar:
            if result is not None:
                held[open_[index]] = result
    except NotReadyError as error:
        raise ValueError(f"no file can be read: {error}") from None
    return held
