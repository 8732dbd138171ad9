"""What does a decoder write if it may look at one key alone?

    python code/experiments/run.py one_key

GRU encoder-decoders with attention reverse rows of 3 to 16 digits.  While
they write a digit of rows of 12, the mask shows one key alone: that of the
digit itself, or of a neighbour.  How often do they write the digit that is
due, and how often the digit of that key?  And where does the largest weight
lie?  Three seeds.  About two minutes on one core.
"""

import torch

from attnbook.data.batches import make_batch
from attnbook.tasks import reversal
from lab.experiment import Experiment
from lab.fingerprints import first_losses, hash_of

STEPS, SEEDS = 1000, (0, 1, 2)
KEYS = {"left": -1, "own": 0, "right": 1}  # places from the digit that is due


@torch.no_grad()
def write_from(model, pairs, offset):
    """Return the shares of digits due and of the key's digits written."""
    batch, place = make_batch(pairs), torch.arange(13)
    keys, *_ = model.encode(batch.source)
    due = torch.arange(1, 11)  # both neighbours are digits
    wrote = []
    for own in due:
        mask = (place == own + offset)[None, None, None]
        states, _ = model.decode(batch.target, keys, mask)
        wrote.append(model.output(states)[:, 11 - own].argmax(dim=-1))
    wrote = torch.stack(wrote, dim=1)  # (B, 10)
    both = batch.source[:, due], batch.source[:, due + offset]
    return [round((wrote == x).double().mean().item(), 4) for x in both]


def measure(seed):
    """Train one model; return its row of the table."""
    model = reversal.make_model("attention", seed)
    reversal.fit(model, seed, STEPS)
    pairs = reversal.draw_rows(200, 10_012, 12, 12)
    best = reversal.measure_offsets(model, pairs)  # (B, 12)
    row = {"seed": seed}
    for name, offset in KEYS.items():
        largest = (best == offset).double().mean().item()
        due, of_key = write_from(model, pairs, offset)
        row[name] = {"largest": round(largest, 4), "due": due, "key": of_key}
    return row


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        "data": hash_of(reversal.draw_rows(200, 10_012, 12, 12)),
        "losses": first_losses(measure, SEEDS[0]),
    }


EXPERIMENT = Experiment(
    "one_key",
    needs="nothing",
    about=f"After {STEPS} steps with attention: how often the largest weight "
    "lies on the digit that is due and on its neighbours, and what is "
    "written if the mask shows one of these keys alone",
    seeds=SEEDS,
    data="20,000 random rows of 3 to 16 digits; 200 fresh rows of 12; a seed "
    "changes rows, first weights and order",
    plan=lambda: [(seed,) for seed in SEEDS],
    row=measure,
    values=lambda rows: {"steps": STEPS, "rows": rows},
    fingerprint=fingerprint,
    threads=1,
    items="models",
)
