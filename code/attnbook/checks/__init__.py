"""Checks of the learner's answers: ``checks.check_NAME(my_function)``.

A check prints one line and returns a `Verdict`; it never raises.  The module
``NAME.py`` of this drawer holds ``check_NAME`` and is found by its name; what
all of them share is in ``engine/``.  In an assignment's notebook the line is
``checks.check_NAME(my_function, forbids="attention")``: then what a graded
answer may not use is refused at home as well, see ``engine/allowed.py``.
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


def assigned(exercise, *rules):
    """Return the check of an exercise that asks otherwise than the page.

    Args:
        exercise: its id, such as "10.6".
        rules: what a teacher's seed has chosen, as it stands in the cell of
            the assignment: "hidden", "temperature=0.5".

    Returns:
        A function of the answer that prints one line and returns a
        `Verdict`.

    Raises:
        ValueError: an exercise without rules, or an unknown rule.
    """
    from attnbook.checks.engine import rules as engine
    from attnbook.checks.rules import CHECKS, RULES

    if exercise not in RULES:
        raise ValueError(
            f"expected an exercise out of {[*RULES]}, got {exercise!r}"
        )
    check = globals()[f"check_{CHECKS[exercise]}"]
    return engine.assigned(check, RULES[exercise], rules)
