"""Train the models whose attention chapter 15 looks into.

    python code/experiments/run.py pronoun_models [--language fr]

Twelve storybook translators: French and Korean, two shapes, three seeds.
They go to runs/pronoun/, which git ignores, to a folder named by their
fingerprint: models of another storybook are never taken.  A model that is
there already is left alone, so the command may be stopped and given again.
It uses one thread, so that two can run side by side, one per language.
`pronoun.py` measures the models.
"""

import argparse
import dataclasses
import itertools
import sys
import time

import torch

from attnbook.config import TransformerConfig
from attnbook.data import datasets
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train
from attnbook.training.progress import Progress
from attnbook.training.repro import seed_everything
from attnbook.training.runs import RunFolder
from attnbook.transformer import Transformer
from lab.catalogue import ROOT
from lab.fingerprints import first_losses, hash_of_pairs
from lab.progress import track
from lab.rows import key_of
from lab.store import clean_commit, git

LANGUAGES = ("fr", "ko")
SHAPES = ((2, 2), (3, 1))  # layers of the encoder and of the decoder
SEEDS = (0, 1, 2)


def folder_of(language, shape, seed):
    """Return where a model is kept, a Path."""
    name = f"{language}-{shape[0]}+{shape[1]}-{seed}"
    return ROOT / "runs/pronoun" / key_of("pronoun_models") / name


def learn(dataset, shape, seed):
    """Train one model; return it with its vocabularies and settings.

    Args:
        dataset: a `Dataset`.
        shape: layers of the encoder and of the decoder.
        seed: of first weights, order of batches and dropout.
    """
    config = TrainConfig(**dataset.training, seed=seed, precision="bf16")
    source, target = dataset.learn_vocabularies(0)
    pairs = datasets.encode_pairs(dataset.train, source, target)
    fields = dataset.model | {
        "source_vocab": len(source),
        "target_vocab": len(target),
        "num_encoder_layers": shape[0],
        "num_decoder_layers": shape[1],
    }
    seed_everything(seed)
    model = Transformer(TransformerConfig(**fields))
    progress = Progress(config.steps, stream=sys.stderr)
    train(model, pairs, config, None, None, progress)
    return model, source, target, config


def fit(dataset, shape, seed):
    """Train one model and write it to its folder, if it is not there.

    Args:
        dataset: a `Dataset`.
        shape: see `learn`.
        seed: see `learn`.

    Returns:
        Its folder, a Path.
    """
    place = folder_of(dataset.target, shape, seed)
    if (place / "model.safetensors").is_file():
        return place
    print(place.name, flush=True)
    start = time.perf_counter()
    model, source, target, config = learn(dataset, shape, seed)
    settings = {
        "data": [dataset.name, dataset.source, dataset.target],
        "training": dataclasses.asdict(config),
        "commit": git("rev-parse", "HEAD"),
        "seconds": round(time.perf_counter() - start, 1),
    }
    folder = RunFolder(place)
    folder.start(model, source, target, settings)
    folder.save_model(model)
    return place


def fingerprint():
    """Return what shows whether the stored result is stale."""
    found = {}
    for language in LANGUAGES:
        dataset = datasets.load("storybook", "en", language)
        losses = first_losses(learn, dataset, SHAPES[0], SEEDS[0])
        found[language] = {"data": hash_of_pairs(dataset), "losses": losses}
    return found


def main(words):
    """Train what is not there yet."""
    parser = argparse.ArgumentParser("run.py pronoun_models")
    parser.add_argument("--language", choices=LANGUAGES)
    chosen = parser.parse_args(words).language
    torch.set_num_threads(1)
    clean_commit("pronoun_models")
    languages = [chosen] if chosen else LANGUAGES
    loaded = {
        language: datasets.load("storybook", "en", language)
        for language in languages
    }
    plan = itertools.product(SHAPES, SEEDS, languages)
    for shape, seed, language in track(plan, "models"):
        fit(loaded[language], shape, seed)
