"""Where do twenty translators find out what *it* means?

    python code/experiments/pronoun.py [--present]

Loads the models of `pronoun_models.py` and trains what is missing, unless
told to measure those that are present.  Then it measures: gold alignments,
both readings, weights on the nouns, heads silenced, edges cut, states
carried over.  About 4 minutes on one core, without the training.
"""

import argparse
import sys

import torch

from attnbook import aligning, datasets, inside, storybook, tracing
from attnbook.translator import load_translator
from pronoun_models import LANGUAGES, SEEDS, SHAPES, fit, folder_of
from store import clean_commit, store

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
                    dataset = dataset or datasets.from_storybook(
                        "en", language, seed=0
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


def alignment(translator, pairs):
    """Return hit rates of all heads, read right and one row late."""
    batch = aligning.encode(translator, pairs)
    cross = translator.model.attention_maps(batch.source, batch.target)
    cross = cross["cross"]
    rates = aligning.hit_rates(cross, pairs)  # (B, N, H)
    mean = aligning.hit_rates(cross.mean(2, keepdim=True), pairs)  # (B, N, 1)
    half = len(pairs) // 2
    best = rates[:half].mean(0).flatten().argmax()
    return {
        "heads": rounded(rates.mean(0)),
        "late": rounded(aligning.hit_rates(cross, pairs, True).mean(0)),
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
        right, wrong = inside.noun_weights(maps[part], row, batch)
        wins = (right > wrong).float()  # (B, N, H)
        best = wins[first].mean(0).flatten().argmax()
        judged = [
            x[~first].mean(0).flatten()[best] for x in (wins, right, wrong)
        ]
        found[name] = {
            "share": rounded(wins.mean(0)),
            "right": rounded(right.mean(0)),
            "wrong": rounded(wrong.mean(0)),
            "chosen": [int(best), *rounded(torch.stack(judged))],
        }
    return found


def traced(model, batch):
    """Return flip shares, one list over the depths per group of places."""
    groups = inside.groups(batch)
    depths = range(len(model.encoder.layers) + 1)
    return {
        name: [
            round(inside.flips(model, batch, depth, places), 3)
            for depth in depths
        ]
        for name, places in groups.items()
    }


def missed(model, batch):
    """Return share right and mean margin with edges cut."""
    found = {}
    for name, parts in inside.cuts(batch).items():
        margin = inside.margins(model, batch, attend=tracing.cut(**parts))
        share = (margin > 0).float().mean()
        found[name] = [round(share.item(), 3), round(margin.mean().item(), 2)]
    return found


def silenced(model, batch):
    """Return share right without each head: set to zero, and to its mean."""
    means = tracing.mean_contexts(model, batch.source, batch.target)
    found = {"zero": {}, "mean": {}}
    for (part, layer), mean in means.items():
        for kind in found:
            values = [None] * len(mean) if kind == "zero" else mean
            margins = [
                inside.margins(
                    model,
                    batch,
                    attend=tracing.silence(part, layer, head, value),
                )
                for head, value in enumerate(values)
            ]
            shares = (torch.stack(margins) > 0).float().mean(1)  # (H,)
            found[kind][f"{part} {layer}"] = rounded(shares)
    return found


def right_share(model, batch):
    """Return the share right of the doer and of the object readings."""
    wins = (inside.margins(model, batch) > 0).float()
    return rounded(wins.view(2, -1).mean(1))


def measure(translator, twins, unseen, pairs):
    """Measure one model; return what is stored about it."""
    model = translator.model
    batch = inside.readings(translator, twins)
    few = inside.readings(translator, twins[:SILENCED])
    margin = inside.margins(model, batch)
    return {
        "right": right_share(model, batch),
        "margin": round(margin.mean().item(), 2),
        "held out": right_share(model, inside.readings(translator, unseen)),
        "alignment": alignment(translator, pairs),
        "looks": looks(model, batch),
        "flips": traced(model, batch),
        "cuts": missed(model, batch),
        "silenced": silenced(model, few),
    }


def main():
    """Measure every model and store it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--present", action="store_true")
    present = parser.parse_args().present
    commit = clean_commit()
    drawn, guesses, models = {}, {}, []
    for language, shape, seed, translator, made in load_all(commit, present):
        if language not in drawn:
            twins = storybook.draw_twins(language, TWINS, SEED)
            unseen = storybook.draw_twins(
                language, HELD_OUT, SEED, ("held_out",)
            )
            pairs = storybook.splits(language, 1, 1, ALIGNED, 0, 1)["test"]
            guesses[language] = aligning.guessed_rates(pairs)
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
    sys.exit(main())
