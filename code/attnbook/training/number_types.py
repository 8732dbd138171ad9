"""In which number type a run computes: tried once, then kept.

That a processor has instructions for bfloat16 does not say that they are
fast: on two virtual cores products in bf16 took twice as long as in fp32.
So a run that may choose ("auto") on a CPU first tries the products of its
model in both types.  What it found goes into its checkpoints, and a run that
goes on computes as it began.

Dimension letters:
    R rows that are multiplied at once, M and N sides of a matrix, D = d_model,
    vocab words of the vocabulary.
"""

import math
import time
from collections import Counter

import torch
from torch import nn

from attnbook.fast.chunked_loss import CHUNK
from attnbook.fast.forward import is_fast
from attnbook.fast.halves import HALVES, pool_of
from attnbook.training import workers
from attnbook.training.precision import PRECISIONS, choose_precision

TYPES = ("fp32", "bf16")  # what a CPU chooses from
GAIN = 1.1  # bf16 is taken if it is that many times as fast
SECONDS, TURNS = 0.05, 5  # at least, after one turn to warm up
WORK = 2**26  # numbers in the matrices, times rows: a trial has no more
FEWEST = 256  # rows, though: fewer would not show how fast many are
WIDEST = 1024  # of the output matrix, as many rows; it has vocab of them


def count_products(model, rows):
    """Return the shapes that a training step multiplies, and how often.

    Args:
        model: any model.
        rows: words that go through it at once.

    Returns:
        A dict of (R, M, N) -> how often; R may be fewer rows than there
        are, and the product then counts more often.
    """
    output = model.output.weight  # (vocab, D)
    shapes = Counter(
        tuple(sorted(p.shape, reverse=True))  # there and back are alike
        for part in model.modules()
        if not isinstance(part, nn.Embedding)
        for p in part.parameters(recurse=False)
        if p.dim() == 2 and p is not output
    )
    numbers = max(1, sum(map(math.prod, shapes)))
    tried = min(rows, max(FEWEST, WORK // numbers))
    found = {(tried, *s): rows / tried * n for s, n in shapes.items()}
    chunk, width = min(rows, CHUNK["cpu"]), min(len(output), WIDEST)
    last = chunk, width, output.size(1)
    share = rows / chunk * len(output) / width
    return found | {last: found.get(last, 0) + share}


def draw_operands(products, dtype):
    """Return random pairs of matrices to multiply, three for each shape."""
    generator, pairs = torch.Generator().manual_seed(0), []
    for r, m, n in products:
        x, weight, gradient = (
            torch.randn(shape, generator=generator).to(dtype)
            for shape in ((r, n), (m, n), (r, m))
        )
        pairs += [(x, weight.T), (gradient, weight), (gradient.T, x)]
    return pairs


def time_products(pairs):
    """Return the seconds that each product takes, a list."""
    times = []
    for a, b in pairs:
        start = time.perf_counter()
        a @ b
        times.append(time.perf_counter() - start)
    return times


def measure(model, max_tokens):
    """Return the seconds of a step's products in fp32 and in bf16.

    The two take turns, with the threads that the training has, and of each
    product the fastest turn counts: it was disturbed least.

    Args:
        model: any model on a CPU.
        max_tokens: bound on padded tokens of one batch.
    """
    halved, threads = is_fast(model, "auto"), torch.get_num_threads()
    rows = max_tokens // workers.world_size() // (HALVES if halved else 1)
    products = count_products(model, max(1, rows))
    pairs = {t: draw_operands(products, PRECISIONS[t]) for t in TYPES}
    side_by_side = halved and threads >= HALVES
    run = pool_of(threads).map if side_by_side else map
    copies = HALVES if side_by_side else 1
    turns = {t: [] for t in TYPES}
    start = math.inf
    while len(turns["bf16"]) < 1 + TURNS or (
        time.perf_counter() - start < SECONDS
    ):
        for name, found in turns.items():
            found.append(list(run(time_products, [pairs[name]] * copies)))
        start = min(start, time.perf_counter())  # when all was warm
    shares = torch.tensor([*products.values()]).repeat_interleave(3)
    return [
        (torch.tensor(found[1:]).mean(1).amin(0) @ shares).item()
        for found in turns.values()
    ]


def choose_faster(wide, short):
    """Return the number type, and a line that says why, given seconds."""
    gain = wide / short
    found = f"products in bf16 are {gain:.2f} times as fast as in fp32 here"
    if gain < GAIN:
        return "fp32", f"{found}, less than {GAIN}: training in fp32"
    return "bf16", f"{found}: training in bf16"


def decide(model, config, state):
    """Return the number type of a run, and a line that says why, or None.

    On a CPU that has bfloat16 "auto" is what the run began with, else the
    faster type.  Worker 0 decides for all.  Runs without a note of their
    type are older than the trial, and took bf16.

    Args:
        model: any model.
        config: a `TrainConfig`.
        state: of the run's last checkpoint, see `RunFolder.read_state`.

    Returns:
        A name of `PRECISIONS`, and a str or None.

    Raises:
        ValueError: see `choose_precision`.
    """
    device = next(model.parameters()).device
    best, reason = choose_precision(config.precision, device), None
    if config.precision != "auto" or device.type != "cpu":
        return best, reason
    if best == "bf16" and workers.rank() == 0:
        kept = state.get("precision", best)
        if kept in TYPES:
            best, reason = kept, f"training in {kept}, as this run began"
        else:
            best, reason = choose_faster(*measure(model, config.max_tokens))
    return TYPES[workers.broadcast_number(TYPES.index(best))], reason
