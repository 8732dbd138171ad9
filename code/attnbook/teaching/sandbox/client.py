"""The judge's side: open an answer in a child, and call it as a function."""

import contextlib
import functools
import os
import signal
import time

from attnbook.checks.engine.time_limit import TooLong, time_limit
from attnbook.teaching.sandbox import nodes, peer, trace, wire
from attnbook.teaching.sandbox.caller import Caller, code_of, seed
from attnbook.teaching.sandbox.launch import Limits, Zygote, isolation

MODULES = "numpy", "torch", "torch._dynamo"  # gradients need the last
NO_REPLY = "sent no valid reply"
OUT_OF_TIME = "ran out of time"


class Died(TooLong):
    """An answer's process is gone, or is no longer listened to.

    No check takes it for an error of the answer: like the end of an answer's
    time, it ends the check.
    """


class Sandbox:
    """A place where answers run; to be used in a with statement.

    Args:
        limits: `Limits`.
        trusted: whether to go on where the machine cannot isolate.
        modules: what is imported beforehand.

    Raises:
        ValueError: no isolation, and not trusted.
    """

    def __init__(self, limits=None, trusted=False, modules=MODULES):
        self.limits, self.modules = limits or Limits(), list(modules)
        state = isolation()
        if state != "full" and not trusted:
            raise ValueError(
                f"expected Linux with user namespaces, got: {state}; "
                "book/teach/homework.md says what helps"
            )
        self.isolated, self.zygote = state == "full", None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.zygote.close()

    def start(self):
        """Start the zygote."""
        self.zygote = Zygote(self.limits, self.isolated, self.modules)

    def open(self, source, name, seconds=None):
        """Return an `Answer`: a function of a source, in a child.

        Args:
            source: code of the answer.
            name: of the function.
            seconds: for all its calls; None for the sandbox's limit.
        """
        if self.zygote.process.poll() is not None:
            self.start()
        seconds = self.limits.seconds if seconds is None else seconds
        return Answer(self, source, name, seconds)


@contextlib.contextmanager
def uninterrupted():
    """Let no alarm of a check raise in the block."""
    alarm = {signal.SIGALRM}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, alarm)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Answer:
    """A function of a student, in a process of its own.

    Args:
        sandbox: a `Sandbox`.
        source, name, seconds: see `Sandbox.open`.

    Attributes:
        died: why the process is gone; "" while it is there.
        problem: why the source has no function; "" if it has.
    """

    def __init__(self, sandbox, source, name, seconds):
        self.sandbox, self.left = sandbox, float(seconds)
        self.limits = sandbox.limits
        self.died = self.problem = ""
        self.__name__ = self.__qualname__ = peer.clean(name, "answer")
        self.zygote = sandbox.zygote
        with uninterrupted():
            self.process, sock = self.zygote.fork()
        self.peer, self.code = Caller(sock), None
        self.peer.guard = self.guarded
        self.inside = 0
        self.load(source, name)

    def load(self, source, name):
        """Let the child run the source."""
        try:
            with time_limit(min(self.left, self.limits.call_seconds)):
                ask = functools.partial(self.facts, source, name)
                self.code = self.guarded(ask)
        except TooLong:  # the reason is in `died`
            pass
        except (Exception, SystemExit) as error:
            self.problem = f"{type(error).__name__}: {error}"[:300]

    def facts(self, source, name):
        """Return the facts of the function's code, as the child says them."""
        self.peer.watches = [], []
        header, tensors, _ = self.peer.request(
            "load", self.peer.number(), None, source=source, name=name
        )
        unpacker = nodes.Unpacker(tensors, self.peer.bring)
        return code_of(unpacker.value(header.get("value")))

    @property
    def __code__(self):
        """What the checks ask of the code of a function."""
        if self.code is None:
            raise AttributeError("__code__")
        return self.code

    def __call__(self, *inputs, **options):
        """Call the function.

        Raises:
            Died: the process is gone.
            Exception: what the function raises.
        """
        if self.died:
            raise Died(self.died)
        if self.problem:
            raise RuntimeError(self.problem)
        self.peer.watches = watches = trace.watches()
        with trace.unwatched():
            call = functools.partial(
                self.peer.call, 0, inputs, options, seed=seed(),
                watch=[bool(found) for found in watches],
            )  # fmt: skip
            return self.guarded(call)

    def guarded(self, ask):
        """Wait for the child no longer than it may take."""
        if self.inside:
            return ask()
        start, self.inside = time.monotonic(), 1
        most = max(0.001, min(self.left, self.limits.call_seconds))
        self.peer.deadline = start + most
        self.peer.sock.settimeout(most)
        try:
            return ask()
        except wire.Late:
            self.end(OUT_OF_TIME)
        except wire.Refused:
            self.end(NO_REPLY)
        except wire.Closed:
            self.end(self.reason())
        except MemoryError:
            self.end(self.too_much())
        except RuntimeError as error:
            if "can't allocate memory" not in str(error):
                raise
            self.end(self.too_much())
        except (Exception, SystemExit):
            raise
        except BaseException:  # the check's own time is over
            self.stop(OUT_OF_TIME)
            raise
        finally:
            self.inside = 0
            self.left -= time.monotonic() - start

    def too_much(self):
        """Return what to say of an answer that takes too much memory."""
        return f"used more memory than {self.limits.memory / 2**30:g} GB"

    def reason(self):
        """Return why the child has closed its pipe."""
        status = self.zygote.status_of(self.process, 1)
        if status is None:
            return NO_REPLY
        code = os.waitstatus_to_exitcode(status)
        if code >= 0:
            return "ended itself"
        return "was ended by the system" if code == -9 else "crashed"

    def stop(self, reason):
        """End the child."""
        self.died = self.died or reason
        with uninterrupted():
            self.zygote.kill(self.process)
            self.peer.sock.close()

    def end(self, reason):
        """End the child and say why; raises `Died`."""
        self.stop(reason)
        raise Died(self.died)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End the child; what it has said stays."""
        died = self.died
        self.stop("is closed")
        self.died = died
