"""What does a batch of a new shape cost on a GPU, and is it cuDNN's form?

    python code/experiments/new_shapes_gpu.py
    python code/experiments/new_shapes_gpu.py --small   a try, anywhere

The first runs on a GPU took half a second for each shape of a batch that they
had not seen, and a tenth of that for the others.  (Those runs are in the
result of multi30k_quality.py whose revision is 2.)  Here
every batch is trained on three times in a row: with cuDNN's form of attention
and without, in turn, each on shapes of its own, in bf16 and, as a control, in
fp32, in which cuDNN has no such form.  If it is the cause, the first step is
slow in bf16 with it, and nowhere else.
"""

import argparse
import itertools
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from attnbook.data import datasets
from attnbook.data.batches import batch_stream
from attnbook.training.config import TrainConfig
from attnbook.training.loop import Run
from attnbook.training.precision import FORMS
from multi30k_gpu_search import WIDE
from needs import in_one_line, need_gpu, need_multi30k
from store import clean_commit, store
from track import track
from trial import BASE, begin

NEEDS = "a GPU, Multi30k"
REVISION = 1  # raise it by hand when the times are stale
TOKENS, SHAPES, STEPS = 10_000, 8, 3  # shapes of each way
WAYS = {"with cuDNN": [SDPBackend.CUDNN_ATTENTION, *FORMS], "without": FORMS}


def of_new_shapes(pairs, count):
    """Return batches no two of which have the same shape.

    Args:
        pairs: encoded pairs.
        count: how many.

    Raises:
        ValueError: an epoch has fewer.
    """
    stream = batch_stream(pairs, TOKENS, seed=0)
    first = itertools.takewhile(lambda item: item[0][0] == 0, stream)
    found = {(b.source.shape, b.target.shape): b for _, b in first}
    if len(found) < count:
        raise ValueError(f"expected {count} shapes, got {len(found)}")
    return list(found.values())[:count]


def seconds_of(run, batch, forms, wait):
    """Return the seconds of several steps on one batch.

    Args:
        run: a `loop.Run`.
        batch: a `Batch`.
        forms: of attention that PyTorch may take, the first ones first.
        wait: waits until the device has finished.
    """
    found = []
    with sdpa_kernel(forms, set_priority=True):
        for _ in range(STEPS):
            wait()
            start = time.perf_counter()
            run.step(1, itertools.repeat(((0, 0), batch)))
            wait()
            found.append(round(time.perf_counter() - start, 4))
    return found


def table(device, shapes, changes):
    """Return the rows: number type, way, shape, seconds of each step.

    Args:
        device: where it computes.
        shapes: of each way and number type.
        changes: of `trial.BASE`.
    """
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    options = BASE | changes | {"device": device}
    dataset, vocab, model, _ = begin(options)
    pairs = datasets.encode_pairs(dataset.train, vocab, vocab)
    types = ["fp32", "bf16"]
    batches = of_new_shapes(pairs, shapes * len(types) * len(WAYS))
    plan = [(t, way) for _ in range(shapes) for t in types for way in WAYS]
    rows = []
    jobs = zip(plan, batches, strict=True)
    for (precision, way), batch in track(jobs, "shapes", len(plan)):
        config = TrainConfig(precision=precision, optimizer="muon")
        run = Run(model.train(), config, None)
        found = seconds_of(run, batch, WAYS[way], wait)
        sizes = [*batch.source.shape, batch.target.size(1)]
        rows.append(
            {
                "precision": precision,
                "way": way,
                "batch_source_target": sizes,
                "seconds": found,
            }
        )
        print(rows[-1], flush=True)
    return rows


def main():
    """Measure all shapes and store the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    need_multi30k("en", "de")
    if small:
        device = "cuda" if torch.cuda.device_count() else "cpu"
        table(device, 1, {"merges": 600, "d_model": 32, "d_ff": 32})
        print("a try: nothing is stored")
        return
    need_gpu()
    store(
        clean_commit(),
        f"Seconds of {STEPS} steps in a row on batches of new shapes, with "
        "cuDNN's form of attention and without",
        [0],
        "Multi30k task 1, English to German",
        {"rows": table("cuda", SHAPES, WIDE)},
    )


if __name__ == "__main__":
    in_one_line(main)
