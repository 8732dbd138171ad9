"""Values as bytes: JSON for the structure, raw bytes for the numbers.

A message is two lengths, a JSON header and a body.  What comes in was written
by a student's process: every size is compared with the bytes that are there
before anything is made of it, and nothing is ever executed.
"""

import json
import struct
import time

import numpy as np
import torch

from attnbook.teaching.sandbox import tensors
from attnbook.teaching.sandbox.tensors import Refused, is_count, text_of

HEADER = 4 * 2**20  # bytes of a message's structure at most
DEPTH, NODES = 40, 400_000
LENGTHS = struct.Struct(">II")
SINGLE = {"...": ..., "not implemented": NotImplemented}
GROUPS = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


class Late(Exception):
    """The other side has taken too long."""


class Closed(Exception):
    """The other side is gone."""


def send(sock, header, body=b""):
    """Send one message.

    Args:
        sock: a socket of a stream.
        header: a dict that JSON can hold.
        body: bytes.

    Raises:
        Refused: it is too large.
        Late: it is not read in the time that the socket has.
        Closed: the other side is gone.
    """
    try:
        text = json.dumps(header).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(f"cannot be written: {error}") from None
    if len(text) > HEADER or len(body) > tensors.BODY:
        raise Refused(f"too large: {len(text)} and {len(body)} bytes")
    try:
        sock.sendall(LENGTHS.pack(len(text), len(body)) + text + body)
    except TimeoutError:
        raise Late from None
    except OSError:
        raise Closed from None


def receive(sock, deadline=None):
    """Return header and body of the next message.

    Args:
        sock: a socket of a stream.
        deadline: on the clock `time.monotonic`, or None.

    Raises:
        Refused: no message, or one that is too large.
        Late: the deadline has passed.
        Closed: the other side is gone.
    """
    lengths = LENGTHS.unpack(read(sock, LENGTHS.size, deadline))
    if lengths[0] > HEADER or lengths[1] > tensors.BODY:
        raise Refused(f"too large: {lengths} bytes")
    header, body = (read(sock, length, deadline) for length in lengths)
    return header_of(header), body


def header_of(text):
    """Return a header out of its bytes, a dict; else `Refused`."""
    try:
        header = json.loads(bytes(text))
    except (ValueError, RecursionError) as error:
        raise Refused(f"no JSON: {error}") from None
    if type(header) is not dict:
        raise Refused("a header is a dict")
    return header


def read(sock, length, deadline):
    """Return so many bytes, a bytearray."""
    found = bytearray(length)
    view = memoryview(found)
    while view:
        if deadline is not None:
            sock.settimeout(max(1e-6, deadline - time.monotonic()))
        try:
            count = sock.recv_into(view)
        except TimeoutError:
            raise Late from None
        except OSError:
            count = 0
        if not count:
            raise Closed
        view = view[count:]
    return found


# --------------------------------------------------------------- values
class Packer:
    """Write a value down.

    Args:
        export: a function that returns the node of what is no plain value.

    Attributes:
        tensors: all tensors of the value, each once.
    """

    def __init__(self, export):
        self.export, self.tensors, self.places = export, [], {}

    def node(self, x, depth=0):
        """Return what JSON can hold of a value."""
        if depth > DEPTH:
            raise Refused("too deep")
        if x is None or isinstance(x, bool):
            return x
        if isinstance(x, np.generic | np.ndarray):
            return self.array(x)
        for kind in (int, float, str):
            if isinstance(x, kind):
                return kind(x)
        for name, kind in GROUPS.items():
            if isinstance(x, kind):
                return [name, [self.node(part, depth + 1) for part in x]]
        if isinstance(x, dict):
            pairs = [[self.node(k, depth + 1), self.node(v, depth + 1)]
                     for k, v in x.items()]  # fmt: skip
            return ["dict", pairs]
        return self.other(x)

    def other(self, x):
        """Return what JSON can hold of a value that is no group."""
        if isinstance(x, torch.Tensor):
            return self.tensor(x)
        for name, single in SINGLE.items():
            if x is single:
                return [name]
        if isinstance(x, complex):
            return ["complex", x.real, x.imag]
        if isinstance(x, bytes | bytearray):
            return ["bytes", x.hex()]
        if isinstance(x, range):
            return ["range", x.start, x.stop, x.step]
        if isinstance(x, torch.dtype):
            return ["dtype", str(x).removeprefix("torch.")]
        return self.export(x)

    def tensor(self, x):
        """Return a reference to a tensor."""
        if id(x) not in self.places:
            self.places[id(x)] = len(self.tensors)
            self.tensors.append(x)
        return ["tensor", self.places[id(x)]]

    def array(self, x):
        """Return a reference to an array, which travels as a tensor."""
        if x.dtype.name not in tensors.DTYPES or x.dtype.name == "bfloat16":
            return self.export(x)
        copy = torch.from_numpy(np.array(x, x.dtype.newbyteorder("=")))
        return ["array", self.tensor(copy)[1], isinstance(x, np.generic)]

    def tables(self):
        """Return the descriptions of all tensors, and the body."""
        pairs = [tensors.tensor_as(x) for x in self.tensors]
        return [about for about, _ in pairs], b"".join(b for _, b in pairs)


class Unpacker:
    """Read a value.

    Args:
        tensors: of the message.
        bring: a function that makes something of a node of no plain value.
    """

    def __init__(self, tensors, bring):
        self.tensors, self.bring, self.count = tensors, bring, 0

    def value(self, node, depth=0):
        """Return the value of a node.

        Args:
            node: what JSON holds of it.
            depth: how many groups it stands in.

        Raises:
            Refused: it has none.
        """
        self.count += 1
        if depth > DEPTH + 2 or self.count > NODES:
            raise Refused("too deep or too long")
        if node is None or type(node) in (bool, int, float, str):
            return node
        if type(node) is not list or not node or type(node[0]) is not str:
            raise Refused("no value")
        tag, parts = node[0], node[1:]
        try:
            if tag in GROUPS and len(parts) == 1 and type(parts[0]) is list:
                return GROUPS[tag](self.value(p, depth + 1) for p in parts[0])
            if tag == "dict":
                return {
                    self.value(k, depth + 1): self.value(v, depth + 1)
                    for k, v in parts[0]
                }
            return self.plain(tag, parts)
        except (TypeError, ValueError, IndexError, OverflowError,
                RuntimeError) as error:  # fmt: skip
            raise Refused(f"a {tag[:20]} that is none: {error}") from None

    def plain(self, tag, parts):
        """Return a value that holds no others."""
        if tag in SINGLE:
            return SINGLE[tag]
        if tag == "tensor":
            return self.tensors[place_of(parts)]
        if tag == "array":
            array = self.tensors[place_of(parts)].detach().numpy()
            return array[()] if parts[1] else array
        if tag == "complex":
            return complex(float(parts[0]), float(parts[1]))
        if tag == "bytes":
            return bytes.fromhex(text_of(parts[0]))
        if tag == "range":
            return range(*map(int, parts))
        if tag == "dtype":
            return tensors.DTYPES.get(text_of(parts[0]), torch.float32)
        return self.bring(tag, parts)


def place_of(parts):
    """Return the place of a tensor in the message."""
    if not parts or not is_count(parts[0]):
        raise Refused("no place of a tensor")
    return parts[0]
