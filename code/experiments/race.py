"""The race: a GRU without attention, a GRU with it, a Transformer.

    python code/experiments/race.py                the storybook, on a CPU
    python code/experiments/race.py --small        a try, stores nothing
    python code/experiments/race.py --at-most 3    three runs, then stop

The three have parameters within 10 %, and the same data, vocabularies,
batches, steps, schedule, decoder and measures.  Each may choose its highest
learning rate: a short run per rate; the best two of these get a full run,
and the lower validation loss wins.
Every finished run is kept in runs/race/ (which git ignores), so the command
may be stopped and given again; when all are there, the speed of the three
is measured in turn, and the result is stored.
The storybook takes about 50 minutes on 1 core.  `race_multi30k.py` is the same
on German to English.
"""

import argparse
import itertools
import json
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from attnbook.config import RecurrentConfig, TransformerConfig
from attnbook.data import datasets
from attnbook.data.files import write_file
from attnbook.decoding import metrics
from attnbook.decoding.translator import Translator
from attnbook.recurrent import Recurrent
from attnbook.training import checkpoint
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train, validation_loss
from attnbook.training.precision import choose_precision
from attnbook.training.progress import Progress
from attnbook.training.repro import parameter_count, seed_everything
from attnbook.transformer import Transformer
from fingerprints import first_losses, hash_of_pairs
from needs import in_one_line, need_gpu, need_multi30k
from store import ROOT, clean_commit, store
from track import track

