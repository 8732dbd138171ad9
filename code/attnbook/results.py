"""Stored results: the numbers of runs that are too long for a notebook.

Each result is one JSON file, written by ``code/experiments/run.py NAME``, with
what is needed to repeat it.
"""

import json
from importlib.resources import files

FIELDS = {
    "name": str,  # of the experiment in code/experiments and of the result
    "about": str,  # one sentence: what was measured
    "command": str,  # what was typed, from the project's top folder
    "commit": str,  # the clean commit that it ran on
    "date": str,  # day of the run, YYYY-MM-DD
    "seeds": list,  # every seed that was run, not only the good ones
    "seconds": float,  # duration of the whole run
    "machine": dict,  # see repro.describe_machine
    "data": str,  # what was trained or measured on
    "values": dict,  # the numbers
}
MAY_LACK = {  # older results have none
    "fingerprint": dict,  # see code/experiments/lab/fingerprints.py
    "commits": list,  # all of them, where rows are of several
}


def check(result):
    """Refuse a result that does not say where it comes from.

    Args:
        result: the content of a result file.

    Raises:
        ValueError: a field is missing, unknown, or of the wrong type.
    """
    if set(result) - set(MAY_LACK) != set(FIELDS):
        raise ValueError(
            f"expected the fields {sorted(FIELDS)}, got {sorted(result)}"
        )
    for field, kind in (FIELDS | MAY_LACK).items():
        if field in result and not isinstance(result[field], kind):
            raise ValueError(
                f"expected {field} as {kind.__name__}, got "
                f"{type(result[field]).__name__}"
            )


def names():
    """Return the names of all stored results, sorted."""
    folder = files("attnbook") / "results"
    return sorted(
        path.name.removesuffix(".json")
        for path in folder.iterdir()
        if path.name.endswith(".json")
    )


def load(name):
    """Return one stored result.

    Args:
        name: the result's name, without ".json".

    Returns:
        A dict with the keys of `FIELDS`.

    Raises:
        ValueError: no such result, or one that lacks its origin.
    """
    if name not in names():
        raise ValueError(f"expected a result out of {names()}, got {name!r}")
    path = files("attnbook") / "results" / f"{name}.json"
    result = json.loads(path.read_text(encoding="utf-8"))
    check(result)
    return result
