"""Time and peak memory of attention on a GPU, stored beside the CPU's.

    python code/experiments/attention_cost_gpu.py
    python code/experiments/attention_cost_gpu.py --small   a try, anywhere

Forms, lengths and the limit of 4 GiB are those of attention_cost.py.  On a
GPU one process makes all measurements, as its memory is counted tensor by
tensor; a try on a CPU has a process for each.  A GPU works while the program
goes on, and its first call of a size loads kernels and asks for memory.  So
one call comes before the clock, memory is that call's, and a time is the
shortest of five rounds of several calls each, divided by their number, the
device waited for at both ends.
"""

import argparse
import multiprocessing

import torch

from attention_cost import (
    D_FF,
    FORMS,
    HEADS,
    LENGTHS,
    LIMIT,
    WIDTH,
    Meter,
    calls,
)
from needs import in_one_line, need_gpu
from store import clean_commit, store
from track import track

NEEDS = "a GPU"
REVISION = 3  # raise it by hand when the times are stale
ROUNDS, CALLS = 5, 10


def is_too_much(error):
    """Say whether an error means that the memory is not enough.

    "An illegal memory access" is no such error, though it has the word.
    """
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return "can't allocate memory" in str(error)  # of PyTorch on a CPU


def work(form, n, train, device):
    """Measure one form in this process; return what came out, a dict."""
    with torch.set_grad_enabled(train):
        calls(form, 64, train, device)()  # starts the device
        call = calls(form, n, train, device)
        meter, times = Meter(device), []
        held = meter.before()
        try:
            call()
            meter.now()
            row = {"fits": True, "bytes": meter.peak() - held}
            for _ in range(ROUNDS):
                start = meter.now()
                for _ in range(CALLS):
                    call()
                times.append((meter.now() - start) / CALLS)
        except (MemoryError, RuntimeError) as error:
            if not is_too_much(error):
                raise
            return {"fits": False}
    return row | {"seconds": round(min(times), 7)}


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


def measure(form, n, train, device):
    """Return the row of one measurement."""
    row = {"form": form, "n": n, "train": train}
    if device == "cuda":
        torch.cuda.empty_cache()  # what the last one left counts as used
        row |= work(form, n, train, device)
    else:
        row |= apart(form, n, train, device)
    print(row, flush=True)
    return row


def table(plan, device):
    """Return the rows of a plan; what is longer than too long is not tried.

    Args:
        plan: a list of form, length and whether with the gradient.
        device: "cuda" or "cpu".
    """
    gone, rows = set(), []
    for form, n, train in track(plan, "calls"):
        if (form, train) in gone:
            rows.append({"form": form, "n": n, "train": train, "fits": False})
            continue
        rows.append(measure(form, n, train, device))
        if not rows[-1]["fits"]:
            gone.add((form, train))
    return rows


def main():
    """Measure every form at every length and store the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    torch.set_num_threads(1)
    lengths = LENGTHS[:2] if small else LENGTHS
    plan = [
        (f, n, train)
        for train in (False, True)
        for n in lengths
        for f in FORMS
    ]
    plan += [("rest", n, False) for n in lengths]
    if small:
        table(plan, "cuda" if torch.cuda.device_count() else "cpu")
        print("a try: nothing is stored")
        return
    need_gpu()
    store(
        clean_commit(),
        "Seconds and peak bytes of one call of attention, in a process that "
        f"may take {LIMIT // 2**30} GiB; the shortest of {ROUNDS} rounds "
        f"of {CALLS} calls, after one that is not measured",
        [0],
        f"random queries, keys and values in float32, {HEADS} heads of "
        f"{WIDTH}; 'rest' is the projections and a feed-forward part of "
        f"{D_FF}",
        {
            "device": "cuda",
            "limit": LIMIT,
            "heads": HEADS,
            "d_model": HEADS * WIDTH,
            "d_ff": D_FF,
            "block": 128,
            "rows": table(plan, "cuda"),
        },
    )


if __name__ == "__main__":
    in_one_line(main)