SEEDS = (0, 1, 2)
RATES = (1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2)
MODELS = ("GRU", "GRU with attention", "Transformer")
MERGES = 8000
NEEDS = "the storybook"
# Widths and layers of the recurrent models; the Transformer is the one of
# `datasets`.  They make the three equal in size within 10 %.
WIDTHS = {
    "storybook": {"GRU": (204, 1), "GRU with attention": (172, 1)},
    "multi30k": {"GRU": (220, 1), "GRU with attention": (212, 1)},
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
        keep = slice(0, 64 if small else None)
        self.test = self.set.test[keep]
        self.source, self.target = self.set.learn_vocabularies(
            300 if small else MERGES
        )
        self.train_ids, self.valid_ids = (
            datasets.encode_pairs(pairs, self.source, self.target)
            for pairs in (self.set.train, self.set.valid[keep])
        )


def new_model(data, name, seed):
    """Return an untrained model of the race."""
    seed_everything(seed)
    sizes = {
        "source_vocab": len(data.source),
        "target_vocab": len(data.target),
    }
    if name == "Transformer":
        return Transformer(TransformerConfig(**data.set.model, **sizes))
    width, layers = WIDTHS[data.set.name][name]
    return Recurrent(
        RecurrentConfig(
            **sizes,
            cell="gru",
            attention=name == "GRU with attention",
            d_model=width,
            num_layers=layers,
            dropout=data.set.model["dropout"],
            max_length=data.set.model["max_length"],
        )
    )


def fingerprint(name="storybook"):
    """Return what shows whether the stored result is stale."""
    data, cpu = Data(name, False), torch.device("cpu")
    losses = {
        model: first_losses(fit, data, model, SEEDS[0], 4e-3, 1.0, cpu)
        for model in MODELS
    }
    return {"data": hash_of_pairs(data.set), "losses": losses}


def fit(data, name, seed, rate, share, device):
    """Train one model for a share of the steps.

    Args:
        data: a `Data`.
        name: of the model.
        seed: of first weights, order of batches and dropout.
        rate: highest learning rate.
        share: of the data's own number of steps.
        device: where it computes.

    Returns:
        The model, its weights averaged as the data's settings say, and a
        dict of what the run was.
    """
    steps = max(20, int(data.set.training["steps"] * share))
    fields = data.set.training | {"learning_rate": rate, "steps": steps}
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
        seconds = time.perf_counter() - start
        last = [path for _, path in checkpoint.steps(folder)]
        checkpoint.average_weights(last[-config.average :], model)
    return model, {
        "model": name,
        "seed": seed,
        "learning_rate": rate,
        "steps": steps,
        "parameters": parameter_count(model),
        "precision": choose_precision(config.precision, device),
        "threads": torch.get_num_threads(),
        "training_seconds": round(seconds, 1),
        "tokens_per_second": round(progress.speed()),
        "history": history,
        "validation_nats_per_token": round(
            validation_loss(model, data.valid_ids), 4
        ),
    }


def scores(data, model, width):
    """Return all measures on the test set, with their signatures."""
    translator = Translator(model, data.source, data.target)
    start = time.perf_counter()
    written = translator.translate([s for s, _ in data.test], width)
    seconds = time.perf_counter() - start
    wanted = [t for _, t in data.test]
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
    exact = round(metrics.exact_match(written, wanted), 4)
    return found | {
        "exact_match": exact,
        "beam": width,
        "seconds": round(seconds, 1),
    }


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
        text = path.read_text(encoding="utf-8") if path.is_file() else "{}"
        self.runs = json.loads(text)

    def get(self, key, make):
        """Return a run; make it if it is not there.

        Args:
            key: of the run, a str.
            make: a function without arguments that returns a dict.
        """
        if key not in self.runs:
            if self.left == 0:
                raise SystemExit("stopped; the same command goes on")
            self.left = None if self.left is None else self.left - 1
            self.runs[key] = make() | {"commit": self.commit}
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_file(self.path, json.dumps(self.runs))
            print(key, self.runs[key]["validation_nats_per_token"], flush=True)
        return self.runs[key]


def one_run(data, name, seed, rate, share, device):
    """Train one model in full and test it once."""
    model, about = fit(data, name, seed, rate, share, device)
    about["test_greedy"] = scores(data, model, 1)
    about["test_beam"] = scores(data, model, 5)
    return about


def choose_rate(data, name, kept, shares, device):
    """Return the learning rate of the lowest loss, and all losses.

    Args:
        data: a `Data`.
        name: of the model.
        kept: a `Kept`.
        shares: of the steps, in a short and in a full run.
        device: where it computes.
    """
    short, full = {}, {}
    for rate in RATES:
        run = kept.get(
            f"{name}, rate {rate}",
            lambda r=rate: fit(data, name, SEEDS[0], r, shares[0], device)[1],
        )
        short[rate] = run["validation_nats_per_token"]
    for rate in sorted(short, key=short.get)[:2]:
        run = full_run(data, name, SEEDS[0], rate, kept, shares[1], device)
        full[rate] = run["validation_nats_per_token"]
    return min(full, key=full.get), {"short": short, "full": full}


def full_run(data, name, seed, rate, kept, share, device):
    """Return a full run; make it if it is not there yet."""
    return kept.get(
        f"{name}, rate {rate}, seed {seed}",
        lambda: one_run(data, name, seed, rate, share, device),
    )


def pace(data, names, device, rounds=5, steps=20):
    """Return tokens per second of each model, measured in turn.

    Args:
        data: a `Data`.
        names: of the models.
        device: where it computes.
        rounds: how often each is measured.
        steps: of one measurement; the same batches for all.

    Returns:
        A dict of the median and all measurements.
    """
    fields = data.set.training | {"steps": steps, "save_every": steps}
    config = TrainConfig(**fields, seed=0)
    models = {name: new_model(data, name, 0).to(device) for name in names}
    speeds = {name: [] for name in names}
    for _, name in itertools.product(range(rounds + 1), names):
        progress = Progress(steps, stream=sys.stderr)
        train(models[name], data.train_ids, config, None, None, progress)
        speeds[name].append(round(progress.speed()))
    return {
        name: {
            "tokens_per_second": statistics.median(measured[1:]),
            "rounds": measured[1:],  # the first one warms up
        }
        for name, measured in speeds.items()
    }


def race(data, kept, small, device):
    """Make every run that is not there yet; return all of them."""
    shares = (0.01, 0.02) if small else (0.25, 1.0)
    chosen, runs = {}, []
    for name in track(MODELS, "models"):
        rate, losses = choose_rate(data, name, kept, shares, device)
        chosen[name] = {"learning_rate": rate, "tried": losses}
        for seed in SEEDS[: 1 if small else None]:
            runs.append(
                full_run(data, name, seed, rate, kept, shares[1], device)
            )
    return {"chosen": chosen, "runs": runs}


def main(name="storybook"):
    """Run the race on some data and store it.

    Args:
        name: a key of `WIDTHS`.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--at-most", type=int)
    options = parser.parse_args()
    if name == "multi30k" and not options.small:
        need_gpu()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = Data(name, options.small)
    if options.small:
        with TemporaryDirectory() as folder:
            kept = Kept(Path(folder) / "runs.json", None)
            print(race(data, kept, True, device))
        print("a try: nothing is stored")
        return
    commit = clean_commit()
    path = ROOT / f"runs/race/{name}.json"
    kept = Kept(path, commit, options.at_most)
    values = race(data, kept, False, device)
    values["pace"] = pace(data, MODELS, device)
    store(
        commit,
        "Three translators of equal size on the same data, batches, decoder "
        "and measures; the learning rate of each chosen on validation data",
        SEEDS,
        f"{name}, {data.set.source} to {data.set.target}, "
        f"{len(data.train_ids):,} training pairs, {len(data.test):,} test "
        "pairs; a seed changes first weights, order of batches and dropout",
        values,
    )


if __name__ == "__main__":
    in_one_line(main)
