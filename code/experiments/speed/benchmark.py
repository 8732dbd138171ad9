"""Training and decoding speed, side by side with what people use instead.

    make bench                    size A, under 10 minutes on 2 cores
    make bench ARGS="--sizes B"   the paper's base model
    python code/experiments/run.py benchmark       both sizes, stored
    python code/experiments/run.py benchmark_gpu   on a GPU

All contenders train on the same sentences in interleaved rounds.  The last
lines are ratios, ours over theirs: ratio AGAINST SIZE DEVICE PRECISION X.

On a GPU ours and PyTorch's own train in each number type that it computes in
itself, and, at the first size, once more compiled in the best one; fp16 has a
gradient scaler.  A GPU is through with the CPU's sentences in a moment, so a
round has six times as many.  No contender uses the form of attention that
plans anew for every shape of a batch (new_shapes_gpu.py).  How long a
contender takes to be built and to make its first three steps, compiling
included, is kept, too.  Peak memory is what a process of its own needs for
the model, its optimizer and three steps, or what PyTorch's allocator gave
out for them.  Each size is kept when it is finished, so the command may be
stopped and given again.
"""

import statistics
import time

import torch

from attnbook.data import datasets
from attnbook.data.bpe import BytePairs
from attnbook.training import repro
from attnbook.training.precision import choose_precision, for_many_shapes
from lab.experiment import Experiment
from lab.needs import Missing, need_multi30k, number_types
from lab.progress import track
from speed.bench import decoding, floor, peers
from speed.bench.build import COMPILED, build, peaks_on_cpu
from speed.bench.contenders import SIZES, Size
from speed.clock import waiter

MERGES = 8000
ROUNDS, SENTENCES = 5, 256  # of the test set
LABELS = {"cpu": 8000, "cuda": 50_000}  # of a round, by the size's part
DECODINGS = {"cpu": 3, "cuda": 2}  # rounds
LITTLE = Size("S", 1, 32, 2, 64, 512)  # what a try trains


def load(name):
    """Return encoded pairs, test pairs, vocabulary size, what they are."""
    if name == "multi30k":
        dataset = need_multi30k("de", "en")
    else:
        dataset = datasets.load("storybook", "en", "fr")
    texts = [text for pair in dataset.train for text in pair]
    vocab = BytePairs.learn(texts, MERGES)
    pairs, test = (
        datasets.encode_pairs(part, vocab, vocab)
        for part in (dataset.train, dataset.test)
    )
    about = f"{dataset.name} {dataset.source}->{dataset.target}"
    return pairs, test, len(vocab), about


def loaded(run):
    """Return what `load` gives: Multi30k, or what there is for a try."""
    if run.small:
        pairs, *rest = load("storybook")
        return pairs[:3000], *rest
    try:
        return load("multi30k")
    except Missing as error:
        if run.stored:
            raise
        print(f"{error}; the storybook instead")
        return load("storybook")


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


def plan(device, compiled=True):
    """Return (name, precision) of all contenders, in their order.

    Args:
        device: where they train.
        compiled: whether compiled ones are among them.
    """
    best = choose_precision("auto", device)
    types = number_types(device)
    if device.type == "cpu":
        types = ["fp32"] + ["bf16"] * (best == "bf16")
    found = [("common-loop", "fp32")]
    for precision in types:
        found += [("torch-best", precision), ("ours", precision)]
    if compiled:
        names = "torch-best", "ours"
        found += [(f"{COMPILED}{name}", best) for name in names]
    return found + [(name, best) for name in peers.installed()]


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


def measure(size, data, device, compiled, small=False):
    """Measure all contenders of one size; print tables, return numbers.

    Args:
        size: a `Size`.
        data: encoded pairs, test pairs and the vocabulary's size.
        device: where it computes.
        compiled: whether the first size is compiled, too.
        small: whether it is a try.
    """
    pairs, test, vocab = data
    wait = waiter(device)
    bandwidth = floor.bandwidth(device, wait)  # while the memory is free
    if device.type == "cuda":
        torch.cuda.empty_cache()
    keys = plan(device, compiled and size.part == 1)
    labels = 2000 if small else LABELS[device.type] // size.part
    shared = size, pairs, vocab, device, labels
    with for_many_shapes(device):
        contenders, peaks, first = build(keys, *shared)
        rounds = 1 if small else ROUNDS
        training = training_speeds(contenders, rounds, wait)
    if device.type == "cpu" and not small:
        peaks = peaks_on_cpu(contenders, *shared)
    show("labels per second of training, peak memory", training, peaks)
    bounds = {
        key: floor.measure(one, wait, bandwidth)
        for key, one in contenders.items()
        if key.startswith("ours")
    }
    models = {
        key.split()[0]: one.model
        for key, one in contenders.items()
        if key.endswith("fp32") or key.split()[0] == "transformers"
    }
    count = 8 if small else SENTENCES // size.part
    decoded = decoding.measure(
        models, test, DECODINGS[device.type], count, wait
    )
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
        "peak_bytes": peaks,
        "seconds_to_start": first,
        "sentences_per_second": decoded,
        "floor": bounds,
        "ratios": ratios_of(size.name, device.type, training, decoded),
    }


def measure_all(run, compiled):
    """Measure all sizes and print the ratios last; None if some lack.

    Args:
        run: a `Run`.
        compiled: whether some contenders are compiled.
    """
    *data, about = loaded(run)
    print(f"{about}, {data[-1]} tokens; {repro.describe_machine()}")
    sizes = {name: SIZES[name] for name in run.options.sizes}
    if run.small:
        sizes = {LITTLE.name: LITTLE}
    # A try on a CPU does not try the compiler: that of a GPU is another.
    eager = run.small and run.device.type == "cpu"
    with torch.compiler.set_stance("force_eager" if eager else "default"):
        values = {
            name: run.get(
                name, measure, size, data, run.device, compiled, run.small
            )
            for name, size in sizes.items()
        }
    found = {k: v for one in values.values() for k, v in one["ratios"].items()}
    for label, (_, least, most) in found.items():
        print(f"range {label} {least:.2f} to {most:.2f}")
    for label, (median, _, _) in found.items():
        print(f"ratio {label} {median:.2f}")
    return values if set(values) == set(SIZES) else None


def add_options(parser):
    """Add the command's own options."""
    parser.add_argument("--sizes", choices=SIZES, nargs="+", default=[*SIZES])


DATA = "multi30k de->en, 8260 tokens"
CPU = Experiment(
    "benchmark",
    needs="Multi30k, the other libraries",
    about="Training and decoding, side by side, in interleaved rounds",
    data=DATA,
    measure=lambda run: measure_all(run, compiled=False),
    revision=3,
    options=add_options,
)
GPU = Experiment(
    "benchmark_gpu",
    needs="a GPU, Multi30k, the other libraries",
    about="Training and decoding on a GPU, side by side, in interleaved "
    "rounds",
    data=DATA,
    measure=lambda run: measure_all(run, compiled=True),
    revision=4,
    options=add_options,
)
