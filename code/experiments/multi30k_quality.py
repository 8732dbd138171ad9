"""How good on Multi30k, from scratch, and how soon?  Needs a GPU.

    python code/experiments/multi30k_quality.py
    python code/experiments/multi30k_quality.py --small   a try, stores nothing

In each direction: every candidate is trained with one seed and measured on
the validation set; the best one is trained with three seeds, and each of
these sees the test set once.  Then time to quality: shorter and shorter
schedules of one candidate, chosen on the validation set, the test set once.
About 25 minutes on a recent GPU by the count of its operations; unmeasured.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from attnbook.config import TransformerConfig
from attnbook.data import datasets
from attnbook.decoding import metrics
from attnbook.decoding.translator import Translator
from attnbook.training import checkpoint
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train, validation_loss
from attnbook.training.precision import choose_precision
from attnbook.training.progress import Progress
from attnbook.training.repro import parameter_count, seed_everything
from attnbook.transformer import Transformer
from fingerprints import first_losses, hash_of
from needs import in_one_line, need_gpu, need_multi30k
from store import clean_commit, store
from track import track

NEEDS = "Multi30k, a GPU"
SEEDS = (0, 1, 2)
MERGES = 10_000
DIRECTIONS = (("de", "en"), ("en", "de"))
# Goals of the short runs: lower-cased BLEU on Moses tokens, test 2016.
GOALS = {"de-en": (36.5, 30), "en-de": (41.0, 240)}  # BLEU, seconds
TINY = {  # the sizes of Wu et al. (2021)
    "d_model": 128,
    "num_heads": 4,
    "d_ff": 256,
    "num_encoder_layers": 4,
    "num_decoder_layers": 4,
}
WIDE = {
    "d_model": 256,
    "num_heads": 8,
    "d_ff": 512,
    "num_encoder_layers": 3,
    "num_decoder_layers": 3,
}
LONG = {"max_tokens": 8192, "steps": 6000, "warmup": 600}
CANDIDATES = {
    "tiny": (TINY, {**LONG, "learning_rate": 3e-3}),
    "wide": (WIDE, {**LONG, "learning_rate": 1.5e-3}),
}
SHORT = (  # steps and labels per batch of the short runs, longest first
    {"max_tokens": 4096, "steps": 2400, "warmup": 200},
    {"max_tokens": 4096, "steps": 1200, "warmup": 100},
    {"max_tokens": 4096, "steps": 600, "warmup": 60},
)


class Data:
    """Multi30k in one direction, encoded.

    Args:
        source: language.
        target: language.
        small: whether to keep a few pairs alone.
    """

    def __init__(self, source, target, small):
        dataset = need_multi30k(source, target)
        self.name, self.target = f"{source}-{target}", target
        keep = slice(0, 400 if small else None)
        self.valid, self.test = dataset.valid[keep], dataset.test[keep]
        merges = 300 if small else MERGES
        self.vocab, _ = dataset.learn_vocabularies(merges)
        sides = self.vocab, self.vocab
        self.train_ids = datasets.encode_pairs(dataset.train, *sides)
        self.valid_ids = datasets.encode_pairs(self.valid, *sides)


def run(data, sizes, training, seed, device):
    """Train one model; return it, averaged, with its seconds and history.

    Args:
        data: a `Data`.
        sizes: fields of `TransformerConfig`.
        training: fields of `TrainConfig`.
        seed: of weights, batches and dropout.
        device: where it computes.

    Returns:
        The model, and a dict of what the run was.
    """
    seed_everything(seed)
    fields = {"source_vocab": len(data.vocab), "target_vocab": len(data.vocab)}
    fields |= {"dropout": 0.3, "shared_embeddings": True, "max_length": 256}
    model = Transformer(TransformerConfig(**fields, **sizes)).to(device)
    every = max(1, training["steps"] // 40)  # ten lie in the last quarter
    config = TrainConfig(**training, save_every=every, average=10, seed=seed)
    progress = Progress(config.steps, stream=sys.stderr)
    with TemporaryDirectory() as folder:
        start = time.perf_counter()
        history = train(
            model, data.train_ids, config, Path(folder), None, progress
        )
        last = [path for _, path in checkpoint.steps(folder)]
        checkpoint.average_weights(last[-config.average :], model)
        seconds = time.perf_counter() - start
    return model, {
        "seed": seed,
        "parameters": parameter_count(model),
        "precision": choose_precision("auto", device),
        "training_seconds": round(seconds, 1),
        "tokens_per_second": round(progress.speed()),
        "history": history,
        "validation_nats_per_token": round(
            validation_loss(model, data.valid_ids), 4
        ),
    }


def scores(data, model, pairs, width=5):
    """Return all measures of a model on pairs, with their signatures."""
    translator = Translator(model, data.vocab, data.vocab)
    start = time.perf_counter()
    written = translator.translate([s for s, _ in pairs], width)
    seconds = time.perf_counter() - start
    wanted = [t for _, t in pairs]
    measured = {
        "lowercased_moses_bleu": metrics.old_bleu(
            written, wanted, data.target
        ),
        "bleu": metrics.bleu(written, wanted),
        "chrf": metrics.chrf(written, wanted),
    }
    found = {
        name: {"score": round(score, 2), "signature": how}
        for name, (score, how) in measured.items()
    }
    return found | {"beam": width, "seconds": round(seconds, 1)}


def quality(data, candidates, seeds, device):
    """Choose on the validation set, train again, test once per seed."""
    tried = {}
    for name, (sizes, training) in track(candidates.items(), "candidates"):
        model, about = run(data, sizes, training, seeds[0], device)
        about["valid"] = scores(data, model, data.valid)
        tried[name] = about
    best = max(
        tried,
        key=lambda n: tried[n]["valid"]["lowercased_moses_bleu"]["score"],
    )
    runs = []
    for seed in track(seeds, "seeds"):
        model, about = run(data, *candidates[best], seed, device)
        about["test_beam"] = scores(data, model, data.test)
        about["test_greedy"] = scores(data, model, data.test, 1)
        runs.append(about)
    main = [r["test_beam"]["lowercased_moses_bleu"]["score"] for r in runs]
    return {
        "tried": tried,
        "chosen": best,
        "settings": candidates[best],
        "runs": runs,
        "mean_lowercased_moses_bleu": round(statistics.mean(main), 2),
    }


def soon(data, sizes, schedules, rate, device):
    """Return the shortest schedule that reaches the goal on validation.

    The test set is used once, for the schedule that was chosen.
    """
    goal, limit = GOALS[data.name]
    tried, kept = [], None
    for schedule in track(schedules, "schedules"):
        training = {**schedule, "learning_rate": rate}
        model, about = run(data, sizes, training, 0, device)
        about["valid"] = scores(data, model, data.valid)
        about["training"] = training
        tried.append(about)
        enough = about["valid"]["lowercased_moses_bleu"]["score"] >= goal
        if kept is None or enough:
            kept = model, about
        if not enough:
            break
    model, about = kept
    test = scores(data, model, data.test)
    return {
        "goal": {"bleu": goal, "seconds": limit},
        "tried": tried,
        "training_seconds": about["training_seconds"],
        "test": test,
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    data, cpu = Data(*DIRECTIONS[0], False), torch.device("cpu")
    return {
        "data": hash_of(data.train_ids, data.valid_ids, data.test),
        "losses": first_losses(run, data, *CANDIDATES["tiny"], 0, cpu),
    }


def main():
    """Do all of it and store it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    if not small:
        need_gpu()
    commit = None if small else clean_commit()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    candidates, schedules, seeds = CANDIDATES, SHORT, SEEDS
    if small:
        tiny = {"max_tokens": 1024, "steps": 20, "warmup": 5}
        candidates = {
            name: (sizes, {**tiny, "learning_rate": 1e-3})
            for name, (sizes, _) in CANDIDATES.items()
        }
        schedules, seeds = (tiny,), SEEDS[:1]
    values = {}
    for source, target in DIRECTIONS:
        data = Data(source, target, small)
        found = quality(data, candidates, seeds, device)
        sizes, training = found["settings"]
        rate = training["learning_rate"]
        found["soon"] = soon(data, sizes, schedules, rate, device)
        values[data.name] = found
        print(data.name, found["mean_lowercased_moses_bleu"], flush=True)
    if small:
        print("a try: nothing is stored")
        return
    store(
        commit,
        "Multi30k from scratch, chosen on the validation set, test 2016 once "
        "per seed; and the shortest of three schedules that reaches the goal",
        list(SEEDS),
        f"Multi30k task 1, 29,000 pairs, {MERGES} joint byte-pair merges",
        values,
    )


if __name__ == "__main__":
    in_one_line(main)
