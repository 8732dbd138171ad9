"""Which form of attention is the faster one?

    python code/experiments/run.py attention_forms
    python code/experiments/run.py attention_forms_gpu

Times the plain formula and PyTorch's own form side by side, in interleaved
rounds, for each number type and number of keys; `attention.is_plain_faster`
follows the outcome.  About a minute on 2 cores.

On a GPU a measurement is the time of several calls in a row, divided by their
number, the device waited for at both ends: one call alone would be mostly
waiting.  A third column has the form that PyTorch chooses within
`for_many_shapes`, where the trainer computes.
"""

import itertools
import statistics
import time
from contextlib import nullcontext

import torch
import torch.nn.functional as F

from attnbook.attention import plain_attention
from attnbook.training.precision import PRECISIONS, for_many_shapes
from lab.experiment import Experiment
from lab.needs import number_types
from speed.clock import waiter

# batch, heads, length, width of a head: about the same work each
SIZES = [(128, 8, 18, 32), (64, 8, 64, 32), (8, 8, 256, 64), (2, 8, 1024, 64)]
TYPES = {
    name: getattr(torch, name) for name in ("float32", "bfloat16", "float64")
}
ROUNDS = 15
CALLS = 20  # of one measurement on a GPU
FORMS = {"plain": plain_attention, "pytorch": F.scaled_dot_product_attention}
MANY = "many shapes"  # PyTorch's, as in training


def make_inputs(sizes, dtype, train, device):
    """Return queries, keys and values, (B, H, T, d_k) each, and a mask."""
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


def measure(forms, inputs, mask, train, rounds, count):
    """Return the median milliseconds of all forms."""
    device = mask.device
    wait = waiter(device)
    times = {name: [] for name in forms}
    for _ in range(rounds):
        for name, form in forms.items():
            some = for_many_shapes(device) if name == MANY else nullcontext()
            with some:
                found = seconds(form, inputs, mask, train, wait, count)
            times[name].append(1e3 * found)
    # the first round warms up
    return {n: round(statistics.median(x[1:]), 4) for n, x in times.items()}


def table(run, types, forms, count):
    """Return the rows of all number types.

    Args:
        run: a `Run`.
        types: name -> number type.
        forms: name -> function.
        count: calls of one measurement.
    """
    sizes = SIZES[: 1 if run.small else None]
    amount = (2, 1) if run.small else (ROUNDS, count)

    def one(name, size, train):
        row = {"dtype": name, "batch_heads_length_width": size, "train": train}
        inputs, mask = make_inputs(size, types[name], train, run.device)
        return row | measure(forms, inputs, mask, train, *amount)

    plan = itertools.product(types, sizes, (True, False))
    return {"rows": run.each(plan, one, items="rows")}


def on_gpu(run):
    """Return the rows of the number types that a GPU computes in."""
    types = {name: PRECISIONS[name] for name in number_types(run.device)}
    forms = FORMS | {MANY: FORMS["pytorch"]}
    return table(run, types, forms, CALLS)


CPU = Experiment(
    "attention_forms",
    needs="nothing",
    about="Milliseconds of a call of attention, median of "
    f"{ROUNDS - 1} interleaved rounds, causal mask",
    data="random queries, keys and values",
    measure=lambda run: table(run, TYPES, FORMS, 1),
    revision=1,
)
GPU = Experiment(
    "attention_forms_gpu",
    needs="a GPU",
    about=f"Milliseconds of a call of attention on a GPU, {CALLS} in a "
    f"row, median of {ROUNDS - 1} interleaved rounds, causal mask",
    data="random queries, keys and values",
    measure=on_gpu,
    revision=2,
)
