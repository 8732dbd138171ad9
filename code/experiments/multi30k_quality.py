"""How good on real text, and how soon, on a GPU?

    python code/experiments/multi30k_quality.py
    python code/experiments/multi30k_quality.py --small   a try, stores nothing

First short runs, each alone on the GPU: does one reach the goal of its
direction in so many seconds?  Then long ones, all side by side; their seconds
are those of a GPU that they share.  The three of a direction also write
together, with the mean of their probabilities.  All settings were chosen on
validation sentences (multi30k_gpu_search.py) and frozen before the test set
was read.

The clock of a run starts at its first step and stops when the validation loss
is known.  Reading the data, learning the byte pairs and a warm-up, a short run
that is thrown away, come before.  Finished runs are kept: what was stopped
goes on where it was.
"""

import argparse
import statistics

import torch

from attnbook.decoding import metrics
from attnbook.decoding.bootstrap import paired_bootstrap
from attnbook.decoding.ensemble import Ensemble
from attnbook.decoding.translator import Translator
from attnbook.training import checkpoint
from multi30k_gpu_search import NARROW, WIDE, side_by_side
from multi30k_search import SMALL, run_trial
from multi30k_two_cores import scores
from needs import in_one_line, need_gpu, need_multi30k
from rows import Rows
from store import ROOT, clean_commit, store
from track import track
from trial import BASE, begin, translated, trial

NEEDS = "a GPU, Multi30k"
REVISION = 2  # raise it by hand when the settings change
FOLDER = ROOT / "runs/gpu"  # git ignores it
SEEDS = (0, 1, 2)
WIDTHS = {"test_greedy": 1, "test_beam": 5}
# Lower-cased BLEU on Moses tokens, test 2016, and the seconds to reach it in.
GOALS = {"de-en": (36.5, (30, 10)), "en-de": (41.0, (240, 60))}
SOON = {
    "de-en": WIDE | {"minutes": 9 / 60, "dropout": 0.1},
    "en-de": NARROW | {"minutes": 55 / 60, "dropout": 0.15},
}
TEST = {"test": True}  # what every run here has
LONG = NARROW | {"minutes": 3.0, "dropout": 0.15}


def options_of(direction, changes, seed, keep=""):
    """Return the options of a trial."""
    source, target = direction.split("-")
    languages = {"source": source, "target": target}
    return BASE | changes | languages | {"seed": seed, "keep": keep}


def scored(direction, found, test):
    """Return what a trial measured, with scores in the place of its texts.

    Args:
        direction: such as "de-en".
        found: what `trial` returned.
        test: test pairs.
    """
    language = direction.split("-")[1]
    ways = {
        name: scores(found["test"][str(width)], test, language)
        for name, width in WIDTHS.items()
    }
    return {k: v for k, v in found.items() if k != "test"} | ways


def moses(row):
    """Return the main score of a run."""
    return row["test_beam"]["lowercased_moses_bleu"]["score"]


def soon(get, goals, budgets, seeds):
    """Make the short runs, one after the other; return them by direction.

    Args:
        get: `Rows.get`, or a function like it.
        goals: direction -> score, and seconds.
        budgets: direction -> changes of a trial.
        seeds: of the runs.
    """
    values = {}
    jobs = [(d, seed) for d in budgets for seed in seeds]
    for direction, seed in track(jobs, "short runs"):
        options = options_of(direction, budgets[direction], seed)
        found = get(f"soon {direction} {seed}", trial, options | TEST)
        test = need_multi30k(*direction.split("-")).test
        row = {"seed": seed} | scored(direction, found, test)
        print(direction, row["seconds"], moses(row), flush=True)
        values.setdefault(direction, []).append(row)
    return {
        direction: {
            "changes": budgets[direction],
            "goal": goals[direction][0],
            "within_seconds": goals[direction][1],
            "runs": rows,
            "mean": round(statistics.mean(map(moses, rows)), 2),
            "slowest_seconds": max(row["seconds"] for row in rows),
        }
        for direction, rows in values.items()
    }


