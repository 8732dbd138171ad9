"""The check of a task with inputs that stand on no page and in no file."""

from attnbook import checks
from attnbook.checks.engine.asking import (
    Trial,
    agree,
    ask,
    require_same_type,
)
from attnbook.checks.engine.draws import Draws, digest
from attnbook.checks.engine.gradients import judge_gradients
from attnbook.checks.engine.steps import with_one
from attnbook.checks.engine.verdict import Mistake, same_surroundings

DRAWS = 24  # the most that are tried, so that every mistake shows


def held_out(task, key):
    """Return the check of a task with inputs drawn from a key.

    The inputs are drawn again where a mistake of the check's table would not
    show.

    Args:
        task: its name, such as "scores".
        key: up to 64 bytes, such as those of `teaching.seeds.derive_key`.

    Returns:
        A check, as in `attnbook.checks`; the same for the same key.
    """
    public = getattr(checks, f"check_{task}")
    best, fewest = None, float("inf")
    for attempt in range(DRAWS):
        draws = Draws(digest(key, "held out", task, attempt))
        check = public.with_draws(draws)
        count = unseen(check)
        if count < fewest:
            best, fewest = check, count
        if not count:
            break
    return best


def unseen(check):
    """Return how many mistakes of the check's table do not show."""
    exercise = getattr(check, "exercise", None)
    if exercise is None:
        return 0
    with same_surroundings():
        trial = Trial(exercise)
        pairs = [(case, trial.rights_of(case)) for case in exercise.cases]
        every = with_one(exercise.right, exercise.mistakes)
        return sum(not shows(exercise, wrong, pairs) for wrong in every)


def shows(exercise, wrong, pairs):
    """Say whether a mistake shows in a case, or in a gradient."""
    try:
        for case, rights in pairs:
            results = ask(exercise, wrong, case.inputs, rights)
            if not agree(results, rights, case.tolerance):
                return True
            for triple in zip(results, rights, exercise.returns, strict=True):
                require_same_type(*triple)
        judge_gradients(exercise, wrong)
    except Mistake:
        return True
    return False
