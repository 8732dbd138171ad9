"""Checks of the learner's answers: ``checks.check_NAME(my_function)``.

A check prints one line and returns a `Verdict`; it never raises.  The module
``NAME.py`` of this drawer holds ``check_NAME`` and is found by its name; what
all of them share is in ``engine/``.
"""

import importlib
import pkgutil

from attnbook.checks.engine.verdict import Verdict

__all__ = ["Verdict"]

for _, name, is_package in pkgutil.iter_modules(__path__):
    if not is_package:
        module = importlib.import_module(f"{__name__}.{name}")
        if hasattr(module, f"check_{name}"):
            globals()[f"check_{name}"] = getattr(module, f"check_{name}")
            __all__ += [f"check_{name}"]
