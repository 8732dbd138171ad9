"""The judge's side: open an answer in a child, and call it as a function."""

import contextlib
import functools
import hashlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import types
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from attnbook.checks.engine.time_limit import TooLong
from attnbook.teaching.sandbox import jail, peer, trace, wire

FOLDER = Path(__file__).resolve().parent
BOOT = """
import importlib.util as u, sys
p, d = sys.argv[2], sys.argv[3]
s = u.spec_from_file_location("sandbox", p, submodule_search_locations=[d])
sys.modules["sandbox"] = m = u.module_from_spec(s)
from sandbox import worker
worker.main()
"""
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",  # or a set's order differs when graded again
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "PATH": "/nowhere",
    "HOME": jail.SCRATCH,
}
START = 60.0  # seconds that a zygote may take
NO_REPLY = "sent no valid reply"
OUT_OF_TIME = "ran out of time"


class Died(TooLong):
    """An answer's process is gone, or is no longer listened to.

    No check takes it for an error of the answer: like the end of an answer's
    time, it ends the check.
    """


@dataclass(frozen=True)
class Limits:
    """What an answer may use.

    Attributes:
        seconds: of all its calls together.
        call_seconds: of one call.
        memory: bytes, on top of Python and PyTorch.
        files: bytes in its scratch folder.
        processes: and threads.
    """

    seconds: float = 20.0
    call_seconds: float = 10.0
    memory: int = 2**30
    files: int = 16 * 2**20
    processes: int = 8


