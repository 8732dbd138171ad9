"""Checks of the learner's answers: ``checks.check_NAME(my_function)``.

A check prints one line and returns a `Verdict`; it never raises.  An exercise
is a folder, ``TOPIC/NAME/``: ``check.py`` holds ``check_NAME``, and
``rules.py``, where there is one, how a class is asked otherwise than the page.
Both are found here by their folder; what all exercises share is in
``engine/``.  In an assignment's notebook the line is
``checks.check_NAME(my_function, forbids="attention")``: then what a graded
answer may not use is refused at home as well, see ``engine/allowed.py``.
"""

import importlib
from pathlib import Path

from attnbook.checks.engine import rules as engine_rules
from attnbook.checks.engine.verdict import Verdict


def _find_all(file):
    """Return the module of this name of each exercise, name -> module."""
    found = {}
    for path in Path(__file__).parent.glob(f"*/*/{file}.py"):
        topic, name = path.parts[-3:-1]
        module = f"{__name__}.{topic}.{name}.{file}"
        found[name] = importlib.import_module(module)
    return dict(sorted(found.items()))


_FOUND = {
    f"check_{name}": getattr(module, f"check_{name}")
    for name, module in _find_all("check").items()
}
globals().update(_FOUND)
__all__ = ["Verdict", *_FOUND]

_RULES = [
    (id, name, groups)
    for name, module in _find_all("rules").items()
    for id, groups in module.RULES.items()
]
_RULES.sort(key=lambda rules: [int(number) for number in rules[0].split(".")])
RULES = {id: groups for id, _, groups in _RULES}  # "10.6" -> its rules
CHECKED = {id: name for id, name, _ in _RULES}  # "10.6" -> its check's NAME


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
    if exercise not in RULES:
        raise ValueError(
            f"expected an exercise out of {[*RULES]}, got {exercise!r}"
        )
    check = _FOUND[f"check_{CHECKED[exercise]}"]
    return engine_rules.assigned(check, RULES[exercise], rules)
