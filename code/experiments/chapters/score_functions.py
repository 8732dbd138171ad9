"""Which score finds the numbers that matter?

    python code/experiments/run.py score_functions

Soft look-up of a noisy wave from 128 known points, with 0 to 7 useless
numbers beside the one that decides.  A fixed distance with its best
bandwidth, and six learned scores of equal width, two of them with one matrix
for queries and keys, five seeds.  About a minute on one core.
"""

from attnbook.tasks import regression
from lab.experiment import Experiment
from lab.fingerprints import first_losses

SEEDS = (0, 1, 2, 3, 4)
USELESS = (0, 1, 3, 7)
POINTS = 128
NEW = 1000  # added to a seed, it draws the new points


def errors(useless, seed):
    """Return name -> error on new points, and the best bandwidth."""
    x, values = regression.draw(POINTS, useless, seed)
    bandwidth = regression.find_bandwidth(x, values)
    scores = {"fixed distance": regression.FixedDistance(bandwidth)}
    for name in regression.LEARNED:
        scores[name] = regression.learn(name, x, values, seed)
    found = {
        name: round(regression.error_on_new(score, x, values, NEW + seed), 4)
        for name, score in scores.items()
    }
    return found, bandwidth


def fingerprint():
    """Return what shows whether the stored result is stale."""
    x, values = regression.draw(POINTS, USELESS[0], SEEDS[0])
    return {
        name: first_losses(regression.learn, name, x, values, SEEDS[0])
        for name in regression.LEARNED
    }


def measure(useless):
    """Return the rows of a number of useless inputs, and the bandwidths."""
    runs = [errors(useless, seed) for seed in SEEDS]
    rows = [
        {
            "useless": useless,
            "score": name,
            "error": [found[name] for found, _ in runs],
        }
        for name in runs[0][0]
    ]
    return {"rows": rows, "bandwidth": [bandwidth for _, bandwidth in runs]}


def values(found):
    """Return what is stored."""
    return {
        "points": POINTS,
        "best_bandwidth": {
            useless: one["bandwidth"]
            for useless, one in zip(USELESS, found, strict=False)
        },
        "rows": sum((one["rows"] for one in found), []),
    }


EXPERIMENT = Experiment(
    "score_functions",
    needs="nothing",
    about="Root mean square error of a soft look-up on 512 new points, for "
    f"{len(regression.LEARNED) + 1} scores and 0 to 7 useless numbers",
    seeds=SEEDS,
    data=f"{POINTS} points of sin(4 x) with noise 0.1, see "
    "attnbook.tasks.regression",
    plan=lambda: [(useless,) for useless in USELESS],
    row=measure,
    values=values,
    fingerprint=fingerprint,
    threads=1,
    items="numbers of useless inputs",
)
