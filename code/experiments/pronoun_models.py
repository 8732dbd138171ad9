"""Train the models whose attention chapter 15 looks into.

    python code/experiments/pronoun_models.py [--language fr]

Twelve storybook translators: French and Korean, two shapes, three seeds.
They go to runs/pronoun/, which git ignores; a model that is there already
is left alone, so the command may be stopped and given again.  It uses one
thread, so that two can run side by side, one per language.  `pronoun.py`
measures the models.
"""

import argparse
import dataclasses
import itertools
import sys
import time

import torch

from attnbook.config import TransformerConfig
from attnbook.data import datasets
from attnbook.training import checkpoint, runs
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train
from attnbook.training.progress import Progress
from attnbook.training.repro import seed_everything
from attnbook.transformer import Transformer
from needs import in_one_line
from store import ROOT, clean_commit
from track import track

LANGUAGES = ("fr", "ko")
SHAPES = ((2, 2), (3, 1))  # layers of the encoder and of the decoder
SEEDS = (0, 1, 2)


def folder_of(language, shape, seed):
    """Return where a model is kept, a Path."""
    name = f"{language}-{shape[0]}+{shape[1]}-{seed}"
    return ROOT / "runs/pronoun" / name


def fit(dataset, shape, seed, commit):
    """Train one model and write it to its folder.

    Args:
        dataset: a `Dataset`.
        shape: layers of the encoder and of the decoder.
        seed: of first weights, order of batches and dropout.
        commit: of the code.

    Returns:
        Its folder, a Path; what is there already is left alone.
    """
    place = folder_of(dataset.target, shape, seed)
    if (place / "model.safetensors").is_file():
        return place
    config = TrainConfig(**dataset.training, seed=seed)
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
    settings = {
        "data": [dataset.name, dataset.source, dataset.target],
        "training": dataclasses.asdict(config),
        "commit": commit,
    }
    print(place.name, flush=True)
    progress = Progress(config.steps, stream=sys.stderr)
    start = time.perf_counter()
    train(model, pairs, config, None, None, progress)
    settings["seconds"] = round(time.perf_counter() - start, 1)
    runs.start_run(place, model, source, target, settings)
    checkpoint.save_weights(place / "model.safetensors", model)
    return place


def main():
    """Train what is not there yet."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--language", choices=LANGUAGES)
    chosen = parser.parse_args().language
    commit = clean_commit()
    languages = [chosen] if chosen else LANGUAGES
    loaded = {
        language: datasets.load("storybook", "en", language)
        for language in languages
    }
    plan = itertools.product(SHAPES, SEEDS, languages)
    for shape, seed, language in track(plan, "models"):
        fit(loaded[language], shape, seed, commit)


if __name__ == "__main__":
    torch.set_num_threads(1)
    in_one_line(main)
