"""Tell whether a stored result is still what its script would give.

    python code/experiments/run.py fingerprint NAME

prints the fingerprint of an experiment, a small dict: hashes of what it
reads, and the losses of the first steps of its training.  An experiment that
measures times has a number instead, its revision: raise it by hand.  No
date and no path is part of it, so it is the same on every computer, but for
the last digits of the losses.
"""

import functools
import hashlib
import json
import math
import os
import re
import subprocess
import sys
from contextlib import suppress

import torch

from attnbook.fast import halves
from lab import catalogue
from lab.needs import Missing

STEPS = 20  # of a training
TOLERANCE = 0.003  # relative, of a loss; processors differed by 0.0002


class Enough(BaseException):
    """So many steps were made as are needed."""


def hash_of(*parts):
    """Return a short hash.

    Args:
        parts: bytes, or what JSON can hold, as lists of texts or of ids; no
            floats, because their last digits are the processor's own.
    """
    found = hashlib.sha256()
    for part in parts:
        if not isinstance(part, bytes):
            part = json.dumps(part).encode()
        found.update(len(part).to_bytes(8) + part)
    return found.hexdigest()[:16]


def hash_of_pairs(dataset):
    """Return a hash of all pairs of a `Dataset`, those of the tests too."""
    return hash_of(dataset.train, dataset.valid, dataset.test)


def first_losses(fit, *arguments):
    """Return the losses of the first steps of a training, and stop it there.

    Args:
        fit: a function that trains in any way that calls `backward` of a
            loss once per step, or takes `halves` where it can.
        arguments: what it takes.

    Returns:
        A list of floats, 4 digits each.

    Raises:
        ValueError: the training ended before.
    """
    losses, backward = [], torch.Tensor.backward
    is_fast = halves.is_fast

    def noted(loss, *rest, **named):
        losses.append(float(f"{loss.item():.4g}"))
        if len(losses) == STEPS:
            raise Enough
        backward(loss, *rest, **named)

    torch.Tensor.backward = noted
    halves.is_fast = lambda *_: False  # stored losses are of the plain loop
    try:
        with suppress(Enough):
            fit(*arguments)
    finally:
        torch.Tensor.backward, halves.is_fast = backward, is_fast
    if len(losses) < STEPS:
        raise ValueError(f"expected {STEPS} steps or more, got {len(losses)}")
    return losses


def check(value):
    """Refuse what is neither hash nor number: a path or a date is neither.

    Raises:
        ValueError: such a value in a fingerprint, at any depth.
    """
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            check(part)
    elif isinstance(value, str):
        if not re.fullmatch("[0-9a-f]{16}", value):
            raise ValueError(f"expected a hash, got {value!r}")
    elif not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"expected a number, got {value}")


def alike(one, two):
    """Say whether two fingerprints are the same within `TOLERANCE`."""
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and not differences(one, two)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(alike, one, two))
    if isinstance(one, float) and isinstance(two, float):
        return math.isclose(one, two, rel_tol=TOLERANCE)
    return one == two


def differences(stored, found):
    """Return the names of the parts in which two fingerprints differ."""
    names = sorted({*stored, *found})
    return [n for n in names if not alike(stored.get(n), found.get(n))]


@functools.cache
def find(name):
    """Return the fingerprint of an experiment as its code is now.

    It is made in a process of its own: nothing that the experiment draws or
    changes comes in between.  A second call returns what the first found.

    Args:
        name: of the experiment.

    Raises:
        Missing: it needs what is not there.
        RuntimeError: a mistake in the experiment.
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", catalogue.RUN, "fingerprint", name],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    if not done.returncode:
        return json.loads(done.stdout.splitlines()[-1])
    own = "fingerprint: "  # what `in_one_line` says
    if done.stderr.startswith(own):
        raise Missing(done.stderr.removeprefix(own).strip())
    raise RuntimeError(f"no fingerprint of {name}:\n{done.stderr.strip()}")


def main(words):
    """Print the fingerprint of the experiment that is named."""
    (name,) = words
    if name in catalogue.experiments():
        found = catalogue.find(name).state()
    else:  # models that several experiments share
        found = catalogue.load(catalogue.paths()[name]).fingerprint()
    check(found)
    print(json.dumps(found))
