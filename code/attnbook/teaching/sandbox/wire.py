"""Values as bytes: JSON for the structure, raw bytes for the numbers.

A message is two lengths, a JSON header and a body.  What comes in was written
by a student's process: every size is compared with the bytes that are there
before anything is made of it, and nothing is ever executed.
"""

import json
import math
import struct
import time

import numpy as np
import torch

HEADER, BODY = 4 * 2**20, 64 * 2**20  # bytes of a message at most
DEPTH, NODES = 40, 400_000
LENGTHS = struct.Struct(">II")
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
        *(torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8),
        *(torch.bool, torch.complex64, torch.complex128),
    )
}
SINGLE = {"...": ..., "not implemented": NotImplemented}
GROUPS = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


class Refused(Exception):
    """Bytes that are no message, or a value that cannot travel."""


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
    if len(text) > HEADER or len(body) > BODY:
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
    if lengths[0] > HEADER or lengths[1] > BODY:
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


# -------------------------------------------------------------- tensors
def extent(shape, stride):
    """Return how many numbers of memory a tensor spans."""
    if 0 in shape:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(shape, stride, strict=True))


def tensor_as(x):
    """Return a dict that describes a tensor, and its bytes."""
    kind = str(x.dtype).removeprefix("torch.")
    if kind not in DTYPES or x.is_quantized or x.is_nested:
        raise Refused(f"a tensor of {kind}")
    about = {
        "dtype": kind,
        "shape": list(x.shape),
        "grad": bool(x.requires_grad),
        "leaf": bool(x.is_leaf),
    }
    if x.layout != torch.strided or x.device.type != "cpu":
        about["kind"] = "meta" if x.device.type == "meta" else "sparse"
        return about, b""
    x = x.detach().resolve_conj().resolve_neg()
    size = extent(x.shape, x.stride())
    if size > 8 * x.numel() + 1024:
        x = x.contiguous()
        size = x.numel()
    about["stride"] = list(x.stride())
    flat = x.as_strided((size,), (1,), x.storage_offset())
    return about, flat.view(torch.uint8).numpy().tobytes() if size else b""


def is_count(n):
    """Say whether something of JSON is a whole number that can be a size."""
    return type(n) is int and 0 <= n <= BODY


def tensor_from(about, body, start):
    """Return a tensor, and where its bytes end.

    Args:
        about: see `tensor_as`.
        body: of the message.
        start: where the bytes begin.

    Raises:
        Refused: the description does not fit the bytes.
    """
    if type(about) is not dict:
        raise Refused("a tensor is described by a dict")
    dtype = DTYPES.get(text_of(about.get("dtype")))
    shape = about.get("shape")
    if dtype is None or type(shape) is not list or len(shape) > 16:
        raise Refused("a tensor of an unknown type")
    if not all(map(is_count, shape)):
        raise Refused("a tensor of no possible shape")
    if math.prod(shape) * dtype.itemsize > BODY:
        raise Refused("a tensor that is too large")
    if "kind" in about:
        return elsewhere(about["kind"], shape, dtype), start
    stride = about.get("stride")
    if type(stride) is not list or len(stride) != len(shape):
        raise Refused("a tensor without strides")
    if not all(map(is_count, stride)):
        raise Refused("a tensor of impossible strides")
    size = extent(shape, stride)
    end = start + size * dtype.itemsize
    if end > len(body):
        raise Refused("a tensor without its bytes")
    flat = numbers_of(bytearray(body[start:end]), dtype)
    return flat.as_strided(shape, stride), end


def numbers_of(raw, dtype):
    """Return bytes as a tensor of one axis."""
    if not raw:
        return torch.empty(0, dtype=dtype)
    if dtype == torch.bool:
        return torch.frombuffer(raw, dtype=torch.uint8) != 0
    return torch.frombuffer(raw, dtype=dtype).clone()


def elsewhere(kind, shape, dtype):
    """Return a tensor without numbers, for one that is no dense one."""
    if kind == "meta":
        return torch.empty(shape, dtype=dtype, device="meta")
    return torch.sparse_coo_tensor(
        torch.zeros(len(shape), 0, dtype=torch.long),
        torch.zeros(0, dtype=dtype), shape, check_invariants=False,
    )  # fmt: skip


def tensors_from(abouts, body):
    """Return all tensors of a message, a list; else `Refused`."""
    if type(abouts) is not list:
        raise Refused("tensors stand in a list")
    found, end = [], 0
    for about in abouts:
        x, end = tensor_from(about, body, end)
        found.append(x)
    if end != len(body):
        raise Refused("more bytes than tensors")
    if sum(x.numel() * x.itemsize for x in found) > 2 * BODY:
        raise Refused("tensors that are too large")
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
        if x.dtype.name not in DTYPES or x.dtype.name == "bfloat16":
            return self.export(x)
        copy = torch.from_numpy(np.array(x, x.dtype.newbyteorder("=")))
        return ["array", self.tensor(copy)[1], isinstance(x, np.generic)]

    def tables(self):
        """Return the descriptions of all tensors, and the body."""
        pairs = [tensor_as(x) for x in self.tensors]
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
            return DTYPES.get(text_of(parts[0]), torch.float32)
        return self.bring(tag, parts)


def place_of(parts):
    """Return the place of a tensor in the message."""
    if not parts or not is_count(parts[0]):
        raise Refused("no place of a tensor")
    return parts[0]


def text_of(x):
    """Return a text of JSON, "" if it is none."""
    return x if type(x) is str else ""
