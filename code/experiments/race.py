"""The race: a GRU without attention, a GRU with it, a Transformer.

    python code/experiments/race.py                the storybook, on a CPU
    python code/experiments/race.py --at-most 3    three runs, then stop
    python code/experiments/race.py --speeds       the speeds alone, again
    python code/experiments/race.py --small        a try, stores nothing

The three have parameters within 10 %, and the same data, vocabularies,
batches, steps, schedule, decoder and measures.  Each has its own highest
learning rate, found by full runs with the first seed: 0.004 and both its
neighbours, half and twice, then the neighbours of the best, until the best
one has both.  The lowest validation loss decides; then come the other seeds.
Test sentences are scored with the chosen rates alone, and each pair of
models is compared by a paired bootstrap, seed by seed.

Every finished run is kept in runs/race/ (which git ignores), so the command
may be stopped and given again.  When all are there, the speeds are measured,
the models in turn, and the result is stored.  Give --speeds on a machine
that does nothing else: it measures them anew, and stores.
The storybook takes about 70 minutes on 1 core.  `race_multi30k.py` is the same
on German to English, with a quarter of the usual steps, on a GPU.  One such
run leaves most of a GPU idle, so there all runs that wait for no other are
made side by side, each in a process of its own; the speeds are left to
`race_speeds_gpu.py`.
"""

import argparse
import itertools
import json
import math
import re
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

import torch
from torch import nn

from attnbook.config import RecurrentConfig, TransformerConfig
from attnbook.data import datasets
from attnbook.data.files import write_file
from attnbook.decoding import metrics
from attnbook.decoding.bootstrap import paired_bootstrap
from attnbook.decoding.translator import Translator
from attnbook.recurrent import Recurrent
from attnbook.training import checkpoint
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train, validation_loss
from attnbook.training.progress import Progress
from attnbook.training.repro import parameter_count, seed_everything
from attnbook.transformer import Transformer, initialise
from fingerprints import first_losses, hash_of_pairs
from needs import Missing, in_one_line, need_gpu, need_multi30k
from rows import key_of
from store import ROOT, clean_commit, store
from track import track

SEEDS = (0, 1, 2, 3, 4)
START = 4e-3  # where the search for a learning rate begins
LOSS = "validation_nats_per_token"
MODELS = ("GRU", "GRU with attention", "Transformer")
MERGES = 8000
NEEDS = "the storybook"
TRY = {"max_tokens": 256, "steps": 2, "warmup": 1}  # with --small
QUARTER = {"steps": 1000, "average": 1}  # of the captions' steps
# Widths and layers of the recurrent models; the Transformer is the one of
# `datasets`.  They make the three equal in size within 10 %.
WIDTHS = {
    "storybook": {"GRU": (204, 1), "GRU with attention": (172, 1)},
    "multi30k": {
        "GRU": (220, 1),
        "GRU with attention": (212, 1),
        "GRU, one table": (444, 1),
        "GRU with attention, one table": (388, 1),
    },
}


class Data:
    """Sentence pairs, encoded, with the settings to train on them.

    Args:
        name: "storybook" or "multi30k".
        small: whether to keep a little of it alone.
    """

    def __init__(self, name, small):
        if name == "storybook":
            self.set = datasets.load("storybook", "en", "fr")
        else:
            self.set = need_multi30k("de", "en")
        self.training = self.set.training
        if name == "multi30k":
            self.training = self.training | QUARTER
        if small:
            self.training = self.training | TRY
            del self.set.train[500:]
        keep = slice(0, 4 if small else None)
        self.test = self.set.test[keep]
        self.source, self.target = self.set.learn_vocabularies(
            1500 if small else MERGES
        )
        self.train_ids, self.valid_ids = (
            datasets.encode_pairs(pairs, self.source, self.target)
            for pairs in (self.set.train, self.set.valid[keep])
        )


class Scaled(nn.Embedding):
    """A table whose rows are looked up times the root of the width."""

    def forward(self, ids):
        """Return the vectors of ids, (B, T) -> (B, T, D)."""
        return super().forward(ids) * self.embedding_dim**0.5


