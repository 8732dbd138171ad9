"""The benchmark on a GPU: fp32, bf16, fp16 with a scaler, torch.compile.

    python code/experiments/benchmark_gpu.py
    python code/experiments/benchmark_gpu.py --small   a try, anywhere

Contenders, sentences and sizes are those of benchmark.py.  Ours and PyTorch's
own train in each number type that the GPU computes in itself, and, at the
first size, once more compiled in the best one; fp16 has a gradient scaler.  A
GPU is through with the CPU's sentences in a moment, so a round has six times
as many.  No contender uses the form of attention that plans anew for every
shape of a batch (new_shapes_gpu.py).  How long a contender takes to be built
and to make its first three steps, compiling included, is kept, too.  Peak
memory is what PyTorch's allocator gave out for the model, its optimizer and
three steps.  The floor of a step is that of bench/floor.py without the
profiler's part.

Each size is kept in runs/rows/ (which git ignores) when it is finished, so
the command may be stopped and given again.
"""

import argparse
import time

import torch
from torch import nn

import benchmark
from attnbook.data.vocabulary import PAD
from attnbook.training import repro
from attnbook.training.precision import (
    PRECISIONS,
    autocast,
    choose_precision,
    for_many_shapes,
)
from bench import decoding, floor, peers
from bench.contenders import SIZES, SMOOTHING, Contender, Size
from needs import in_one_line, need_gpu, number_types
from rows import Rows
from store import clean_commit, store
from track import track

NEEDS = "a GPU, Multi30k, the other libraries"
REVISION = 4  # raise it by hand when the times are stale
LABELS, ROUNDS, SENTENCES = 50_000, 5, 256  # a round has LABELS / size.part
LITTLE = Size("S", 1, 32, 2, 64, 512)  # what --small trains


