"""The race: a GRU without attention, a GRU with it, a Transformer.

    python code/experiments/run.py race             the storybook, on a CPU
    python code/experiments/run.py race_multi30k    real sentences, on a GPU
    python code/experiments/run.py race_multi30k --score FILE
    python code/experiments/run.py race_speeds_gpu  each alone on a GPU
    python code/experiments/run.py race_one_table   a control, on a CPU

The three have parameters within 10 %, and the same data, vocabularies,
batches, steps, schedule, decoder and measures.  Each has its own highest
learning rate, found by full runs with the first seed: 0.004 and both its
neighbours, half and twice, then the neighbours of the best, until the best
one has both.  The lowest validation loss decides; then come the other seeds.
Test sentences are scored with the chosen rates alone, and each pair of
models is compared by a paired bootstrap, seed by seed.

Finished runs are kept, so the command may be stopped and given again, and
stay when the result is stored.  On the storybook, about 70 minutes on 1 core,
the speeds are measured last, the models in turn.  On real sentences, German
to English, there is a quarter of the usual steps.  One such run leaves most
of a GPU idle, so all runs that wait for no other are made side by side, each
in a process of its own, and race_speeds_gpu measures their speeds alone.
Beside its scores race_multi30k stores those of sentences of each length, and
what the first run of each model wrote for the first three of them.  Scoring
needs no GPU: FILE is where another computer has kept its finished runs, and
must hold them all.

In the race the Transformer looks source and target up in one table and scores
words with it, too, and the GRUs have three.  In race_one_table they have one,
are about twice as wide for it, and are trained with the same batches and
steps, on a CPU in 32 bits; one seed each, the GRU with attention two.  So is
the Transformer, whose runs of the race were in 16.  A run takes about half an
hour on 2 cores.
"""

import itertools
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import torch

from attnbook.decoding import metrics
from attnbook.decoding.bootstrap import paired_bootstrap
from lab.catalogue import RUN
from lab.experiment import Experiment
from lab.fingerprints import first_losses, hash_of_pairs
from lab.needs import Missing
from lab.progress import track
from translation import scoring
from translation.racers import (
    LOSS,
    MODELS,
    Data,
    fit,
    new_model,
    one_run,
    pace,
)

SEEDS = (0, 1, 2, 3, 4)
START = 4e-3  # where the search for a learning rate begins
LENGTHS = (1, 8, 10, 12, 14, 17)  # words of a sentence, where a group begins
CPU = torch.device("cpu")
CONTROL = [  # a model and its seed
    ("GRU, one table", 0),
    ("GRU with attention, one table", 0),
    ("Transformer", 0),  # in 32 bits, as the others are
    ("GRU with attention, one table", 1),
]


def of_losses(data, models):
    """Return the fingerprint of training some models on some data."""
    losses = {
        name: first_losses(fit, data, name, SEEDS[0], START, CPU)
        for name in models
    }
    return {"data": hash_of_pairs(data.set), "losses": losses}


def scores(data, way):
    """Return all measures on the test set, with their signatures.

    Args:
        data: a `Data`.
        way: what `one_run` has written in one way.

    Returns:
        A dict.
    """
    written, wanted = way["written"], [t for _, t in data.test]
    language = data.set.target if data.set.name == "multi30k" else None
    found = scoring.scores(written, data.test, language)
    found["exact_match"] = round(metrics.exact_match(written, wanted), 4)
    return found | {key: way[key] for key in ("beam", "seconds")}


def scored(data, run):
    """Return a run with scores instead of its translations."""
    found = {k: v for k, v in run.items() if k not in ("greedy", "beam")}
    return found | {
        "test_greedy": scores(data, run["greedy"]),
        "test_beam": scores(data, run["beam"]),
    }


