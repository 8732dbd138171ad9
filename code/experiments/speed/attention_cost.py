"""Time and peak memory of attention against the length, in three forms.

    python code/experiments/run.py attention_cost
    python code/experiments/run.py attention_cost_gpu

One sentence, 8 heads of width 64, as in the paper's base model, in float32.
A form that wants more than 4 GiB beyond what PyTorch itself needs does not
fit, and says so.

On a CPU every number is that of a process of its own, in one thread; time is
processor time, because the machine had other work to do, the shortest of
some calls; peak memory is the high-water mark of the resident memory beyond
what was there before the call, in a process that gives freed memory back at
once, which is slower but counts no tensor that is gone.

On a GPU one process makes all measurements, as its memory is counted tensor
by tensor.  A GPU works while the program goes on, and its first call of a size
loads kernels and asks for memory.  So one call comes before the clock, memory
is that call's, and a time is the shortest of five rounds of several calls
each, divided by their number, the device waited for at both ends.
"""

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
from lab.experiment import Experiment

HEADS, WIDTH, D_FF = 8, 64, 2048
LENGTHS = [256, 512, 1024, 2048, 4096, 8192, 16384]
LIMIT = 4 * 2**30
ROUNDS, CALLS = 5, 10  # on a GPU
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


def is_too_much(error):
    """Say whether an error means that the memory is not enough.

    "An illegal memory access" is no such error, though it has the word.
    """
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return "can't allocate memory" in str(error)  # of PyTorch on a CPU


def fastest(call, meter, rounds, count=1):
    """Return the shortest seconds of a call, over rounds of several."""
    times = []
    for _ in range(rounds):
        start = meter.now()
        for _ in range(count):
            call()
        times.append((meter.now() - start) / count)
    return round(min(times), 7)


def measure_call(call, n, meter, asked):
    """Return seconds, bytes or both of a call, a dict.

    Args:
        call: a function without arguments.
        n: its number of keys.
        meter: a `Meter`.
        asked: "seconds", "bytes" or "both".
    """
    if asked == "seconds":
        many = 5 if n <= 1024 else 3 if n <= 4096 else 1
        return {"seconds": fastest(call, meter, many)}
    held = meter.before()
    call()
    meter.now()  # waits
    found = {"bytes": meter.peak() - held}
    if asked == "both":
        found["seconds"] = fastest(call, meter, ROUNDS, CALLS)
    return found


def work(form, n, train, device, asked):
    """Measure a form in this process; return what came out, a dict."""
    if device == "cpu" and asked == "bytes":
        give_back_at_once()
    with torch.set_grad_enabled(train):
        calls(form, 64, train, device)()  # what the first call sets up
        call, meter = calls(form, n, train, device), Meter(device)
        try:
            return {"fits": True} | measure_call(call, n, meter, asked)
        except (MemoryError, RuntimeError) as error:
            if not is_too_much(error):
                raise
            return {"fits": False}


def send(pipe, *arguments):
    """Measure, and send the outcome to the process that waits for it."""
    pipe.send(work(*arguments))


def apart(*arguments):
    """Return what `work` gives, in a process of its own."""
    fork = multiprocessing.get_context("fork")  # PyTorch is loaded already
    here, there = fork.Pipe(duplex=False)
    process = fork.Process(target=send, args=(there, *arguments))
    process.start()
    there.close()  # so that a process that dies is an error here
    found = here.recv()
    process.join()
    return found


def measure(form, n, train, device, asked):
    """Return the row of one measurement.

    Args:
        form: a key of `FORMS`, or "rest".
        n: number of keys.
        train: whether with the gradient.
        device: "cpu" or "cuda".
        asked: what each process measures, see `measure_call`.
    """
    row = {"form": form, "n": n, "train": train}
    for one in asked:
        if device == "cuda":
            torch.cuda.empty_cache()  # what the last one left counts as used
        row |= (work if device == "cuda" else apart)(
            form, n, train, device, one
        )
        if not row["fits"]:
            break
    return row


def table(run, asked, trained):
    """Measure every form at every length, until one does not fit.

    Args:
        run: a `Run`.
        asked: see `measure`.
        trained: how many of the lengths are measured with the gradient, too.
    """
    lengths, device = LENGTHS[: 2 if run.small else None], run.device.type
    plan = [(f, n, False) for n in lengths for f in FORMS]
    plan += [(f, n, True) for n in lengths[:trained] for f in FORMS]
    plan += [("rest", n, False) for n in lengths]
    gone = set()

    def one(form, n, train):
        if (form, train) in gone:  # longer ones do not fit either
            return {"form": form, "n": n, "train": train, "fits": False}
        row = measure(form, n, train, device, asked)
        if not row["fits"]:
            gone.add((form, train))
        return row

    return {
        "device": device,
        "limit": LIMIT,
        "heads": HEADS,
        "d_model": HEADS * WIDTH,
        "d_ff": D_FF,
        "block": 128,
        "rows": run.each(plan, one, items="calls"),
    }


CPU = Experiment(
    "attention_cost",
    needs="Linux",
    about="Seconds and peak bytes of one call of attention, each in a "
    f"process that may take {LIMIT // 2**30} GiB more",
    data=f"random queries, keys and values, {HEADS} heads of {WIDTH}; "
    f"'rest' is the projections and a feed-forward part of {D_FF}",
    measure=lambda run: table(run, ("seconds", "bytes"), 6),
    revision=1,
    threads=1,
)
GPU = Experiment(
    "attention_cost_gpu",
    needs="a GPU",
    about="Seconds and peak bytes of one call of attention, in a process that "
    f"may take {LIMIT // 2**30} GiB; the shortest of {ROUNDS} rounds "
    f"of {CALLS} calls, after one that is not measured",
    data=f"random queries, keys and values in float32, {HEADS} heads of "
    f"{WIDTH}; 'rest' is the projections and a feed-forward part of {D_FF}",
    measure=lambda run: table(run, ("both",), 7),
    revision=3,
    threads=1,
)
