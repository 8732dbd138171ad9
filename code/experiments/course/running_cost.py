"""What the course itself costs: seconds per notebook, per build, per test.

    python code/experiments/run.py running_cost

Clones the repository into an empty folder and runs there what a newcomer
runs, cold (everything is installed) and warm.  What `make test` installs
first is `.venv/all`.  Needs what `make` needs and the network; about twenty
minutes on 2 cores.  Nothing else should run.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.catalogue import ROOT
from lab.experiment import Experiment
from lab.progress import track


def timed(command, folder):
    """Run a command; return its seconds and what it printed.

    Raises:
        SystemExit: the command failed; its last lines are shown.
    """
    settings = {k: v for k, v in os.environ.items() if k != "ATTNBOOK_DATA"}
    start = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=settings,
    )
    seconds = round(time.perf_counter() - start, 1)
    print(f"{seconds:8.1f} s  {' '.join(map(str, command))}", flush=True)
    if done.returncode:
        sys.exit("\n".join(done.stdout.splitlines()[-40:]))
    return seconds, done.stdout


def tests_in(output):
    """Return the number of tests that passed, of each pytest run."""
    return [int(n) for n in re.findall(r"(\d+) passed", output)]


def measure(run):
    """Measure; a try only builds the book."""
    with TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(
            ["git", "clone", "-q", str(ROOT), str(clone)], check=True
        )
        values = {}
        commands = {
            "make book, cold": ["make", "book"],
            "make book, warm": ["make", "book"],
            "make .venv/all, cold": ["make", ".venv/all"],
            "make test, warm": ["make", "test"],
        }
        if run.small:
            return timed(["make", "book"], clone)
        for name, command in track(commands.items(), "commands"):
            seconds, output = timed(command, clone)
            values[name] = seconds
        values["tests"] = tests_in(output)
        python, notebooks = clone / ".venv/bin/python", {}
        paths = sorted(clone.glob("chapters/*.ipynb"))
        for path in track(paths, "notebooks"):
            command = [python, "-m", "pytest", "-q", "--rootdir=."]
            command += ["-c", "tests/pytest-notebooks.ini"]
            command.append(path.relative_to(clone))
            notebooks[path.stem] = timed(command, clone)[0]
        return values | {"notebooks": notebooks}


EXPERIMENT = Experiment(
    "running_cost",
    needs="the network, a quiet machine",
    about="Seconds of the course's own commands in a fresh clone; cold "
    "installs everything first; one notebook is started, executed and "
    "compared",
    data="the repository at this commit, without Multi30k",
    measure=measure,
    revision=2,
)
