"""Run chapters as Colab does: alone, with a package that was built.

    python code/tools/colab.py [02 10 ...]

Each notebook lies in an empty folder and has an environment of its own,
which sees the packages of the Python that runs this and no attnbook.  Its
first cell fetches the wheel that was built from this tree; what its cells
print is compared with what they store.  `make colab` runs it with the
versions of code/tools/colab.txt.  Prints one line per notebook; all that
pytest said is kept in .colab/runs.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / ".colab/runs"
SHOWN = ("torch", "numpy", "pandas", "matplotlib", "ipython")


def build_wheel(folder: Path) -> Path:
    """Return a wheel of the package as it stands in this tree.

    Args:
        folder: an empty one.  The build happens in a copy: beside the
            sources it would leave files, and find those of earlier builds.
    """
    copy = folder / "tree"
    skip = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "code", copy / "code", ignore=skip)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    words = ["-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, copy]
    subprocess.run([sys.executable, *words], check=True)
    (wheel,) = folder.glob("attnbook-*.whl")
    return wheel


def environment(folder: Path, site: Path) -> Path:
    """Make an environment that sees another's packages; return its Python.

    Args:
        folder: where to.
        site: a folder of packages.  They lie outside the environment, so
            that pip may add to them and never changes them.
    """
    words = ["-m", "venv", "--without-pip", folder]
    subprocess.run([sys.executable, *words], check=True)
    (own_site(folder) / "colab.pth").write_text(f"{site}\n", encoding="utf-8")
    return folder / "bin/python"


def own_site(folder: Path) -> Path:
    """Return the folder of an environment's own packages."""
    (site,) = folder.glob("lib/python*/site-packages")
    return site


def names(site: Path) -> set[str]:
    """Return the names of the packages in a folder."""
    found = metadata.distributions(path=[str(site)])
    return {re.sub(r"[-_.]+", "-", d.metadata["Name"]).lower() for d in found}


def run(
    notebook: Path, folder: Path, site: Path, source: str
) -> tuple[int, str]:
    """Run a notebook alone and compare its outputs.

    Args:
        notebook: it is copied, without anything that lies beside it.
        folder: where to; made anew.
        site: see `environment`.
        source: what its first cell gives to pip, such as a wheel's path.

    Returns:
        pytest's exit status, and what it printed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "work").mkdir(parents=True)
    shutil.copy(notebook, folder / "work")
    python = environment(folder / "venv", site)
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    env |= {"ATTNBOOK_SOURCE": source, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    words = ["-m", "pytest", "-c", ROOT / "tests/pytest-notebooks.ini"]
    words += ["--nbval-sanitize-with", ROOT / "code/tools/colab.cfg"]
    words += ["--nbval-cell-timeout=600"]  # make test has the strict limit
    words += ["--rootdir=.", "--confcutdir=."]  # nothing above is a package
    words += ["-q", "-rfE", "--color=no", notebook.name]
    done = subprocess.run(
        [python, *words],
        cwd=folder / "work",
        env=env,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def verdict(status: int, printed: str, replaced: set[str]) -> str:
    """Return what came of one notebook, in a few words.

    Args:
        status: pytest's.
        printed: what it said.
        replaced: packages of Colab's that the first cell has put anew.
    """
    found = []
    if replaced:
        found.append(f"FAILED: replaces {', '.join(sorted(replaced))}")
    cells = re.findall(r"^(?:FAILED|ERROR) .*::Cell (\d+)", printed, re.M)
    if cells:
        found.append(f"FAILED in cell {', '.join(cells)}")
    elif status:
        lines = printed.strip().splitlines() or ["no output"]
        found.append(f"FAILED: {lines[-1]}")
    if not found:
        found.append(re.search(r"\d+ passed", printed)[0])
    return "; ".join(found)


def chosen(words: list[str]) -> list[Path]:
    """Return the notebooks whose numbers these are; all without numbers.

    Raises:
        ValueError: a number that no notebook has.
    """
    known = {p.stem[:2]: p for p in sorted(ROOT.glob("chapters/*.ipynb"))}
    wanted = [word.zfill(2) for word in words] or list(known)
    if unknown := [word for word in wanted if word not in known]:
        raise ValueError(
            f"expected CHAPTERS of {', '.join(known)}, got {unknown[0]}"
        )
    return [known[word] for word in wanted]


def main(words: list[str]) -> int:
    """Run the chosen notebooks, one line each; 1 if one failed."""
    try:
        notebooks = chosen(words)
    except ValueError as error:
        print(error)
        return 2
    site, failed = Path(sysconfig.get_path("purelib")), 0
    shutil.rmtree(RUNS, ignore_errors=True)
    (RUNS / "wheel").mkdir(parents=True)
    wheel = build_wheel(RUNS / "wheel")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in SHOWN)
    print(f"{wheel.name}; {versions}", flush=True)
    for notebook in notebooks:
        start, folder = time.monotonic(), RUNS / notebook.stem
        status, printed = run(notebook, folder, site, str(wheel))
        seconds = time.monotonic() - start
        log = RUNS / f"{notebook.stem}.log"
        log.write_text(printed, encoding="utf-8")
        replaced = names(own_site(folder / "venv")) & names(site)
        found = verdict(status, printed, replaced)
        failed += "FAILED" in found
        print(f"{notebook.stem:20} {seconds:4.0f} s  {found}", flush=True)
        shutil.rmtree(folder)
    print(f"{len(notebooks)} notebooks, {failed} failed; logs in {RUNS.name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
