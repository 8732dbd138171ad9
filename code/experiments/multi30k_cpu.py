"""How far does a quarter of an hour on a CPU get on real text?

    python code/experiments/multi30k_cpu.py [--minutes 15]

Trains German to English on Multi30k and measures the 2016 test set once.
The number of steps is chosen from the speed of the first ones, so that the
learning rate ends at 0 when the time is over.  Set ATTNBOOK_DATA to a folder
that has the files, else they are fetched.
"""

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from attnbook.config import TransformerConfig
from attnbook.data import datasets
from attnbook.decoding import metrics
from attnbook.decoding.translator import Translator
from attnbook.training import checkpoint
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train, validation_loss
from attnbook.training.precision import choose_precision
from attnbook.training.progress import Progress
from attnbook.training.repro import parameter_count, seed_everything
from attnbook.transformer import Transformer
from fingerprints import first_losses, hash_of_pairs
from multi30k_two_cores import samples
from needs import in_one_line, need_multi30k
from store import clean_commit, store
from track import track

NEEDS = "Multi30k"
SEED = 0
MERGES = 8000
TRIAL = 60  # steps that measure the speed
# A quarter of the tokens per batch that a GPU gets: a first version left a
# CPU 800 updates in a quarter of an hour, and stopped at 22.4 BLEU.
MAX_TOKENS = 1024


def new_model(dataset, size):
    """Return the model with its first weights."""
    seed_everything(SEED)
    fields = {**dataset.model, "source_vocab": size, "target_vocab": size}
    return Transformer(TransformerConfig(**fields))


def steps_in(minutes, dataset, pairs, size):
    """Return the number of steps that fit into the time."""
    fields = dataset.training | {
        "steps": TRIAL,
        "warmup": TRIAL,
        "max_tokens": MAX_TOKENS,
    }
    start = time.perf_counter()
    train(new_model(dataset, size), pairs, TrainConfig(**fields, seed=SEED))
    pace = (time.perf_counter() - start) / TRIAL
    return int(60 * minutes / pace / 100) * 100


def scores(trained, pairs, width):
    """Return all measures of a translator on pairs."""
    start = time.perf_counter()
    written = trained.translate([s for s, _ in pairs], width)
    seconds = time.perf_counter() - start
    wanted = [t for _, t in pairs]
    measured = {
        "bleu": metrics.bleu(written, wanted),
        "chrf": metrics.chrf(written, wanted),
        "lowercased_moses_bleu": metrics.old_bleu(written, wanted, "en"),
    }
    values = {
        name: {"score": round(score, 2), "signature": how}
        for name, (score, how) in measured.items()
    }
    return written, values | {"seconds": round(seconds, 1), "beam": width}


def fingerprint():
    """Return what shows whether the stored result is stale."""
    dataset = need_multi30k("de", "en")
    vocab, _ = dataset.learn_vocabularies(MERGES)
    pairs = datasets.encode_pairs(dataset.train, vocab, vocab)
    return {
        "data": hash_of_pairs(dataset),
        "losses": first_losses(steps_in, 1, dataset, pairs, len(vocab)),
    }


def main():
    """Train, average, measure, store."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=15)
    minutes = parser.parse_args().minutes
    commit = clean_commit()
    dataset = need_multi30k("de", "en")
    vocab, _ = dataset.learn_vocabularies(MERGES)
    pairs = datasets.encode_pairs(dataset.train, vocab, vocab)
    valid = datasets.encode_pairs(dataset.valid, vocab, vocab)
    steps = steps_in(minutes, dataset, pairs, len(vocab))
    fields = dataset.training | {
        "steps": steps,
        "warmup": steps // 10,
        "max_tokens": MAX_TOKENS,
    }
    # The five averaged checkpoints lie in the last quarter of the run: a
    # first version averaged over all of it, and lost by that (validation
    # 2.60 nats for the last one alone, 2.88 for the mean).
    fields["save_every"] = max(1, steps // 20)
    config = TrainConfig(**fields, seed=SEED)
    model = new_model(dataset, len(vocab))
    progress = Progress(steps, stream=sys.stderr)
    with TemporaryDirectory() as folder:
        start = time.perf_counter()
        history = train(model, pairs, config, Path(folder), valid, progress)
        seconds = time.perf_counter() - start
        last = [path for _, path in checkpoint.steps(folder)]
        checkpoint.average_weights(last[-config.average :], model)
    trained = Translator(model, vocab, vocab)
    (written, beam), (_, greedy) = (
        scores(trained, dataset.test, width)
        for width in track((5, 1), "beam widths")
    )
    store(
        commit,
        f"Multi30k de->en after {steps} steps on a CPU, as many as fit into "
        f"{minutes:g} minutes at the speed of the first {TRIAL}; test 2016, "
        "one seed",
        [SEED],
        "Multi30k task 1, 29,000 pairs, 8,000 joint byte-pair merges",
        {
            "parameters": parameter_count(model),
            "training": fields,
            "model": dataset.model,
            "precision": choose_precision(
                "auto", next(model.parameters()).device
            ),
            "training_seconds": round(seconds, 1),
            "tokens_per_second": round(progress.speed()),
            "history": history,
            "validation_nats_per_token": round(
                validation_loss(model, valid), 4
            ),
            "test_beam": beam,
            "test_greedy": greedy,
            "samples": samples(dataset.test, written),
        },
    )


if __name__ == "__main__":
    in_one_line(main)
