"""Where do twenty translators find out what *it* means?

    python code/experiments/pronoun.py [--present]

Loads the models of `pronoun_models.py` and trains what is missing, unless
told to measure those that are present.  Then it measures: gold alignments,
both readings, weights on the nouns, heads silenced, edges cut, states
carried over.  About 4 minutes on one core, without the training.
"""

import argparse

import torch

from attnbook.data import datasets, storybook
from attnbook.decoding.translator import load_translator
from attnbook.probes import alignment, pronoun, tracing
from fingerprints import hash_of
from needs import in_one_line
from pronoun_models import LANGUAGES, SEEDS, SHAPES, fit, folder_of
from pronoun_models import fingerprint as of_models
from store import clean_commit, store
from track import track

NEEDS = "the storybook, 20 models"
TWINS, HELD_OUT, ALIGNED, SILENCED = 150, 60, 300, 50
SEED = 15  # of the twins


def rounded(x, digits=3):
    """Return a tensor as nested lists of rounded numbers."""
    return torch.round(x.double(), decimals=digits).tolist()


def load_all(commit, present):
    """Yield language, shape, seed, translator and commit of every model.

    Args:
        commit: of the code, for the models that are trained now.
        present: whether models that are missing are left out instead.
    """
    for language in LANGUAGES:
        dataset = None
        for shape in SHAPES:
            for seed in SEEDS:
                place = folder_of(language, shape, seed)
                if not (place / "model.safetensors").is_file():
                    if present:
                        continue
                    dataset = dataset or datasets.load(
                        "storybook", "en", language
                    )
                    fit(dataset, shape, seed, commit)
                translator, config = load_translator(place)
                sizes = config["model"]
                layers = "num_encoder_layers", "num_decoder_layers"
                if tuple(sizes[name] for name in layers) != shape:
                    raise ValueError(
                        f"expected layers {shape} in {place}, got {sizes}"
                    )
                yield language, shape, seed, translator, config["commit"]


def alignment_rates(translator, pairs):
    """Return hit rates of all heads, read right and one row late."""
    batch = alignment.encode(translator, pairs)
    cross = translator.model.attention_maps(batch.source, batch.target)
    cross = cross["cross"]
    rates = alignment.hit_rates(cross, pairs)  # (B, N, H)
    mean = alignment.hit_rates(cross.mean(2, keepdim=True), pairs)  # (B, N, 1)
    half = len(pairs) // 2
    best = rates[:half].mean(0).flatten().argmax()
    return {
        "heads": rounded(rates.mean(0)),
        "late": rounded(alignment.hit_rates(cross, pairs, True).mean(0)),
        "mean of heads": rounded(mean.mean(0)[:, 0]),
        "best head": rounded(rates[half:].mean(0).flatten()[best]),
    }


