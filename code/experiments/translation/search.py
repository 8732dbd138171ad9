"""What helps on Multi30k when time is short?  One change at a time.

    python code/experiments/run.py multi30k_search
    python code/experiments/run.py multi30k_search --only AdamW "4,000 merges"
    python code/experiments/run.py multi30k_gpu_search
    python code/experiments/run.py multi30k_gpu_recorded

All trials are scored on validation sentences; the test set is never read.
Finished trials are kept: what was stopped goes on where it was.

* **multi30k_search**: the base has the sizes of multi30k_two_cores.py for 75
  minutes, and less dropout.  Every trial has eight minutes of one core,
  English to German.  Two run side by side.
* **multi30k_gpu_search**: eight settings that share one GPU for the same
  minutes of the clock.  A GPU that eight programs share is slower for each, so
  a trial makes fewer updates than it would alone: what is compared is equal
  time, not equal updates.  PyTorch chooses the form of attention here.  On an
  H100 a new shape of a batch took half a second then, and the trials say more
  about their shapes than about their methods; see shapes_of_batches.py.
* **multi30k_gpu_recorded**: which batches, and how long, with recorded
  gradients?  The trials have the GPU for themselves, one after the other.
  They choose the settings of multi30k_gpu_goals.
"""

import json
import os
import subprocess
import sys

from lab.catalogue import RUN
from lab.experiment import Experiment
from translation.trial import BASE, trial

TRIALS = {
    "base": {"alphas": [0.0, 0.6, 1.0, 2.0, 3.0]},
    "base, seed 1": {"seed": 1},
    "base, seed 2": {"seed": 2},
    "AdamW": {
        "optimizer": "adamw",
        "learning_rate": 2e-3,
        "weight_decay": 0.01,
    },
    "dropout 0.2": {"dropout": 0.2},
    "smoothing 0": {"smoothing": 0.0},
    "4,000 merges": {"merges": 4000},
    "small letters": {"lower_case": True},
    "BPE dropout 0.1": {"bpe_dropout": 0.1},
    "2 + 2 layers": {"num_encoder_layers": 2, "num_decoder_layers": 2},
    "3 + 3 layers, 256 wide": {
        "num_encoder_layers": 3,
        "num_decoder_layers": 3,
        "d_model": 256,
        "d_ff": 512,
    },
    "batches of 1,024": {"max_tokens": 1024},
    "batches that grow": {"max_tokens": 1024, "grow": 2},
    "the rate falls late": {"end": "late"},
    "sublayers start at 0": {"zero_start": True},
    "exponential average": {"average": 0.97},
    "R-Drop": {"r_drop": 1.0},
    "AdamW, rate 0.005": {"optimizer": "adamw", "weight_decay": 0.01},
    "weight decay 0.01": {"weight_decay": 0.01},
    "batches of 4,096": {"max_tokens": 4096},
    "12,000 merges": {"merges": 12000},
    "5 rounds of Muon": {"products": 5},
}
NARROW = {
    "device": "cuda",
    "minutes": 1.6,
    "max_tokens": 4096,
    "any_form": True,
}
WIDE = NARROW | {
    "d_model": 256,
    "d_ff": 512,
    "num_encoder_layers": 3,
    "num_decoder_layers": 3,
}
GPU_TRIALS = {
    "narrow": NARROW | {"dropout": 0.15},
    "narrow, R-Drop": NARROW | {"dropout": 0.15, "r_drop": 2.0},
    "narrow, BPE dropout": NARROW | {"bpe_dropout": 0.1},
    "wide": WIDE | {"dropout": 0.3},
    "wide, R-Drop": WIDE | {"dropout": 0.3, "r_drop": 2.0},
    "wide, BPE dropout": WIDE | {"dropout": 0.2, "bpe_dropout": 0.1},
    "wide, both": WIDE | {"dropout": 0.3, "r_drop": 2.0, "bpe_dropout": 0.1},
    "wide, 10,000 tokens": WIDE | {"dropout": 0.3, "max_tokens": 10_000},
}
QUICK = WIDE | {"any_form": False, "warm_up": 3, "recorded": True}
INTO_ENGLISH = QUICK | {"minutes": 0.15, "dropout": 0.1}
INTO_ENGLISH |= {"source": "de", "target": "en"}
INTO_GERMAN = QUICK | {"minutes": 0.95, "dropout": 0.3, "r_drop": 2.0}
INTO_GERMAN |= {"max_tokens": 10_000}
RECORDED_TRIALS = {
    "English, 10,000": INTO_ENGLISH | {"max_tokens": 10_000},
    "English, 4,096": INTO_ENGLISH | {"max_tokens": 4096},
    "German, 10,000": INTO_GERMAN,
    "German, 5,000": INTO_GERMAN | {"max_tokens": 5000},
}
SMALL = {"minutes": 0.05, "merges": 600, "d_model": 32, "d_ff": 32}


def run_trial(changes):
    """Return what one trial measures, in a process of its own."""
    words = [sys.executable, RUN, "trial", json.dumps(changes)]
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    done = subprocess.run(
        words, env=os.environ | threads, stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)


def little(run):
    """Return the changes of a try, on what there is."""
    if not run.small:
        return {}
    return SMALL | {"device": run.device.type}


def trials_of(run, trials, workers):
    """Make trials; return name -> changes and what was measured.

    Args:
        run: a `Run`.
        trials: name -> changes of `trial.BASE`.
        workers: how many share the device, each in a process of its own.
    """
    if run.small:
        trials = {name: trials[name] for name in [*trials][::3]}

    def make(name, changes):
        changes = changes | little(run)
        return run_trial(changes) if workers > 1 else trial(BASE | changes)

    rows = run.each(trials.items(), make, "{}", workers)
    return {
        name: {"changes": trials[name], **row}
        for name, row in zip(trials, rows, strict=True)
    }


def search(run):
    """Return all trials; None for those that ``--only`` names."""
    if run.rows:
        run.rows.seconds /= 2  # two were made side by side
    names = run.options.only or TRIALS
    found = trials_of(run, {name: TRIALS[name] for name in names}, 2)
    return None if run.options.only else {"base": BASE, "trials": found}


SEARCH = Experiment(
    "multi30k_search",
    needs="Multi30k",
    about="Multi30k, one change at a time, equal minutes of one core, scored "
    "on validation sentences",
    seeds=(0, 1, 2),
    data="Multi30k task 1, training and validation pairs",
    measure=search,
    revision=6,
    items="trials",
    options=lambda parser: parser.add_argument(
        "--only", nargs="+", choices=list(TRIALS), help="keeps their rows"
    ),
)
GPU_SEARCH = Experiment(
    "multi30k_gpu_search",
    needs="a GPU, Multi30k",
    about="Multi30k, English to German, trials that share one GPU for the "
    "same minutes, scored on validation sentences",
    data="Multi30k task 1, training and validation pairs",
    measure=lambda run: trials_of(run, GPU_TRIALS, len(GPU_TRIALS)),
    revision=1,
    items="trials",
)
RECORDED = Experiment(
    "multi30k_gpu_recorded",
    needs="a GPU, Multi30k",
    about="Multi30k, trials with recorded gradients, one after the other on a "
    "GPU, scored on validation sentences",
    data="Multi30k task 1, training and validation pairs",
    measure=lambda run: trials_of(run, RECORDED_TRIALS, 1),
    revision=1,
    items="trials",
)