def with_one_table(model):
    """Return a `Recurrent` that has one table for source, target and output.

    Scale and start are the Transformer's: Vaswani et al. (2017), sec. 3.4.
    """
    table = Scaled(*model.target_embedding.weight.shape)
    table.apply(initialise)
    model.source_embedding = model.target_embedding = table
    model.output.weight = table.weight
    return model


def new_model(data, name, seed):
    """Return an untrained model of the race, or of its control."""
    seed_everything(seed)
    sizes = {
        "source_vocab": len(data.source),
        "target_vocab": len(data.target),
    }
    if name == "Transformer":
        return Transformer(TransformerConfig(**data.set.model, **sizes))
    width, layers = WIDTHS[data.set.name][name]
    model = Recurrent(
        RecurrentConfig(
            **sizes,
            cell="gru",
            attention=name.startswith("GRU with attention"),
            d_model=width,
            num_layers=layers,
            dropout=data.set.model["dropout"],
            max_length=data.set.model["max_length"],
        )
    )
    return with_one_table(model) if name.endswith("one table") else model


def fingerprint(name="storybook"):
    """Return what shows whether the stored result is stale."""
    data, cpu = Data(name, False), torch.device("cpu")
    losses = {
        model: first_losses(fit, data, model, SEEDS[0], 4e-3, cpu)
        for model in MODELS
    }
    return {"data": hash_of_pairs(data.set), "losses": losses}


