"""The shape of the package: order, size, documentation, what is shown."""

import ast
import functools
import graphlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "code/attnbook"
EXPERIMENTS = ROOT / "code/experiments"
MODULES = sorted(PACKAGE.rglob("*.py"))

# Each drawer, and the drawers that it may import beside itself; "" is the
# root, where the machine stands.
MAY_IMPORT = {
    "": {"data"},  # the padding id, and no more
    "plots": set(),
    "data": set(),
    "checks": {"", "data"},
    "fast": {"", "data"},
    "training": {"", "data", "fast"},
    "decoding": {"", "data", "fast", "training"},
    "tasks": {"", "data", "training", "decoding"},
    "probes": {"", "data", "training", "decoding", "tasks"},
    "teaching": {"", "checks", "tasks"},
    "command": {"", "data", "training", "decoding", "teaching"},
}
ALONE = {  # import nothing of the package
    "compat",
    "config",
    "dropout",
    "results",
    "training.config",
    "training.repro",
    "training.workers",
}
ROOT_MODULES = 22  # at most; what is not the machine has a drawer


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


@functools.cache
def tree_of(path):
    """Return what a module's source parses to; nobody may change it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imports_of(path):
    """Return the modules of the package that a module imports."""
    found = set()
    for node in ast.walk(tree_of(path)):
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


def is_of_exercise(path):
    """Tell a file of an exercise's own folder, checks/TOPIC/NAME/."""
    return path.is_relative_to(PACKAGE / "checks") and (
        len(path.relative_to(PACKAGE).parts) == 4
    )


def is_public(node):
    """Tell a public definition from all else."""
    return not getattr(node, "name", "_").startswith("_")


@functools.cache
def public(path):
    """Return the public functions, classes and methods of a module."""
    found = []
    for node in tree_of(path).body:
        inner = node.body if isinstance(node, ast.ClassDef) else []
        if is_public(node):
            found += [node, *(n for n in inner if is_public(n))]
    return found


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


def drawer_of(name):
    """Return the drawer of a module, "" for the root."""
    top, *rest = name.split(".")
    return top if rest or (PACKAGE / top / "__init__.py").exists() else ""


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_drawer_imports_only_the_drawers_below_it(path):
    name = name_of(path)
    used = imports_of(path)
    if name == "__main__":
        assert used == {"command.main"}
    else:
        own = drawer_of(name)
        assert {drawer_of(u) for u in used} <= MAY_IMPORT[own] | {own}
        assert own or {u for u in used if "." in u} <= {"data.vocabulary"}
    assert name not in ALONE or not used


def test_no_module_imports_itself_by_a_detour():
    graph = {name_of(path): imports_of(path) for path in MODULES}
    assert set(graph) >= set().union(*graph.values())
    order = list(graphlib.TopologicalSorter(graph).static_order())
    assert len(order) == len(MODULES)


def test_every_drawer_has_a_place_and_says_what_belongs_there():
    drawers = {p.parent.name for p in PACKAGE.glob("*/__init__.py")}
    assert drawers == set(MAY_IMPORT) - {""}
    for drawer in drawers:
        text = (PACKAGE / drawer / "__init__.py").read_text(encoding="utf-8")
        doc = ast.get_docstring(ast.parse(text))
        assert len(doc.splitlines()) >= 3, drawer
    picture = (ROOT / "code/README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(\w+)/` \|", picture, re.MULTILINE))
    lab = {p.parent.name for p in EXPERIMENTS.glob("*/__init__.py")}
    assert named == drawers | lab | {"results", "models"}


def test_what_is_faster_names_what_it_is_equal_to():
    for path in PACKAGE.glob("fast/[!_]*.py"):
        first = ast.get_docstring(tree_of(path)).splitlines()[0]
        twins = re.findall(r"`([\w.]+)\.(\w+)`", first)
        assert twins, path.name
        for module, name in twins:
            found, _, owner = module.partition(".")
            if not (PACKAGE / found).is_dir():  # a module of the root
                source = PACKAGE / f"{found}.py"
                name = owner or name
            else:
                source = PACKAGE / f"{module.replace('.', '/')}.py"
            defined = {node.name for node in public(source)}
            assert name in defined, (path.name, module, name)


