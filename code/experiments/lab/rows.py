"""Finished rows of a long experiment: what stops goes on where it was."""

import json
import re
import time
from threading import Lock

from attnbook.data.files import write_json
from lab.catalogue import ROOT
from lab.fingerprints import find, hash_of
from lab.needs import Missing

FOLDER = ROOT / "runs/rows"  # git ignores it


def key_of(name):
    """Return the key of an experiment's fingerprint, a short hash."""
    return hash_of(json.dumps(find(name), sort_keys=True).encode())[:8]


class Rows:
    """Rows of one experiment, in a file that is whole at any moment.

    Several threads may make rows at once.

    The file is named by the experiment and the key of its fingerprint, so
    that rows of other data or of another model are never taken.

    Args:
        name: of the experiment.
        commit: of the code; noted with every row.
        card: name of the GPU, if one makes them: rows of two GPUs, whose
            number types may differ, do not belong together.
    """

    def __init__(self, name, commit, card=""):
        parts = name, key_of(name), *re.findall(r"\w+", card)
        self.path = FOLDER / f"{'-'.join(parts)}.json"
        self.kept, self.lock, self.commit = {}, Lock(), commit
        self.seconds, self.complete = 0.0, False
        if self.path.is_file():
            self.take(self.path)
            print(f"{len(self.kept)} rows were made before", flush=True)

    def take(self, path, complete=False):
        """Take all rows from a file.

        Args:
            path: of the file.
            complete: whether a row that it lacks is refused, not made.
        """
        self.kept = json.loads(path.read_text(encoding="utf-8"))
        self.seconds = sum(row["seconds"] for row in self.kept.values())
        self.complete = complete

    def get(self, key, make, *arguments):
        """Return a row; make it and keep it if it is not there.

        Args:
            key: of the row, a str.
            make: a function that returns what JSON can hold.
            arguments: what it takes.

        Returns:
            The row, as JSON gives it back.

        Raises:
            Missing: it is not in the file that holds all.
        """
        if key not in self.kept:
            if self.complete:
                raise Missing(f"expected a row {key!r}, got {[*self.kept]}")
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
