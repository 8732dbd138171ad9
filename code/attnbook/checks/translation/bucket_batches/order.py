"""What can be wrong with the order of batches, seed by seed."""

from attnbook.checks.engine.verdict import Mistake
from attnbook.checks.translation.bucket_batches.mistakes import width


def judge_order(runs):
    """Raise a mistake in the order of the batches of several seeds."""
    tops = {
        seed: [max(map(width, batch)) for batch in run]
        for seed, run in runs.items()
    }
    if all(sizes == sorted(sizes) for sizes in tops.values()):
        raise Mistake(
            "the batches run from short to long in every epoch; shuffle them"
        )
    if all(sizes == sorted(sizes)[::-1] for sizes in tops.values()):
        raise Mistake(
            "the batches run from long to short in every epoch; shuffle them"
        )
    runs = {seed: list(map(sorted, run)) for seed, run in runs.items()}
    if all(run == runs[1] for run in runs.values()):
        raise Mistake(
            "another seed gives the same order; the seed must decide it, so "
            "that every epoch can have its own"
        )
    judge_seeds(runs, tops)


def judge_seeds(runs, tops):
    """Raise a mistake if some seeds are no seeds, or a batch stays."""
    for seed, sizes in tops.items():
        if sizes in (sorted(sizes), sorted(sizes)[::-1]):
            raise Mistake(
                "with seed {} the batches run by length; {} is a seed like "
                "any other, shuffle with it too",
                seed,
                seed,
            )
    seen = list(runs.values())
    if any(run in seen[:i] for i, run in enumerate(seen)):
        raise Mistake(
            "some different seeds give the same order; hand the seed to the "
            "generator as it is"
        )
    for end, name in ((0, "first"), (-1, "last")):
        if all(run[end] == seen[0][end] for run in seen):
            raise Mistake(
                "the same batch is {} whatever the seed; shuffle when all "
                "batches are in the list",
                name,
            )
    for count in range(2, len(seen[0]) - 1):
        if all(sorted(run[:count]) == sorted(seen[0][:count]) for run in seen):
            raise Mistake(
                "the same {} batches come first whatever the seed; shuffle "
                "all batches together",
                count,
            )
