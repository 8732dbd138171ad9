"""How long a row of digits can a recurrent network reverse?

    python code/experiments/run.py bottleneck

GRU encoder-decoders with the same number of parameters are trained on rows
of 3 to 16 digits and tested on rows of 4 to 24: without attention, with
attention, with an attention that can see one state alone, and without
attention for four times as many steps.  Three seeds.  About five minutes
on one core.
"""

from attnbook.tasks import reversal
from attnbook.tasks.digits import accuracy
from attnbook.training.repro import parameter_count
from lab.experiment import Experiment
from lab.fingerprints import first_losses, hash_of

LENGTHS = (4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24)
SEEDS = (0, 1, 2)
RUNS = (
    ("no attention", 1000),
    ("attention", 1000),
    ("one state", 1000),
    ("no attention", 4000),
)


def measure(kind, steps, seed):
    """Train one model; return its row of the table."""
    model = reversal.make_model(kind, seed)
    reversal.fit(model, seed, steps)
    row = {"kind": kind, "steps": steps, "seed": seed}
    row |= {"parameters": parameter_count(model), "exact": [], "digits": []}
    for length in LENGTHS:
        test = reversal.draw_rows(500, 10_000 + length, length, length)
        exact, digits = accuracy(model, test)
        row["exact"].append(round(exact, 4))
        row["digits"].append(round(digits, 4))
        if kind == "attention":
            found = reversal.measure_offsets(model, test)
            on = [
                round((found == n).double().mean().item(), 4) for n in (0, 1)
            ]
            row.setdefault("largest_weight", []).append(on)
    return row


def fingerprint():
    """Return what shows whether the stored result is stale."""
    tests = [reversal.draw_rows(500, 10_000 + n, n, n) for n in LENGTHS]
    losses = {
        kind: first_losses(measure, kind, steps, SEEDS[0])
        for kind, steps in RUNS[:3]
    }
    return {"data": hash_of(tests), "losses": losses}


EXPERIMENT = Experiment(
    "bottleneck",
    needs="nothing",
    about="Share of rows and of digits reversed rightly, by length; with "
    "attention also how often the largest weight lies on the digit to be "
    "written, and on its right neighbour",
    seeds=SEEDS,
    data="20,000 random rows of 3 to 16 digits; 500 fresh rows per length; a "
    "seed changes rows, first weights and order",
    plan=lambda: [(*run, seed) for seed in SEEDS for run in RUNS],
    row=measure,
    values=lambda rows: {"lengths": LENGTHS, "rows": rows},
    fingerprint=fingerprint,
    threads=1,
    items="models",
)