def together(direction, changes, seeds, paths, alone):
    """Return scores of an ensemble, and its gain over each of its models.

    Args:
        direction: such as "de-en".
        changes: of the trials.
        seeds: of the models.
        paths: of their weights.
        alone: the test translations of each, by beam search.
    """
    models = []
    for seed, path in zip(seeds, paths, strict=True):
        options = options_of(direction, changes, seed)
        dataset, vocab, model, _ = begin(options)
        checkpoint.load_weights(path, model)
        models.append(model.eval())
    writer = Translator(Ensemble(models), vocab, vocab)
    valid = translated(writer, dataset.valid, 5, BASE["alphas"][0])
    valid_wanted = [target for _, target in dataset.valid]
    language = direction.split("-")[1]
    texts = {
        name: translated(writer, dataset.test, width, BASE["alphas"][0])
        for name, width in WIDTHS.items()
    }
    wanted = [target for _, target in dataset.test]
    return {
        "valid_bleu": round(
            metrics.old_bleu(valid, valid_wanted, language)[0], 2
        ),
        "gains": [
            paired_bootstrap(one, texts["test_beam"], wanted) for one in alone
        ],
    } | {
        name: scores(text, dataset.test, language)
        for name, text in texts.items()
    }


def long(get, directions, changes, seeds, folder):
    """Make the long runs, side by side; return them by direction.

    Args:
        get: `Rows.get`, or a function like it.
        directions: such as "de-en".
        changes: of the trials.
        seeds: of the runs.
        folder: where weights go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path_of = {
        (d, s): str(folder / f"{d}-{s}.safetensors")
        for d in directions
        for s in seeds
    }
    jobs = {
        f"long {d} {s}": options_of(d, changes, s, path) | TEST
        for (d, s), path in path_of.items()
    }
    found = side_by_side(jobs, lambda key, job: get(key, run_trial, job))
    values = {}
    for direction in track(directions, "ensembles"):
        runs = [found[f"long {direction} {seed}"] for seed in seeds]
        paths = [path_of[direction, seed] for seed in seeds]
        alone = [run["test"]["5"] for run in runs]
        arguments = direction, changes, seeds, paths, alone
        ensemble = get(f"together {direction}", together, *arguments)
        test = need_multi30k(*direction.split("-")).test
        rows = [
            {"seed": seed} | scored(direction, run, test)
            for seed, run in zip(seeds, runs, strict=True)
        ]
        print(direction, [*map(moses, rows)], moses(ensemble), flush=True)
        values[direction] = {
            "changes": changes,
            "runs": rows,
            "mean": round(statistics.mean(map(moses, rows)), 2),
            "ensemble": ensemble,
        }
    return values


def tried():
    """Make every kind of run once, small, on what there is."""
    device = "cuda" if torch.cuda.device_count() else "cpu"
    little = SMALL | {"device": device, "minutes": 0.05}
    budgets = {d: changes | little for d, changes in SOON.items()}

    def get(_, make, *arguments):
        return make(*arguments)

    print(soon(get, GOALS, budgets, SEEDS[:1]))
    print(long(get, ["de-en"], LONG | little, SEEDS[:2], FOLDER / "small"))
    print("a try: nothing is stored")


def main():
    """Do all of it and store it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    for direction in GOALS:
        need_multi30k(*direction.split("-"))
    if small:
        tried()
        return
    need_gpu()
    commit = clean_commit()
    rows = Rows(commit)
    warm = SOON["de-en"] | {"minutes": 3 / 60}
    for direction in GOALS:
        trial(options_of(direction, warm, SEEDS[0]))
    values = {
        "soon": soon(rows.get, GOALS, SOON, SEEDS),
        "long": long(rows.get, [*GOALS], LONG, SEEDS, FOLDER),
    }
    store(
        commit,
        "Multi30k from scratch on a GPU: short runs alone, against the clock; "
        "long runs side by side, and the three of a direction as an ensemble",
        list(SEEDS),
        "Multi30k task 1, 29,000 pairs, joint byte pairs",
        values,
        rows,
    )


if __name__ == "__main__":
    in_one_line(main)
