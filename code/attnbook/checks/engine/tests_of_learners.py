"""Call a test that a learner wrote."""

from attnbook.checks.engine.calling import computes, unanswered
from attnbook.checks.engine.time_limit import TooLong
from attnbook.checks.engine.verdict import (
    NOT_ANSWERED,
    Mistake,
    describe,
    hint_of,
)


def opinion_of(answer, attend, help):
    """Return what the learner's test says of an attention, a bool.

    Args:
        answer: the learner's test.
        attend: the attention that it is called with, see `disguised`.
        help: what to say of an error, before the error.

    Raises:
        Mistake: not answered yet, a failed assert, an error, or a result
            that is not True or False.
    """
    said = called(answer, attend, help)
    if said is None and computes(answer):
        raise Mistake(
            "your test returns nothing for some attention; let it end in "
            "return True or return False in every case"
        )
    if unanswered(said):
        raise Mistake(NOT_ANSWERED, kind="blank")
    names = "True", "False", "tensor(True)", "tensor(False)"
    if isinstance(said, str):
        raise Mistake("your test returns a str; return True or False")
    if str(said) not in names:
        raise Mistake(
            "your test returns a {}; return True or False", type(said).__name__
        )
    return bool(said)


def disguised(attend, right):
    """Return an attention whose errors do not tell which one it is.

    Args:
        attend: a right attention or a wrong one.
        right: what an error is asked of, before its own is raised.
    """

    def same(*inputs, **options):
        try:
            return attend(*inputs, **options)
        except Exception:
            right(*inputs, **options)
            raise

    return same


def called(answer, attend, help):
    """Call the learner's test; raise a mistake instead of its error."""
    try:
        return answer(attend)
    except NotImplementedError:
        raise Mistake(NOT_ANSWERED, kind="blank") from None
    except AssertionError:
        raise Mistake(
            "your test fails an assert; return True or False instead, so "
            "that the caller can decide"
        ) from None
    except (KeyboardInterrupt, Mistake, TooLong):
        raise
    except BaseException as error:
        raise Mistake(
            "your test raised an error; {}: {}",
            hint_of(help),
            describe(error),
            kind="error",
        ) from None