def test_private_names_of_pytorch_have_a_place_of_their_own():
    private = re.compile(r"torch(\.\w+)*\._(?!_)|\._(version|is_view)\b")
    for path in MODULES:
        if path.name == "compat.py":
            continue
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Attribute):
                assert not private.search(ast.unparse(node)), name_of(path)
            elif isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{a.name}" for a in node.names]
                assert not any(map(private.search, names)), name_of(path)


def test_the_root_holds_the_machine_alone():
    assert len(list(PACKAGE.glob("*.py"))) <= ROOT_MODULES


def is_of_draws(node):
    """Tell a function of `Draws` alone, a table of a check's inputs."""
    return isinstance(node, ast.FunctionDef) and (
        [argument.arg for argument in node.args.args] == ["draws"]
    )


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_and_definitions_are_small(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    long = is_lexicon(path) or is_of_exercise(path)
    assert long or len(lines) <= 250
    for node in public(path):
        if isinstance(node, ast.FunctionDef) and not is_of_draws(node):
            tables = (
                name_of(path).endswith("mistakes") or "wrong_" in node.name
            )
            assert code_lines(node) <= (80 if tables else 30), node.name


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_public_functions_document_what_they_take_and_return(path):
    defined = {node.name for module in MODULES for node in public(module)}
    for node in public(path):
        doc = ast.get_docstring(node) or ""
        assert doc, node.name
        if not isinstance(node, ast.FunctionDef):
            continue
        args = [a.arg for a in node.args.args if a.arg not in ("self", "cls")]
        short = doc.count("\n") == 0  # one line that says it all
        sibling = re.search(r"rguments as in `([\w.]+)`", doc)
        if sibling:
            assert sibling[1].split(".")[-1] in defined, node.name
        if name_of(path).startswith("checks") or short or sibling:
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


def test_installing_the_package_asks_for_what_it_imports_but_torch():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    asked = set(project["dependencies"])
    for name in project["optional-dependencies"]["teach"]:
        asked.add(re.match(r"\w+", name)[0])
    imported = set()
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Import):
                imported |= {name.name.split(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module.split(".")[0])
    imported -= {*sys.stdlib_module_names, "attnbook", "torch"}
    # There in a notebook, not needed elsewhere.
    imported -= {"IPython", "matplotlib_inline"}
    assert imported == asked - {"pandas"}  # which the chapters import


def test_an_exercise_is_a_folder_named_as_its_chapter_and_check():
    from attnbook import checks
    from attnbook.teaching.exercises import all_exercises

    made = {x.removeprefix("check_") for x in checks.__all__} - {"Verdict"}
    folders = [p.parent for p in PACKAGE.glob("checks/*/*/check.py")]
    assert sorted(made) == sorted(folder.name for folder in folders)
    asked = {(e.chapter[3:], e.check) for e in all_exercises() if e.check}
    assert asked == {(x.parent.name, f"check_{x.name}") for x in folders}
    for exercise in all_exercises():
        if exercise.id in checks.RULES:
            name = checks.CHECKED[exercise.id]
            assert exercise.check == f"check_{name}"


def test_files_that_texts_name_exist():
    """A path in prose leads somewhere: attnbook/..., code/..., tests/..."""
    texts = [*ROOT.glob("*.md"), ROOT / "LICENSE"]
    texts += [*ROOT.glob("book/*.md"), *ROOT.glob("chapters/text/*.md")]
    texts.append(ROOT / "code/README.md")
    checked = 0
    for text in texts:
        named = re.findall(
            r"(?<![\w/.-])((?:attnbook|code|tests|chapters|book)/[\w/-]+"
            r"\.(?:py|md|ipynb|json|txt|bib|svg|css|js|toml))\b",
            text.read_text(encoding="utf-8"),
        )
        checked += len(named)
        for name in named:
            if "NN" in name or "MODULE" in name:
                continue
            places = [ROOT / name, ROOT / "code" / name]
            assert any(place.exists() for place in places), (text.name, name)
    assert checked > 20
