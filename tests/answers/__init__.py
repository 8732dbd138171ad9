"""Answers to the auto-checked tasks: right, wrong, empty and hostile."""

import importlib
import pkgutil

from answers.hostile import HOSTILE, STUBS
from answers.registry import TASKS

for module in pkgutil.iter_modules(__path__, "answers."):
    importlib.import_module(module.name)

__all__ = ["HOSTILE", "STUBS", "TASKS"]
