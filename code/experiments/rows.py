"""Finished rows of a long experiment: what stops goes on where it was."""

import json
import sys
import time
from pathlib import Path
from threading import Lock

from attnbook.data.files import write_json
from fingerprints import find, hash_of

FOLDER = Path(__file__).resolve().parents[2] / "runs/rows"  # git ignores it


def key_of(name):
    """Return the key of an experiment's fingerprint, a short hash."""
    return hash_of(json.dumps(find(name), sort_keys=True).encode())[:8]


class Rows:
    """Rows of one experiment, in a file that is whole at any moment.

    Several threads may make rows at once.

    The file is named by the experiment and the key of its fingerprint, so
    that rows of other data or of another model are never taken.

    Args:
        commit: of the code; noted with every row.
        name: of the experiment; that of the running script if None.
    """

    def __init__(self, commit, name=None):
        name = name or Path(sys.argv[0]).stem
        self.path, self.commit = FOLDER / f"{name}-{key_of(name)}.json", commit
        self.kept, self.lock = {}, Lock()
        if self.path.is_file():
            self.kept = json.loads(self.path.read_text(encoding="utf-8"))
            print(f"{len(self.kept)} rows were made before", flush=True)
        self.seconds = sum(row["seconds"] for row in self.kept.values())

    def get(self, key, make, *arguments):
        """Return a row; make it and keep it if it is not there.

        Args:
            key: of the row, a str.
            make: a function that returns what JSON can hold.
            arguments: what it takes.

        Returns:
            The row, as JSON gives it back.
        """
        if key not in self.kept:
            start = time.perf_counter()
            row = {"row": make(*arguments), "commit": self.commit}
            row["seconds"] = round(time.perf_counter() - start, 1)
            with self.lock:
                self.kept[key] = json.loads(json.dumps(row))
                write_json(self.path, self.kept)
        return self.kept[key]["row"]

    def commits(self):
        """Return the commits that rows were made on, sorted."""
        return sorted({row["commit"] for row in self.kept.values()})

    def clear(self):
        """Forget all rows: their result is stored."""
        self.path.unlink(missing_ok=True)
