"""The child: it runs one answer, and whatever that does happens here.

The answer finds nothing of the package in `sys.modules`.
"""

import os
import random
import sys

import numpy as np
import torch

from attnbook.teaching.sandbox import nodes, peer, trace, wire


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
        self.peer = peer.Peer(sock)
        self.peer.serve_call = self.serve_call
        self.peer.parts_of = lambda _: ([], "")  # a name will do
        self.peer.handed[0] = None

    def run(self):
        """Take the answer, then its calls."""
        peer = self.peer
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
        if isinstance(error, wire.Closed):
            os._exit(0)
        about = self.peer.faults.write(error)
        self.peer.post("failed", header["number"], None, error=about)

    def load(self, source, name):
        """Run the answer's source and look for its function."""
        for module in [m for m in sys.modules if m.startswith("attnbook")]:
            del sys.modules[module]
        space = {"__name__": "answer", "__builtins__": __builtins__}
        exec(compile(source, "answer.py", "exec"), space)  # noqa: S102
        if name not in space:
            raise NameError(f"there is no {name} in the answer")
        self.peer.handed[0] = space[name]
        return facts_of(space[name])

    def serve_call(self, header, tensors):
        """Call the answer as the judge asks for it."""
        seed(header.get("seed", 0))
        peer, given = self.peer, list(tensors)
        function = peer.handed.get(header["target"])
        with torch.set_grad_enabled(header["grad"]):
            args, kwargs, leaves = peer.take(header, tensors)
            before = self.state(args)
            names, operations = header.get("watch", (False, False))
            run = self.watched if names or operations else self.plainly
            result, seen, error = run(function, args, kwargs, given, names)
            after = args if self.state(args) != before else None
        peer.graphs[header["number"]] = leaves
        return (result, after, seen, error), {}

    def plainly(self, function, args, kwargs, given, names):
        """Return the result, and nothing else."""
        return function(*args, **kwargs), None, None

    def watched(self, function, args, kwargs, given, names):
        """Return the result, what was seen on the way, and an error."""
        watch = trace.Names() if names else trace.Operations(given)
        result = error = None
        try:
            with watch:
                result = function(*args, **kwargs)
        except BaseException as raised:
            if not names:
                raise
            error = self.peer.faults.write(raised)
        if not names:
            return result, watch.found, None
        return result, (list(watch.names), watch.failed * bool(error)), error

    def state(self, args):
        """Return the arguments as they are, to be compared."""
        packer = nodes.Packer(self.peer.export)
        try:
            return packer.node(args), packer.tables()
        except Exception:
            return None


def seed(number):
    """Seed all random generators."""
    torch.default_generator.manual_seed(number)
    random.seed(number)
    np.random.seed(number % 2**32)
