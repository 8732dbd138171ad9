"""A notebook alone in an empty folder fetches the package and runs.

The environment is a new one that holds torch, numpy, pandas, matplotlib,
Jupyter and nbval, linked from the one that runs the tests, and no attnbook.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

import pytest

from address import PLACEHOLDER, current
from chapter_files import ROOT, notebook_of, texts

HELD = ["torch", "numpy", "pandas", "matplotlib", "ipykernel", "nbval", "pip"]
HELD += ["setuptools", "wheel"]
OWN = ["tqdm", "safetensors", "sacrebleu", "sacremoses"]  # attnbook's


def closure(names):
    """Return the distributions that these need, themselves included."""
    found, todo = {}, list(names)
    while todo:
        name = todo.pop().lower().replace("_", "-")
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system
        for line in found[name].requires or []:
            if "extra ==" not in line:
                word = line.split(";")[0].split("[")[0]
                todo.append(word.split("(")[0].strip().split(" ")[0])
                todo[-1] = "".join(
                    c for c in todo[-1].split("=")[0] if c not in "<>~!"
                ).rstrip("0123456789.,")
    return found


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The Python of an environment without attnbook."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", folder], check=True
    )
    python = folder / "bin/python"
    scheme = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    target = folder / "lib" / scheme / "site-packages"
    here = Path(sysconfig.get_path("purelib"))
    for dist in closure(HELD).values():
        tops = {Path(f).parts[0] for f in dist.files or []}
        for top in tops - {"..", "__pycache__", "bin"}:
            source = here / top
            if source.exists() and not (target / top).exists():
                (target / top).symlink_to(source)
    found = subprocess.run([python, "-c", "import attnbook"])
    assert found.returncode != 0
    return python


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A git repository with the package as it stands in this folder."""
    folder = tmp_path_factory.mktemp("source") / "course"
    folder.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    skip = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "code", folder / "code", ignore=skip)
    name = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "state"]):
        subprocess.run(["git", *name, *words], cwd=folder, check=True)
    return f"git+{folder.as_uri()}"


def run(python, folder, **settings):
    """Run the notebooks in a folder with nbval; return what it printed."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    words = ["-m", "pytest", "--nbval", "--nbval-current-env"]
    words += ["--nbval-cell-timeout=300", "-p", "no:cacheprovider", "-q"]
    done = subprocess.run(
        [python, *words],
        cwd=folder,
        env=env | settings,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def installed(python):
    done = subprocess.run(
        [python, "-m", "pip", "list", "--format=freeze"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines())


def test_without_an_address_the_first_cell_says_so(bare, tmp_path):
    if current() != PLACEHOLDER:
        pytest.skip("the course has an address")
    shutil.copy(notebook_of(texts()[0]), tmp_path)
    status, printed = run(bare, tmp_path, ATTNBOOK_SOURCE="")
    assert status == 1
    assert "This copy of the course is not published yet" in printed
    assert "Cloning" not in printed


def test_notebooks_run_alone_and_give_the_stored_outputs(
    bare, source, tmp_path
):
    shutil.copy(notebook_of(texts()[-1]), tmp_path)  # all begin alike
    before = installed(bare)
    status, printed = run(bare, tmp_path, ATTNBOOK_SOURCE=source)
    assert status == 0, printed[-3000:]
    assert "passed" in printed
    after = installed(bare)
    assert before <= after, "a package that was there has changed"
    new = {re.split("[= ]", line)[0].lower() for line in after - before}
    assert "attnbook" in new
    assert new <= {"attnbook", *closure(OWN)}
