"""The shape of the package: order, size, documentation, what is shown."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "code/attnbook"
MODULES = sorted(PACKAGE.rglob("*.py"))

# Each module may import only modules of the package that stand before it.
ORDER = [
    "masks",
    "attention",
    "multihead",
    "config",
    "positions",
    "inputs",
    "dropout",
    "layers",
    "stacks",
    "transformer",
    "tiled",
    "counting",
    "modern",
    "reader",
    "leaks",
    "noise",
    "peeking",
    "recurrence",
    "recurrent",
    "running",
    "depth",
    "lookup",
    "regression",
    "relations",
    "neighbours",
    "files",
    "vocabulary",
    "paircounts",
    "bpe",
    "corpus",
    "multi30k",
    "batches",
    "learning",
    "output_loss",
    "progress",
    "workers",
    "parallel",
    "checkpoint",
    "train",
    "cache",
    "decode",
    "beam",
    "lattice",
    "metrics",
    "runs",
    "translator",
    "pretrained",
    "repro",
    "reversal",
    "ordering",
    "backflow",
    "ablations",
    "storybook.tables",
    "storybook.lexicon_en",
    "storybook.lexicon_fr",
    "storybook.lexicon_ko",
    "storybook.plans",
    "storybook.cast",
    "storybook.events",
    "storybook.states",
    "storybook.rules",
    "storybook.english",
    "storybook.french_passes",
    "storybook.french",
    "storybook.hangul",
    "storybook.korean",
    "storybook.corpus",
    "storybook.partition",
    "storybook.twins",
    "storybook.__init__",
    "aligning",
    "tracing",
    "inside",
    "datasets",
    "train_command",
    "use_commands",
    "options",
    "cli",
    "__main__",
    "longrun",
    "results",
]
ALONE = {
    "config",
    "repro",
    "results",
    "dropout",
    "workers",
}  # import none of it


def is_lexicon(path):
    """Tell tables of words, which are as long as they are, from code."""
    return path.stem.startswith("lexicon_")


def name_of(path):
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def parts_of(module, names):
    """Return the modules that "from attnbook.module import names" takes."""
    folder = PACKAGE / module.replace(".", "/")
    if module and not folder.is_dir():
        return {module}
    prefix = f"{module}." if module else ""
    found = set()
    for name in names:
        if (folder / f"{name}.py").exists():
            found.add(f"{prefix}{name}")
        elif (folder / name).is_dir():
            found.add(f"{prefix}{name}.__init__")
        else:
            found.add(f"{prefix}__init__")
    return found


def imports_of(path):
    """Return the modules of the package that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            package, _, module = node.module.partition(".")
            if package == "attnbook":
                found |= parts_of(module, [a.name for a in node.names])
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            found |= {
                n.removeprefix("attnbook.")
                for n in names
                if n.startswith("attnbook")
            }
    return found


def public(path):
    """Yield the public functions, classes and methods of a module."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if getattr(node, "name", "_").startswith("_"):
            continue
        yield node
        for inner in getattr(node, "body", []) * isinstance(
            node, ast.ClassDef
        ):
            if not getattr(inner, "name", "_").startswith("_"):
                yield inner


def code_lines(node):
    """Count the lines of a definition, docstrings and blanks left out."""
    parts = [n for n in ast.walk(node) if hasattr(n, "lineno")]
    docs = set()
    for n in ast.walk(node):
        if isinstance(
            n, (ast.FunctionDef, ast.ClassDef)
        ) and ast.get_docstring(n):
            docs |= set(range(n.body[0].lineno, n.body[0].end_lineno + 1))
    return len({n.lineno for n in parts} - docs)


def test_code_is_no_package():
    """code/__init__.py would hide the standard library's module code."""
    assert not (ROOT / "code/__init__.py").exists()
    run = [sys.executable, "-c", "import pdb, code; code.InteractiveConsole"]
    assert subprocess.run(run, cwd=ROOT).returncode == 0


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_import_only_what_stands_before_them(path):
    name = name_of(path)
    used = imports_of(path)
    if name.startswith("plots"):
        assert all(module.startswith("plots") for module in used)
        return
    assert not any(module.startswith("plots") for module in used)
    if name in ALONE:
        assert used == set()
    elif name in ORDER:
        assert used <= set(ORDER[: ORDER.index(name)])
    elif not name.startswith("checks"):
        assert name == "__init__", "give it a place in ORDER"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_and_definitions_are_small(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert is_lexicon(path) or len(lines) <= 250
    for node in public(path):
        if isinstance(node, ast.FunctionDef):
            tables = (
                name_of(path).endswith("mistakes") or "wrong_" in node.name
            )
            assert code_lines(node) <= (80 if tables else 30), node.name


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_public_functions_document_what_they_take_and_return(path):
    for node in public(path):
        doc = ast.get_docstring(node) or ""
        assert doc, node.name
        if not isinstance(node, ast.FunctionDef):
            continue
        args = [a.arg for a in node.args.args if a.arg not in ("self", "cls")]
        short = doc.count("\n") == 0  # one line that says it all
        if name_of(path).startswith("checks") or short:
            continue
        for arg in args:
            assert re.search(rf"^    {arg}: ", doc, re.MULTILINE), (
                f"{node.name} does not document {arg}"
            )
        raises = "raise ValueError" in ast.unparse(node)
        assert not raises or "Raises:" in doc, node.name


def test_without_torch_the_package_says_how_to_get_it(tmp_path):
    code = (
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda n, *a: None if n == 'torch' else find(n, *a)\n"
        "import attnbook.attention"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "pytorch.org/get-started" in done.stderr


def test_installing_the_package_never_asks_for_torch():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    dependencies = re.search(r"^dependencies = \[(.*?)\]", text, re.M | re.S)
    assert "numpy" in dependencies[1]
    assert "torch" not in dependencies[1]
