"""Which form of attention is the faster one on a GPU?

    python code/experiments/attention_forms_gpu.py
    python code/experiments/attention_forms_gpu.py --small   a try, anywhere

The rows of attention_forms.py in the number types of a GPU: the plain formula
and PyTorch's own form, in turn.  A measurement is the time of several calls
in a row, divided by their number, the device waited for at both ends: one
call alone would be mostly waiting.  A third column has the form that PyTorch
chooses within `for_many_shapes`, where the trainer computes.  The rule of
`attention.is_plain_faster` goes by what this found.
"""

import argparse
import itertools
import statistics
import time
from contextlib import nullcontext

import torch

from attention_forms import FORMS, ROUNDS, SIZES
from attnbook.training.precision import PRECISIONS, for_many_shapes
from needs import in_one_line, need_gpu, number_types
from store import clean_commit, store
from track import track

NEEDS = "a GPU"
REVISION = 2  # raise it by hand when the times are stale
CALLS = 20  # of one measurement
MANY = "many shapes"  # PyTorch's, as in training


def make_inputs(sizes, dtype, train, device):
    """Return queries, keys and values, (B, H, T, K) each, and a mask."""
    b, h, t, k = sizes
    generator = torch.Generator().manual_seed(0)
    inputs = [
        torch.randn(b, t, h, k, generator=generator)
        .to(device, dtype)
        .transpose(1, 2)  # as split_heads leaves them
        .requires_grad_(train)
        for _ in range(3)
    ]
    return inputs, torch.ones(t, t, dtype=torch.bool, device=device).tril()


def seconds(form, inputs, mask, train, wait, count):
    """Return the duration of a call, with its gradient if training."""
    wait()
    start = time.perf_counter()
    with torch.set_grad_enabled(train):
        for _ in range(count):
            context = form(*inputs, mask)
            if train:
                torch.autograd.grad(context.sum(), inputs)
    wait()
    return (time.perf_counter() - start) / count


def measure(sizes, dtype, train, device, rounds, count):
    """Return the median milliseconds of all forms."""
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    inputs, mask = make_inputs(sizes, dtype, train, device)
    forms = FORMS | {MANY: FORMS["pytorch"]}
    times = {name: [] for name in forms}
    for _ in range(rounds):
        for name, form in forms.items():
            some = for_many_shapes(device) if name == MANY else nullcontext()
            with some:
                found = seconds(form, inputs, mask, train, wait, count)
            times[name].append(1e3 * found)
    # the first round warms up
    return {n: round(statistics.median(x[1:]), 4) for n, x in times.items()}


def table(device, small):
    """Return the rows of the table."""
    sizes = SIZES[:1] if small else SIZES
    amount = (2, 1) if small else (ROUNDS, CALLS)
    rows = []
    plan = itertools.product(number_types(device), sizes, (True, False))
    for name, size, train in track(plan, "rows"):
        row = {"dtype": name, "batch_heads_length_width": size, "train": train}
        row |= measure(size, PRECISIONS[name], train, device, *amount)
        print(row, flush=True)
        rows.append(row)
    return rows


def main():
    """Measure every row and store the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    if small:
        table(
            torch.device("cuda" if torch.cuda.is_available() else "cpu"), True
        )
        print("a try: nothing is stored")
        return
    need_gpu()
    store(
        clean_commit(),
        f"Milliseconds of a call of attention on a GPU, {CALLS} in a row, "
        f"median of {ROUNDS - 1} interleaved rounds, causal mask",
        [0],
        "random queries, keys and values",
        {"rows": table(torch.device("cuda"), False)},
    )


if __name__ == "__main__":
    in_one_line(main)
