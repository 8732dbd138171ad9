"""What a check says, and the guard around every check.

A check is a function that calls the learner's function, the *answer*, and
raises `Mistake` with a hint at the first thing that is wrong.  `checker`
turns it into a function that prints one line, returns a `Verdict` and never
raises.
"""

import contextlib
import functools
import random
from dataclasses import dataclass

import numpy as np
import torch

from attnbook.checks.engine.policy import complaints
from attnbook.checks.engine.sources import source_of
from attnbook.checks.engine.time_limit import TooLong, time_limit

SECONDS = 20.0  # for all that one check asks of an answer
ENDLESS = (
    f"stopped after {SECONDS:.0f} seconds: does your loop end? (a right "
    "answer needs less than one)"
)


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check; true when the answer is right.

    Attributes:
        name: the task.
        status: "right"; "partly", right where the exercise begins, but not
            everywhere; "wrong"; "blank", not answered yet; "error", the answer
            raised one; "late", it did not end; "unjudged", the check failed.
        hint: the mistake in one sentence; empty when right.
        outline: the hint without what comes from inputs or from the answer.
    """

    name: str
    status: str
    hint: str = ""
    outline: str = ""

    @property
    def right(self):
        """Whether the answer passed."""
        return self.status == "right"

    def __bool__(self):
        return self.right

    def __str__(self):
        return f"{self.name}: " + ("right." if self.right else self.hint)

    def _ipython_display_(self):
        """Show nothing: the check has printed its line already."""


class Hint:
    """A sentence about a mistake, with its details apart.

    Args:
        text: the sentence; each detail has its place at a ``{}``.
        details: what comes from the inputs or from the answer, such as a
            shape or an error's message; a `Hint` for what does not.
    """

    def __init__(self, text, *details):
        self.text = text
        self.details = [x if isinstance(x, Hint) else f"{x}" for x in details]

    def __str__(self):
        return filled(self.text, self.details)

    @property
    def outline(self):
        """The sentence with dots for its details."""
        dots = [getattr(x, "outline", "...") for x in self.details]
        return filled(self.text, dots)


def filled(text, details):
    """Return a text with details at its ``{}``, if it has details."""
    if not details:
        return text
    parts = text.split("{}")
    pairs = zip(parts, [*details, ""], strict=True)
    return "".join(f"{part}{detail}" for part, detail in pairs)


def hint_of(hint):
    """Return a `Hint`; a str is one without details."""
    return hint if isinstance(hint, Hint) else Hint(hint)


class Mistake(Exception):
    """A wrong answer.

    Args:
        hint: the mistake in one sentence, a str or a `Hint`.
        details: see `Hint`, if the hint is a str.
        kind: a status of `Verdict`.
        after: what the answer has shown before; stands before the hint.
        partly: whether the status is "partly", as where something was shown.
    """

    def __init__(self, hint, *details, kind="wrong", after="", partly=None):
        self.hint = Hint(hint, *details) if details else hint_of(hint)
        self.kind = kind
        self.after = hint_of(after)
        self.partly = bool(after) if partly is None else partly

    def tells(self, words):
        """Say whether the error that an answer raised has these words."""
        details = (str(x) for x in self.hint.details)
        return self.kind == "error" and any(words in x for x in details)

    @property
    def status(self):
        """The status of the verdict."""
        return "partly" if self.partly else self.kind

    @property
    def said(self):
        """The whole `Hint`."""
        return Hint("{}{}", self.after, self.hint)

    def __str__(self):
        return str(self.said)

    def behind(self, shown, partly=True):
        """Return the mistake of an answer that has shown something before."""
        if not shown:
            return self
        after = Hint("{}{}", hint_of(shown), self.after)
        return type(self)(
            self.hint, kind=self.kind, after=after, partly=partly
        )


NOT_ANSWERED = "not answered yet"


@contextlib.contextmanager
def same_surroundings():
    """Give the learner's settings and random state back as they were.

    The check itself runs on the CPU, with gradients, without autocast.
    """
    python, numpy = random.getstate(), np.random.get_state()
    dtype = torch.get_default_dtype()
    cuda = torch.cuda.is_initialized()
    devices = range(torch.cuda.device_count()) if cuda else []
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices=devices))
        stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.enable_grad())
        if torch.get_default_device().type != "cpu":  # it slows every call
            stack.enter_context(torch.device("cpu"))
        stack.enter_context(torch.autocast("cpu", enabled=False))
        try:
            yield
        finally:
            random.setstate(python)
            with contextlib.suppress(Exception):
                np.random.set_state(numpy)
            torch.set_default_dtype(dtype)


def checker(body):
    """Make a check out of a function that raises `Mistake`.

    Args:
        body: a function of the answer, named ``check_TASK``.

    Returns:
        A function of the answer that prints one line, returns a
        `Verdict` and never raises (Ctrl-C excepted).  Its argument forbids,
        None or names as in `allowed.KINDS`, is what an assignment's notebook
        adds: what is refused when a class is graded is refused here, too.
    """
    name = body.__name__.removeprefix("check_")

    @functools.wraps(body)
    def check(answer, forbids=None):
        status, hint = "right", Hint("")
        with same_surroundings():
            try:
                if not callable(answer):
                    raise Mistake(
                        "pass the function itself, without calling it; got {}",
                        type(answer).__name__,
                    )
                with time_limit(SECONDS):
                    refuse(answer, forbids)
                    body(answer)
            except Mistake as mistake:
                status, hint = mistake.status, mistake.said
            except TooLong:
                status, hint = "late", Hint(ENDLESS)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                hint = Hint("could not be judged: {}", describe(error))
                status = "unjudged"
        said = (" ".join(f"{x}".split()) for x in (hint, hint.outline))
        verdict = Verdict(name, status, *said)
        show(verdict)
        return verdict

    return check


def refuse(answer, forbids):
    """Raise a mistake if a class's answer would not be graded.

    Args:
        answer: the learner's function.
        forbids: names, a str; None where nothing is graded.
    """
    found = forbids is not None and source_of(answer)
    said = found and complaints(found, forbids.split())
    if said:
        raise Mistake("this would not be graded: {}", "; ".join(said))


def show(verdict):
    """Print the line of a verdict, whatever letters the output can take."""
    with contextlib.suppress(Exception):
        try:
            print(verdict)
        except UnicodeEncodeError:
            print(ascii(str(verdict))[1:-1])


def describe(error):
    """Return type and first line of an error, in at most 160 characters."""
    try:
        lines = str(error).strip().splitlines()
    except BaseException:
        lines = []
    first = lines[0] if lines else "no message"
    return f"{type(error).__name__}: {first}"[:160]
