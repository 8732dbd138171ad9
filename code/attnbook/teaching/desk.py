"""What a judge's process has at hand: sandbox, checks, what may be called."""

import functools
import hashlib

import torch

from attnbook import checks
from attnbook.checks.engine.rules import assigned, rule_of
from attnbook.checks.rules import RULES
from attnbook.teaching.dice import dice
from attnbook.teaching.exercises import all_exercises
from attnbook.teaching.hints import sentences, under_rules
from attnbook.teaching.judging import Tools, judge
from attnbook.teaching.tasks import variant_of


@functools.cache
def exercises():
    """Return all exercises of the course: id -> `Exercise`."""
    return {exercise.id: exercise for exercise in all_exercises()}


class Desk:
    """Judge the answers to one assignment; a context manager.

    Args:
        bundle: a `Bundle`.
        trusted: whether the teacher trusts the answers, where they cannot be
            locked in.
    """

    def __init__(self, bundle, trusted=False):
        self.bundle = bundle
        self.trusted = trusted
        self.known = {}

    def __enter__(self):
        from attnbook.teaching.policy import complaints
        from attnbook.teaching.sandbox.client import Sandbox

        torch.set_num_threads(1)
        self.sandbox = Sandbox(trusted=self.trusted)
        self.sandbox.__enter__()
        self.tools = Tools(
            open_answer=self.sandbox.open,
            complaints=complaints,
            checks=self.checks,
            works=self.works,
        )
        return self

    def __exit__(self, *error):
        return self.sandbox.__exit__(*error)

    def judge(self, task, entry):
        """Return the `Result` of one answer.  Arguments as in `judge`."""
        name = f"{self.bundle.assignment} {task.id}".encode()
        number = hashlib.sha256(name).digest()[:4]
        torch.manual_seed(int.from_bytes(number, "big"))
        return judge(task, entry, self.tools)

    def checks(self, task):
        """Return public check, held-out check and what may be shown of it.

        Args:
            task: a `Task` whose form is a function.
        """
        if task.id not in self.known:
            self.known[task.id] = self.made(task)
        return self.known[task.id]

    def made(self, task):
        """Make what `checks` returns."""
        from attnbook.checks.engine.held_out import held_out

        name = task.check.removeprefix("check_")
        public = getattr(checks, f"check_{name}")
        hidden = held_out(name, self.bundle.key_for(task))
        groups, known = RULES.get(task.id, ()), sentences()
        if task.rules:
            public = assigned(public, groups, task.rules)
            hidden = assigned(hidden, groups, task.rules)
            chosen = [rule_of(groups, spec) for spec in task.rules]
            known = under_rules(known, chosen)
        return public, hidden, known

    def works(self, task, program):
        """Say whether lines in another order do what the task asks for.

        Args:
            task: a `Task` whose form is an order.
            program: its lines, each of which we have written.
        """
        draw = dice(self.bundle.key, task.id, "variant")
        variant = variant_of(exercises()[task.id], draw)
        try:
            return bool(variant.works and variant.works(program))
        except Exception:  # such as an unknown name: it does not work
            return False
