"""Two small models that write together: what are they worth in 75 minutes?

    python code/experiments/multi30k_ensemble.py
    python code/experiments/multi30k_ensemble.py --small   a try

English to German, on two cores.  Each core trains one model with one thread.
They have the sizes of the long runs of multi30k_two_cores.py and are alike but
for the seed.  Then they write together, with the mean of their probabilities;
and a model with the mean of their weights writes, too.  The settings were
chosen on validation sentences and frozen before the test set was read.  What
was stopped goes on where it was.  Nothing else should run beside it.
"""

import argparse
import copy
import os
from concurrent.futures import ThreadPoolExecutor

import torch

from attnbook.decoding.bootstrap import paired_bootstrap
from attnbook.decoding.ensemble import Ensemble
from attnbook.decoding.translator import Translator, load_translator
from multi30k_two_cores import (
    BEAM,
    FOLDER,
    PENALTY,
    SETTINGS,
    SMALL,
    about_run,
    command,
    run,
    scores,
    translated,
)
from needs import in_one_line, need_multi30k
from store import clean_commit, store
from track import track

NEEDS = "Multi30k"
REVISION = 2  # raise it by hand when the settings change
DIRECTION = "en-de"
LANGUAGE = "de"
SEEDS = (9, 10)  # one for each core; 0 to 8 served other runs
EXAMPLES = 5  # sentences that all translate differently
OPTIONS = SETTINGS["75"] | {  # frozen before the test
    "dropout": 0.1,
    "steps": 5200,
    "warmup": 260,
}


def folder_of(seed, small):
    """Return the folder of a model; a try has one of its own."""
    return FOLDER / ("small" if small else "") / f"ensemble-{seed}"


def measured(trained, valid, test):
    """Return a translator's scores, and its test translations by beam."""
    by_part = {}
    for name, pairs, width in (
        ("valid_beam", valid, BEAM),
        ("test_greedy", test, 1),
        ("test_beam", test, BEAM),
    ):
        written, seconds = translated(trained, pairs, width)
        by_part[name] = scores(written, pairs, LANGUAGE)
        by_part[name]["seconds"] = seconds
    return by_part, written


def member(seed, folder, seconds, pairs):
    """Return a trained model's translator, its row, and its translations.

    Args:
        seed: of the run.
        folder: of the run.
        seconds: that its command took.
        pairs: validation pairs and test pairs.
    """
    trained, config = load_translator(folder)
    found, written = measured(trained, *pairs)
    about = about_run(folder, seconds, seed, trained, config)
    return trained, about | found, written


def with_model(model, translator):
    """Return a translator with another model and the same vocabularies."""
    return Translator(model, translator.source, translator.target)


def mean_of_weights(models):
    """Return a model whose every number is the mean of those of models."""
    mean = copy.deepcopy(models[0])
    states = [model.state_dict() for model in models]
    mean.load_state_dict(
        {
            name: torch.stack([state[name] for state in states]).mean(dim=0)
            for name in states[0]
        }
    )
    return mean


def moses(row, part):
    """Return the main score of a part, such as "valid_beam"."""
    return row[part]["lowercased_moses_bleu"]["score"]


def agreement(pairs, alone, written):
    """Return how often two models write alike, and what both together write.

    Args:
        pairs: (source, reference) of every sentence.
        alone: translations of each of the two models.
        written: those of both together.

    Returns:
        A dict of counts, and of the first sentences with three translations.
    """
    counts = {"both_alike": 0, "as_one_of_them": 0, "as_neither": 0}
    examples = []
    for (source, target), one, other, both in zip(
        pairs, *alone, written, strict=True
    ):
        if one == other:
            counts["both_alike"] += 1
        elif both in (one, other):
            counts["as_one_of_them"] += 1
        else:
            counts["as_neither"] += 1
            texts = {"alone": [one, other], "together": both}
            examples.append({"source": source, "reference": target} | texts)
    return counts | {"examples": examples[:EXAMPLES]}


def main():
    """Train all models, then score each of them and all together."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    dataset = need_multi30k(*DIRECTION.split("-"))
    commit = None if small else clean_commit()
    options = OPTIONS | (SMALL if small else {})
    folders = [folder_of(seed, small) for seed in SEEDS]
    keep = slice(0, 20 if small else None)
    valid, test = dataset.valid[keep], dataset.test[keep]
    os.environ["OMP_NUM_THREADS"] = "1"  # of the commands

    def train(seed, folder):
        return run(command(DIRECTION, options, seed, folder), folder)

    with ThreadPoolExecutor(len(SEEDS)) as pool:
        seconds = list(pool.map(train, SEEDS, folders))
    print(f"trained in {max(seconds) / 60:.1f} minutes", flush=True)
    found = [
        member(*about, (valid, test))
        for about in track(
            list(zip(SEEDS, folders, seconds, strict=True)), "models"
        )
    ]
    trained, rows, alone = zip(*found, strict=True)
    models = [one.model for one in trained]
    together = with_model(Ensemble(models), trained[0])
    all_of_them, written = measured(together, valid, test)
    mean = with_model(mean_of_weights(models), trained[0])
    mean_scores = scores(translated(mean, valid, BEAM)[0], valid, LANGUAGE)
    for row in (*rows, all_of_them):
        print(moses(row, "valid_beam"), moses(row, "test_beam"))
    if small:
        print("nothing is stored")
        return
    wanted = [target for _, target in test]
    store(
        commit,
        "Multi30k, English to German: two small models trained side by side "
        "on two cores within 75 minutes, alone and as an ensemble",
        list(SEEDS),
        "Multi30k task 1, 29,000 pairs, joint byte pairs",
        {
            "direction": DIRECTION,
            "command": " ".join(command(DIRECTION, options, "SEED", "FOLDER")),
            "beam": BEAM,
            "length_penalty": PENALTY,
            "training_seconds": round(max(seconds), 1),
            "members": rows,
            "ensemble": all_of_them,
            "valid_beam_of_mean_weights": mean_scores,
            "member_to_ensemble": [
                paired_bootstrap(one, written, wanted) for one in alone
            ],
            "agreement": agreement(test, alone, written),
        },
    )


if __name__ == "__main__":
    in_one_line(main)
