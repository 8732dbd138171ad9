"""Stop an answer that does not end.

An alarm of the system raises `TooLong` where the answer stands.  That works
in notebooks and scripts on Linux and macOS, and in Colab.  `TooLong` is no
`Exception`, so that ``except Exception`` in the answer's loop lets it
through, and it comes again and again, for a bare ``except``.

What it cannot interrupt: one call that does not come back from C, such as a
huge product of matrices (the error waits until the call returns), and code
outside the main thread or on Windows, where there is no such alarm.
"""

import contextlib
import signal
import threading

AGAIN = 0.05  # seconds until it is raised once more


class TooLong(BaseException):
    """The time of an answer is over."""


def stop(*_):
    """Raise `TooLong`; called by the alarm."""
    raise TooLong


@contextlib.contextmanager
def time_limit(seconds):
    """Raise `TooLong` in the block once its time is over.

    Args:
        seconds: the time, more than 0.

    Raises:
        TooLong: the block has taken longer.
    """
    alarmed = hasattr(signal, "setitimer")
    alarmed &= threading.current_thread() is threading.main_thread()
    if not alarmed:
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    left, again = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        late = True  # it may still be raised in these lines
        while late:
            with contextlib.suppress(TooLong):
                signal.setitimer(signal.ITIMER_REAL, left, again)
                signal.signal(signal.SIGALRM, before)
                late = False
