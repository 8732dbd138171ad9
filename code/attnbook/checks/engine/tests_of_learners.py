"""Call a test that a learner wrote."""

from attnbook.checks.engine.time_limit import TooLong
from attnbook.checks.engine.verdict import NOT_ANSWERED, Mistake, describe


def opinion_of(answer, attend, help):
    """Return what the learner's test says of an attention.

    Args:
        answer: the learner's test.
        attend: the attention that it is called with.
        help: what to say of an error, before the error.

    Raises:
        Mistake: not answered yet, a failed assert, or an error.
    """
    try:
        return answer(attend)
    except NotImplementedError:
        raise Mistake(NOT_ANSWERED) from None
    except AssertionError:
        raise Mistake(
            "your test fails an assert; return True or False instead, so "
            "that the caller can decide"
        ) from None
    except (KeyboardInterrupt, TooLong):
        raise
    except BaseException as error:
        raise Mistake(
            f"your test raised an error; {help}: {describe(error)}"
        ) from None
