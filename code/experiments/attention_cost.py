"""Time and peak memory of attention against the length, in three forms.

    python code/experiments/attention_cost.py [--dry]

One sentence, 8 heads of width 64, as in the paper's base model, in float32.
Every measurement is a process of its own that may take 4 GiB beyond what
PyTorch itself needs; a form that wants more does not fit, and says so.

On a CPU: one thread; time is processor time, because the machine had other
work to do; peak memory is the high-water mark of the resident memory beyond
what was there before the call, taken in a second process that gives freed
memory back at once, which is slower but counts no tensor that is gone.

On a GPU: time is that of the clock, after waiting for the device; memory is
what PyTorch's allocator gave out; the script for it is
attention_cost_gpu.py, which stores its table by itself.
"""

import argparse
import ctypes
import multiprocessing
import resource
import time
from pathlib import Path

import torch

from attnbook.attention import plain_attention
from attnbook.layers import FeedForward
from attnbook.multihead import MultiHeadAttention
from attnbook.tiled import tiled_attention
from needs import in_one_line
from store import clean_commit, store
from track import track

NEEDS = "Linux"
REVISION = 1  # raise it by hand when the times are stale
HEADS, WIDTH, D_FF = 8, 64, 2048
LENGTHS = [256, 512, 1024, 2048, 4096, 8192, 16384]
LIMIT = 4 * 2**30
MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of glibc's malloc.h
FORMS = {
    "naive": plain_attention,
    "tiled": lambda q, k, v: tiled_attention(q, k, v)[0],
    "pytorch": torch.nn.functional.scaled_dot_product_attention,
}


def memory_line(name):
    """Return a number of this process in bytes, such as VmRSS."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = [row for row in text.splitlines() if row.startswith(name)]
    return int(line.split()[1]) * 1024


def give_back_at_once():
    """Let this process return every large block when it is freed."""
    if not ctypes.CDLL(None).mallopt(MMAP_THRESHOLD, 128 * 1024):
        raise SystemExit("expected glibc's mallopt to take a threshold")


class Meter:
    """Time and memory of calls on a device.

    Args:
        device: "cpu" or "cuda".
    """

    def __init__(self, device):
        self.cuda = device == "cuda"
        if self.cuda:
            whole = torch.cuda.get_device_properties(0).total_memory
            torch.cuda.set_per_process_memory_fraction(LIMIT / whole)
        else:
            limit = memory_line("VmSize") + LIMIT
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    def now(self):
        """Return the seconds so far."""
        if self.cuda:
            torch.cuda.synchronize()
            return time.perf_counter()
        return time.process_time()

    def before(self):
        """Forget the peak so far; return the bytes in use."""
        if self.cuda:
            torch.cuda.reset_peak_memory_stats()
            return torch.cuda.memory_allocated()
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return memory_line("VmRSS")

    def peak(self):
        """Return the highest number of bytes since `before`."""
        if self.cuda:
            return torch.cuda.max_memory_allocated()
        return memory_line("VmHWM")


def calls(form, n, train, device):
    """Return a function without arguments that is to be measured."""
    generator = torch.Generator().manual_seed(0)
    d_model = HEADS * WIDTH
    if form == "rest":  # what stands around attention in a layer
        x = torch.randn(1, n, d_model, generator=generator).to(device)
        layer = MultiHeadAttention(d_model, HEADS).to(device)
        feed = FeedForward(d_model, D_FF).to(device)

        def rest():
            for w in (layer.w_q, layer.w_k, layer.w_v, layer.w_o):
                w(x)
            feed(x)

        return rest
    q, k, v = (
        torch.randn(1, HEADS, n, WIDTH, generator=generator)
        .to(device)
        .requires_grad_(train)
        for _ in range(3)
    )

    def attention():
        context = FORMS[form](q, k, v)
        if train:
            torch.autograd.grad(context.sum(), (q, k, v))

    return attention


def work(form, n, train, device, memory):
    """Measure one call in this process; return what came out, a dict."""
    if memory and device == "cpu":
        give_back_at_once()
    with torch.set_grad_enabled(train):
        calls(form, 64, train, device)()  # what the first call sets up
        call = calls(form, n, train, device)
        meter = Meter(device)
        held, times = meter.before(), []
        try:
            many = 5 if n <= 1024 else 3 if n <= 4096 else 1
            for _ in range(1 if memory else many):
                start = meter.now()
                call()
                times.append(meter.now() - start)
        except (MemoryError, RuntimeError) as error:  # also CUDA's
            if "memory" not in str(error).lower():
                raise
            return {"fits": False}
    if memory:
        return {"fits": True, "bytes": meter.peak() - held}
    return {"fits": True, "seconds": round(min(times), 6)}


def send(pipe, *arguments):
    """Measure, and send the outcome to the process that waits for it."""
    pipe.send(work(*arguments))


def measure(form, n, train, device):
    """Return the row of one measurement: one process each for two numbers."""
    fork = multiprocessing.get_context("fork")  # PyTorch is loaded already
    row = {"form": form, "n": n, "train": train}
    for memory in (False, True):
        here, there = fork.Pipe(duplex=False)
        arguments = (there, form, n, train, device, memory)
        process = fork.Process(target=send, args=arguments)
        process.start()
        there.close()
        row |= here.recv()
        process.join()
        if not row["fits"]:
            break
    print(row, flush=True)
    return row


def main(device="cpu"):
    """Measure every form at every length and store the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="store nothing")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    commit = None if arguments.dry else clean_commit()
    plan = [(f, n, False) for n in LENGTHS for f in FORMS]
    plan += [(f, n, True) for n in LENGTHS[:-1] for f in FORMS]
    plan += [("rest", n, False) for n in LENGTHS]
    gone, rows = set(), []
    for form, n, train in track(plan, "calls"):
        if (form, train) in gone:  # longer ones do not fit either
            rows.append({"form": form, "n": n, "train": train, "fits": False})
            continue
        rows.append(measure(form, n, train, device))
        if not rows[-1]["fits"]:
            gone.add((form, train))
    if commit:
        store(
            commit,
            "Seconds and peak bytes of one call of attention, each in a "
            f"process that may take {LIMIT // 2**30} GiB more",
            [0],
            f"random queries, keys and values, {HEADS} heads of {WIDTH}; "
            f"'rest' is the projections and a feed-forward part of {D_FF}",
            {
                "device": device,
                "limit": LIMIT,
                "heads": HEADS,
                "d_model": HEADS * WIDTH,
                "d_ff": D_FF,
                "block": 128,
                "rows": rows,
            },
        )


if __name__ == "__main__":
    in_one_line(main)
