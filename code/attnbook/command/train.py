"""What the command ``attnbook train`` does."""

import contextlib
import dataclasses
import math
import time

from attnbook.command.model import add_model, make_model
from attnbook.command.options import (
    add_command,
    add_data,
    add_device,
    add_fields,
    add_languages,
    load_data,
    note,
    read_fields,
)
from attnbook.data import datasets
from attnbook.decoding import metrics
from attnbook.decoding.translator import Translator, find_threshold
from attnbook.training import workers
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train as run_training
from attnbook.training.loop import validation_loss
from attnbook.training.precision import choose_precision
from attnbook.training.progress import Progress, format_minutes
from attnbook.training.repro import parameter_count, seed_everything
from attnbook.training.run_config import name_kind
from attnbook.training.runs import RunFolder

TEXT = """\
Train a translator.

Without options it trains the storybook model, English to French, on the CPU
in some minutes, and prints both readings of the animal sentence.

  attnbook train
  attnbook train --target ko
  attnbook train --data multi30k --source de --target en
  attnbook train --data files --source de --target en \\
      --train text.de text.en

Interrupt it with Ctrl-C, or lose the computer: the same command goes on
from the last checkpoint.

Several processes, each with a GPU of its own or all on CPUs, train the same
model, with the same batches as one:

  torchrun --nproc-per-node 2 --max-restarts 3 -m attnbook train
"""


def add(commands):
    """Add the command."""
    about = "train a translator"
    parser = add_command(commands, "train", about, TEXT, train)
    names = list(datasets.DATASETS)
    parser.add_argument(
        "--data",
        default="storybook",
        choices=names,
        help="(default: storybook)",
    )
    add_languages(parser)
    add_data(parser)
    parser.add_argument(
        "--out", help="folder (default: runs/DATA-SOURCE-TARGET)"
    )
    add_model(parser)
    group = parser.add_argument_group("training")
    add_fields(group, TrainConfig, datasets.DATASETS.values())
    add_device(parser)


def train(options):
    """Train a model, with all workers that torchrun has started.

    Args:
        options: of the command.

    Raises:
        ValueError: data, settings, a folder or an environment that cannot
            be used, or a training that has diverged.
        KeyboardInterrupt: Ctrl-C; the run can be resumed.
    """
    with workers.join_workers(options.device) as device:
        train_here(options, device)


def train_here(options, device):
    """Train a model, then show what it does; worker 0 alone writes."""
    name = f"{options.data}-{options.source}-{options.target}"
    folder = RunFolder(options.out or f"runs/{name}")
    with workers.main_first():  # the others find what it fetches
        dataset = load_data(
            options, options.data, options.source, options.target
        )
    config = TrainConfig(
        **dataset.training | read_fields(options, TrainConfig)
    )
    choose_precision(config.precision, device)  # refuse before writing
    source, target = dataset.learn_vocabularies(options.merges)
    seed_everything(config.seed)
    model = make_model(options, dataset, (len(source), len(target)))
    model.to(device)
    _announce_run(folder, dataset, model, source, target)
    limit = min(model.config.max_length, config.max_tokens)
    limit -= 1  # <eos> or <bos> comes on top
    pairs = _encode_pairs(dataset.train, source, target, limit)
    valid = _encode_pairs(dataset.valid, source, target, limit)
    if not pairs:
        raise ValueError(
            f"expected training pairs of at most {limit} tokens, got none"
        )
    if workers.rank() == 0:
        folder.start(model, source, target, _list_settings(dataset, config))
    seconds = _train_with_progress(model, pairs, config, folder, valid)
    if workers.rank() == 0:
        _save_model(folder, model, config, valid)
        spent = format_minutes(seconds)
        note(f"trained in {spent} minutes, model in {folder.path}")
        _show_translations(Translator(model, source, target), dataset, folder)


def _list_settings(dataset, config):
    """Return what makes a run the same run, beside model and vocabularies."""
    return {
        "data": [dataset.name, dataset.source, dataset.target],
        "pairs": dataset.fingerprint(),
        "valid_pairs": dataset.fingerprint("valid"),
        "training": dataclasses.asdict(config),
    }


def _announce_run(folder, dataset, model, source, target):
    """Print what is going to be trained."""
    device = next(model.parameters()).device
    note(
        f"{dataset.name} {dataset.source}->{dataset.target}: "
        f"{len(dataset.train):,} pairs, vocabularies of {len(source):,} and "
        f"{len(target):,}\n"
        f"{name_kind(model)} with {parameter_count(model):,} "
        f"parameters on {device}, checkpoints in {folder.path}"
    )


def _encode_pairs(pairs, source, target, limit):
    """Return encoded pairs, without those of more than limit tokens."""
    encoded = datasets.encode_pairs(pairs, source, target)
    short = [pair for pair in encoded if max(map(len, pair)) <= limit]
    if len(short) < len(encoded):
        left = len(encoded) - len(short)
        note(f"left out {left} pair(s) of more than {limit} tokens")
    return short


def _train_with_progress(model, pairs, config, folder, valid):
    """Train, showing progress; return the seconds that it took."""
    shown = contextlib.nullcontext()
    if workers.rank() == 0:
        shown = contextlib.closing(Progress(config.steps, folder.last_step()))
    start = time.perf_counter()
    try:
        with shown as progress:
            run_training(model, pairs, config, folder.path, valid, progress)
    except KeyboardInterrupt:
        step = folder.last_step()
        note(
            f"saved in {folder.path} up to step {step}; the same command goes "
            "on from there"
            if step
            else "nothing is saved yet; the same command starts from the "
            "beginning"
        )
        raise
    return time.perf_counter() - start


def _save_model(folder, model, config, valid):
    """Average the last checkpoints; write the mean if its loss is finite."""
    folder.average_last(model, config)
    loss = validation_loss(model, valid) if valid else 0.0
    if not math.isfinite(loss):
        raise ValueError(
            f"expected a finite validation loss, got {loss}: training has "
            f"diverged; remove {folder.path} and try a smaller --learning-rate"
        )
    folder.save_model(model)
    if valid:
        note(f"validation loss {loss:.3f} nats/token")


def _show_translations(trained, dataset, folder):
    """Find out when the model is unsure; print what it makes of sentences."""
    texts = _keep_short(trained, [text for text, _ in dataset.valid])
    if texts:
        trained.sure_from = find_threshold(trained, texts)
        folder.save_threshold(trained.sure_from)
    if dataset.one_translation:
        pairs = dataset.test[:1000]
        written = trained.translate([s for s, _ in pairs])
        right = metrics.exact_match(written, [t for _, t in pairs])
        print(f"exact match on {len(pairs)} unseen sentences: {right:.1%}")
    texts = _keep_short(trained, dataset.examples())
    if not texts:
        return
    for text, output in zip(texts, trained.translate(texts), strict=True):
        print(f"  {dataset.write_text(text, dataset.source)}")
        print(f"  -> {dataset.write_text(output, dataset.target)}")
    print(f"attnbook translate --checkpoint {folder.path} translates more")


def _keep_short(trained, texts):
    """Return the texts that are not too long for the model."""
    limit = trained.model.config.max_length  # with <eos>
    return [t for t in texts if len(trained.source.encode(t)) < limit]
