"""The racers: a GRU without attention, a GRU with it, a Transformer.

    python code/experiments/run.py racers DATA MODEL SEED RATE DEVICE

trains one and prints what `one_run` returns, as JSON.
"""

import itertools
import json
import math
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch import nn

from attnbook.config import RecurrentConfig, TransformerConfig
from attnbook.data import datasets
from attnbook.decoding.translator import Translator
from attnbook.recurrent import Recurrent
from attnbook.training import checkpoint
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train, validation_loss
from attnbook.training.progress import Progress
from attnbook.training.repro import parameter_count, seed_everything
from attnbook.transformer import Transformer, initialise
from lab.needs import need_multi30k
from translation.scoring import translated

LOSS = "validation_nats_per_token"
MODELS = ("GRU", "GRU with attention", "Transformer")
MERGES = 8000
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
        written, seconds = translated(translator, data.test, width)
        about[key] = {"written": written, "beam": width, "seconds": seconds}
    return about


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


def main(words):
    """Train one model as a command says; print what it was."""
    data, name, seed, rate, device, *small = words
    torch.set_num_threads(1)
    found = Data(data, bool(small))
    arguments = name, int(seed), float(rate), torch.device(device)
    print(json.dumps(one_run(found, *arguments)))
