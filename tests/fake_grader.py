"""A grader that judges by what a source says, and starts quickly."""

import os
import time

from attnbook.teaching.results import result


class FakeGrader:
    """Judge answers; leave a file for each, in a folder."""

    def __init__(self, folder):
        self.folder, self.count = folder, 0

    def __enter__(self):
        if not self.folder:
            raise ValueError("no namespaces here; see --trusted")
        return self

    def __exit__(self, *error):
        pass

    def judge(self, task, entry):
        source, self.count = entry["source"], self.count + 1
        name = f"{time.time_ns()}-{os.getpid()}"
        (self.folder / name).write_text(source)
        if source == "die" or source == "tired" and self.count > 1:
            os._exit(3)
        if source == "exit":
            raise SystemExit(3)
        if source == "sleep":
            time.sleep(60)
        if source == "eat":
            bytearray(4 * 2**30)
        if source == "fail":
            raise RuntimeError("oh")
        if task.form == "text":
            return result(task, "by hand", None, "by your teacher")
        if source == "wrong":
            return result(task, "wrong", 0, "wrong", mistake="wrong")
        return result(task, "right", 1, "right")


class Make:
    """Make a grader in another process."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self):
        return FakeGrader(self.folder)
