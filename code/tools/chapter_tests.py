"""Check one chapter alone, in about a minute (chapter 13: two).

    python code/tools/chapter_tests.py 10

Compares cells, pages and notebooks with what they are made from, lints the
chapter's notebook and executes it against what it stores.  Beside that run the
tests of its text, its solutions, its checkers, and of every module of the
package that its code imports and that has a test file of the same name.  Exits
with 1 if anything fails, and with 2 if there is no such chapter.
"""

import ast
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from chapter_files import ROOT, notebook_of, read, tags, texts

ALWAYS = ("test_chapters", "test_paths", "test_exercises", "test_checks")


def text_of(number: str) -> Path:
    """Return the text of the chapter with a number, as "4" or "04"."""
    found = {text.stem[:2]: text for text in texts()}
    if not number or number.zfill(2) not in found:
        raise ValueError(
            f"expected CHAPTER=0 to CHAPTER={int(max(found))}, got {number!r}"
        )
    return found[number.zfill(2)]


def imported(text: Path) -> set[str]:
    """Return the dotted names that a text imports, or shows the source of."""
    names = set()
    for cell in read(text).cells:
        if cell.cell_type == "code":
            names |= {t.removeprefix("source:") for t in tags(cell)}
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.ImportFrom):
                    names |= {f"{node.module}.{a.name}" for a in node.names}
    return {name for name in names if name.startswith("attnbook.")}


def files_of(text: Path) -> list[str]:
    """Return the test files that belong to a text."""
    parts = {part for name in imported(text) for part in name.split(".")}
    wanted = {*ALWAYS, *(f"test_{part}" for part in parts)}
    found = sorted((ROOT / "tests").glob("test_*.py"))
    return [f"tests/{path.name}" for path in found if path.stem in wanted]


def checks_of(text: Path) -> list[list[str]]:
    """Return the commands that check a chapter, but for its notebook."""
    notebook = str(notebook_of(text).relative_to(ROOT))
    python = [sys.executable, "-m"]
    pytest = [*python, "pytest", "-c", "tests/pytest.ini", "--rootdir=."]
    pytest += ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    return [
        [*python, "ruff", "check", notebook],
        [*python, "ruff", "format", "--check", notebook],
        [*python, "codespell_lib", str(text.relative_to(ROOT))],
        [sys.executable, "code/tools/sync.py"],
        [sys.executable, "code/tools/notebooks.py", "check"],
        [*pytest, f"--chapter={int(text.stem[:2])}", *files_of(text)],
    ]


def execution_of(text: Path) -> list[str]:
    """Return the command that executes a notebook and compares it."""
    notebook = str(notebook_of(text).relative_to(ROOT))
    pytest = [sys.executable, "-m", "pytest", "--rootdir=.", "-q"]
    return [*pytest, "-c", "tests/pytest-notebooks.ini", notebook]


def run(beside: list[str], commands: list[list[str]]) -> int:
    """Run commands up to the first that fails, and one beside them.

    Args:
        beside: the command that starts at once; shown at the end.
        commands: the others, one after the other.

    Returns:
        0 if all succeeded, else 1.
    """
    settings = {"cwd": ROOT, "env": os.environ | {"OMP_NUM_THREADS": "1"}}
    with tempfile.TemporaryFile() as output:
        other = subprocess.Popen(
            beside, stdout=output, stderr=subprocess.STDOUT, **settings
        )
        try:
            for command in commands:
                print(shlex.join(command), flush=True)
                if subprocess.run(command, **settings).returncode:
                    return 1
            print(shlex.join(beside), flush=True)
            failed = other.wait()
        finally:
            other.terminate()  # does nothing once it has ended
            other.wait()
        output.seek(0)
        print(output.read().decode(errors="replace"), end="", flush=True)
    return 1 if failed else 0


def main(arguments: list[str]) -> int:
    """Check the chapter that was typed."""
    try:
        text = text_of(" ".join(arguments))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    return run(execution_of(text), checks_of(text))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
