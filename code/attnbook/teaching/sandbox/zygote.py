"""The zygote, which forks a child per answer.

The zygote has imported PyTorch and knows nothing else: no answer, no input,
no seed passes through it.  An answer and its inputs reach the child through
a pipe of its own.
"""

import gc
import importlib.util
import json
import os
import select
import signal
import socket
import sys

from attnbook.teaching.sandbox import jail

COMMAND = 65536


def main():
    """Become a zygote; the settings are in the second argument."""
    settings = json.loads(sys.argv[1])
    control = socket.socket(fileno=settings["control"])
    control.set_inheritable(False)
    try:
        if settings["isolated"]:
            isolate(control)
        for name in settings["modules"]:
            importlib.import_module(name)
        if settings["modules"]:
            warm()
        zygote = Zygote(control, settings)
    except (OSError, ImportError) as error:
        say(control, {"failed": str(error)})
        return
    say(control, {"ready": True})
    zygote.run()
    os._exit(0)  # nothing needs to be put away


def say(control, what):
    """Tell the judge something."""
    control.send(json.dumps(what).encode())


def isolate(control):
    """Leave the machine's namespaces, and go on as process 1."""
    jail.expendable()
    jail.leave()
    say(control, {"left": True})
    if not control.recv(COMMAND):  # the maps are written
        os._exit(1)
    if child := os.fork():
        control.close()
        os.waitpid(child, 0)
        os._exit(0)


def warm():
    """Do once what PyTorch does at its first operations."""
    from attnbook.teaching.sandbox import peer, worker  # noqa: F401

    torch = peer.torch
    torch.set_num_threads(1)
    x = torch.randn(2, 3)
    (x @ x.T).softmax(-1).numpy()
    gc.collect()
    gc.freeze()


class Zygote:
    """Fork children, say how they end, and end them.

    Args:
        control: the socket to the judge.
        settings: a dict: isolated, users, hidden, limits.
    """

    def __init__(self, control, settings):
        self.control, self.settings = control, settings
        self.children = {}  # number -> (process, descriptor)
        with open("/proc/self/statm") as file:
            self.base = int(file.read().split()[0]) * 4096
        if settings["isolated"]:
            self.home = os.open("/proc/self/ns/pid", os.O_RDONLY)
            jail.write("/proc/sys/user/max_user_namespaces", "0")
            jail.build(settings["hidden"])

    def run(self):
        """Serve the judge until it is gone."""
        while True:
            ends = {fd: n for n, (_, fd) in self.children.items()}
            ready, _, _ = select.select([self.control, *ends], [], [])
            for fd in ready:
                if fd in ends:
                    self.reap(ends[fd])
            if self.control in ready and not self.obey():
                return

    def reap(self, number):
        """Say how a child has ended."""
        process, descriptor = self.children.pop(number)
        status = os.waitpid(process, 0)[1]
        os.close(descriptor)
        say(self.control, {"ended": number, "status": status})

    def obey(self):
        """Do what the judge says; return whether it is there."""
        text, files, _, _ = socket.recv_fds(self.control, COMMAND, 1)
        if not text:
            for process, _ in self.children.values():
                os.kill(process, signal.SIGKILL)
            return False
        order = json.loads(text)
        if "open" in order:
            self.fork(order["open"], files[0])
        elif order["kill"] in self.children:
            os.kill(self.children[order["kill"]][0], signal.SIGKILL)
        return True

    def fork(self, number, descriptor):
        """Make a child."""
        isolated = self.settings["isolated"]
        if isolated:
            jail.own_processes()
        process = os.fork()
        if not process:
            try:
                self.child(descriptor)
            finally:
                os._exit(70)
        if isolated:
            jail.back(self.home)
        os.close(descriptor)
        self.children[number] = process, os.pidfd_open(process)

    def child(self, descriptor):
        """Shut this process in, and serve an answer."""
        limits = self.settings["limits"]
        os.setsid()  # a signal to its group reaches no other process
        sock = jail.only(descriptor)
        os.environ.clear()
        os.environ.update(jail.PLACES, MPLBACKEND="agg")
        if self.settings["isolated"]:
            jail.shut_in(limits, self.settings["users"])
        jail.bound(limits, self.base)
        sys.argv[:] = [""]
        sys.path[:] = [p for p in sys.path if os.path.exists(p)]
        if not self.settings["modules"]:  # the judge asks whether it can be
            found = importlib.util.find_spec("torch")
            sock.send(b"full" if found else b"PyTorch cannot be read there")
            return
        from attnbook.teaching.sandbox import worker

        worker.Child(sock).run()
