"""Which broken masks does training on random tokens find?

    python code/experiments/noise_leaks.py

A small decoder with a right or a broken mask is trained to predict random
tokens of 8 kinds.  Nobody can do better than ln 8 without peeking.  One and
two layers, several seeds; a hidden score of -10, which leaks a little, too.
About four minutes on one core.
"""

import itertools

import torch

from attnbook.attention import scaled_dot_product_attention
from attnbook.probes.noise import noise_test
from attnbook.probes.peeking import NextToken, broken_masks, masked_otherwise
from fingerprints import first_losses
from needs import in_one_line
from store import clean_commit, store
from track import track

NEEDS = "nothing"
V, LENGTH, STEPS, EVERY = 8, 8, 300, 10
SEEDS = (0, 1, 2, 3, 4)
LAYERS = (1, 2)


def fingerprint():
    """Return what shows whether the stored result is stale."""
    model = NextToken(V, 1, scaled_dot_product_attention, seed=SEEDS[0])
    return {"losses": first_losses(noise_test, model, V, LENGTH, STEPS)}


def main():
    """Train every combination and store the losses."""
    commit = clean_commit()
    masks = {"correct": scaled_dot_product_attention} | broken_masks()
    masks["fill -10"] = masked_otherwise(lambda mask: mask, fill=-10.0)
    runs = []
    plan = itertools.product(masks.items(), LAYERS, SEEDS)
    for (name, attend), num_layers, seed in track(plan, "decoders"):
        model = NextToken(V, num_layers, attend, seed=seed)
        test = noise_test(model, V, LENGTH, STEPS, seed=seed)
        blocks = torch.tensor(test.losses).view(-1, EVERY)
        runs.append(
            {
                "mask": name,
                "layers": num_layers,
                "seed": seed,
                "loss": round(test.loss, 4),
                "curve": [round(x, 3) for x in blocks.mean(1).tolist()],
            }
        )
        print(runs[-1]["mask"], num_layers, test, flush=True)
    store(
        commit,
        f"Loss on random tokens of {V} kinds after {STEPS} steps, for a "
        "decoder with a right mask and with broken ones",
        SEEDS,
        f"random tokens, drawn anew for every batch of 64 rows of {LENGTH}",
        {"vocab": V, "length": LENGTH, "every": EVERY, "runs": runs},
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    in_one_line(main)
