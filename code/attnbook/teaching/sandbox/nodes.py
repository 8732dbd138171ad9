"""Values as what JSON can hold, and back; tensors travel beside.

What is read was written by a student's process.  So nothing is made that has
no end, is too deep, or is slow to search: of members of a set that have the
same hash each is compared with each.
"""

import collections

import numpy as np
import torch

from attnbook.teaching.sandbox import tensors
from attnbook.teaching.sandbox.tensors import Refused, place_of, text_of

DEPTH, NODES = 40, 400_000
LIKE = 16  # members of a set that have the same hash
SINGLE = {"...": ..., "not implemented": NotImplemented}
GROUPS = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


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
        self.tensors, self.bring = tensors, bring
        self.count = self.sets = 0

    def value(self, node, depth=0):
        """Return the value of a node.

        Args:
            node: what JSON holds of it.
            depth: how many groups it is in.

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
                read = self.members if "set" in tag else self.values
                return GROUPS[tag](read(parts[0], depth + 1))
            if tag == "dict":
                keys = self.members([k for k, _ in parts[0]], depth + 1)
                values = self.values([v for _, v in parts[0]], depth + 1)
                return dict(zip(keys, values, strict=True))
            return self.plain(tag, parts)
        except (TypeError, ValueError, IndexError, OverflowError,
                RuntimeError) as error:  # fmt: skip
            raise Refused(f"a {tag[:20]} that is none: {error}") from None

    def values(self, nodes, depth):
        """Return the values of nodes, a list."""
        return [self.value(node, depth) for node in nodes]

    def members(self, nodes, depth):
        """Return what is looked up by its hash, few of them alike."""
        self.sets += 1
        found = self.values(nodes, depth)
        self.sets -= 1
        counts = collections.Counter(map(hash, found))
        if self.sets >= 2 or max(counts.values(), default=0) > LIKE:
            raise Refused("a set that is slow to search")
        return found

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
            numbers = range(*map(int, parts))
            if len(numbers) > NODES:
                raise Refused("a range that is too long")
            return numbers
        if tag == "dtype":
            return tensors.DTYPES.get(text_of(parts[0]), torch.float32)
        return self.bring(tag, parts)
