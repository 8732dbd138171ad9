"""Where do twelve translators find out what *it* means?

    python code/experiments/run.py pronoun

Loads the models of `pronoun_models.py` and trains what is missing.  What it
measures is in `pronoun_measures.py`.  About 5 minutes on one core, without
training.
"""

import math

import torch

from attnbook.data import datasets, storybook
from attnbook.decoding.translator import load_translator
from attnbook.probes import alignment
from chapters.pronoun_measures import SEED, measure
from chapters.pronoun_models import LANGUAGES, SEEDS, SHAPES, fit, folder_of
from chapters.pronoun_models import fingerprint as of_models
from lab.experiment import Experiment
from lab.fingerprints import hash_of
from lab.needs import Missing
from lab.progress import track

PAIRS, HELD_OUT, ALIGNED = 150, 60, 300
MODELS = len(LANGUAGES) * len(SHAPES) * len(SEEDS)
BLIND = "step to nouns and prefix"
SPARE = "adjective to nouns, step to both"
# Measures whose ranks are compared across the models of a language.
COMPARED = [
    ("share, row it", "margin lost, it to nouns"),
    ("difference, row it", "margin lost, it to nouns"),
    ("share, row adjective", "margin lost, spare way"),
    ("difference, row adjective", "margin lost, spare way"),
    ("share, row step", "margin lost, step to nouns"),
    ("difference, row step", "margin lost, step to nouns"),
    ("flips, adjective", "answers lost, step to adjective"),
    ("answers lost, one head silenced", "flips, one head carried"),
]


def check_model(translator, config, shape, dataset, place):
    """Refuse a model of another shape or of another storybook.

    Raises:
        Missing: says which model, what was expected and what came.
    """
    names = "num_encoder_layers", "num_decoder_layers"
    layers = tuple(config["model"][name] for name in names)
    if layers != shape:
        raise Missing(f"expected layers {shape} in {place}, got {layers}")
    learned = dataset.learn_vocabularies(0)
    if (translator.source.words, translator.target.words) != tuple(
        side.words for side in learned
    ):
        raise Missing(
            f"expected a model of today's storybook in {place}, got one with "
            "other words; remove it and train it again"
        )


def load_all(present):
    """Yield language, shape, seed, translator and commit of every model.

    Args:
        present: whether models that are missing are left out instead.
    """
    for language in LANGUAGES:
        dataset = datasets.load("storybook", "en", language)
        for shape in SHAPES:
            for seed in SEEDS:
                place = folder_of(language, shape, seed)
                if not (place / "model.safetensors").is_file():
                    if present:
                        continue
                    fit(dataset, shape, seed)
                translator, config = load_translator(place)
                check_model(translator, config, shape, dataset, place)
                yield language, shape, seed, translator, config["commit"]


def share(found):
    """Return the mean over both readings."""
    return sum(found[:2]) / 2


def summary(m):
    """Return the measures of one model that `COMPARED` names."""
    cuts, heads = m["cuts"], m["heads"]

    def lost(name, than=None):
        than = cuts[than]["cut"] if than else m["right"]
        return than[4] - cuts[name]["cut"][4]

    found = {
        "margin lost, it to nouns": lost("it to nouns"),
        "margin lost, step to nouns": lost("step to nouns"),
        "margin lost, spare way": lost(SPARE, than=BLIND),
        "flips, adjective": share(m["flips"]["adjective"][-1]),
        "answers lost, step to adjective": 1
        - min(cuts["step to adjective"]["cut"][:2]),
        "answers lost, one head silenced": 1
        - min(share(h) for part in heads["zero"].values() for h in part),
        "flips, one head carried": max(
            share(h) for part in heads["swap"].values() for h in part
        ),
    }
    for row, look in m["looks"].items():
        _, ahead, right, wrong = look["chosen"]
        found[f"share, row {row}"] = ahead
        found[f"difference, row {row}"] = right - wrong
    return found


def ranks(values):
    """Return the rank of each number, from 0; equals share their mean."""
    x = torch.tensor(values, dtype=torch.double)
    smaller = (x[:, None] > x).sum(1)
    equal = (x[:, None] == x).sum(1)  # itself among them
    return smaller + (equal - 1) / 2


def rank_correlations(models):
    """Return Spearman's rank correlation of each pair of `COMPARED`.

    It is the correlation of the ranks: 1 if both measures put the models
    in one order, -1 if in opposite orders; None where all are equal.
    """
    every = [summary(m) for m in models]
    found = {}
    for names in COMPARED:
        both = [ranks([m[name] for m in every]) for name in names]
        value = torch.corrcoef(torch.stack(both))[0, 1].item()
        found[" / ".join(names)] = (
            None if math.isnan(value) else round(value, 4)
        )
    return found


def draw(language):
    """Return minimal pairs, those of held-out words, and the test split."""
    return (
        storybook.draw_minimal_pairs(language, PAIRS, SEED),
        storybook.draw_minimal_pairs(language, HELD_OUT, SEED, ("held_out",)),
        storybook.splits(language, 1, 1, ALIGNED, 0, 1)["test"],
    )


def fingerprint():
    """Return what shows whether the stored result is stale."""
    pairs = {
        language: hash_of(
            [
                [(r.source, r.target) for r in pair.readings]
                for pair in storybook.draw_minimal_pairs(language, PAIRS, SEED)
            ]
        )
        for language in LANGUAGES
    }
    return {"twins": pairs, "models": of_models()}


def measure_all(run):
    """Measure every model; a try those that are there."""
    drawn, guesses, models = {}, {}, []
    loaded = load_all(run.small)
    for language, shape, seed, translator, made in track(
        loaded, "models", MODELS
    ):
        if language not in drawn:
            drawn[language] = draw(language)
            rates = alignment.guessed_rates(drawn[language][2])
            guesses[language] = {k: round(v, 4) for k, v in rates.items()}
        name = {"language": language, "shape": shape, "seed": seed}
        found = measure(translator, *drawn[language])
        models.append(name | {"commit": made} | found)
        print(name, found["right"], found["flips"], flush=True)
    orders = {
        language: rank_correlations(
            [m for m in models if m["language"] == language]
        )
        for language in drawn
    }
    return {"guesses": guesses, "ranks": orders, "models": models}


EXPERIMENT = Experiment(
    "pronoun",
    needs="the storybook, 12 models",
    about=f"{MODELS} translators: where the heads look, which states, heads "
    "and edges decide what *it* means, and what states hold",
    seeds=SEEDS,
    data=f"storybook sentences that no model was trained on: {2 * PAIRS} "
    f"readings of minimal pairs drawn with seed {SEED}, {2 * HELD_OUT} with "
    f"held-out pairs of words, {ALIGNED} sentences of the test split",
    measure=measure_all,
    fingerprint=fingerprint,
    threads=1,
)
