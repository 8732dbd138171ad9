"""Store a result together with where it came from.

`clean_commit` comes first, and `store` last; see `lab.experiment`.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from datetime import UTC, datetime

from attnbook import results
from attnbook.training import repro
from lab import START
from lab.catalogue import ROOT
from lab.fingerprints import find
from lab.needs import Missing


def git(*arguments):
    """Return what a git command prints, stripped.

    Raises:
        Missing: no git, or the folder is no checkout.
    """
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise Missing(
            "expected git and a clone of the project, so that the result "
            f"names its commit; got {error}"
        ) from error
    return done.stdout.strip()


def clean_commit(name):
    """Return the commit of a tree without changes.

    The fingerprint is taken now, of the code that runs, and not at the end
    of a long run.

    Args:
        name: of the experiment.

    Raises:
        Missing: uncommitted changes; the result would not be
            repeatable.
    """
    parts = ("code", "requirements.txt", "book/requirements.txt")
    dirty = git("status", "--porcelain", "-uall", "--", *parts)
    result = re.compile(r"attnbook/(results/\w+\.json|models/.*)$")
    dirty = [line for line in dirty.splitlines() if not result.search(line)]
    if dirty:
        raise Missing(
            "expected a clean tree, so that the commit says what ran; got "
            f"changes: {dirty}"
        )
    find(name)  # remembered until `store`
    return git("rev-parse", "HEAD")


def as_text(result):
    """Return a result as JSON, each list of numbers on one line."""
    text = json.dumps(result, indent=1)
    rows = re.compile(r"\[\s+([-+.\de]+(?:,\s+[-+.\de]+)*)\s+\]")
    return rows.sub(lambda row: "[" + " ".join(row[1].split()) + "]", text)


def store(name, commit, about, seeds, data, values, rows):
    """Write attnbook/results/NAME.json.

    Args:
        name: of the experiment and of the result.
        commit: what `clean_commit` returned at the start.
        about: one sentence, what was measured.
        seeds: every seed that was run.
        data: what it was measured on.
        values: the numbers, a dict that JSON can hold.
        rows: the `Rows` that were kept; its seconds are added, and its
            commits are named where there are several.
    """
    command = ["python", "code/experiments/run.py", *sys.argv[1:]]
    result = {
        "name": name,
        "about": about,
        "command": shlex.join(command),
        "commit": commit,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "seeds": list(seeds),
        "seconds": round(rows.seconds + time.perf_counter() - START, 1),
        "machine": repro.describe_machine(),
        "data": data,
        "fingerprint": find(name),
        "values": values,
    }
    if set(rows.commits()) - {commit}:
        result["commits"] = rows.commits()
    results.check(result)
    path = ROOT / "code/attnbook/results" / f"{name}.json"
    partial = path.with_suffix(".part")
    partial.write_text(as_text(result) + "\n", encoding="utf-8")
    os.replace(partial, path)  # all or nothing
    print(f"stored {path.relative_to(ROOT)}, {result['seconds']} s")