class Scaled(Contender):
    """Somebody else's model, trained in fp16 as PyTorch's guide does it."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.scaler = torch.amp.GradScaler(self.device.type)

    def step(self, batch):
        """Make one step: scaled loss, gradients, clipping, update."""
        batch = batch.to(self.device)
        self.optimizer.zero_grad(set_to_none=True)
        with autocast(self.precision, self.device):
            logits = self.model(batch.source, batch.target)  # (B, T, V)
        loss = nn.functional.cross_entropy(
            logits.flatten(0, 1).float(),
            batch.labels.flatten(),
            ignore_index=PAD,
            label_smoothing=SMOOTHING,
        )
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.detach()


def with_scaler(one):
    """Return a contender that trains in fp16 with a gradient scaler."""
    if one.name == "ours":
        one.scaler = torch.amp.GradScaler(one.device.type)
        return one
    return Scaled(
        one.name, one.model, one.batches, one.precision, one.optimizer
    )


def plan(device, compiled=True):
    """Return (name, precision) of all contenders, in their order.

    A name that begins with "compiled-" is that contender, compiled.

    Args:
        device: where they train.
        compiled: whether compiled ones are among them.
    """
    best = choose_precision("auto", device)
    found = [("common-loop", "fp32")]
    for precision in number_types(device):
        found += [("torch-best", precision), ("ours", precision)]
    if compiled:
        found += [("compiled-torch-best", best), ("compiled-ours", best)]
    return found + [(name, best) for name in peers.installed()]


def contender(name, precision, size, pairs, vocab, device, labels):
    """Build a contender, with first weights by seed 0; see `plan`."""
    base = name.removeprefix("compiled-")
    options = argparse.Namespace(labels=labels, compile=base != name)
    one = benchmark.contender(
        base, precision, size, pairs, vocab, device, options
    )
    return with_scaler(one) if precision == "fp16" else one


def started(*arguments):
    """Return a contender that has made three steps; see `contender`.

    Returns:
        None for one that could not be compiled here, or for another
        library's that does not run here.
    """
    name, precision = arguments[:2]
    try:
        one = contender(*arguments)
        for batch in one.batches[:3]:
            one.step(batch)
    except Exception as error:
        if not name.startswith("compiled-") and name not in peers.PEERS:
            raise
        why = str(error).partition("\n")[0]
        print(f"left out {name} {precision}: {why}", flush=True)
        return None
    return one


def build(keys, *shared):
    """Return name and precision -> contender, and two dicts alike.

    They are the peak of each in bytes, on a GPU, and the seconds that it took
    to build it and to make its first steps.

    Args:
        keys: see `plan`.
        shared: the other arguments of `contender`.
    """
    made, peaks, seconds = {}, {}, {}
    cuda = torch.cuda.is_available()
    for name, precision in track(keys, "contenders"):
        if cuda:
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
        start = time.perf_counter()
        one = started(name, precision, *shared)
        if one is None:
            continue
        key = f"{name} {precision}"
        made[key] = one
        if cuda:
            torch.cuda.synchronize()
            peaks[key] = torch.cuda.max_memory_allocated() - before
        seconds[key] = round(time.perf_counter() - start, 2)
    return made, peaks, seconds


def floor_of(one, bandwidth, wait):
    """Return what bounds a contender's step; see `floor.measure`.

    Args:
        one: a contender that is not compiled.
        bandwidth: of the device, bytes per second.
        wait: waits until the device has finished.
    """
    rate = floor.matrix_rate(PRECISIONS[one.precision], one.device, wait)
    operations, moved = floor.count(one)
    batch = one.batches[0]
    seconds = floor.best_seconds(lambda: one.step(batch), wait, 20)
    return {
        "precision": one.precision,
        "labels": batch.tokens,
        "operations": operations,
        "bytes": moved,
        "step_seconds": round(seconds, 5),
        "matrix_rate": round(rate),
        "bandwidth": round(bandwidth),
        "seconds_at_matrix_rate": round(operations / rate, 5),
        "seconds_at_bandwidth": round(moved / bandwidth, 5),
        "share_of_matrix_rate": round(operations / rate / seconds, 3),
        "share_of_bandwidth": round(moved / bandwidth / seconds, 3),
    }


def measure(size, data, device, labels, rounds, sentences, compiled=True):
    """Measure all contenders of one size; print tables, return numbers.

    Args:
        size: a `Size`.
        data: encoded pairs, test pairs and the vocabulary's size.
        device: where it computes.
        labels: target tokens of a round.
        rounds: how often each contender trains.
        sentences: of the test set, to decode.
        compiled: whether the first size is compiled, too.
    """
    pairs, test, vocab = data
    wait = benchmark.waiter(device)
    bandwidth = floor.bandwidth(device, wait)  # while the memory is free
    if device.type == "cuda":
        torch.cuda.empty_cache()
    keys = plan(device, compiled and size.part == 1)
    shared = size, pairs, vocab, device, labels
    with for_many_shapes(device):
        contenders, peaks, first = build(keys, *shared)
        training = benchmark.training_speeds(contenders, rounds, wait)
    benchmark.show("labels per second of training", training, peaks)
    bounds = {
        key: floor_of(one, bandwidth, wait)
        for key, one in contenders.items()
        if key.startswith("ours")
    }
    models = {
        key.split()[0]: one.model
        for key, one in contenders.items()
        if key.endswith("fp32") or key.split()[0] == "transformers"
    }
    decoded = decoding.measure(models, test, 2, sentences, wait)
    benchmark.show("sentences per second of decoding", decoded)
    for key, bound in bounds.items():
        print(f"the floor of {key}: {bound}")
    return {
        "parameters": {
            key: repro.parameter_count(one.model)
            for key, one in contenders.items()
        },
        "labels_per_second": training,
        "peak_bytes": peaks,
        "seconds_to_start": first,
        "sentences_per_second": decoded,
        "floor": bounds,
        "ratios": benchmark.ratios_of(
            size.name, device.type, training, decoded
        ),
    }


def tried():
    """Run all of it once on a small model, wherever this is; store nothing."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pairs, test, vocab, _ = benchmark.load("storybook")
    stance = "default" if device.type == "cuda" else "force_eager"
    with torch.compiler.set_stance(stance):  # a CPU's compiler is no GPU's
        measure(LITTLE, (pairs[:3000], test, vocab), device, 2000, 1, 8)
    print("a try: nothing is stored")


def main():
    """Measure both sizes and store them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--sizes", choices=SIZES, nargs="+", default=[*SIZES])
    parser.add_argument("--no-compile", action="store_true")
    options = parser.parse_args()
    if options.small:
        tried()
        return
    need_gpu()
    peers.note_absent(stored=True)
    commit = clean_commit()
    rows, card = Rows(commit), torch.cuda.get_device_name()
    device = torch.device("cuda")
    pairs, test, vocab, about = benchmark.load("multi30k")
    values = {
        name: rows.get(
            f"{name} on {card}{' uncompiled' * options.no_compile}",
            measure,
            SIZES[name],
            (pairs, test, vocab),
            device,
            LABELS // SIZES[name].part,
            ROUNDS,
            SENTENCES // SIZES[name].part,
            not options.no_compile,
        )
        for name in options.sizes
    }
    if options.no_compile or set(values) != set(SIZES):
        print("the rows are kept, nothing is stored")
        return
    store(
        commit,
        "Training and decoding on a GPU, side by side, in interleaved rounds",
        [0],
        f"{about}, {vocab} tokens",
        values,
        rows,
    )
    for one in values.values():
        for label, (median, least, most) in one["ratios"].items():
            print(f"ratio {label} {median:.2f} ({least:.2f} to {most:.2f})")


if __name__ == "__main__":
    in_one_line(main)
