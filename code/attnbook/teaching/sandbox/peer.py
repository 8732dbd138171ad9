"""Call functions across a pipe, in both directions, with gradients.

Both processes hold one `Peer`.  While one waits for an answer it serves what
the other asks for in the meantime: a call of a function that was handed over
as an argument, or the gradients of an earlier call.
"""

import torch

from attnbook.teaching.sandbox import nodes, wire
from attnbook.teaching.sandbox.bridge import Bridge, Token
from attnbook.teaching.sandbox.faults import Faults, clean
from attnbook.teaching.sandbox.tensors import tensors_from, text_of


class Remote:
    """Something of the other process: a function, or parts by name."""

    def __init__(self, peer, number, missing):
        vars(self)["_remote"] = peer, number, missing

    def __call__(self, *args, **kwargs):
        """Call it there."""
        peer, number, _ = vars(self)["_remote"]
        return peer.call(number, args, kwargs)

    def __getattr__(self, name):
        missing = vars(self)["_remote"][2]
        raise AttributeError(missing.replace("NO_SUCH_NAME", name))

    def __deepcopy__(self, memo):
        return self


class Peer:
    """One end of the pipe.

    Args:
        sock: a socket of a stream.

    Attributes:
        deadline: until when an answer is waited for, or None.
    """

    def __init__(self, sock):
        self.sock, self.deadline, self.counter = sock, None, 0
        self.handed, self.numbers = {}, {}  # what the other may call
        self.remotes, self.graphs, self.dropped = {}, {}, []
        self.faults = Faults()

    # ---------------------------------------------------------- messages
    def number(self):
        """Return the number of a new request."""
        self.counter += 1
        return self.counter

    def post(self, kind, number, value, **more):
        """Send a message; return the tensors in it that need gradients."""
        packer = nodes.Packer(self.export)
        node = packer.node(value)
        abouts, body = packer.tables()
        header = {"kind": kind, "number": number, "value": node,
                  "tensors": abouts, **more}  # fmt: skip
        wire.send(self.sock, header, body)
        return packer.tensors

    def request(self, kind, number, value, **more):
        """Ask for something; return the answer's header, tensors and ours."""
        sent = self.post(kind, number, value, drop=self.dropped, **more)
        self.dropped = []
        while True:
            header, body = wire.receive(self.sock, self.deadline)
            if header.get("kind") in ("call", "grad"):
                self.serve(header, body)
                continue
            if header.get("number") != number:
                raise wire.Refused("an answer to another question")
            if header.get("kind") == "failed":
                raise self.faults.read(header.get("error"))
            if header.get("kind") != "done":
                raise wire.Refused("an answer of no kind")
            tensors = tensors_from(header.get("tensors"), body)
            return header, tensors, sent

    # ------------------------------------------------------------- asking
    def call(self, target, args, kwargs, **more):
        """Call a function of the other side and return its result."""
        number = self.number()
        grad = torch.is_grad_enabled()
        header, tensors, sent = self.request(
            "call", number, (list(args), kwargs), target=target, grad=grad,
            **more,
        )  # fmt: skip
        self.link(number, header, tensors, sent, grad)
        value = nodes.Unpacker(tensors, self.bring).value(header.get("value"))
        return self.arrived(value, args, sent, header)

    def arrived(self, value, args, sent, header):
        """Return the result out of what came back."""
        return value

    def link(self, number, header, tensors, sent, grad):
        """Tie the tensors of a result to those of the inputs."""
        sources = [x for x in sent if x.requires_grad]
        places = [
            i for i, about in enumerate(header["tensors"])
            if about.get("grad") is True
            and (tensors[i].is_floating_point() or tensors[i].is_complex())
        ]  # fmt: skip
        if not (places and sources and grad):
            self.dropped.append(number)
            for i in places:
                tensors[i].requires_grad_()
            return
        results = [tensors[i] for i in places]
        token = Token(self, number)
        linked = Bridge.apply(token, results, *sources)
        for i, x in zip(places, linked, strict=True):
            tensors[i] = x

    def gradients(self, number, gradients):
        """Return what flows back through a call of the other side."""
        question = self.number()
        header, tensors, _ = self.request(
            "grad", question, gradients, of=number
        )
        found = nodes.Unpacker(tensors, self.bring).value(header.get("value"))
        if type(found) is not list or not all(
            x is None or isinstance(x, torch.Tensor) for x in found
        ):
            raise wire.Refused("no gradients")
        return found

    # ------------------------------------------------------------ serving
    def serve(self, header, body):
        """Do what the other side asks for, and answer."""
        number = header.get("number")
        if type(number) is not int:
            raise wire.Refused("a request without a number")
        for old in header.get("drop") or ():
            self.graphs.pop(old, None)
        tensors = tensors_from(header.get("tensors"), body)
        do = self.serve_call if header["kind"] == "call" else self.serve_grad
        try:
            value, more = do(header, tensors)
            sent = self.post("done", number, value, **more)
        except (wire.Refused, wire.Late, wire.Closed):
            raise
        except Exception as error:
            self.post("failed", number, None, error=self.faults.write(error))
            return
        if header["kind"] == "call" and number in self.graphs:
            outputs = [x for x in sent if x.requires_grad]
            self.graphs[number] = self.graphs[number], outputs

    def take(self, header, tensors):
        """Return arguments, and the tensors in them that need gradients."""
        leaves = []
        for i, about in enumerate(header["tensors"]):
            if about.get("grad") is True and tensors[i].is_floating_point():
                leaves.append(tensors[i].requires_grad_())
                if about.get("leaf") is not True:
                    tensors[i] = tensors[i].clone()
        value = nodes.Unpacker(tensors, self.bring).value(header.get("value"))
        whole = type(value) is tuple and len(value) == 2
        if not whole or [*map(type, value)] != [list, dict]:
            raise wire.Refused("a call without arguments")
        return *value, leaves

    def serve_call(self, header, tensors):
        """Call a function of this side."""
        function = self.handed.get(header.get("target"))
        if function is None:
            raise wire.Refused("a call of nothing that was handed over")
        with torch.set_grad_enabled(header.get("grad") is True):
            args, kwargs, leaves = self.take(header, tensors)
            result = function(*args, **kwargs)
        self.graphs[header["number"]] = leaves
        return result, {}

    def serve_grad(self, header, tensors):
        """Compute gradients of an earlier call of this side."""
        graph = self.graphs.get(header.get("of"))
        given = nodes.Unpacker(tensors, self.bring).value(header.get("value"))
        if type(graph) is not tuple or type(given) is not list:
            raise wire.Refused("gradients of no call")
        leaves, outputs = graph
        if len(given) != len(outputs):
            raise wire.Refused("gradients of other results")
        pairs = [(o, g) for o, g in zip(outputs, given, strict=True)
                 if g is not None]  # fmt: skip
        found = [None] * len(leaves)
        if pairs:
            found = torch.autograd.grad(
                [o for o, _ in pairs], leaves, [g for _, g in pairs],
                retain_graph=True, allow_unused=True,
            )  # fmt: skip
        return list(found), {}

    # ------------------------------------------------- functions, objects
    def export(self, x):
        """Return the node of a function, or of an object."""
        if isinstance(x, Remote) and vars(x)["_remote"][0] is self:
            return ["yours", vars(x)["_remote"][1]]
        if id(x) not in self.numbers:
            self.numbers[id(x)] = len(self.handed) + 1
            self.handed[self.numbers[id(x)]] = x
        number = self.numbers[id(x)]
        parts, missing = self.parts_of(x)
        attributes = [[k, nodes.Packer(self.export).node(v)] for k, v in parts]
        return ["mine", number, type(x).__name__, attributes, missing]

    def parts_of(self, x):
        """Return what may be seen of an object, and what else is said."""
        if isinstance(x, torch.nn.Module):
            parts = [(k, getattr(x, k)) for k in ("eval", "train", "training")]
            name = type(x).__name__
            return parts, f"'{name}' object has no attribute 'NO_SUCH_NAME'"
        if callable(x):
            return [], ""
        all_of_them = getattr(x, "__dict__", {}).items()
        public = [(k, v) for k, v in all_of_them if not k.startswith("_")]
        try:
            return public, str(x.NO_SUCH_NAME)
        except AttributeError as error:
            return public, str(error)

    def bring(self, tag, parts):
        """Return the function or object of a node."""
        if tag == "yours" and len(parts) == 1 and type(parts[0]) is int:
            if parts[0] not in self.handed:
                raise wire.Refused("nothing that was handed over")
            return self.handed[parts[0]]
        if tag != "mine" or len(parts) != 4 or type(parts[0]) is not int:
            raise wire.Refused("nothing that is known")
        return self.remote(*parts)

    def remote(self, number, name, attributes, missing):
        """Return what stands for an object of the other side."""
        if number not in self.remotes:
            kind = type(clean(name), (Remote,), {})
            self.remotes[number] = kind(self, number, text_of(missing))
        made = self.remotes[number]
        for key, node in attributes:
            value = nodes.Unpacker([], self.bring).value(node)
            vars(made)[clean(key)] = value
        return made
