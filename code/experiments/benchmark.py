"""Training and decoding speed, side by side with what people use instead.

    make bench                    size A, under 10 minutes on 2 cores
    make bench ARGS="--sizes B"   the paper's base model
    make bench ARGS=--store       keep the result in the repository

All contenders train on the same sentences in interleaved rounds.  The last
lines are ratios, ours over theirs: ratio AGAINST SIZE DEVICE PRECISION X.
"""

import argparse
import pickle
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from attnbook.data import datasets
from attnbook.data.bpe import BytePairs
from attnbook.training import repro
from attnbook.training.precision import choose_precision
from bench import decoding, floor, peers
from bench.contenders import (
    SIZES,
    Contender,
    Ours,
    TorchTransformer,
    adam,
    best_optimizer,
    bucketed,
    our_model,
    shuffled,
)
from needs import Missing, in_one_line, need_multi30k
from store import clean_commit, store
from track import track

NEEDS = "Multi30k, the other libraries"
REVISION = 3  # raise it by hand when the times are stale
MERGES = 8000
NAMES = ("ours", "common-loop", "torch-best", *peers.PEERS)


def load(name):
    """Return encoded pairs, test pairs, vocabulary size, what they are."""
    dataset = None
    if name != "storybook":
        try:
            dataset = need_multi30k("de", "en")
        except Missing as error:
            if name == "multi30k":
                raise
            print(f"{error}; the storybook instead")
    if dataset is None:
        dataset = datasets.load("storybook", "en", "fr")
    texts = [text for pair in dataset.train for text in pair]
    vocab = BytePairs.learn(texts, MERGES)
    pairs, test = (
        datasets.encode_pairs(part, vocab, vocab)
        for part in (dataset.train, dataset.test)
    )
    about = f"{dataset.name} {dataset.source}->{dataset.target}"
    return pairs, test, len(vocab), about


def waiter(device):
    """Return a function that waits until the device has finished."""
    if device.type == "cuda":
        return torch.cuda.synchronize
    return lambda: None


