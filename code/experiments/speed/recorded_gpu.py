"""How much of an update on a GPU is waiting for Python?

    python code/experiments/run.py recorded_gpu

The updates of multi30k_quality, English to German, in batches of two sizes,
with R-Drop and without it, in two ways: each small program launched by itself,
and the gradients of a batch recorded and launched as a whole (recorded.py).
The ways take turns, and their order is reversed in every other round; the
first round is thrown away.  What is timed are whole updates, from the making
of a batch to the optimizer's step.

PyTorch's profiler counts the programs of some updates of the first way, and
says how long the GPU was busy with them.  (The stored numbers are of revision
1: its "launches" count what Python did to start a program, too.)  As a
control, both ways make one update without dropout, and compute the gradients
of another batch of the same shape.  The norm of their difference is divided by
that of the first.  (In revision 1 it was the recorded batch, without an update
before.)  The same of two models of the first way says what rounding does.
"""

import time
from itertools import islice

import torch
from torch.profiler import ProfilerActivity, profile

from attnbook.data import datasets
from attnbook.training.precision import for_many_shapes
from lab.experiment import Experiment
from lab.progress import track
from speed.clock import waiter
from translation.search import SMALL, WIDE
from translation.trial import (
    BASE,
    batches,
    begin,
    first_epoch,
    gradients_of,
    make_twice,
    recorded,
    train,
)

CASES = {  # name -> changes of a trial
    "4,096": {"max_tokens": 4096},
    "10,000": {"max_tokens": 10_000},
    "10,000, R-Drop": {"max_tokens": 10_000, "r_drop": 2.0},
}
ROUNDS, UPDATES, PROFILED = 4, 30, 5


class Way:
    """A model that is trained in one way.

    Args:
        options: of a trial.
        most: how many batches of an epoch are recorded at most.
    """

    def __init__(self, options, most=None):
        self.options = options
        dataset, vocab, self.model, self.optimizer = begin(options)
        self.pairs = datasets.encode_pairs(dataset.train, vocab, vocab)
        self.stream = batches(dataset, vocab, options)
        self.add = gradients_of(self.model.train(), options)
        self.prepared = 0.0
        if options["recorded"]:
            start = time.perf_counter()
            epoch = first_epoch(self.pairs, options["max_tokens"])
            self.add = recorded(self.add, islice(epoch, most), options)
            self.wait()
            self.prepared = time.perf_counter() - start

    def wait(self):
        """Wait until the device has finished."""
        waiter(torch.device(self.options["device"]))()

    def updates(self, count):
        """Make updates; return the milliseconds of one."""
        self.wait()
        start = time.perf_counter()
        both = self.model, self.optimizer
        train(*both, self.stream, self.options, self.add, count)
        self.wait()
        return 1000 * (time.perf_counter() - start) / count

    def gradient(self):
        """Return a gradient after one update, all numbers in a row."""
        batch = next(first_epoch(self.pairs, self.options["max_tokens"]))
        other = batch.rows([0] * len(batch.labels))
        for taken in (batch, other):
            self.optimizer.zero_grad(set_to_none=False)
            if self.options["r_drop"]:
                taken = make_twice(taken)
            self.add(taken, taken.tokens)
            self.wait()
            found = [p.grad.flatten() for p in self.model.parameters()]
            found = torch.cat(found)
            self.optimizer.step()
        return found


def programs(way):
    """Return programs and busy milliseconds of one update, profiled."""
    kinds = [ProfilerActivity.CUDA]
    if way.options["device"] == "cpu":
        kinds = [ProfilerActivity.CPU]
    with profile(activities=kinds) as found:
        way.updates(PROFILED)
    rows = [
        row
        for row in found.key_averages()
        if row.device_type.name == way.options["device"].upper()
        and not row.key.startswith(("Memcpy", "Memset"))
    ]
    busy = sum(row.self_device_time_total for row in rows) / 1000
    count = sum(row.count for row in rows)
    return round(count / PROFILED), round(busy / PROFILED, 3)


def apart(options):
    """Return how far gradients are apart: of both ways, and of one."""
    options = options | {"dropout": 0.0}
    plain, again, fast = (
        Way(options | {"recorded": recorded}, 1).gradient()
        for recorded in (False, False, True)
    )
    return [
        float((plain - other).norm() / plain.norm()) for other in (fast, again)
    ]


def row_of(options, rounds, updates, most=None):
    """Measure one case; return a row.

    Args:
        options: of a trial.
        rounds: how often each way has its turn.
        updates: of a turn.
        most: see `Way`.
    """
    with for_many_shapes(torch.device(options["device"])):
        ways = {
            name: Way(options | {"recorded": name == "recorded"}, most)
            for name in ("one by one", "recorded")
        }
        found = {name: [] for name in ways}
        for number in range(rounds + 1):
            for name in [*ways][:: -1 if number % 2 else 1]:
                found[name].append(ways[name].updates(updates))
        count, busy = programs(ways["one by one"])
        both, same = apart(options)
        return {
            "milliseconds": {
                name: [round(n, 2) for n in rest]
                for name, (_, *rest) in found.items()
            },
            "programs": count,
            "busy_milliseconds": busy,
            "shapes": len(ways["recorded"].add.known),
            "seconds_of_recording": round(ways["recorded"].prepared, 2),
            "gradients_apart": both,
            "gradients_apart_of_one_way": same,
        }


def measure(run):
    """Measure all cases; a try on what there is."""
    options, sizes = BASE | WIDE, (ROUNDS, UPDATES)
    if run.small:
        options, sizes = options | SMALL, (1, 1, 2)
    options |= {"minutes": 60.0, "device": run.device.type}
    rows = {}
    for name, changes in track(CASES.items(), "cases"):
        rows[name] = row_of(options | changes, *sizes)
        print(name, rows[name], flush=True)
    return rows


EXPERIMENT = Experiment(
    "recorded_gpu",
    needs="a GPU, Multi30k",
    about="Milliseconds of an update on a GPU, launched one by one or "
    "recorded",
    data="Multi30k task 1, English to German",
    measure=measure,
    revision=2,
    threads=1,
)
