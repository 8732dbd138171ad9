"""What the command ``attnbook train`` does."""

import contextlib
import dataclasses
import math
import time
from pathlib import Path

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
from attnbook.decoding import metrics, translator
from attnbook.training import checkpoint, runs, workers
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train as run_training
from attnbook.training.loop import validation_loss
from attnbook.training.precision import choose_precision
from attnbook.training.progress import Progress, format_minutes
from attnbook.training.repro import parameter_count, seed_everything

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
        ValueError: as `train_here`, or an environment not of torchrun.
        KeyboardInterrupt: Ctrl-C; the run can be resumed.
    """
    with workers.joined(options.device) as device:
        train_here(options, device)


def train_here(options, device):
    """Train a model, then show what it does; worker 0 alone writes.

    Args:
        options: of the command.
        device: of this worker.

    Raises:
        ValueError: data, settings or folder that cannot be used, or a
            training that has diverged.
        KeyboardInterrupt: Ctrl-C; the run can be resumed.
    """
    name = f"{options.data}-{options.source}-{options.target}"
    folder = Path(options.out or f"runs/{name}")
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
    settings = {
        "data": [dataset.name, dataset.source, dataset.target],
        "pairs": dataset.fingerprint(),
        "valid_pairs": dataset.fingerprint("valid"),
        "training": dataclasses.asdict(config),
    }
    say_what(folder, dataset, model, source, target)
    limit = min(model.config.max_length, config.max_tokens)
    limit -= 1  # <eos> or <bos> comes on top
    encoded, valid = fitting(dataset, source, target, limit)
    if workers.rank() == 0:
        runs.start_run(folder, model, source, target, settings)
    seconds = train_with_progress(model, encoded, config, folder, valid)
    if workers.rank() > 0:
        return
    finish(folder, model, config, valid)
    note(f"trained in {format_minutes(seconds)} minutes, model in {folder}")
    show(translator.Translator(model, source, target), dataset, folder)


def train_with_progress(model, pairs, config, folder, valid):
    """Train, showing progress; return the seconds that it took.

    Args:
        model: the model.
        pairs: encoded pairs.
        config: a `TrainConfig`.
        folder: of the run.
        valid: encoded validation pairs.

    Raises:
        KeyboardInterrupt: Ctrl-C, after the checkpoint was written.
    """
    shown = contextlib.nullcontext()
    if workers.rank() == 0:
        found = checkpoint.steps(folder)
        progress = Progress(config.steps, found[-1][0] if found else 0)
        shown = contextlib.closing(progress)
    start = time.perf_counter()
    try:
        with shown as progress:
            run_training(model, pairs, config, folder, valid, progress)
    except KeyboardInterrupt:
        say_what_is_saved(folder)
        raise
    return time.perf_counter() - start


def say_what_is_saved(folder):
    """Print from where the same command goes on."""
    found = checkpoint.steps(folder)
    note(
        f"saved in {folder} up to step {found[-1][0]}; the same command goes "
        "on from there"
        if found
        else "nothing is saved yet; the same command starts anew"
    )


def say_what(folder, dataset, model, source, target):
    """Print what is going to be trained."""
    device = next(model.parameters()).device
    note(
        f"{dataset.name} {dataset.source}->{dataset.target}: "
        f"{len(dataset.train):,} pairs, vocabularies of {len(source):,} and "
        f"{len(target):,}\n"
        f"{runs.kind_of(model)} with {parameter_count(model):,} "
        f"parameters on {device}, checkpoints in {folder}"
    )


def fitting(dataset, source, target, limit):
    """Return encoded training and validation pairs that are not too long."""
    parts = []
    for pairs in (dataset.train, dataset.valid):
        encoded = datasets.encode_pairs(pairs, source, target)
        parts.append([p for p in encoded if max(map(len, p)) <= limit])
        left = len(encoded) - len(parts[-1])
        if left:
            note(f"left out {left} pair(s) of more than {limit} tokens")
    if not parts[0]:
        raise ValueError(
            f"expected training pairs of at most {limit} tokens, got none"
        )
    return parts


def finish(folder, model, config, valid):
    """Write the mean of the last checkpoints, if its loss is finite."""
    regular = [
        path
        for step, path in checkpoint.steps(folder)
        if step % config.save_every == 0 or step == config.steps
    ]
    checkpoint.average_weights(regular[-config.average :], model)
    loss = validation_loss(model, valid) if valid else 0.0
    if not math.isfinite(loss):
        raise ValueError(
            f"expected a finite validation loss, got {loss}: training has "
            f"diverged; remove {folder} and try a smaller --learning-rate"
        )
    checkpoint.save_weights(folder / "model.safetensors", model)
    if valid:
        note(f"validation loss {loss:.3f} nats/token")


def readable(trained, texts):
    """Return the texts that are not too long for the model."""
    limit = trained.model.config.max_length  # with <eos>
    return [t for t in texts if len(trained.source.encode(t)) < limit]


def learn_doubt(trained, dataset, folder):
    """Find out on validation sentences when the model is unsure."""
    texts = readable(trained, [text for text, _ in dataset.valid])
    if texts:
        trained.sure_from = translator.find_threshold(trained, texts)
        translator.save_threshold(folder, trained.sure_from)


def show(trained, dataset, folder):
    """Print what the fresh model makes of a few sentences."""
    learn_doubt(trained, dataset, folder)
    if dataset.one_translation:
        pairs = dataset.test[:1000]
        written = trained.translate([s for s, _ in pairs])
        right = metrics.exact_match(written, [t for _, t in pairs])
        print(f"exact match on {len(pairs)} unseen sentences: {right:.1%}")
    texts = readable(trained, dataset.examples())
    if not texts:
        return
    for text, output in zip(texts, trained.translate(texts), strict=True):
        print(f"  {dataset.write_text(text, dataset.source)}")
        print(f"  -> {dataset.write_text(output, dataset.target)}")
    print(f"attnbook translate --checkpoint {folder} translates more")
