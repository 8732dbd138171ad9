"""Processes that read submitted files, a few at a time."""

import contextlib
import json
import queue
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tqdm import tqdm

CODE = Path(__file__).resolve().parents[2]
RUN = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from attnbook.teaching.files import main; main()"
)


class Reader:
    """A process that reads one file after the other, each in its own child."""

    def __init__(self):
        self.process = None

    def start(self):
        """Start the process, if there is none."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-c", RUN, str(CODE)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )

    def ask(self, request):
        """Return the answer to a request, or None if there was none."""
        self.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except (OSError, ValueError):
            line = ""
        if not line:  # the process itself has ended
            self.stop()
        with contextlib.suppress(ValueError):
            return json.loads(line)
        return None

    def stop(self):
        """End the process, if there is one."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()
            with contextlib.suppress(OSError):
                process.stdin.close()
            process.stdout.close()


def read_upload(upload, question, reader):
    """Return what one upload holds.

    Args:
        upload: an `Upload`.
        question: dict with the tasks and the released cells.
        reader: a `Reader`.

    Returns:
        A list of dicts, as `files.answer` makes them.
    """
    said = upload.problem
    if not said:
        found = reader.ask(
            question
            | {
                "path": str(upload.path.resolve()),
                "member": upload.member,
                "name": upload.name,
            }
        )
        if found is not None:
            return found
        said = "could not be read: it is too large, too deep or too slow"
    return [{"file": upload.name, "problem": said}]


def read_all(found, question, workers):
    """Return what all uploads hold, in order, and show how far it is.

    Args:
        found: list of `Upload`.
        question: dict with the tasks and the released cells.
        workers: how many files are read at a time.
    """
    free = queue.SimpleQueue()
    readers = [Reader() for _ in range(workers)]
    for reader in readers:
        free.put(reader)

    def read(upload):
        reader = free.get()
        try:
            return read_upload(upload, question, reader)
        finally:
            free.put(reader)

    with ThreadPoolExecutor(workers) as pool:
        try:
            results = pool.map(read, found)
            bar = tqdm(results, total=len(found), unit="file", desc="collect")
            return list(bar)
        finally:  # at Ctrl-C, do not read the others first
            pool.shutdown(wait=False, cancel_futures=True)
            for reader in readers:
                reader.stop()
