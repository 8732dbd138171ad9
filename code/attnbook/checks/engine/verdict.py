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
        right: whether the answer passed.
        hint: the mistake in one sentence; empty when right.
    """

    name: str
    right: bool
    hint: str = ""

    def __bool__(self):
        return self.right

    def __str__(self):
        return f"{self.name}: " + ("right." if self.right else self.hint)

    def _ipython_display_(self):
        """Show nothing: the check has printed its line already."""


class Mistake(Exception):
    """A wrong answer; the message is the hint."""


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
        hint = None
        with same_surroundings():
            try:
                if not callable(answer):
                    raise Mistake(
                        "pass the function itself, without calling it; got "
                        f"{type(answer).__name__}"
                    )
                with time_limit(SECONDS):
                    refuse(answer, forbids)
                    body(answer)
            except Mistake as mistake:
                hint = str(mistake)
            except TooLong:
                hint = ENDLESS
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                hint = f"could not be judged: {describe(error)}"
        right = hint is None
        hint = "" if right else " ".join(hint.split()) or "not right"
        verdict = Verdict(name, right, hint)
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
        raise Mistake(f"this would not be graded: {'; '.join(said)}")


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