def fit(data, name, seed, rate, device):
    """Train one model.

    Args:
        data: a `Data`.
        name: of the model.
        seed: of first weights, order of batches and dropout.
        rate: highest learning rate.
        device: where it computes.

    Returns:
        The model, its weights averaged as the data's settings say, and a
        dict of what the run was.
    """
    steps = data.training["steps"]
    fields = {"precision": "bf16"} | data.training | {"learning_rate": rate}
    fields["save_every"] = max(1, steps // 20)
    config = TrainConfig(**fields, seed=seed)
    model = new_model(data, name, seed).to(device)
    progress = Progress(steps, stream=sys.stderr)
    with TemporaryDirectory() as folder:
        start = time.perf_counter()
        history = train(
            model,
            data.train_ids,
            config,
            Path(folder),
            data.valid_ids,
            progress,
        )
        seconds, speed = time.perf_counter() - start, progress.speed()
        last = [path for _, path in checkpoint.steps(folder)]
        checkpoint.average_weights(last[-config.average :], model)
    loss = validation_loss(model, data.valid_ids)
    return model, {
        "model": name,
        "seed": seed,
        "learning_rate": rate,
        "steps": steps,
        "parameters": parameter_count(model),
        "precision": config.precision,
        "threads": torch.get_num_threads(),
        "training_seconds": round(seconds, 1),
        "tokens_per_second": round(speed),
        "history": history,
        LOSS: round(loss, 4) if math.isfinite(loss) else None,
    }


def one_run(data, name, seed, rate, device):
    """Train one model and translate the test set; return what it was."""
    model, about = fit(data, name, seed, rate, device)
    translator = Translator(model, data.source, data.target)
    for key, width in (("greedy", 1), ("beam", 5)):
        start = time.perf_counter()
        written = translator.translate([s for s, _ in data.test], width)
        seconds = round(time.perf_counter() - start, 1)
        about[key] = {"written": written, "beam": width, "seconds": seconds}
    return about


def scores(data, way):
    """Return all measures on the test set, with their signatures.

    Args:
        data: a `Data`.
        way: what `one_run` has written in one way.

    Returns:
        A dict.
    """
    written, wanted = way["written"], [t for _, t in data.test]
    measured = {
        "bleu": metrics.bleu(written, wanted),
        "chrf": metrics.chrf(written, wanted),
    }
    if data.set.name == "multi30k":
        measured["lowercased_moses_bleu"] = metrics.old_bleu(
            written, wanted, data.set.target
        )
    found = {
        name: {"score": round(score, 2), "signature": how}
        for name, (score, how) in measured.items()
    }
    found["exact_match"] = round(metrics.exact_match(written, wanted), 4)
    return found | {key: way[key] for key in ("beam", "seconds")}


def scored(data, run):
    """Return a run with the scores of its translations in their place."""
    found = {k: v for k, v in run.items() if k not in ("greedy", "beam")}
    return found | {
        "test_greedy": scores(data, run["greedy"]),
        "test_beam": scores(data, run["beam"]),
    }


def compared(data, runs):
    """Return how far the models are apart, in pairs and seed by seed.

    One pair of trained models each: the interval says what other sentences
    might give, and the seeds beside it what other runs might.

    Args:
        data: a `Data`.
        runs: a dict of a model's name -> its runs, in order of the seeds.

    Returns:
        A list of dicts.
    """
    wanted = [t for _, t in data.test]
    found = []
    for first, second in itertools.combinations(runs, 2):
        for a, b in zip(runs[first], runs[second], strict=True):
            texts = (run["greedy"]["written"] for run in (a, b))
            row = {"first": first, "second": second, "seed": a["seed"]}
            found.append(row | paired_bootstrap(*texts, wanted))
    return found


class Kept:
    """Runs that are finished, in a file.

    Args:
        path: of the file.
        commit: of the code; noted with every run.
        most: how many new runs to make before the program ends; None for
            all of them.
    """

    def __init__(self, path, commit, most=None):
        self.path, self.commit, self.left = path, commit, most
        self.lock = Lock()  # runs may be made side by side
        text = path.read_text(encoding="utf-8") if path.is_file() else "{}"
        self.runs = json.loads(text)

    def get(self, key, make):
        """Return a run; make it if it is not there.

        Args:
            key: of the run, a str.
            make: a function without arguments that returns a dict.
        """
        if key not in self.runs:
            with self.lock:
                if self.left == 0:
                    raise SystemExit(f"stopped before {key}; race.py goes on")
                self.left = None if self.left is None else self.left - 1
            run = make() | {"commit": self.commit}
            with self.lock:
                self.runs[key] = run
                write_file(self.path, json.dumps(self.runs))
            print("finished", key, flush=True)
        return self.runs[key]


def search(measure, rate, each=map):
    """Return the best learning rate that has neighbours on both sides.

    The grid has a factor of 2; the search goes on while the best is an end.

    Args:
        measure: a function from a rate to a loss, None if it is not finite.
        rate: where to begin.
        each: like `map`; may measure several rates at once.

    Returns:
        The rate, and a dict of rate -> loss of all that were tried.
    """
    losses, ends = {}, [rate / 2, rate, rate * 2]
    while ends:
        losses |= zip(ends, each(measure, ends), strict=True)
        finite = {r: loss for r, loss in losses.items() if loss is not None}
        best = min(finite, key=finite.get) if finite else min(losses)
        ends = [r for r in (best / 2, best * 2) if r not in losses]
    return best, dict(sorted(losses.items()))


def apart(words):
    """Return a run that a process of its own makes; see ``--one``."""
    command = [sys.executable, "-W", "ignore", *sys.argv, *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def full_run(data, name, kept, device, rate, seed):
    """Return a full run; make it if it is not there yet."""

    def make():
        if device.type == "cuda":
            return apart(["--one", name, str(seed), str(rate)])
        return one_run(data, name, seed, rate, device)

    return kept.get(f"{name}, rate {rate}, seed {seed}", make)


def pace(data, names, device, rounds=10, steps=None):
    """Return tokens per second of each model, measured in turn.

    On a quiet machine a program that computes in one thread has its core to
    itself: its seconds of computing are those on the clock.  On a GPU the
    clock alone counts; the last step's loss is read, so all is computed.

    Args:
        data: a `Data`.
        names: of the models.
        device: where it computes.
        rounds: how often each is measured.
        steps: of one measurement; the same batches for all.  None for 20,
            on a GPU for 40, so that sorting the sentences, which comes
            first, is little beside them.

    Returns:
        A dict of name -> the median, all measurements, and the smallest
        share of a core that the program had in one.
    """
    steps = steps or (40 if device.type == "cuda" else 20)
    fields = {"precision": "bf16"} | data.training
    fields |= {"steps": steps, "save_every": steps}
    config = TrainConfig(**fields, seed=0)
    models = {name: new_model(data, name, 0).to(device) for name in names}
    speeds, shares = ({name: [] for name in names} for _ in range(2))
    for _, name in itertools.product(range(rounds + 1), names):
        clock, computed = time.perf_counter(), time.process_time()
        progress = Progress(steps, stream=sys.stderr)
        train(models[name], data.train_ids, config, None, None, progress)
        speeds[name].append(round(progress.speed()))
        computed = time.process_time() - computed
        shares[name].append(computed / (time.perf_counter() - clock))
    return {
        name: {
            "tokens_per_second": statistics.median(measured[1:]),
            "rounds": measured[1:],  # the first one warms up
            "share_of_a_core": round(min(shares[name][1:]), 2),
        }
        for name, measured in speeds.items()
    }


def race(data, kept, seeds, device):
    """Make every run that is not there yet.

    Returns:
        What they say, a dict, and a dict of a model's name -> its runs.
    """
    chosen, runs = {}, {}
    with ThreadPoolExecutor(3) as models, ThreadPoolExecutor(12) as others:
        side_by_side = device.type == "cuda"
        each, inner = (
            pool.map if side_by_side else map for pool in (models, others)
        )

        def of_model(name):
            run = partial(full_run, data, name, kept, device)
            rate, losses = search(
                lambda rate: run(rate, seeds[0])[LOSS], START, inner
            )
            return rate, losses, list(inner(partial(run, rate), seeds))

        done = track(each(of_model, MODELS), "models", len(MODELS))
        for name, (rate, losses, made) in zip(MODELS, done, strict=True):
            chosen[name] = {"learning_rate": rate, "tried": {"full": losses}}
            runs[name] = made
    values = {
        "chosen": chosen,
        "runs": [scored(data, run) for run in sum(runs.values(), [])],
        "compared": compared(data, runs),
    }
    return values, runs


def file_of(name, data, device):
    """Return the name of the file in which finished runs are kept.

    Runs of two GPUs, whose number types may differ, or of other code do not
    belong together.
    """
    found = f"{name}-{data.set.fingerprint()}"
    if device.type == "cuda":
        card = re.sub(r"\W+", "-", torch.cuda.get_device_name())
        found += f"-{key_of(Path(sys.argv[0]).stem)}-{card}"
    return found


def main(name="storybook", more=None):
    """Run the race on some data and store it.

    Args:
        name: a key of `WIDTHS`.
        more: what a race on a GPU stores beside the scores: a function from
            a `Data` and a dict of a model's name -> its runs to a dict.  If
            None, the speeds are measured here and stored.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--at-most", type=int)
    parser.add_argument("--one", nargs=3, metavar=("MODEL", "SEED", "RATE"))
    if more:
        parser.add_argument("--score", type=Path, metavar="FILE")
    else:
        parser.add_argument("--speeds", action="store_true")
    options = parser.parse_args()
    finished = options.score if more else None
    if finished and not finished.is_file():
        raise Missing(f"expected a file of finished runs, got {finished}")
    if more and not options.small and not finished:
        need_gpu()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_num_threads(1)
    data = Data(name, options.small)
    if options.one:
        model, seed, rate = options.one
        run = one_run(data, model, int(seed), float(rate), device)
        print(json.dumps(run))
        return
    measure = partial(pace, data, MODELS, device)
    if options.small:
        with TemporaryDirectory() as folder:
            kept = Kept(Path(folder) / "runs.json", None)
            values, runs = race(data, kept, SEEDS[:1], device)
        print(values)
        print(more(data, runs) if more else measure(rounds=1, steps=2))
        print("a try: nothing is stored")
        return
    commit = clean_commit()
    path = finished or ROOT / f"runs/race/{file_of(name, data, device)}.json"
    kept = Kept(path, commit, 0 if finished else options.at_most)
    if not more and options.speeds:  # again, and no run beside them
        kept.runs.pop("speeds", None)
        kept.left = 1
        kept.get("speeds", measure)
    values, runs = race(data, kept, SEEDS, device)
    values |= (
        more(data, runs) if more else {"pace": kept.get("speeds", measure)}
    )
    made = f"; the runs are those of {path.stem}" if finished else ""
    store(
        commit,
        "Three translators of equal size on the same data, batches, decoder "
        "and measures; the learning rate of each chosen on validation data "
        "by full runs, with one run at half of it and one at twice",
        SEEDS,
        f"{name}, {data.set.source} to {data.set.target}, "
        f"{len(data.train_ids):,} training pairs, {len(data.test):,} test "
        "pairs; a seed changes first weights, order of batches and dropout"
        + made,
        values,
    )


if __name__ == "__main__":
    in_one_line(main)
