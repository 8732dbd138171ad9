"""How well does the storybook model translate, over several seeds?

    python code/experiments/run.py storybook_runs

Trains the model of `attnbook train` for French and Korean (three of the
models of pronoun_models.py each; those that are there are taken) and measures
it on sentences that it has never seen.  The models of the first seed travel
with the package, their weights in float16; these are what is measured for
that seed.  How often they say that they are unsure is measured on the unseen
sentences and on outside.txt, sentences of known words that the grammar does
not have.  Two minutes and the training, four minutes for each model.
"""

import dataclasses
import hashlib
import itertools
import shutil
from pathlib import Path

from safetensors.torch import save

from attnbook.data import datasets, storybook
from attnbook.data.files import write_file
from attnbook.decoding import metrics, pretrained
from attnbook.decoding.translator import find_threshold, load_translator
from attnbook.training import checkpoint
from attnbook.training.config import TrainConfig
from attnbook.training.repro import parameter_count
from attnbook.training.runs import RunFolder
from chapters import pronoun_models
from lab.experiment import Experiment
from lab.fingerprints import hash_of

LANGUAGES, SEEDS = ("fr", "ko"), (0, 1, 2)
LIST = Path(__file__).with_name("outside.txt")


def keep(trained, dataset):
    """Write a model into the package; return its file's size and hash.

    Args:
        trained: a `Translator`.
        dataset: a `Dataset`.
    """
    place = pretrained.find_model(dataset.target)
    training = TrainConfig(**dataset.training, seed=SEEDS[0], precision="bf16")
    settings = {
        "data": [dataset.name, dataset.source, dataset.target],
        "training": dataclasses.asdict(training),
    }
    model = trained.model
    small = {k: v.half() for k, v in checkpoint.collect_tensors(model).items()}
    data = save(small)
    shutil.rmtree(place, ignore_errors=True)
    folder = RunFolder(place)
    folder.start(model, trained.source, trained.target, settings)
    write_file(place / "model.safetensors", data)
    half = pretrained.load(dataset.target)  # as float16 left it
    texts = [source for source, _ in dataset.valid]
    folder.save_threshold(find_threshold(half, texts))
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


def share_unsure(trained, texts):
    """Return the share of translations below the model's threshold."""
    pairs = trained.translate_surely(texts)
    return round(
        sum(value < trained.sure_from for _, value in pairs) / len(pairs), 4
    )


def doubts(trained, test):
    """Return how often the packaged model is unsure, a dict."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    outside = [datasets.find("storybook").read_text(line) for line in lines]
    return {
        "sure_from": trained.sure_from,
        "unsure_test": share_unsure(
            trained, [" ".join(p.source) for p in test]
        ),
        "unsure_outside": share_unsure(trained, outside),
        "outside": len(outside),
    }


def measure(language, seed):
    """Return the row of one run."""
    dataset = datasets.load("storybook", "en", language)
    splits = storybook.splits(language, seed=0)
    place = pronoun_models.fit(dataset, (2, 2), seed)
    trained, config = load_translator(place)
    kept = {}
    if seed == SEEDS[0]:
        kept = {"kept": keep(trained, dataset)}
        trained = pretrained.load(language)
        kept |= doubts(trained, splits["test"])
    pairs = storybook.draw_minimal_pairs(language, 300, seed=0, home=("test",))
    readings = storybook.both_readings(language)
    row = {
        "language": language,
        "seed": seed,
        "parameters": parameter_count(trained.model),
        "steps": dataset.training["steps"],
        "seconds": config["seconds"],
        "commit": config["commit"],
        "exact_match": share_right(trained, splits["test"]),
        "held_out": share_right(trained, splits["held_out"]),
        "twins": share_right(trained, [r for p in pairs for r in p.readings]),
        "both_readings": share_right(trained, readings),
    }
    if language == "fr":
        right, count = pronouns_right(trained, splits["test"])
        row |= {"pronoun": right, "pronouns": count}
    return row | kept


def fingerprint():
    """Return what shows whether the stored result is stale."""
    held_out = [
        [(p.source, p.target) for p in storybook.splits(name)["held_out"]]
        for name in LANGUAGES
    ]
    return {
        "models": pronoun_models.fingerprint(),
        "held_out": hash_of(held_out),
        "outside": hash_of(LIST.read_bytes()),
    }


EXPERIMENT = Experiment(
    "storybook_runs",
    needs="the storybook, 6 models",
    about="Exact match of greedy translations by the storybook model",
    seeds=SEEDS,
    data="storybook, 80,000 training pairs, 1,000 unseen test pairs; a seed "
    "changes first weights, order of batches and dropout",
    plan=lambda: itertools.product(LANGUAGES, SEEDS),
    row=measure,
    key="{}, seed {}",
    values=lambda rows: {"rows": rows},
    fingerprint=fingerprint,
    items="models",
)
