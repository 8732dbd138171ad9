"""Store the result of each exercise of each student.

A result is stored under a fingerprint of all that it depends on: the answer,
the task, the version of the package.  So a run that was stopped can go on,
only a changed answer is judged again, and judging again changes nothing.  An
answer that crashes its judge or runs out of time does so once: that is its
result, which is stored too.
"""

import contextlib
import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

STATUSES = (
    "right",
    "partly",
    "wrong",
    "blank",
    "missing",
    "refused",
    "stopped",
    "by hand",
)
BLANK = "not answered"
LONGEST = 2_000  # letters of a comment, a note, a mistake


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of one exercise of one student.

    Attributes:
        status: one of `STATUSES`.
        points: from 0 to maximum; None until the teacher types them.
        maximum: the exercise's points.
        comment: what the student reads.
        note: what only the teacher reads.
        look: why the teacher must look at the answer; empty if not.
        mistake: a short description, equal for all students who make it.
    """

    status: str
    points: float | None
    maximum: float
    comment: str
    note: str = ""
    look: str = ""
    mistake: str = ""

    def as_json(self):
        """Return a dict of what JSON has."""
        return asdict(self)


def result(task, status, share, comment, note="", *, look="", mistake=""):
    """Return a `Result` with a share of the task's points, None for none yet.

    Args:
        task: a `Task` of the bundle.
        status: one of `STATUSES`.
        share: from 0 to 1, or None.
        comment: what the student reads.
        note: what the teacher alone reads.
        look: see `Result`.
        mistake: see there.
    """
    points = None if share is None else round(share * task.points, 2)
    return Result(
        status=status,
        points=points,
        maximum=task.points,
        comment=cut(comment),
        note=cut(note),
        look=cut(look),
        mistake=cut(mistake),
    )


def cut(text):
    """Return a text, or its beginning if it is very long."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def blank(task):
    """Return the result of an answer that was not begun."""
    return result(task, "blank", 0, BLANK, mistake=BLANK)


def fingerprint(*parts):
    """Return a short text that changes with any of the parts.

    Args:
        parts: what JSON has.
    """
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def write(path, text):
    """Write a file whole or not at all, and only if it changes.

    Args:
        path: a `Path`; missing folders are made.
        text: a str, written in UTF-8, or bytes.

    Returns:
        Whether the file has changed.
    """
    bare = isinstance(text, bytes)
    data = text if bare else text.encode("utf-8", "replace")
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.new")
    aside.write_bytes(data)
    os.replace(aside, path)
    return True


@contextlib.contextmanager
def lock_folder(folder):
    """Keep other processes from collecting or grading in a folder meanwhile.

    Args:
        folder: a `Path` of an existing folder.

    Raises:
        ValueError: another process is at work there.
    """
    try:
        import fcntl
    except ImportError:  # Windows, where nothing is locked
        yield
        return
    place = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(
                f"expected no other process in {folder}, got another attnbook "
                "that collects or grades there"
            ) from None
        yield
    finally:
        os.close(place)


class Store:
    """The results of a class, a file per student.

    Args:
        folder: where they are kept.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.known = {}

    def kept(self, student):
        """Return what is kept of a student: exercise -> dict."""
        if student not in self.known:
            path = self.folder / f"{student}.json"
            try:
                kept = json.loads(path.read_text(encoding="utf-8"))
                self.known[student] = kept["exercises"]
            except (OSError, ValueError, KeyError, TypeError):
                self.known[student] = {}
        return self.known[student]

    def get(self, student, exercise, key):
        """Return the `Result` that is kept under a fingerprint, or None.

        Args:
            student: the student's key.
            exercise: the exercise's id.
            key: see `fingerprint`.
        """
        kept = self.kept(student).get(exercise, {})
        if kept.get("key") != key:
            return None
        return Result(**kept["result"])

    def put(self, student, exercise, key, result):
        """Keep a `Result`.  Arguments as in `get`."""
        kept = {"key": key, "result": result.as_json()}
        self.kept(student)[exercise] = kept
        self.save(student)

    def save(self, student):
        """Write the file of a student."""
        kept = {"student": student, "exercises": self.kept(student)}
        text = json.dumps(kept, indent=1, sort_keys=True) + "\n"
        write(self.folder / f"{student}.json", text)
