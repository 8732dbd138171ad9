"""The list of all answers to the auto-checked tasks, right and wrong.

A wrong answer carries the words that its hint must contain.  Each module of
this package holds the answers to the tasks of one chapter.
"""

from collections import defaultdict
from dataclasses import dataclass, field


@dataclass
class Answers:
    """The answers to one task."""

    right: list = field(default_factory=list)
    wrong: list = field(default_factory=list)


TASKS = defaultdict(Answers)


def right(task):
    """Register a right answer."""

    def register(function):
        TASKS[task].right.append(function)
        return function

    return register


def wrong(task, hint):
    """Register a wrong answer with the words that name the mistake."""

    def register(function):
        function.hint = hint
        TASKS[task].wrong.append(function)
        return function

    return register
