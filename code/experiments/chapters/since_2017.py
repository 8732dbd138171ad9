"""What changed since 2017: does it matter for a small model?

    python code/experiments/run.py since_2017

Reverse rows of 3 to 8 digits, as in chapter 12.  Each row of the table
changes one thing of the row above it; all have the same steps, batches and
learning rate, which were chosen for none of them.  Three seeds.  The time of
a step is processor time, because the machine had other work to do.
"""

import itertools
import statistics
import time

import torch

from attnbook import modern
from attnbook.config import TransformerConfig
from attnbook.data.batches import bucket_batches, make_batch
from attnbook.data.vocabulary import PAD
from attnbook.probes import costs
from attnbook.probes.ablations import choose_settings
from attnbook.tasks.digits import TOKENS, draw_rows
from attnbook.training.loop import Run, batch_stream
from attnbook.training.loss import sequence_loss
from attnbook.training.repro import parameter_count, seed_everything
from lab.experiment import Experiment
from lab.fingerprints import first_losses, hash_of

SEEDS, STEPS = (0, 1, 2), 200
SIZES = {
    "source_vocab": len(TOKENS),
    "target_vocab": len(TOKENS),
    "d_model": 64,
    "num_heads": 4,
    "d_ff": 128,
    "num_encoder_layers": 2,
    "num_decoder_layers": 2,
    "dropout": 0.0,
    "max_length": 32,
}
OLD = {"pre_norm": False}
ROTARY = {"positions": "rotary"}
ALONE = {"num_encoder_layers": 1, "num_decoder_layers": 5} | ROTARY
ROWS = {  # what is new: fields of the config, arguments of make_model
    "2017": (OLD, {}),
    "pre-norm": ({}, {}),
    "RMS norm": ({}, {"rms": True}),
    "rotary positions": (ROTARY, {"rms": True}),
    "2 groups for 4 heads": (ROTARY, {"rms": True, "num_groups": 2}),
    "one stack alone": (ALONE, {"rms": True, "num_groups": 2, "alone": True}),
}


def fit(model, pairs, seed):
    """Train a model in place; return the median seconds of a step."""
    config = choose_settings("full", STEPS, seed)
    run, times = Run(model, config, None), []
    stream = batch_stream(pairs, config.max_tokens, seed)
    model.train()
    for step in range(1, config.steps + 1):
        start = time.process_time()
        run.step(step, stream)
        times.append(time.process_time() - start)
    return statistics.median(times)


@torch.no_grad()
def judge(model, pairs):
    """Return the loss per label, and the share of sentences all right.

    A sentence whose every label is the likeliest, given the right words
    before it, is the one that greedy decoding writes.
    """
    model.eval()
    lengths = [(len(s) + 1, len(t) + 1) for s, t in pairs]
    loss = labels = right = 0
    for group in bucket_batches(lengths, 4096, seed=0):
        batch = make_batch([pairs[i] for i in group])
        logits = model(batch.source, batch.target)  # (B, T, vocab)
        loss += sequence_loss(logits, batch.labels, PAD, reduction="sum")
        labels += batch.tokens
        same = logits.argmax(-1) == batch.labels  # (B, T)
        right += (same | (batch.labels == PAD)).all(-1).sum().item()
    return loss.item() / labels, right / len(pairs)


def measure(seed, name):
    """Return what one training of one row gives, a dict."""
    test = draw_rows("reverse", 1000, seed=999)
    fields, parts = ROWS[name]
    config = TransformerConfig(**SIZES | fields)
    seed_everything(seed)
    model = modern.make_model(config, **parts)
    rows = draw_rows("reverse", 20_000, seed)
    seconds = fit(model, rows, seed)
    loss, exact = judge(model, test)
    parts = {k: v for k, v in parts.items() if k != "rms"}
    source, target = costs.cache_bytes(config, **parts)
    return {
        "row": name,
        "seed": seed,
        "parameters": parameter_count(model),
        "loss": round(loss, 4),
        "exact": round(exact, 4),
        "seconds_per_step": round(seconds, 4),
        "cache_bytes_source_word": source,
        "cache_bytes_target_word": target,
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    test = draw_rows("reverse", 1000, seed=999)
    losses = {name: first_losses(measure, 0, name) for name in ROWS}
    return {"data": hash_of(test), "losses": losses}


EXPERIMENT = Experiment(
    "since_2017",
    needs="nothing",
    about=f"Loss, exact match and cost of a small model after {STEPS} steps, "
    "each row with one change more than the row above",
    seeds=SEEDS,
    data="20,000 rows of 3 to 8 digits to reverse; judged on 1,000 new ones",
    plan=lambda: itertools.product(SEEDS, ROWS),  # the rows take turns
    row=measure,
    key="{1}, seed {0}",
    values=lambda runs: {"steps": STEPS, "sizes": SIZES, "runs": runs},
    fingerprint=fingerprint,
    threads=1,
    items="models",
)
