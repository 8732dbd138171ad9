"""One way to check an exercise: the right answer in steps, cases, mistakes.

A module of `attnbook.checks` says what is particular to one exercise.  What
is asked of all of them is asked here: is it answered, does it run, does it
leave its inputs alone, are type, shape, numbers and gradients right, does it
say the same when it is asked again?
"""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field

from attnbook.checks.engine.asking import (
    Trial,
    agree,
    ask,
    require_same_type,
)
from attnbook.checks.engine.draws import PAGE
from attnbook.checks.engine.explain import DIFFER, explain
from attnbook.checks.engine.gradients import LATER, judge_gradients
from attnbook.checks.engine.verdict import Mistake, checker


def plainly(answer, *inputs):
    """Call the answer with the inputs."""
    return answer(*inputs)


def no_guess(results, rights, inputs):
    """Know nothing about a mistake that has no name."""


@dataclass(frozen=True, eq=False)
class Case:
    """One set of inputs.

    Attributes:
        shown: what the cases before have shown, a str or a `Hint` such as
            "right for one head, but not for more: "; stands before the hint.
        inputs: what the answer is called with.
        tolerance: how far the numbers of a result may be off.
        nan: what to say of NaN that no mistake explains.
        otherwise: what to say of a result that no mistake explains.
        only: say no more than that, as many mistakes look alike here.
        partly: whether what was shown is worth points, if the case fails.
    """

    shown: str
    inputs: tuple
    tolerance: float = 1e-5
    nan: str = ""
    otherwise: str = ""
    only: bool = False
    partly: bool = True


@dataclass(frozen=True)
class Exercise:
    """All that is particular to one exercise.

    Attributes:
        right: the right answer, a function of a module, in named steps,
            with the exercise's name; its docstring goes into the check's.
        returns: name of each result -> its axes, such as "B H T S"; ""
            where it is no tensor.
        takes: the axes of each input; "" for any, or for no tensor.
        cases: all `Case`.
        mistakes: rows, see `steps.table`.
        asked: on how many of the first cases mistakes are told apart; None
            for all, -1 for all but the last.
        combine: names of the steps whose mistakes are tried in pairs too; ()
            for all.
        errors: words of an error -> what to say of it.
        help: what to add to an error of PyTorch that is not known.
        guess: a function of results, right ones and inputs that returns a
            hint for a mistake without a name, or None.
        through: a function of the answer and the inputs that calls it, where
            it is called otherwise than with the inputs, and returns what is
            compared; it may raise `Mistake`.
        trains: pairs of what is shown and inputs at which gradients are
            compared.
        smooth: pairs of a hint and inputs at which they must be finite.
        differ: what to say if two calls with the same inputs differ.
        must_train: whether backward() may not fail.
    """

    right: Callable
    returns: dict
    takes: tuple
    cases: tuple
    mistakes: tuple
    asked: int = 4
    combine: tuple = ()
    errors: dict = field(default_factory=dict)
    help: str = ""
    guess: Callable = no_guess
    through: Callable = plainly
    trains: tuple = ()
    smooth: tuple = ()
    differ: str = DIFFER
    must_train: bool = True

    @property
    def names(self):
        """The names of the inputs."""
        return tuple(inspect.signature(self.right).parameters)


def check(exercise, draws=PAGE):
    """Return the check of an exercise; see `verdict.checker`.

    Args:
        exercise: a function of `Draws` that returns an `Exercise`.
        draws: where its inputs come from, the page or a key.

    Returns:
        A function of the answer.  Its attributes are `exercise`, with these
        inputs, and `with_draws`, which makes the check with other ones.
    """
    drawn, known = exercise(draws), {}

    def body(answer):
        trial = Trial(drawn, known)
        for case in drawn.cases:
            try:
                judge(trial, answer, case)
            except Mistake as mistake:
                if case is not drawn.cases[0]:
                    judge_again(trial, answer)
                raise mistake.behind(case.shown, case.partly) from None
        judge_again(trial, answer)
        judge_gradients(drawn, answer)

    right = drawn.right
    body.__name__ = body.__qualname__ = f"check_{right.__name__}"
    body.__doc__ = (
        f"Check exercise ``{right.__name__}({', '.join(drawn.names)})``.\n"
        f"\nIts argument is a function that does this:\n\n"
        f"{inspect.cleandoc(right.__doc__)}\n\n"
        "The check returns a `Verdict`, prints it too, and never raises.\n"
    )
    made = checker(body)
    made.exercise = drawn
    made.with_draws = functools.partial(check, exercise)
    return made


def judge(trial, answer, case):
    """Raise the mistake that an answer makes in one case."""
    exercise, rights = trial.exercise, trial.rights_of(case)
    results = ask(exercise, answer, case.inputs, rights)
    if not agree(results, rights, case.tolerance):
        explain(trial, answer, case, results, rights)
    for x, y, name in zip(results, rights, exercise.returns, strict=True):
        require_same_type(x, y, name)


def judge_again(trial, answer):
    """Raise a mistake if the first case, once right, no longer is."""
    case = trial.exercise.cases[0]
    rights = trial.rights_of(case)
    results = ask(trial.exercise, answer, case.inputs, rights)
    if not agree(results, rights, case.tolerance):
        raise Mistake(LATER, partly=True)