def contender(name, precision, size, pairs, vocab, device, options):
    """Build a contender, with first weights by seed 0.

    Args:
        name: one of `NAMES`.
        precision: "fp32" or "bf16".
        size: a `Size`.
        pairs: encoded pairs.
        vocab: vocabulary size.
        device: where it computes.
        options: of the command.
    """
    repro.seed_everything(0)
    if name == "common-loop":
        model = TorchTransformer(size, vocab, tied=False).to(device)
        batches = shuffled(pairs, options.labels // size.part)
        return Contender(name, model, batches, precision, adam(model))
    batches = bucketed(pairs, size, options.labels // size.part)
    if name == "ours":
        model = our_model(size, vocab).to(device)
        if options.compile:
            model.states = torch.compile(model.states, dynamic=True)
        return Ours(name, model, batches, precision)
    if name == "torch-best":
        model = TorchTransformer(size, vocab, tied=True).to(device)
    else:
        model = peers.PEERS[name](size, vocab).to(device)
    optimizer = best_optimizer(model)
    if options.compile:
        model = torch.compile(model, dynamic=True)
    return Contender(name, model, batches, precision, optimizer)


def training_speeds(contenders, rounds, wait):
    """Return labels per second of every contender, a list per round."""
    speeds = {key: [] for key in contenders}
    for number in track(range(rounds + 1), "rounds of training"):
        for key, one in contenders.items():
            start = time.perf_counter()
            for batch in one.batches:
                one.step(batch)
            wait()
            seconds = time.perf_counter() - start
            if number:  # the first one warms up
                labels = sum(batch.tokens for batch in one.batches)
                speeds[key].append(labels / seconds)
    return speeds


def memory_now(device):
    """Return the most bytes that were in use so far."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated()
    status = Path("/proc/self/status")
    if status.exists():  # Linux; getrusage would count the parent, too
        lines = status.read_text().splitlines()
        row = next(line for line in lines if line.startswith("VmHWM"))
        return int(row.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def print_peak(options, device):
    """Print the bytes that a contender needs: weights, state, three steps."""
    name, precision, path = options.peak
    pairs, vocab = pickle.loads(Path(path).read_bytes())
    before = memory_now(device)
    size = SIZES[options.sizes[0]]
    one = contender(name, precision, size, pairs, vocab, device, options)
    for batch in one.batches[:3]:
        one.step(batch)
    waiter(device)()
    print(memory_now(device) - before)


def peaks(size, keys, pairs, vocab, options):
    """Return the peak memory of each contender, by a process of its own."""
    found = {}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "pairs"
        path.write_bytes(pickle.dumps((pairs, vocab)))
        for key in track(keys, "peaks of memory"):
            command = [sys.executable, "-W", "ignore", __file__]
            command += ["--sizes", size.name]
            command += ["--labels", str(options.labels)]
            command += ["--peak", *key.split(), str(path)]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
            found[key] = int(done.stdout.split()[-1])
    return found


def ratios(speeds, ours, theirs):
    """Return the median and the range of ours over theirs, by round."""
    each = [a / b for a, b in zip(speeds[ours], speeds[theirs], strict=True)]
    return statistics.median(each), min(each), max(each)


def show(title, speeds, extra=None):
    """Print a table of medians and ranges."""
    print(f"\n{title}")
    for key, values in speeds.items():
        row = f"  {key:28} {statistics.median(values):9.0f}"
        row += f"  ({min(values):.0f} to {max(values):.0f})"
        if extra and key in extra:
            row += f"  {extra[key] / 2**20:8.0f} MiB"
        print(row)


def options_of(arguments=None):
    """Return the command's options."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", choices=SIZES, nargs="+", default=["A"])
    parser.add_argument("--data", default="auto")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--labels", type=int, default=8000, help="per round, size A"
    )
    parser.add_argument(
        "--sentences", type=int, default=256, help="of the test set"
    )
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--peak", nargs=3, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def chosen(device):
    """Return (name, precision) of all contenders, in their order."""
    precisions = ["fp32"]
    if choose_precision("auto", device) == "bf16":
        precisions.append("bf16")
    pairs = [("common-loop", "fp32")]
    for precision in precisions:
        pairs += [("torch-best", precision), ("ours", precision)]
    return pairs + [(name, precisions[-1]) for name in peers.installed()]


def ratios_of(size, device, training, decoded):
    """Return the ratios, label -> (median, least, most)."""
    found = {}
    for key in training:
        name, precision = key.rsplit(" ", 1)
        if name == "common-loop":
            for mine in training:
                if mine.startswith("ours"):
                    label = f"{name} {size} {device} {mine.split()[1]}"
                    found[label] = ratios(training, mine, key)
        elif name != "ours":
            label = f"{name} {size} {device} {precision}"
            found[label] = ratios(training, f"ours {precision}", key)
    for key in decoded:
        kind, name = key.split()
        if name != "ours":
            label = f"{kind}-{name} {size} {device} fp32"
            found[label] = ratios(decoded, f"{kind} ours", key)
    return found


def measure(size, pairs, test, vocab, device, options):
    """Measure all contenders of one size; print tables, return numbers."""
    wait, shared = waiter(device), (size, pairs, vocab, device, options)
    contenders = {
        f"{name} {precision}": contender(name, precision, *shared)
        for name, precision in chosen(device)
    }
    training = training_speeds(contenders, options.rounds, wait)
    memory = peaks(size, contenders, pairs, vocab, options)
    models = {
        key.split()[0]: one.model
        for key, one in contenders.items()
        if key.endswith("fp32") or key.split()[0] == "transformers"
    }
    decoded = decoding.measure(
        models, test, 3, options.sentences // size.part, wait
    )
    bounds = {
        key: floor.measure(one, wait)
        for key, one in contenders.items()
        if key.startswith("ours")
    }
    show("labels per second of training, peak memory", training, memory)
    show("sentences per second of decoding", decoded)
    for key, bound in bounds.items():
        print(f"\nthe floor of {key}")
        for name, value in bound.items():
            print(f"  {name:24} {value}")
    return {
        "parameters": {
            key: repro.parameter_count(one.model)
            for key, one in contenders.items()
        },
        "labels_per_second": training,
        "peak_bytes": memory,
        "sentences_per_second": decoded,
        "floor": bounds,
        "ratios": ratios_of(size.name, device.type, training, decoded),
    }


def main():
    """Measure, store if asked, print the ratios last."""
    options = options_of()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if options.peak:
        print_peak(options, device)
        return
    peers.note_absent(options.store)
    commit = clean_commit() if options.store else None
    pairs, test, vocab, about = load(options.data)
    print(f"{about}, {vocab} tokens; {repro.describe_machine()}")
    values = {
        name: measure(SIZES[name], pairs, test, vocab, device, options)
        for name in options.sizes
    }
    if options.store:
        what = "Training and decoding, side by side, in interleaved rounds"
        store(commit, what, [0], f"{about}, {vocab} tokens", values)
    found = {k: v for one in values.values() for k, v in one["ratios"].items()}
    for label, (_, least, most) in found.items():
        print(f"range {label} {least:.2f} to {most:.2f}")
    for label, (median, _, _) in found.items():
        print(f"ratio {label} {median:.2f}")


if __name__ == "__main__":
    in_one_line(main)
