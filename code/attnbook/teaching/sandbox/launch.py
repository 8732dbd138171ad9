"""Start a zygote, and find out whether it can be isolated."""

import contextlib
import functools
import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from attnbook.teaching.sandbox import jail

FOLDER = Path(__file__).resolve().parent
BOOT = """
import importlib.util as u, sys, types
name = "attnbook"
for more in ("", ".teaching"):
    name += more
    sys.modules[name] = m = types.ModuleType(name)
    m.__path__ = []
name += ".sandbox"
s = u.spec_from_file_location(name, sys.argv[2] + "/__init__.py",
                              submodule_search_locations=[sys.argv[2]])
sys.modules[name] = u.module_from_spec(s)
from attnbook.teaching.sandbox import zygote
zygote.main()
"""  # the package, except this folder, is not there
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",  # or a set's order differs when graded again
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "PATH": "/nowhere",
    "HOME": jail.SCRATCH,
}
START = 60.0  # seconds that a zygote may take


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
             json.dumps(settings), str(FOLDER)],
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
        with contextlib.suppress(OSError):  # the zygote has ended
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
