"""Which broken masks does training on random tokens find?

    python code/experiments/run.py noise_leaks

A small decoder with a right or a broken mask is trained to predict random
tokens of 8 kinds.  Nobody can do better than ln 8 without peeking.  One and
two layers, several seeds; a hidden score of -10, which leaks a little, too.
About four minutes on one core.
"""

import itertools

from attnbook.attention import scaled_dot_product_attention
from attnbook.probes.noise import noise_test
from attnbook.probes.peeking import NextToken, list_broken_masks, mask_wrongly
from lab.curves import block_means
from lab.experiment import Experiment
from lab.fingerprints import first_losses

VOCAB, LENGTH, STEPS, EVERY = 8, 8, 300, 10
SEEDS = (0, 1, 2, 3, 4)
LAYERS = (1, 2)


def fingerprint():
    """Return what shows whether the stored result is stale."""
    model = NextToken(VOCAB, 1, scaled_dot_product_attention, seed=SEEDS[0])
    return {"losses": first_losses(noise_test, model, VOCAB, LENGTH, STEPS)}


def masks():
    """Return name -> attention, with a right mask or with a broken one."""
    found = {"correct": scaled_dot_product_attention} | list_broken_masks()
    found["fill -10"] = mask_wrongly(lambda mask: mask, fill=-10.0)
    return found


def measure(mask, num_layers, seed):
    """Train one decoder; return what is stored about it."""
    model = NextToken(VOCAB, num_layers, masks()[mask], seed=seed)
    test = noise_test(model, VOCAB, LENGTH, STEPS, seed=seed)
    return {
        "mask": mask,
        "layers": num_layers,
        "seed": seed,
        "loss": round(test.loss, 4),
        "curve": block_means(test.losses, EVERY, 3),
    }


EXPERIMENT = Experiment(
    "noise_leaks",
    needs="nothing",
    about=f"Loss on random tokens of {VOCAB} kinds after {STEPS} steps, for a "
    "decoder with a right mask and with broken ones",
    seeds=SEEDS,
    data=f"random tokens, drawn anew for every batch of 64 rows of {LENGTH}",
    plan=lambda: itertools.product(masks(), LAYERS, SEEDS),
    row=measure,
    values=lambda runs: {
        "vocab": VOCAB,
        "length": LENGTH,
        "every": EVERY,
        "runs": runs,
    },
    fingerprint=fingerprint,
    threads=1,
    items="decoders",
    hide=("curve",),
)
