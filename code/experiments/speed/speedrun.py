"""The history of the speedrun: every way to train, against the clock.

    python code/experiments/run.py speedrun

Makes every attempt (attempt.py) in a process of its own, the record's with
three seeds.  About 80 minutes on 2 cores, which nothing else should use.
"""

import itertools

from attnbook.decoding.bootstrap import paired_bootstrap
from lab.experiment import Experiment
from lab.needs import need_multi30k
from speed.attempt import TARGET, alone
from speed.bench.ways import RECORD, WAYS

SEEDS = (0, 1, 2)  # of the record; the steps before it have the first one
HIDE = ("translations", "curve", "tries")


def compare(found):
    """Put the intervals of all other runs against the first record.

    Args:
        found: way -> runs; their translations of the test set are removed.
    """
    wanted = [target for _, target in need_multi30k("de", "en").test]
    record = found[RECORD][0]
    fastest = record.pop("translations")
    for run in itertools.chain(*found.values()):
        if run is not record:
            written = run.pop("translations")
            run["to_record"] = paired_bootstrap(written, fastest, wanted)


def make(name, seed):
    """Make one attempt."""
    words = ["--way", name, "--seed", str(seed), "--target", str(TARGET)]
    return alone(*words) | {"about": WAYS[name].about}


def measure(run):
    """Make every attempt that is not kept yet."""
    plan = [(RECORD, seed) for seed in SEEDS]
    plan += [(name, SEEDS[0]) for name in reversed(WAYS) if name != RECORD]
    if run.small:
        alone("--small")
        return None
    found = {name: [] for name in WAYS}
    rows = run.each(plan, make, "{} {} " + str(TARGET), hide=HIDE)
    for (name, _), row in zip(plan, rows, strict=True):
        found[name].append(row)
    compare(found)
    return {"target": TARGET, "record": RECORD, "ways": found}


EXPERIMENT = Experiment(
    "speedrun",
    needs="Multi30k, two cores, a quiet machine",
    about="Seconds from the start of the command until the validation score "
    f"is {TARGET} or more, Multi30k, German to English",
    seeds=SEEDS,
    data="Multi30k task 1, 29,000 pairs, joint byte pairs",
    measure=measure,
    revision=1,
)
