"""How well does the storybook model translate, over several seeds?

    python code/experiments/storybook_runs.py

Trains the model of `attnbook train` for French and Korean and measures it
on sentences that it has never seen.  The models of the first seed travel
with the package, their weights in float16; these are what is measured for
that seed.  About ten minutes on 2 cores.
"""

import dataclasses
import hashlib
import itertools
import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from safetensors.torch import save

from attnbook.config import TransformerConfig
from attnbook.data import datasets, storybook
from attnbook.data.files import write_file
from attnbook.decoding import metrics, pretrained
from attnbook.decoding.translator import Translator
from attnbook.training import checkpoint, runs
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train
from attnbook.training.progress import Progress
from attnbook.training.repro import parameter_count, seed_everything
from attnbook.transformer import Transformer
from fingerprints import first_losses, hash_of
from needs import in_one_line
from rows import Rows
from store import clean_commit, store
from track import track

NEEDS = "the storybook"
LANGUAGES, SEEDS = ("fr", "ko"), (0, 1, 2)


def fit(dataset, seed):
    """Return a trained `Translator` and the seconds of its training."""
    config = TrainConfig(**dataset.training, seed=seed)
    source, target = dataset.learn_vocabularies(0)
    pairs = datasets.encode_pairs(dataset.train, source, target)
    seed_everything(seed)
    sizes = {"source_vocab": len(source), "target_vocab": len(target)}
    model = Transformer(TransformerConfig(**dataset.model, **sizes))
    start = time.perf_counter()
    with TemporaryDirectory() as folder:
        progress = Progress(config.steps, stream=sys.stderr)
        train(model, pairs, config, Path(folder), None, progress)
    seconds = time.perf_counter() - start
    return Translator(model, source, target), seconds


def keep(trained, dataset):
    """Write a model into the package; return its file's size and hash.

    Args:
        trained: a `Translator`.
        dataset: a `Dataset`.
    """
    place = pretrained.folder(dataset.target)
    training = TrainConfig(**dataset.training, seed=SEEDS[0])
    settings = {
        "data": [dataset.name, dataset.source, dataset.target],
        "training": dataclasses.asdict(training),
    }
    model = trained.model
    small = {k: v.half() for k, v in checkpoint.unshared(model).items()}
    data = save(small)
    shutil.rmtree(place, ignore_errors=True)
    runs.start_run(place, model, trained.source, trained.target, settings)
    write_file(place / "model.safetensors", data)
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def share_right(trained, pairs):
    """Return the share of pairs that are translated exactly."""
    texts = [" ".join(pair.source) for pair in pairs]
    wanted = [" ".join(pair.target) for pair in pairs]
    return round(metrics.exact_match(trained.translate(texts), wanted), 4)


def pronouns_right(trained, pairs):
    """Return the share of pronouns right, and how many there are."""
    open_ = [p for p in pairs if p.pronoun and p.pronoun.telling]
    texts = [" ".join(pair.source) for pair in open_]
    right = 0
    for pair, text in zip(open_, trained.translate(texts), strict=True):
        words, at = text.split(), pair.pronoun.shown
        right += at < len(words) and words[at] == pair.target[at]
    return round(right / len(open_), 4), len(open_)


def measure(language, seed):
    """Return the row of one run."""
    dataset = datasets.load("storybook", "en", language)
    splits = storybook.splits(language, seed=0)
    trained, seconds = fit(dataset, seed)
    kept = {}
    if seed == SEEDS[0]:
        kept = {"kept": keep(trained, dataset)}
        trained = pretrained.load(language)
    readings = storybook.both_readings(language)
    row = {
        "language": language,
        "seed": seed,
        "parameters": parameter_count(trained.model),
        "steps": dataset.training["steps"],
        "seconds": round(seconds, 1),
        "exact_match": share_right(trained, splits["test"]),
        "held_out": share_right(trained, splits["held_out"]),
        "both_readings": share_right(trained, readings),
    }
    if language == "fr":
        right, count = pronouns_right(trained, splits["test"])
        row |= {"pronoun": right, "pronouns": count}
    return row | kept


def fingerprint():
    """Return what shows whether the stored result is stale."""
    found = {}
    for language in LANGUAGES:
        splits = storybook.splits(language, seed=0).values()
        texts = [[(p.source, p.target) for p in part] for part in splits]
        dataset = datasets.load("storybook", "en", language)
        losses = first_losses(fit, dataset, SEEDS[0])
        found[language] = {"data": hash_of(texts), "losses": losses}
    return found


def main():
    """Train every model and store what came out."""
    commit = clean_commit()
    rows, kept = [], Rows(commit)
    plan = itertools.product(LANGUAGES, SEEDS)
    for language, seed in track(plan, "models"):
        key = f"{language}, seed {seed}"
        rows.append(kept.get(key, measure, language, seed))
        print(rows[-1], flush=True)
    store(
        commit,
        "Exact match of greedy translations by the storybook model",
        SEEDS,
        "storybook, 20,000 training pairs, 1,000 unseen test pairs; a seed "
        "changes first weights, order of batches and dropout",
        {"rows": rows},
        kept,
    )


if __name__ == "__main__":
    in_one_line(main)