class Zygote:
    """A Python that has imported PyTorch, and forks.

    Args:
        limits: `Limits` of its children.
        isolated: whether in namespaces of its own.
        modules: what it imports.

    Raises:
        ValueError: it cannot be started.
    """

    def __init__(self, limits, isolated, modules):
        self.control, theirs = socket.socketpair(
            socket.AF_UNIX, socket.SOCK_SEQPACKET
        )
        settings = {
            "control": theirs.fileno(),
            "isolated": isolated,
            "users": os.geteuid() == 0,
            "modules": modules,
            "limits": asdict(limits),
            "hidden": [str(Path(p) / "attnbook") for p in sys.path if p],
        }
        self.process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-B", "-c", BOOT,
             json.dumps(settings), str(FOLDER / "__init__.py"), str(FOLDER)],
            env=ENVIRONMENT, pass_fds=[theirs.fileno()], cwd="/",
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        theirs.close()
        self.ended, self.count = {}, 0
        try:
            self.await_ready(isolated)
        except BaseException:
            self.close()
            raise

    def await_ready(self, isolated):
        """Wait until it can fork."""
        message = self.hear(START)
        if "left" in message:
            try:
                jail.maps_for(self.process.pid)
            except OSError as error:
                raise ValueError(f"user namespaces: {error}") from None
            self.control.send(b"mapped")
            message = self.hear(START)
        if "ready" not in message:
            raise ValueError(message.get("failed", "it has ended"))

    def hear(self, seconds):
        """Return the next message, {} if none comes."""
        self.control.settimeout(seconds)
        try:
            text = self.control.recv(65536)
        except OSError:
            return {}
        return json.loads(text) if text else {}

    def fork(self):
        """Return the number of a new child, and the socket to it."""
        ours, theirs = socket.socketpair()
        self.count += 1
        order = json.dumps({"open": self.count}).encode()
        with theirs:
            socket.send_fds(self.control, [order], [theirs.fileno()])
        return self.count, ours

    def status_of(self, number, seconds):
        """Return how a child has ended, None while it has not."""
        end = time.monotonic() + seconds
        while number not in self.ended:
            message = self.hear(max(0.001, end - time.monotonic()))
            if "ended" not in message:
                break
            self.ended[message["ended"]] = message["status"]
        return self.ended.get(number)

    def kill(self, number):
        """End a child and all that it has started."""
        if number in self.ended:
            return
        self.control.send(json.dumps({"kill": number}).encode())
        if self.status_of(number, 10) is None:
            self.close()

    def close(self):
        """End the zygote and all its children."""
        self.control.close()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Sandbox:
    """A place where answers run; to be used in a with statement.

    Args:
        limits: `Limits`.
        trusted: whether to go on where the machine cannot isolate.
        modules: what is imported beforehand.

    Raises:
        ValueError: no isolation, and not trusted.
    """

    def __init__(self, limits=None, trusted=False, modules=("numpy", "torch")):
        self.limits, self.modules = limits or Limits(), list(modules)
        state = isolation()
        if state != "full" and not trusted:
            raise ValueError(
                f"expected Linux with user namespaces, got: {state}"
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


@functools.cache
def isolation():
    """Return "full", or why answers cannot be isolated here."""
    if sys.platform != "linux":
        return "this is not Linux"
    try:
        zygote = Zygote(Limits(), True, [])
    except (ValueError, OSError) as error:
        return str(error)
    try:
        _, ours = zygote.fork()
        with ours:
            ours.settimeout(20)
            return ours.recv(100).decode() or "a child cannot be shut in"
    except OSError:
        return "a child cannot be shut in"
    finally:
        zygote.close()


class Caller(peer.Peer):
    """The judge's end of the pipe."""

    def number(self):
        """Return a number that the child cannot know before."""
        return secrets.randbits(62) + 1

    def arrived(self, value, args, sent, header):
        """Return the result; show watches what was seen, change inputs."""
        if type(value) is not tuple or len(value) != 4:
            raise wire.Refused("no result")
        result, after, seen, error = value
        if after is not None:
            overwrite(list(args), after)
        functions, operations = self.watches
        try:
            if functions and seen:
                trace.show_names(functions, *seen)
            elif operations and seen:
                trace.show_operations(operations, seen, sent)
        except (TypeError, ValueError, IndexError, RuntimeError):
            raise wire.Refused("nothing that was watched") from None
        if error is not None:
            raise self.error_from(list(error))
        return result


def overwrite(old, new):
    """Change an input as the answer has changed its copy.

    Args:
        old: the input.
        new: what the copy is now.

    Returns:
        The input if it could be changed, else the new one.
    """
    if type(new) is not type(old):
        return new
    if isinstance(old, torch.Tensor):
        same = old.shape == new.shape and old.dtype == new.dtype
        if same and torch.equal(old, new):
            return old
        old.data = new.detach()
    elif isinstance(old, tuple) and len(old) == len(new):
        kept = tuple(map(overwrite, old, new))
        same = all(a is b for a, b in zip(kept, old, strict=True))
        return old if same else kept
    elif isinstance(old, list):
        kept = [overwrite(a, b) for a, b in zip(old, new, strict=False)]
        old[:] = kept + new[len(old) :]
    elif isinstance(old, dict | set) and old != new:
        old.clear()
        old.update(new)
    elif not isinstance(old, dict | set):
        return new
    return old


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
        self.inside = 0
        self.load(source, name)

    def load(self, source, name):
        """Let the child run the source."""
        self.peer.watches = [], []
        more = {"source": source, "name": name}
        load = functools.partial(
            self.peer.request, "load", self.peer.number(), None, **more
        )
        try:
            header, tensors, _ = self.guarded(load)
            unpacker = wire.Unpacker(tensors, self.peer.bring)
            self.code = code_of(unpacker.value(header.get("value")))
        except (Died, wire.Refused) as error:
            self.died = self.died or str(error)
        except Exception as error:
            self.problem = f"{type(error).__name__}: {error}"[:300]

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


def code_of(facts):
    """Return the facts of a function's code, None if there are none."""
    if type(facts) is not dict or not facts:
        return None
    names = facts.pop("co_names", [])
    counts = {k: v for k, v in facts.items() if wire.is_count(v)}
    named = tuple(wire.text_of(name) for name in names)
    return types.SimpleNamespace(co_names=named, **counts)


def seed():
    """Return a seed out of PyTorch's random state, and move it on."""
    state = torch.get_rng_state().numpy().tobytes()
    torch.rand(())
    digest = hashlib.blake2b(state, digest_size=7).digest()
    return int.from_bytes(digest, "big")