def compared(data, runs):
    """Return how far the models are apart, in pairs and seed by seed.

    One pair of trained models each: the interval says what other sentences
    might give, and the seeds beside it what other runs might.

    Args:
        data: a `Data`.
        runs: a dict of a model's name -> its runs, in order of the seeds.

    Returns:
        A list of dicts.
    """
    wanted = [t for _, t in data.test]
    found = []
    for first, second in itertools.combinations(runs, 2):
        for a, b in zip(runs[first], runs[second], strict=True):
            texts = (run["greedy"]["written"] for run in (a, b))
            row = {"first": first, "second": second, "seed": a["seed"]}
            found.append(row | paired_bootstrap(*texts, wanted))
    return found


def score(written, places, wanted):
    """Return BLEU of what was written at some places of the test set."""
    found, _ = metrics.bleu([written[i] for i in places], wanted)
    return round(found, 2)


def example(data, runs, place):
    """Return a pair of the test set with what each first run wrote."""
    source, reference = data.test[place]
    texts = {n: run[0]["greedy"]["written"][place] for n, run in runs.items()}
    return {"source": source, "reference": reference} | texts


def by_length(data, runs):
    """Return scores of short and of long sentences, with examples.

    Args:
        data: a `Data`.
        runs: a dict of a model's name -> its runs, in order of the seeds.
    """
    lengths = [len(source.split()) for source, _ in data.test]
    rows = []
    for least, above in zip(LENGTHS, [*LENGTHS[1:], None], strict=True):
        places = [
            i
            for i, length in enumerate(lengths)
            if least <= length and (above is None or length < above)
        ]
        if not places:
            continue
        wanted = [data.test[i][1] for i in places]
        greedy = {
            name: [
                score(run["greedy"]["written"], places, wanted) for run in made
            ]
            for name, made in runs.items()
        }
        rows.append(
            {
                "least": least,
                "most": max(lengths[i] for i in places),
                "sentences": len(places),
                "greedy_bleu": greedy,
                "first": [example(data, runs, i) for i in places[:3]],
            }
        )
    return {"by_length": rows}


def search(measure, rate, each=map):
    """Return the best learning rate that has neighbours on both sides.

    The grid has a factor of 2; the search goes on while the best is an end.

    Args:
        measure: a function from a rate to a loss, None if it is not finite.
        rate: where to begin.
        each: like `map`; may measure several rates at once.

    Returns:
        The rate, and a dict of rate -> loss of all that were tried.
    """
    losses, ends = {}, [rate / 2, rate, rate * 2]
    while ends:
        losses |= zip(ends, each(measure, ends), strict=True)
        finite = {r: loss for r, loss in losses.items() if loss is not None}
        best = min(finite, key=finite.get) if finite else min(losses)
        ends = [r for r in (best / 2, best * 2) if r not in losses]
    return best, dict(sorted(losses.items()))


