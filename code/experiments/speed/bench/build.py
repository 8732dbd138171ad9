"""Build contenders, and measure what each needs before it trains.

    python code/experiments/run.py build NAME PRECISION FILE

prints the bytes that a contender needs on a CPU: weights, state, three steps.
"""

import pickle
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from attnbook.training import repro
from lab.catalogue import RUN
from lab.progress import track
from speed.bench import peers
from speed.bench.contenders import (
    Contender,
    Ours,
    TorchTransformer,
    adam,
    best_optimizer,
    bucketed,
    our_model,
    shuffled,
)

COMPILED = "compiled-"  # a name that begins so is that contender, compiled


def contender(name, precision, size, pairs, vocab, device, labels):
    """Build a contender, with first weights by seed 0.

    Args:
        name: "ours", "common-loop", "torch-best" or one of `peers.PEERS`;
            the first and the third may be compiled.
        precision: "fp32", "bf16" or "fp16".
        size: a `Size`.
        pairs: encoded pairs.
        vocab: vocabulary size.
        device: where it computes.
        labels: target tokens of a round.
    """
    repro.seed_everything(0)
    base = name.removeprefix(COMPILED)
    if name == "common-loop":
        model = TorchTransformer(size, vocab, tied=False).to(device)
        return Contender(
            name, model, shuffled(pairs, labels), precision, adam(model)
        )
    batches = bucketed(pairs, size, labels)
    if base == "ours":
        model = our_model(size, vocab).to(device)
        if name != base:
            model.states = torch.compile(model.states, dynamic=True)
        return Ours(base, model, batches, precision)
    if base == "torch-best":
        model = TorchTransformer(size, vocab, tied=True).to(device)
    else:
        model = peers.PEERS[base](size, vocab).to(device)
    optimizer = best_optimizer(model)
    if name != base:
        model = torch.compile(model, dynamic=True)
    return Contender(base, model, batches, precision, optimizer)


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
        if not name.startswith(COMPILED) and name not in peers.PEERS:
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
        keys: (name, precision) of each.
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


def memory_now():
    """Return the most bytes of this process that were in use so far."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux; getrusage would count the parent, too
        lines = status.read_text().splitlines()
        row = next(line for line in lines if line.startswith("VmHWM"))
        return int(row.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def peaks_on_cpu(keys, *shared):
    """Return the peak of each contender, by a process of its own.

    Args:
        keys: each a name and a precision in one str.
        shared: as in `build`.
    """
    found = {}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "shared"
        path.write_bytes(pickle.dumps(shared))
        for key in track(keys, "peaks of memory"):
            command = [sys.executable, "-W", "ignore", RUN, "build"]
            command += [*key.split(), path]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
            found[key] = int(done.stdout.split()[-1])
    return found


def main(words):
    """Print the bytes that a contender needs."""
    name, precision, path = words
    shared = pickle.loads(Path(path).read_bytes())
    before = memory_now()
    one = contender(name, precision, *shared)
    for batch in one.batches[:3]:
        one.step(batch)
    print(memory_now() - before)
