"""What does a batch of a new shape cost on a GPU, and is it cuDNN's form?

    python code/experiments/run.py new_shapes_gpu

The first runs on a GPU took half a second for each shape of a batch that they
had not seen, and a tenth of that for the others (multi30k_quality).  Here
every batch has a shape of its own and is trained on three times in a row, in
one of three ways: in bf16 with the form of attention that PyTorch chooses, in
bf16 within `precision.for_many_shapes`, and in fp32, in which cuDNN has no
form.  The ways take turns, and their order is reversed in every other round.

What a new shape costs is the first step less the median of the other two.
The rule, fixed before: it is cuDNN's form if the median over the shapes is at
least 0.2 seconds in the first way and at most 0.03 in the other two.  The form
that PyTorch chose, and cuDNN's version, are stored, too.
"""

import itertools
import statistics
import time
from contextlib import nullcontext

import torch
from torch.nn.attention import SDPBackend

from attnbook.data import datasets
from attnbook.training.config import TrainConfig
from attnbook.training.loop import Run
from attnbook.training.precision import PRECISIONS, for_many_shapes
from lab.experiment import Experiment
from lab.progress import track
from speed.clock import waiter
from translation.search import WIDE
from translation.trial import BASE, begin, first_epoch

TOKENS, ROUNDS, STEPS = 10_000, 8, 3
WAYS = {  # name -> number type, and whether PyTorch chooses the form
    "bf16": ("bf16", True),
    "bf16, for many shapes": ("bf16", False),
    "fp32": ("fp32", True),
}


def of_new_shapes(pairs, count):
    """Return batches, no two with as many sentences and places on a side.

    Args:
        pairs: encoded pairs.
        count: how many.

    Raises:
        ValueError: an epoch has fewer.
    """
    found, seen = [], set()
    for batch in first_epoch(pairs, TOKENS):
        sides = {batch.source.shape, batch.target.shape}
        if not sides & seen:
            found.append(batch)
        seen |= sides
    if len(found) < count:
        raise ValueError(f"expected {count} shapes, got {len(found)}")
    return found[:count]


def forms_of(way, device):
    """Return a context with the forms of attention that a way may take."""
    chooses = WAYS[way][1]
    return nullcontext() if chooses else for_many_shapes(device)


def chosen(way, batch, device):
    """Return the form that PyTorch takes for the encoder's attention."""
    b, s = batch.source.shape
    heads = BASE["num_heads"]
    sizes = b, heads, s, WIDE["d_model"] // heads
    dtype = PRECISIONS[WAYS[way][0]]
    q = torch.empty(sizes, device=device, dtype=dtype, requires_grad=True)
    mask = torch.ones(b, 1, 1, s, dtype=torch.bool, device=device)
    with forms_of(way, device):
        return SDPBackend(torch._fused_sdp_choice(q, q, q, mask)).name


def seconds_of(run, way, batch, wait):
    """Return the seconds of several steps on one batch.

    Args:
        run: a `loop.Run`.
        way: a key of `WAYS`.
        batch: a `Batch`.
        wait: waits until the device has finished.
    """
    found = []
    with forms_of(way, next(run.model.parameters()).device):
        for _ in range(STEPS):
            wait()
            start = time.perf_counter()
            run.step(1, itertools.repeat(((0, 0), batch)))
            wait()
            found.append(round(time.perf_counter() - start, 4))
    return found


def table(device, rounds, changes):
    """Return the rows: way, shape, form, seconds of each step.

    Args:
        device: a `torch.device`.
        rounds: shapes of each way.
        changes: of `trial.BASE`.
    """
    wait = waiter(device)
    options = BASE | changes | {"device": device.type}
    dataset, vocab, model, _ = begin(options)
    pairs = datasets.encode_pairs(dataset.train, vocab, vocab)
    batches = of_new_shapes(pairs, (rounds + 1) * len(WAYS))
    runs = {
        way: Run(
            model.train(),
            TrainConfig(precision=precision, optimizer="muon"),
            None,
        )
        for way, (precision, _) in WAYS.items()
    }
    rows = []
    for number in track(range(rounds + 1), "rounds"):
        for way in [*WAYS][:: -1 if number % 2 else 1]:
            batch = batches.pop()
            found = seconds_of(runs[way], way, batch, wait)
            if number:  # the first round starts the device
                sizes = [*batch.source.shape, batch.target.size(1)]
                row = {"way": way, "batch_source_target": sizes}
                row |= {"form": chosen(way, batch, device), "seconds": found}
                print(row, flush=True)
                rows.append(row)
    return rows


def cost(rows, way):
    """Return the median seconds that a new shape costs."""
    extra = [
        row["seconds"][0] - statistics.median(row["seconds"][1:])
        for row in rows
        if row["way"] == way
    ]
    return round(statistics.median(extra), 4)


def measure(run):
    """Measure all shapes; a try a few, on what there is."""
    changes = {"merges": 600, "d_model": 32, "d_ff": 32} if run.small else WIDE
    rows = table(run.device, 1 if run.small else ROUNDS, changes)
    costs = {way: cost(rows, way) for way in WAYS}
    print(costs)
    return {
        "cudnn": torch.backends.cudnn.version(),
        "seconds_of_a_new_shape": costs,
        "rows": rows,
    }


EXPERIMENT = Experiment(
    "new_shapes_gpu",
    needs="a GPU, Multi30k",
    about=f"Seconds of {STEPS} steps in a row on batches of new shapes",
    data="Multi30k task 1, English to German",
    measure=measure,
    revision=1,
    threads=1,
)
