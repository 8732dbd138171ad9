"""Rows of digits to copy, to reverse or to sort: no language needed.

What the tasks on digits share: the rows, the settings, the way to train and
to judge.  Each task adds its own model.

Dimension letters:
    B rows, S source length, T target length, vocab words of the vocabulary.
"""

import random

import torch

from attnbook.config import TransformerConfig
from attnbook.data.batches import make_batch, pad
from attnbook.data.vocabulary import EOS, PAD, SPECIALS
from attnbook.decoding.greedy import greedy
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train
from attnbook.training.loss import sequence_loss

TOKENS = (*SPECIALS, *"0123456789")
TASKS = {
    "copy": lambda digits: digits,
    "reverse": lambda digits: digits[::-1],
    "sort": sorted,
}


def draw_rows(task, count, seed, shortest=3, longest=8, hidden=False):
    """Draw pairs of ids: a row of digits, and what the task makes of it.

    Args:
        task: "copy", "reverse" or "sort".
        count: number of pairs, at least 1.
        seed: fixes the pairs.
        shortest: fewest digits.
        longest: most digits.
        hidden: whether every source is replaced by the same three digits,
            so that nothing can be read off it.

    Returns:
        A list of (source ids, target ids), without special tokens.

    Raises:
        ValueError: an unknown task, or sizes that make no pair.
    """
    if task not in TASKS:
        raise ValueError(f"expected a task of {sorted(TASKS)}, got {task!r}")
    if count < 1 or not 1 <= shortest <= longest:
        raise ValueError(
            "expected count >= 1 and 1 <= shortest <= longest, got "
            f"{count}, {shortest} and {longest}"
        )
    rng, zero = random.Random(seed), len(SPECIALS)
    rows = []
    for _ in range(count):
        size = rng.randint(shortest, longest)
        digits = [zero + rng.randrange(10) for _ in range(size)]
        source = [zero] * 3 if hidden else digits
        rows.append((source, TASKS[task](digits)))
    return rows


def make_model_config(num_layers, **changes):
    """Return a `TransformerConfig` of a small model for these rows.

    Args:
        num_layers: on each side.
        changes: fields that differ.
    """
    fields = {
        "source_vocab": len(TOKENS),
        "target_vocab": len(TOKENS),
        "d_model": 64,
        "num_heads": 4,
        "d_ff": 128,
        "num_encoder_layers": num_layers,
        "num_decoder_layers": num_layers,
        "dropout": 0.0,
        "max_length": 32,
    }
    return TransformerConfig(**fields | changes)


def make_train_config(steps, seed, **changes):
    """Return a `TrainConfig` that suits these rows.

    Args:
        steps: number of updates.
        seed: of the order of the rows.
        changes: fields that differ.
    """
    fields = {
        "max_tokens": 1024,
        "learning_rate": 5e-3,
        "warmup": 50,
        "weight_decay": 0.0,
        "smoothing": 0.0,
        "precision": "fp32",
        "save_every": steps,
    }
    return TrainConfig(steps=steps, seed=seed, **fields | changes)


def fit(model, rows, config):
    """Train a model in place.

    Args:
        model: a model with the interface of `Transformer`.
        rows: see `draw_rows`.
        config: a `TrainConfig`.

    Returns:
        The training loss of every step at which one is noted, a list of
        floats.  The model is left in eval mode.
    """
    history = train(model, rows, config)
    model.eval()
    return [note["loss"] for note in history]


def make_source_batch(rows, pads=0):
    """Return padded sources with <eos>, int64, (B, S).

    Args:
        rows: see `draw_rows`.
        pads: how many columns of padding to add.
    """
    source = pad([[*digits, EOS] for digits, _ in rows])  # (B, S)
    return torch.nn.functional.pad(source, (0, pads))


@torch.no_grad()
def judge(model, rows):
    """Judge a model with the right words before each label.

    Args:
        model: a trained model.
        rows: rows that it was not trained on, see `draw_rows`.

    Returns:
        A dict of floats: "loss" in nats per label, "labels", the share of
        right ones, and "rows", the share of rows whose labels are all right.
    """
    batch = make_batch(rows)
    logits = model(batch.source, batch.target)  # (B, T, vocab)
    real = batch.labels != PAD  # (B, T)
    right = logits.argmax(-1) == batch.labels  # (B, T)
    return {
        "loss": sequence_loss(logits, batch.labels, PAD).item(),
        "labels": right[real].float().mean().item(),
        "rows": (right | ~real).all(-1).float().mean().item(),
    }


def accuracy(model, rows):
    """Judge what a model writes from its own words, greedily.

    Args:
        model: a trained model.
        rows: see `draw_rows`.

    Returns:
        The share of rows that are right as a whole, and the share of digits
        that are right at their place.
    """
    longest = max(len(target) for _, target in rows)
    written = greedy(model, make_source_batch(rows), longest=longest + 5)
    whole = right = digits = 0
    for row, (_, target) in zip(written, rows, strict=True):
        whole += row == target
        right += sum(a == b for a, b in zip(row, target, strict=False))
        digits += len(target)
    return whole / len(rows), right / digits
