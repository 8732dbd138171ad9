"""How long does a word take, with and without a cache?

    python code/experiments/run.py cache_speed

Lets an untrained Transformer of the storybook's size write 8 to 512 words,
whatever they are, and takes the time: keeping keys and values, and computing
the whole sentence again for every word.  Lengths and ways in turn, several
rounds.  Under two minutes on one core.
"""

import itertools
import time

import torch

from attnbook.config import TransformerConfig
from attnbook.data import datasets
from attnbook.data.vocabulary import BOS
from attnbook.decoding.greedy import Stepper, inference
from attnbook.training.repro import seed_everything
from attnbook.transformer import Transformer
from lab.experiment import Experiment

LENGTHS, ROUNDS, SOURCE, SEED = (8, 16, 32, 64, 128, 256, 512), 5, 12, 0


def sizes():
    """Return the fields of the storybook's model, long enough for 512."""
    storybook = datasets.load("storybook", "en", "fr")
    source, target = storybook.learn_vocabularies(0)
    return storybook.model | {
        "source_vocab": len(source),
        "target_vocab": len(target),
        "dropout": 0.0,
        "max_length": 600,
    }


def seconds(model, source, length, cached):
    """Return the seconds of writing so many words, <eos> or not."""
    with inference(model, length):
        start = time.perf_counter()
        stepper = Stepper(model, source, cached=cached)
        written = torch.full_like(source[:, :1], BOS)  # (B, 1)
        for _ in range(length):
            word = stepper.scores(written).argmax(-1, keepdim=True)  # (B, 1)
            written = torch.cat([written, word], dim=1)  # (B, t)
        return time.perf_counter() - start


def measure(run):
    """Time every length both ways."""
    seed_everything(SEED)
    fields = sizes()
    model = Transformer(TransformerConfig(**fields))
    source = torch.randint(4, fields["source_vocab"], (1, SOURCE))  # (B, S)
    ways = {"with cache": True, "without": False}
    seconds(model, source, 32, True), seconds(model, source, 32, False)

    def one(number, length, way):
        taken = seconds(model, source, length, ways[way])
        row = {"way": way, "words": length, "round": number}
        return row | {"seconds": round(taken, 6)}

    lengths = LENGTHS[: 3 if run.small else None]
    plan = itertools.product(range(ROUNDS), lengths, ways)
    return {"model": fields, "rounds": ROUNDS, "runs": run.each(plan, one)}


EXPERIMENT = Experiment(
    "cache_speed",
    needs="the storybook, a quiet machine",
    about="Seconds to write a number of words with and without a cache",
    seeds=(SEED,),
    data="an untrained Transformer of the storybook's size, one sentence of "
    f"{SOURCE} words, one thread",
    measure=measure,
    revision=2,
    threads=1,
)