def looks(model, batch):
    """Return weights on right and wrong noun, per row, layer and head.

    Returns:
        A dict of row -> "share", "right", "wrong", each (N, H) over all
        sentences, and "chosen": the head with the largest share on every
        other pair of twins, judged on the others.
    """
    maps = model.attention_maps(batch.source, batch.target)
    rows = {
        "it": ("encoder", batch.places["it"]),
        "adjective": ("encoder", batch.places["adjective"]),
        "step": ("cross", batch.row),
    }
    first = torch.arange(len(batch.row)) % (len(batch.row) // 2) // 2 % 2 == 0
    found = {}
    for name, (part, row) in rows.items():
        right, wrong = pronoun.noun_weights(maps[part], row, batch)
        wins = (right > wrong).float()  # (B, N, H)
        best = wins[first].mean(0).flatten().argmax()
        fresh = [
            x[~first].mean(0).flatten()[best] for x in (wins, right, wrong)
        ]
        found[name] = {
            "share": rounded(wins.mean(0)),
            "right": rounded(right.mean(0)),
            "wrong": rounded(wrong.mean(0)),
            "chosen": [int(best), *rounded(torch.stack(fresh))],
        }
    return found


def traced(model, batch):
    """Return flip shares, one list over the depths per group of places."""
    groups = pronoun.place_groups(batch)
    depths = range(len(model.encoder.layers) + 1)
    return {
        name: [
            round(pronoun.flip_fraction(model, batch, depth, places), 3)
            for depth in depths
        ]
        for name, places in groups.items()
    }


def judged(model, batch, attend=tracing.plain):
    """Return share right of doer and object readings, and mean margin."""
    margin = pronoun.margins(model, batch, attend=attend)
    return [
        *rounded(pronoun.accuracies(margin)),
        round(margin.mean().item(), 2),
    ]


def missed(model, batch):
    """Return what `judged` does, with edges cut."""
    return {
        name: judged(model, batch, tracing.cut_edges(**parts))
        for name, parts in pronoun.edge_interventions(batch).items()
    }


def silenced(model, batch):
    """Return what `judged` does, without any change and without each head.

    Returns:
        "nothing", and for "zero" and "mean", which a head is set to, a dict
        of part and layer -> one list per head.
    """
    means = tracing.mean_contexts(model, batch.source, batch.target)
    found = {"nothing": judged(model, batch), "zero": {}, "mean": {}}
    for (part, layer), mean in means.items():
        for kind in ("zero", "mean"):
            values = [None] * len(mean) if kind == "zero" else mean
            found[kind][f"{part} {layer}"] = [
                judged(
                    model, batch, tracing.ablate_head(part, layer, head, value)
                )
                for head, value in enumerate(values)
            ]
    return found


def measure(translator, twins, unseen, pairs):
    """Measure one model; return what is stored about it."""
    model = translator.model
    batch = pronoun.readings(translator, twins)
    few = pronoun.readings(translator, twins[:SILENCED])
    *right, margin = judged(model, batch)
    return {
        "right": right,
        "margin": margin,
        "held out": judged(model, pronoun.readings(translator, unseen))[:2],
        "alignment": alignment_rates(translator, pairs),
        "looks": looks(model, batch),
        "flips": traced(model, batch),
        "cuts": missed(model, batch),
        "silenced": silenced(model, few),
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    twins = {
        language: hash_of(
            [
                [(pair.source, pair.target) for pair in both.readings]
                for both in storybook.draw_twins(language, TWINS, SEED)
            ]
        )
        for language in LANGUAGES
    }
    return {"twins": twins, "models": of_models()}


def main():
    """Measure every model and store it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--present", action="store_true")
    present = parser.parse_args().present
    commit = clean_commit()
    drawn, guesses, models = {}, {}, []
    loaded = load_all(commit, present)
    total = len(LANGUAGES) * len(SHAPES) * len(SEEDS)
    for language, shape, seed, translator, made in track(
        loaded, "models", total
    ):
        if language not in drawn:
            twins = storybook.draw_twins(language, TWINS, SEED)
            unseen = storybook.draw_twins(
                language, HELD_OUT, SEED, ("held_out",)
            )
            pairs = storybook.splits(language, 1, 1, ALIGNED, 0, 1)["test"]
            guesses[language] = alignment.guessed_rates(pairs)
            drawn[language] = twins, unseen, pairs
        name = {"language": language, "shape": shape, "seed": seed}
        found = measure(translator, *drawn[language])
        models.append(name | {"commit": made} | found)
        print(name, found["right"], found["flips"], flush=True)
    store(
        commit,
        f"{len(models)} translators: where the heads look, and which states "
        "and edges decide what *it* means",
        SEEDS,
        f"storybook sentences that no model was trained on: {2 * TWINS} "
        f"readings of twins drawn with seed {SEED}, {2 * HELD_OUT} with "
        f"held-out pairs of words, {ALIGNED} sentences of the test split",
        {"guesses": guesses, "models": models},
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    in_one_line(main)
