"""How fast could a step be?  Count its operations and its bytes.

A step cannot be faster than its multiplications at the device's matrix rate
or than its bytes at the device's bandwidth; both are measured here, too.
"""

import contextlib
import time

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from attnbook.training.precision import PRECISIONS

PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "scaled_dot_product", "linear")


def best_seconds(function, wait, repeats=7):
    """Return the shortest duration of a call, in seconds."""
    times = []
    for _ in range(repeats):
        wait()
        start = time.perf_counter()
        function()
        wait()
        times.append(time.perf_counter() - start)
    return min(times)


def matrix_rate(dtype, device, wait):
    """Return the operations per second of a large matrix product."""
    size = 8192 if device.type == "cuda" else 2048
    a = torch.randn(size, size, device=device).to(dtype)
    b = torch.randn(size, size, device=device).to(dtype)
    return 2 * size**3 / best_seconds(lambda: a @ b, wait)


def bandwidth(device, wait):
    """Return the bytes per second of a copy, reading and writing."""
    count = 2**30 if device.type == "cuda" else 2**26
    a = torch.zeros(count, device=device)
    b = torch.empty_like(a)
    return 2 * a.nbytes / best_seconds(lambda: b.copy_(a), wait)


class ByteCounter(TorchDispatchMode):
    """Count the bytes that operations read and write.

    Every operation counts all its tensors, in and out; views count
    nothing.  What stays in a cache from one operation to the next is
    counted twice, so this is more than what the memory sees.
    """

    def __init__(self):
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Run an operation and count its tensors."""
        out = func(*args, **(kwargs or {}))
        if not func.is_view:
            leaves = tree_leaves((args, kwargs, out))
            tensors = [x for x in leaves if isinstance(x, torch.Tensor)]
            self.bytes += sum(x.numel() * x.element_size() for x in tensors)
        return out


@contextlib.contextmanager
def in_one_thread():
    """Compute in this thread alone: counters see no other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@in_one_thread()
def count(contender):
    """Return operations and bytes of one step on the first batch."""
    batch = contender.batches[0]
    with torch.compiler.set_stance("force_eager"):  # compiled code hides both
        with FlopCounterMode(display=False) as operations:
            contender.step(batch)
        with ByteCounter() as counter:
            contender.step(batch)
    return operations.get_total_flops(), counter.bytes


@in_one_thread()
def share_of_products(contender):
    """Return the share of a CPU's time in products, in one thread."""
    batch = contender.batches[0]
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        contender.step(batch)
    rows = profiler.key_averages()
    total = sum(row.self_cpu_time_total for row in rows)
    names = tuple(f"aten::{name}" for name in PRODUCTS)
    names += tuple(f"aten::_{name}" for name in PRODUCTS)
    products = [row for row in rows if row.key.startswith(names)]
    return sum(row.self_cpu_time_total for row in products) / total


def measure(contender, wait, speed):
    """Return what bounds a contender's step, a dict of numbers.

    Args:
        contender: a `Contender` that is not compiled.
        wait: waits until the device has finished.
        speed: bandwidth of the device, bytes per second.
    """
    device = contender.device
    rate = matrix_rate(PRECISIONS[contender.precision], device, wait)
    operations, moved = count(contender)
    batch, repeats = contender.batches[0], 20 if device.type == "cuda" else 5
    seconds = best_seconds(lambda: contender.step(batch), wait, repeats)
    found = {
        "precision": contender.precision,
        "labels": batch.tokens,
        "operations": operations,
        "bytes": moved,
        "step_seconds": round(seconds, 5),
        "matrix_rate": round(rate),
        "bandwidth": round(speed),
        "seconds_at_matrix_rate": round(operations / rate, 5),
        "seconds_at_bandwidth": round(moved / speed, 5),
        "share_of_matrix_rate": round(operations / rate / seconds, 3),
        "share_of_bandwidth": round(moved / speed / seconds, 3),
    }
    if device.type == "cpu":
        share = share_of_products(contender)
        within = operations / rate / seconds / share
        found["time_in_products"] = round(share, 3)
        found["rate_within_products"] = round(within, 3)
    return found
