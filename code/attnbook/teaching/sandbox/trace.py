"""Tell the checkers' watches what an answer does in another process.

Some checks watch the operations of an answer (`TorchFunctionMode`,
`TorchDispatchMode`).  Beside the answer the operations are written down;
in the judge's process they are shown to the watches that wait there.
What is written down is the answer's own word: it decides hints and what is
said of the way, never whether the numbers are right.
"""

import contextlib
import math

import torch
from torch.overrides import TorchFunctionMode

from attnbook.teaching.sandbox import compat, tensors

MOST = 5_000  # operations
LARGEST = 10**5  # numbers of one tensor that is only watched


def tensors_in(tree):
    """Return the tensors in arguments or results, a list."""
    return [x for x in compat.tree_leaves(tree) if isinstance(x, torch.Tensor)]


class Names(TorchFunctionMode):
    """Note the functions that are called, and on what the last one failed."""

    def __init__(self):
        super().__init__()
        self.names, self.failed = {}, []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        """Run the operation."""
        name = getattr(func, "__name__", "")
        if len(self.names) < MOST:
            self.names[str(name)[:60]] = True
        self.failed = tensors_in(args)[:8]
        result = func(*args, **(kwargs or {}))
        self.failed = []
        return result


class Operations(compat.TorchDispatchMode):
    """Note each operation, and which part of which memory it reads.

    Args:
        given: the tensors that the answer is called with.
    """

    def __init__(self, given):
        super().__init__()
        self.known, self.kept, self.found = {}, [], []
        for x in given:
            self.place(x)

    def place(self, x):
        """Return which memory a tensor lies in, a number."""
        address = x.untyped_storage().data_ptr()
        if address not in self.known:
            self.known[address] = len(self.known)
            self.kept.append(x)  # or its memory becomes another tensor's
        return self.known[address]

    def described(self, tree):
        """Return what is noted of the tensors of an operation."""
        return [
            [self.place(x), list(x.shape), list(x.stride()),
             x.storage_offset(), str(x.dtype).removeprefix("torch.")]
            for x in tensors_in(tree) if x.layout == torch.strided
        ]  # fmt: skip

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Run the operation."""
        out = func(*args, **(kwargs or {}))
        if len(self.found) < MOST:
            given = self.described((args, kwargs))
            entry = [func.__name__, func.is_view, given, self.described(out)]
            self.found.append(entry)
        return out


class Stub:
    """An operation that was run elsewhere."""

    def __init__(self, name, is_view=False, out=None, fails=False):
        self.__name__, self.is_view = name, is_view
        self.out, self.fails = out, fails

    def __call__(self, *args, **kwargs):
        """Return what came out elsewhere."""
        if self.fails:
            raise RuntimeError(self.__name__)
        return self.out


def watches():
    """Return the functions' and the operations' watches that wait here."""
    return list(compat.function_modes()), list(compat.dispatch_modes())


@contextlib.contextmanager
def unwatched():
    """Compute in the block so that no watch sees it."""
    with compat.without_function_modes(), compat.without_dispatch_modes():
        yield


def show_names(modes, names, failed):
    """Show the watches of functions which were called."""
    for mode in modes:
        for name in names:
            mode.__torch_function__(Stub(name), (), (), {})
        if failed:
            with contextlib.suppress(RuntimeError):
                mode.__torch_function__(
                    Stub("failed", fails=True), (), tuple(failed), {}
                )


def show_operations(modes, found, given):
    """Show the watches of operations what was done with which memory.

    Args:
        modes: the watches.
        found: of `Operations`, as it came over the tensors.
        given: the tensors that the answer was called with.
    """
    memory = {}
    for place, x in enumerate(given):
        memory.setdefault(place, x)
    for name, is_view, inputs, outputs in found:
        pair = [
            [rebuilt(about, memory) for about in abouts]
            for abouts in (inputs, outputs)
        ]
        out = pair[1][0] if len(pair[1]) == 1 else tuple(pair[1])
        func = Stub(tensors.text_of(name), bool(is_view), out)
        for mode in modes:
            mode.__torch_dispatch__(func, (), tuple(pair[0]), {})


def rebuilt(about, memory):
    """Return a tensor that lies in memory as another one elsewhere.

    Args:
        about: place, shape, strides, offset and type.
        memory: place -> a tensor that lies there; may grow.

    Raises:
        Refused: no such tensor.
    """
    place, shape, stride, offset, dtype = about
    sizes = [place, offset, *shape, *stride]
    dtype = tensors.DTYPES.get(tensors.text_of(dtype))
    if dtype is None or not all(map(tensors.is_count, sizes)):
        raise tensors.Refused("no tensor was watched")
    need = offset + tensors.extent(shape, stride)
    most = max(need, math.prod(shape))
    if most > LARGEST or len(memory) > MOST:
        raise tensors.Refused("too much was watched")
    held = memory.get(place)
    if held is None or held.dtype != dtype:
        held = torch.empty(need, dtype=dtype)
        memory.setdefault(place, held)
    room = held.untyped_storage().nbytes() // held.itemsize
    if room < need:  # the same memory was shorter before
        held = memory[place] = torch.empty(need, dtype=dtype)
    return held.as_strided(shape, stride, offset)
