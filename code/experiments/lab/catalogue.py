"""Where experiments are, and what they need, without starting them."""

import ast
import functools
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[1]
ROOT = FOLDER.parents[1]
RUN = FOLDER / "run.py"
DRAWERS = ("chapters", "translation", "speed", "robustness", "course")


class Entry(NamedTuple):
    """Where an experiment is declared, and what it says it needs."""

    path: Path
    needs: str


def paths():
    """Return the modules in the drawers, name -> path."""
    found = (p for drawer in DRAWERS for p in (FOLDER / drawer).rglob("*.py"))
    return {p.stem: p for p in sorted(found) if p.stem != "__init__"}


def declared(path):
    """Return the experiments that a module declares, name -> `Entry`.

    Raises:
        ValueError: one does not say in plain text what it needs.
    """
    found = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if getattr(getattr(node, "func", None), "id", None) != "Experiment":
            continue
        name = node.args[0].value
        needs = [k.value for k in node.keywords if k.arg == "needs"]
        if not needs or not isinstance(needs[0], ast.Constant):
            raise ValueError(
                f'expected needs="..." of {name} in {path.name}, got none'
            )
        found[name] = Entry(path, needs[0].value)
    return found


@functools.cache
def experiments():
    """Return all experiments, name -> `Entry`."""
    return {
        name: entry
        for path in paths().values()
        for name, entry in declared(path).items()
    }


def needs_of(name):
    """Return what an experiment says it needs, a str."""
    return experiments()[name].needs


def load(path):
    """Import the module in a path."""
    parts = path.relative_to(FOLDER).with_suffix("").parts
    return import_module(".".join(parts))


def find(name):
    """Return an `Experiment` by its name.

    Raises:
        KeyError: there is none of that name.
    """
    found = vars(load(experiments()[name].path)).values()
    return next(x for x in found if getattr(x, "name", None) == name)
