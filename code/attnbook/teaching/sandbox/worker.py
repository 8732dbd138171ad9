"""The zygote, which forks a child per answer, and the child.

The zygote has imported PyTorch and knows nothing else: no answer, no input,
no seed passes through it.  An answer and its inputs reach the child through
a pipe of its own.
"""

import gc
import importlib.util
import json
import os
import random
import select
import signal
import socket
import sys

from . import jail

COMMAND = 65536


def main():
    """Become a zygote; the settings stand in the second argument."""
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
    from . import peer, trace

    torch = peer.torch
    torch.set_num_threads(1)
    x = torch.randn(2, 3)
    y = (x.requires_grad_() @ x.T).softmax(-1)
    torch.autograd.grad(y, x, y)
    with trace.Operations([x]):  # imports much
        x.detach() + 1
    importlib.import_module("torch.nn.functional")
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
        if self.settings["isolated"]:
            jail.shut_in(limits, self.settings["users"])
        jail.bound(limits, self.base)
        sys.argv[:] = [""]
        sys.path[:] = [p for p in sys.path if os.path.exists(p)]
        if not self.settings["modules"]:  # the judge asks whether it can be
            found = importlib.util.find_spec("torch")
            sock.send(b"full" if found else b"PyTorch cannot be read there")
            return
        Child(sock).run()


def facts_of(function):
    """Return what the checks ask of a function's code, a dict."""
    function = getattr(function, "func", function)
    code = getattr(function, "__code__", None)
    code = code or getattr(type(function).__call__, "__code__", None)
    names = ("co_argcount", "co_kwonlyargcount", "co_flags", "co_nlocals")
    if code is None:
        return {}
    found = {name: int(getattr(code, name)) for name in names}
    return found | {"co_names": [str(name) for name in code.co_names][:500]}


class Child:
    """Serve one answer, until the judge has had enough.

    Args:
        sock: the pipe to the judge.
    """

    def __init__(self, sock):
        from . import peer

        self.base = peer
        self.peer = peer.Peer(sock)
        self.peer.serve_call = self.serve_call
        self.plain_call = peer.Peer.serve_call
        self.peer.handed[0] = None

    def run(self):
        """Take the answer, then its calls."""
        wire, peer = self.base.wire, self.peer
        header, _ = wire.receive(peer.sock)
        try:
            facts = self.load(header["source"], header["name"])
            peer.post("done", header["number"], facts)
        except BaseException as error:
            self.failed(header, error)
        while True:
            header, body = wire.receive(peer.sock)
            try:
                peer.serve(header, body)
            except BaseException as error:
                self.failed(header, error)

    def failed(self, header, error):
        """Tell the judge of an error."""
        if isinstance(error, self.base.wire.Closed):
            os._exit(0)
        about = self.peer.error_as(error)
        self.peer.post("failed", header["number"], None, error=about)

    def load(self, source, name):
        """Run the answer's source and look for its function."""
        space = {"__name__": "answer", "__builtins__": __builtins__}
        exec(compile(source, "answer.py", "exec"), space)  # noqa: S102
        if name not in space:
            raise NameError(f"there is no {name} in the answer")
        self.peer.handed[0] = space[name]
        return facts_of(space[name])

    def serve_call(self, header, tensors):
        """Call the answer as the judge asks for it."""
        seed(header.get("seed", 0))
        names, operations = header.get("watch", (False, False))
        from . import trace

        watch, given = None, list(tensors)
        if names:
            watch = trace.Names()
        elif operations:
            watch = trace.Operations(given)
        peer = self.peer
        function = peer.handed.get(header["target"])
        with self.base.torch.set_grad_enabled(header["grad"]):
            args, kwargs, leaves = peer.take(header, tensors)
            before = self.state(args)
            error = result = None
            try:
                if watch is None:
                    result = function(*args, **kwargs)
                else:
                    with watch:
                        result = function(*args, **kwargs)
            except BaseException as raised:
                if not names:
                    raise
                error = peer.error_as(raised)
            after = args if self.state(args) != before else None
        peer.graphs[header["number"]] = leaves
        seen = None
        if names:
            seen = list(watch.names), watch.failed if error else []
        elif operations:
            seen = watch.found
        return (result, after, seen, error), {}

    def state(self, args):
        """Return the arguments as they are, to be compared."""
        packer = self.base.wire.Packer(self.peer.export)
        try:
            return packer.node(args), packer.tables()
        except Exception:
            return None


def seed(number):
    """Begin all draws anew."""
    import numpy
    import torch

    torch.default_generator.manual_seed(number)
    random.seed(number)
    numpy.random.seed(number % 2**32)