def apart(*words):
    """Return a run that a process of its own makes; see racers.py."""
    command = [sys.executable, "-W", "ignore", RUN, "racers", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def full_run(data, run, name, rate, seed):
    """Return a full run; make it if it is not there yet.

    Args:
        data: a `Data`.
        run: a `Run`.
        name: of the model.
        rate: highest learning rate.
        seed: of first weights, order of batches and dropout.
    """

    def make():
        if run.device.type == "cpu":
            return one_run(data, name, seed, rate, run.device)
        words = data.set.name, name, str(seed), str(rate), run.device.type
        return apart(*words, *["small"] * run.small)

    return run.get(f"{name}, rate {rate}, seed {seed}", make)


def race(data, run, seeds):
    """Make every run that is not there yet.

    Returns:
        What they say, a dict, and a dict of a model's name -> its runs.
    """
    chosen, runs = {}, {}
    with ThreadPoolExecutor(3) as models, ThreadPoolExecutor(12) as others:
        side_by_side = run.device.type == "cuda"
        each, inner = (
            pool.map if side_by_side else map for pool in (models, others)
        )

        def of_model(name):
            make = partial(full_run, data, run, name)
            rate, losses = search(
                lambda rate: make(rate, seeds[0])[LOSS], START, inner
            )
            return rate, losses, list(inner(partial(make, rate), seeds))

        done = track(each(of_model, MODELS), "models", len(MODELS))
        for name, (rate, losses, made) in zip(MODELS, done, strict=True):
            chosen[name] = {"learning_rate": rate, "tried": {"full": losses}}
            runs[name] = made
    values = {
        "chosen": chosen,
        "runs": [scored(data, one) for one in sum(runs.values(), [])],
        "compared": compared(data, runs),
    }
    return values, runs


def speeds(run, data):
    """Return the pace of all models; a try measures two steps."""
    return pace(data, MODELS, run.device, *((1, 2) if run.small else ()))


def on_the_storybook(run):
    """Race on the storybook, and measure the speeds."""
    data = Data("storybook", run.small)
    values, _ = race(data, run, SEEDS[: 1 if run.small else None])
    return values | {"pace": speeds(run, data)}


def on_real_sentences(run):
    """Race on Multi30k, or score finished runs."""
    if path := run.options.score:
        if not path.is_file():
            raise Missing(f"expected a file of finished runs, got {path}")
        run.rows.take(path, complete=True)
    data = Data("multi30k", run.small)
    values, runs = race(data, run, SEEDS[: 1 if run.small else None])
    return values | by_length(data, runs)


def control_data(small=False):
    """Return the race's data, to be trained on in 32 bits, as in chapter 12.

    Args:
        small: whether it is a try.
    """
    data = Data("multi30k", small)
    data.training = data.training | {"precision": "fp32"}
    return data


def measured(data, name, seed):
    """Return a run with its scores on all sentences and by length."""
    run = one_run(data, name, seed, START, CPU)
    table = new_model(data, name, seed).output.weight.numel()
    found = scored(data, run) | by_length(data, {name: [run]})
    return found | {"outside_the_table": run["parameters"] - table}


def with_one_table(run):
    """Train and score the models of the control."""
    make = partial(measured, control_data(run.small))
    return {"runs": run.each(CONTROL, make, "{}, seed {}", hide=HIDE)}


ABOUT = (
    "Three translators of equal size on the same data, batches, decoder "
    "and measures; the learning rate of each chosen on validation data "
    "by full runs, with one run at half of it and one at twice"
)
HIDE = ("history", "by_length")
RACE = Experiment(
    "race",
    needs="the storybook",
    about=ABOUT,
    seeds=SEEDS,
    data="storybook, en to fr, 80,000 training pairs, 1,000 test pairs; a "
    "seed changes first weights, order of batches and dropout",
    measure=on_the_storybook,
    fingerprint=lambda: of_losses(Data("storybook", False), MODELS),
    forget=False,
    threads=1,
)
REAL = Experiment(
    "race_multi30k",
    needs="Multi30k, a GPU",
    about=ABOUT,
    seeds=SEEDS,
    data="multi30k, de to en, 29,000 training pairs, 1,000 test pairs; a seed "
    "changes first weights, order of batches and dropout",
    measure=on_real_sentences,
    fingerprint=lambda: of_losses(Data("multi30k", False), MODELS),
    forget=False,
    threads=1,
    options=lambda parser: parser.add_argument(
        "--score", type=Path, metavar="FILE"
    ),
    spares="score",
)
SPEEDS = Experiment(
    "race_speeds_gpu",
    needs="Multi30k, a GPU",
    about="Target tokens per second of training on a GPU, the models in turn",
    data="multi30k, de to en",
    measure=lambda run: speeds(run, Data("multi30k", run.small)),
    revision=1,
    threads=1,
)
ONE_TABLE = Experiment(
    "race_one_table",
    needs="Multi30k",
    about="GRUs with one table for source, target and output, and the "
    "Transformer, on the track of race_multi30k, in 32 bits",
    seeds=(0, 1),
    data="multi30k, de to en, 29,000 training pairs, 1,000 test pairs",
    measure=with_one_table,
    fingerprint=lambda: of_losses(control_data(), dict(CONTROL)),
)
