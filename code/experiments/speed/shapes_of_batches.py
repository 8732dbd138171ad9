"""How many different shapes had the batches that a GPU was given?

    python code/experiments/run.py shapes_of_batches

A batch has a shape: sentences, source places, target places.  The order of
batches depends on the seed alone, so the shapes of a run can be counted on
any computer.  Of the runs of multi30k_quality, which one process made one
after the other, those count that no run before had; of the trials of
multi30k_gpu_search, each a process of its own, all that differ.  (Before
the first of those runs came a warm-up of three seconds, on the first batches
of the same seed.  How many it met is not known; here they count as new.)
"""

import itertools

from attnbook import results
from attnbook.data import datasets
from attnbook.data.batches import batch_stream
from lab.experiment import Experiment
from lab.progress import track
from translation.recorded import shape_of
from translation.trial import BASE, Cutter, make_twice, texts_of


def shapes_of(options, updates):
    """Return the shapes of a trial's first batches, a list.

    Args:
        options: of a `trial.trial`.
        updates: how many batches.
    """
    names = "source", "target", "lower_case", "merges"
    dataset, vocab = texts_of(*(options[name] for name in names))
    seed, size = options["seed"], options["max_tokens"]
    share = options["bpe_dropout"]
    pairs = datasets.encode_pairs(dataset.train, vocab, vocab)
    again = Cutter(dataset.train, vocab, share, seed)
    found, epoch = [], 0
    while len(found) < updates:
        pairs = again() if share else pairs
        stream = batch_stream(pairs, size, seed, (epoch, 0))
        in_epoch = itertools.takewhile(
            lambda item, now=epoch: item[0][0] == now, stream
        )
        taken = (batch for _, batch in in_epoch)
        if options["r_drop"]:
            taken = map(make_twice, taken)
        found += map(shape_of, taken)
        epoch += 1
    return found[:updates]


def of_runs(stored):
    """Return a row for each run of multi30k_quality, in their order."""
    seen, rows = set(), []
    for direction, found in stored["values"].items():
        source, target = direction.split("-")
        options = BASE | found["changes"]
        options |= {"source": source, "target": target}
        for run in found["runs"]:
            seeded = options | {"seed": run["seed"]}
            shapes = {*shapes_of(seeded, run["updates"])}
            rows.append(
                {
                    "direction": direction,
                    "seed": run["seed"],
                    "updates": run["updates"],
                    "seconds": run["seconds"],
                    "new_shapes": len(shapes - seen),
                }
            )
            seen |= shapes
            print(rows[-1], flush=True)
    return rows


def of_trials(stored):
    """Return a row for each trial of multi30k_gpu_search."""
    rows = []
    for name, found in track(stored["values"].items(), "trials"):
        options = BASE | found["changes"]
        shapes = shapes_of(options, found["updates"])
        rows.append(
            {
                "trial": name,
                "updates": found["updates"],
                "shapes": len({*shapes}),
                "valid_bleu": found["valid_bleu"]["2.0"],
            }
        )
        print(rows[-1], flush=True)
    return rows


def measure(run):
    """Count; a try counts the trials of the search alone."""
    quality, search = map(
        results.load, ("multi30k_quality", "multi30k_gpu_search")
    )
    trials = of_trials(search)
    return {"runs": [] if run.small else of_runs(quality), "trials": trials}


EXPERIMENT = Experiment(
    "shapes_of_batches",
    needs="Multi30k, multi30k_quality, multi30k_gpu_search",
    about="Different shapes of the batches that runs on a GPU were given",
    seeds=results.load("multi30k_quality")["seeds"],
    data="Multi30k task 1, training pairs",
    measure=measure,
    revision=1,
)
