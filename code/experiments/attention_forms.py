"""Which form of attention is the faster one on a CPU?

    python code/experiments/attention_forms.py

Times the plain formula and PyTorch's own form side by side, in interleaved
rounds, for each type and number of keys; `attention.is_plain_faster` follows
the outcome.  About a minute on 2 cores.
"""

import itertools
import statistics
import time

import torch
import torch.nn.functional as F

from attnbook.attention import plain_attention
from needs import in_one_line
from store import clean_commit, store
from track import track

NEEDS = "nothing"
REVISION = 1  # raise it by hand when the times are stale

# batch, heads, length, width of a head: about the same work each
SIZES = [(128, 8, 18, 32), (64, 8, 64, 32), (8, 8, 256, 64), (2, 8, 1024, 64)]
DTYPES = (torch.float32, torch.bfloat16, torch.float64)
ROUNDS = 15
FORMS = {"plain": plain_attention, "pytorch": F.scaled_dot_product_attention}


def seconds(form, inputs, mask, train):
    """Return the duration of one call, and of its gradient if training."""
    start = time.perf_counter()
    with torch.set_grad_enabled(train):
        context = form(*inputs, mask)
        if train:
            torch.autograd.grad(context.sum(), inputs)
    return time.perf_counter() - start


def measure(sizes, dtype, train):
    """Return the median milliseconds of both forms."""
    b, h, t, k = sizes
    generator = torch.Generator().manual_seed(0)
    inputs = [
        torch.randn(b, t, h, k, generator=generator)
        .to(dtype)
        .transpose(1, 2)  # as split_heads leaves them
        .requires_grad_(train)
        for _ in range(3)
    ]
    mask = torch.ones(t, t, dtype=torch.bool).tril()
    times = {name: [] for name in FORMS}
    for _ in range(ROUNDS):
        for name, form in FORMS.items():
            times[name].append(seconds(form, inputs, mask, train))
    return {n: 1e3 * statistics.median(x[1:]) for n, x in times.items()}


def main():
    """Measure every row and store the table."""
    commit = clean_commit()
    rows = []
    plan = itertools.product(DTYPES, SIZES, (True, False))
    for dtype, sizes, train in track(plan, "rows"):
        milliseconds = measure(sizes, dtype, train)
        row = {
            "dtype": str(dtype).removeprefix("torch."),
            "batch_heads_length_width": sizes,
            "train": train,
            **{n: round(x, 3) for n, x in milliseconds.items()},
        }
        print(row, flush=True)
        rows.append(row)
    store(
        commit,
        "Milliseconds of a call of attention, median of "
        f"{ROUNDS - 1} interleaved rounds, causal mask",
        [0],
        "random queries, keys and values",
        {"rows": rows},
    )


if __name__ == "__main__":
    in_one_line(main)
