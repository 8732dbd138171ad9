"""Store a result together with where it came from.

Every experiment calls `clean_commit` first and `store` last.
"""

import json
import os
import re
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from attnbook import results
from attnbook.training import repro
from fingerprints import find
from needs import Missing

ROOT = Path(__file__).resolve().parents[2]
START = time.perf_counter()  # the import stands at the top of the script


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


def clean_commit():
    """Return the commit of a tree without changes.

    The fingerprint is taken now, of the code that runs, and not at the end
    of a long run.

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
    find(Path(sys.argv[0]).stem)  # remembered until `store`
    return git("rev-parse", "HEAD")


def as_text(result):
    """Return a result as JSON, each list of numbers on one line."""
    text = json.dumps(result, indent=1)
    rows = re.compile(r"\[\s+([-+.\de]+(?:,\s+[-+.\de]+)*)\s+\]")
    return rows.sub(lambda row: "[" + " ".join(row[1].split()) + "]", text)


def store(commit, about, seeds, data, values, rows=None, last=True):
    """Write attnbook/results/NAME.json, NAME being the script's own.

    Args:
        commit: what `clean_commit` returned at the start.
        about: one sentence, what was measured.
        seeds: every seed that was run.
        data: what it was measured on.
        values: the numbers, a dict that JSON can hold.
        rows: the `Rows` that they came from, if any; its seconds are added,
            its commits are named where there are several, and it is cleared.
        last: whether the rows are cleared; False if more will join them.
    """
    script = Path(sys.argv[0]).resolve()
    before = rows.seconds if rows else 0.0
    result = {
        "name": script.stem,
        "about": about,
        "command": " ".join(
            ["python", str(script.relative_to(ROOT)), *sys.argv[1:]]
        ),
        "commit": commit,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "seeds": list(seeds),
        "seconds": round(before + time.perf_counter() - START, 1),
        "machine": repro.describe_machine(),
        "data": data,
        "fingerprint": find(script.stem),
        "values": values,
    }
    if rows and set(rows.commits()) - {commit}:
        result["commits"] = rows.commits()
    results.check(result)
    path = ROOT / "code/attnbook/results" / f"{script.stem}.json"
    partial = path.with_suffix(".part")
    partial.write_text(as_text(result) + "\n", encoding="utf-8")
    os.replace(partial, path)  # all or nothing
    if rows and last:
        rows.clear()
    print(f"stored {path.relative_to(ROOT)}, {result['seconds']} s")
