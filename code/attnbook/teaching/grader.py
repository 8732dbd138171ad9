"""What judges the answers to one assignment: sandbox, checks, policy."""

import contextlib
import functools
import hashlib
import io
import math

import torch
import torch.nn.functional as F

from attnbook import checks
from attnbook.checks import RULES
from attnbook.checks.engine.held_out import held_out
from attnbook.checks.engine.rules import assigned
from attnbook.teaching.exercises import PYTHON, all_exercises
from attnbook.teaching.judging import judge
from attnbook.teaching.seeds import make_rng
from attnbook.teaching.tasks import draw_variant

DRAWS = 5  # of held-out inputs, until the solution is right on them


def run_solution(task):
    """Return the function of a `Task`'s solution, which we have written."""
    names = {"torch": torch, "F": F, "math": math}
    exec("\n\n".join(PYTHON.findall(task.solution)), names)
    return names[task.name]


@functools.cache
def index_exercises():
    """Return all exercises of the course: id -> `ChapterExercise`."""
    return {exercise.id: exercise for exercise in all_exercises()}


class Grader:
    """Judge the answers to one assignment; a context manager.

    Args:
        bundle: a `Bundle`.
        trusted: whether the teacher trusts the answers, where they cannot be
            locked in.

    Attributes:
        open_answer: a function of source and name that returns a context
            manager; it gives an answer to call, with an attribute ``died``,
            the reason why its process ended, empty if it lives.
        find_complaints: a function of source and forbidden names that
            returns what is wrong with calling them, a list of str.
    """

    def __init__(self, bundle, trusted=False):
        self.bundle = bundle
        self.trusted = trusted
        self.known = {}

    def __enter__(self):
        from attnbook.checks.engine.policy import complaints
        from attnbook.teaching.sandbox.client import Sandbox

        torch.set_num_threads(1)
        self.sandbox = Sandbox(trusted=self.trusted)
        self.sandbox.__enter__()
        self.open_answer = self.sandbox.open
        self.find_complaints = complaints
        return self

    def __exit__(self, *error):
        return self.sandbox.__exit__(*error)

    def judge(self, task, entry):
        """Return the `Result` of one answer.  Arguments as in `judge`."""
        name = f"{self.bundle.assignment} {task.id}".encode()
        number = hashlib.sha256(name).digest()[:4]
        torch.manual_seed(int.from_bytes(number, "big"))
        return judge(task, entry, self)

    def checks(self, task):
        """Return the public check and the held-out one.

        Args:
            task: a `Task` whose form is a function.
        """
        if task.id not in self.known:
            self.known[task.id] = self.make_checks(task)
        return self.known[task.id]

    def make_checks(self, task):
        """Make what `checks` returns."""
        name = task.check.removeprefix("check_")
        public = getattr(checks, f"check_{name}")
        groups = RULES.get(task.id, ())
        hidden = self.held_out(task, name, groups)
        if task.rules:
            public = assigned(public, groups, task.rules)
        return public, hidden

    def held_out(self, task, name, groups):
        """Return a check that the teacher's own solution passes.

        An unlucky draw, say of two scores that are nearly equal, could
        refuse a right answer; then the next draw is taken.

        Args:
            task: a `Task`.
            name: of its check.
            groups: its rules.

        Raises:
            ValueError: no draw will do.
        """
        for attempt in range(DRAWS):
            check = held_out(name, self.bundle.key_for(task, attempt))
            if task.rules:
                check = assigned(check, groups, task.rules)
            with contextlib.redirect_stdout(io.StringIO()):
                if check(run_solution(task)):
                    return check
        raise ValueError(
            f"expected inputs on which the solution of {task.id} is right, "
            f"found none in {DRAWS} draws"
        )

    def works(self, task, program):
        """Say whether lines in another order do what the task asks for.

        Args:
            task: a `Task` whose form is an order.
            program: its lines, each of which we have written.
        """
        rng = make_rng(self.bundle.key, task.id, "variant")
        variant = draw_variant(index_exercises()[task.id], rng)
        try:
            return bool(variant.works and variant.works(program))
        except Exception:  # such as an unknown name: it does not work
            return False
