"""How soon is it good on Multi30k, and how good, from scratch?  Needs a GPU.

    python code/experiments/multi30k_quality.py
    python code/experiments/multi30k_quality.py --small   a try, stores nothing

What matters most comes first, in each direction.  Time to quality: shorter
and shorter schedules of one model, until one misses the goal on the
validation set.  The three number types on one of these schedules.  Then
quality: each candidate is trained with one seed, and the best one on the
validation set with two more.  The test set is scored for what was chosen.

The clock of a run starts at its first step and stops when the mean of its
last weights is ready.  Reading the data, learning the byte pairs and a
warm-up of 20 steps on another model come before; no checkpoint is written.

Every finished run is kept in runs/rows/ (which git ignores), so the command
may be stopped and given again.  It has not run in full yet.
"""

import argparse
import json
import statistics
import sys
import time
from functools import partial

import torch

from attnbook.config import TransformerConfig
from attnbook.data import datasets
from attnbook.decoding import metrics
from attnbook.decoding.translator import Translator
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train, validation_loss
from attnbook.training.precision import choose_precision, has_bfloat16
from attnbook.training.progress import Progress
from attnbook.training.repro import parameter_count, seed_everything
from attnbook.transformer import Transformer
from fingerprints import first_losses, hash_of
from needs import in_one_line, need_gpu, need_multi30k
from rows import Rows
from store import clean_commit, store
from track import track

NEEDS = "Multi30k, a GPU"
SEEDS = (0, 1, 2)
MERGES = 10_000
AVERAGE, PARTS = 10, 40  # the last 10 of 40 moments lie in the last quarter
DIRECTIONS = (("de", "en"), ("en", "de"))
# Goals: lower-cased BLEU on Moses tokens, test 2016; seconds, and fewer.
GOALS = {"de-en": (36.5, (30, 10)), "en-de": (41.0, (240, 60))}
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
    "wide": (WIDE, LONG | {"learning_rate": 1.5e-3}),
    "tiny": (TINY, LONG | {"learning_rate": 3e-3}),
}
SHORT = [  # schedules of the wide one, longest first
    {"max_tokens": 8192, "steps": 2400, "warmup": 240},
    {"max_tokens": 4096, "steps": 2400, "warmup": 240},
    {"max_tokens": 4096, "steps": 1200, "warmup": 120},
    {"max_tokens": 4096, "steps": 600, "warmup": 60},
    {"max_tokens": 4096, "steps": 300, "warmup": 30},
]
SHORT = [schedule | {"learning_rate": 1.5e-3} for schedule in SHORT]
TYPES_ON = SHORT[2]  # the schedule that is run in every number type
TRY = {"max_tokens": 256, "steps": 20, "warmup": 5, "learning_rate": 1e-3}
LITTLE = {name: min(size, 32) for name, size in TINY.items()}


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
        if small:
            del dataset.train[500:], dataset.valid[16:], dataset.test[16:]
        self.valid, self.test = dataset.valid, dataset.test
        self.vocab, _ = dataset.learn_vocabularies(300 if small else MERGES)
        sides = self.vocab, self.vocab
        self.train_ids = datasets.encode_pairs(dataset.train, *sides)
        self.valid_ids = datasets.encode_pairs(self.valid, *sides)


class Averaging(Progress):
    """Progress that adds up the weights of a run's last moments.

    The mean is that of `checkpoint.average_weights`, but nothing is
    written and nothing leaves the device: the clock does not measure a disk.

    Args:
        model: the model that is trained.
        config: a `TrainConfig`; its regular checkpoints are the moments.
    """

    def __init__(self, model, config):
        super().__init__(config.steps, stream=sys.stderr)
        self.parameters, self.sums = list(model.parameters()), None
        regular = range(config.save_every, config.steps, config.save_every)
        self.at = {*[*regular, config.steps][-config.average :]}

    def update(self, step, loss, tokens):
        """Count one step, and take its weights if it is one of the last."""
        super().update(step, loss, tokens)
        if step in self.at:
            old = self.sums or [0.0] * len(self.parameters)
            new = [p.detach().double() for p in self.parameters]
            self.sums = [a + b for a, b in zip(old, new, strict=True)]

    @torch.no_grad()
    def give_mean(self):
        """Give the model the mean of what was taken."""
        for parameter, total in zip(self.parameters, self.sums, strict=True):
            parameter.copy_(total / len(self.at))


def clock(device):
    """Return the seconds so far, after all that the device has to do."""
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def new_model(data, sizes, seed, device):
    """Return a model with its first weights."""
    seed_everything(seed)
    fields = {"source_vocab": len(data.vocab), "target_vocab": len(data.vocab)}
    fields |= {"dropout": 0.3, "shared_embeddings": True, "max_length": 256}
    return Transformer(TransformerConfig(**fields, **sizes)).to(device)


def fit(data, sizes, training, seed, device):
    """Train one model; return it, averaged, and what the run was.

    Args:
        data: a `Data`.
        sizes: fields of `TransformerConfig`.
        training: fields of `TrainConfig`.
        seed: of weights, batches and dropout.
        device: where it computes.

    Returns:
        The model, and a dict.
    """
    every = max(1, training["steps"] // PARTS)
    moments = {"save_every": every, "average": AVERAGE}
    config = TrainConfig(**training, **moments, seed=seed)
    model = new_model(data, sizes, seed, device)
    progress = Averaging(model, config)
    start = clock(device)
    history = train(model, data.train_ids, config, None, None, progress)
    progress.give_mean()
    seconds = clock(device) - start
    loss = validation_loss(model, data.valid_ids)
    return model, {
        "seed": seed,
        "sizes": sizes,
        "training": training,
        "parameters": parameter_count(model),
        "precision": choose_precision(config.precision, device),
        "training_seconds": round(seconds, 2),
        "labels_per_second": round(progress.tokens / seconds),
        "history": history,
        "validation_nats_per_token": round(loss, 4),
    }


def one_run(data, sizes, training, seed, device):
    """Train one model and translate; return a dict that JSON can hold."""
    start = clock(device)
    brief = TrainConfig(**training | {"steps": 20, "save_every": 20})
    train(new_model(data, sizes, seed, device), data.train_ids, brief)
    warm_up = clock(device) - start
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    model, about = fit(data, sizes, training, seed, device)
    about["warm_up_seconds"] = round(warm_up, 2)
    if device.type == "cuda":
        about["peak_bytes"] = torch.cuda.max_memory_allocated()
    translator = Translator(model, data.vocab, data.vocab)
    ways = {
        "valid": (data.valid, 5),
        "test_beam": (data.test, 5),
        "test_greedy": (data.test, 1),
    }
    for key, (pairs, width) in ways.items():
        start = clock(device)
        written = translator.translate([s for s, _ in pairs], width)
        seconds = round(clock(device) - start, 1)
        about[key] = {"written": written, "beam": width, "seconds": seconds}
    return about


def scores(data, pairs, way):
    """Return all measures of what was written, with their signatures."""
    written, wanted = way["written"], [t for _, t in pairs]
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
    return found | {key: way[key] for key in ("beam", "seconds")}


def scored(data, run, tested):
    """Return a run with scores in the place of its translations.

    Args:
        data: a `Data`.
        run: what `one_run` returned.
        tested: whether the test set is scored, too.
    """
    parts = {"valid": data.valid}
    if tested:
        parts |= {"test_beam": data.test, "test_greedy": data.test}
    found = {k: v for k, v in run.items() if not k.startswith("test_")}
    return found | {k: scores(data, parts[k], run[k]) for k in parts}


def bleu(run, part="valid"):
    """Return the score that counts, of a run that is scored."""
    return run[part]["lowercased_moses_bleu"]["score"]


def soon(data, run, schedules):
    """Return the runs down to the first that misses the goal.

    The test set is scored for one of them: the shortest that reaches the
    goal on the validation set, or the longest if none does.

    Args:
        data: a `Data`.
        run: a function of a schedule that returns a run.
        schedules: longest first.
    """
    goal, limits = GOALS[data.name]
    tried, chosen = [], None
    for schedule in track(schedules, "schedules"):
        made = run(schedule)
        tried.append(scored(data, made, tested=False))
        reached = bleu(tried[-1]) >= goal
        if reached or chosen is None:
            chosen = made
        if not reached:
            break
    best = scored(data, chosen, tested=True)
    reached = bleu(best, "test_beam") >= goal
    fast = [n for n in limits if reached and best["training_seconds"] <= n]
    return {
        "goal": {"bleu": goal, "seconds": limits},
        "tried": tried,
        "chosen": best,
        "reached_on_test": reached,
        "within_seconds": fast,
    }


def quality(data, run, candidates, seeds):
    """Choose on the validation set, train again, score the test set.

    Args:
        data: a `Data`.
        run: a function of sizes, training and seed that returns a run.
        candidates: name -> sizes and training.
        seeds: the first one chooses.
    """
    runs = {
        name: run(*candidate, seeds[0])
        for name, candidate in track(candidates.items(), "candidates")
    }
    tried = {name: scored(data, run, False) for name, run in runs.items()}
    best = max(tried, key=lambda name: bleu(tried[name]))
    more = track(seeds[1:], "seeds")
    final = [runs[best], *(run(*candidates[best], seed) for seed in more)]
    final = [scored(data, made, True) for made in final]
    mean = statistics.mean(bleu(made, "test_beam") for made in final)
    return {
        "tried": tried,
        "chosen": best,
        "runs": final,
        "mean_lowercased_moses_bleu": round(mean, 2),
    }


def number_types(device):
    """Return the number types to compare on a device."""
    types = ["fp32"] + ["bf16"] * has_bfloat16(device)
    return types + ["fp16"] * (device.type == "cuda")


def remember():
    """Return a function like `Rows.get` that keeps its rows in memory."""
    kept = {}

    def get(key, make, *arguments):
        if key not in kept:
            kept[key] = json.loads(json.dumps(make(*arguments)))
        return kept[key]

    return get


def everything(both, get, device, small):
    """Make every run that is not there yet; return what they say.

    Args:
        both: a `Data` for each direction.
        get: `Rows.get`, or what `remember` returns.
        device: where it computes.
        small: whether to make a few short runs alone.
    """
    wide, ladder, seeds = WIDE, SHORT, SEEDS
    candidates, middle = CANDIDATES, TYPES_ON
    if small:
        wide, ladder, seeds, middle = LITTLE, [TRY], SEEDS[:1], TRY
        candidates = {name: (LITTLE, TRY) for name in CANDIDATES}
    kind = device.type
    if kind == "cuda":  # seconds of two devices do not belong together
        kind = torch.cuda.get_device_name()

    def run(data, sizes, training, seed=seeds[0]):
        key = json.dumps([kind, data.name, sizes, training, seed])
        return get(key, one_run, data, sizes, training, seed, device)

    values = {data.name: {} for data in both}
    for data in both:
        found = soon(data, partial(run, data, wide), ladder)
        values[data.name]["soon"] = found
        print(data.name, "within", found["within_seconds"], "s", flush=True)
    values["precisions"] = [
        scored(
            both[0],
            run(both[0], wide, middle | {"precision": name}),
            tested=False,
        )
        for name in track(number_types(device), "number types")
    ]
    for data in both:
        found = quality(data, partial(run, data), candidates, seeds)
        values[data.name]["quality"] = found
        print(data.name, found["mean_lowercased_moses_bleu"], flush=True)
    return values


def fingerprint():
    """Return what shows whether the stored result is stale."""
    data, cpu = Data(*DIRECTIONS[0], False), torch.device("cpu")
    training = CANDIDATES["wide"][1] | {"max_tokens": 1024}  # soon done
    return {
        "data": hash_of(data.train_ids, data.valid_ids, data.test),
        "losses": first_losses(fit, data, WIDE, training, 0, cpu),
    }


def main():
    """Do all of it and store it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    if not small:
        need_gpu()
    commit = None if small else clean_commit()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    both = [Data(*pair, small) for pair in DIRECTIONS]
    if small:
        values = everything(both, remember(), device, True)
        print(json.dumps(values["precisions"], indent=1))
        print("a try: nothing is stored")
        return
    rows = Rows(commit)
    store(
        commit,
        "Multi30k from scratch: the shortest schedule that reaches a goal on "
        "the validation set, one seed; the number types on one schedule; and "
        "the better of two long runs, three seeds; test 2016 for the chosen",
        list(SEEDS),
        f"Multi30k task 1, 29,000 pairs, {MERGES} joint byte-pair merges",
        everything(both, rows.get, device, False),
        rows,
    )


if __name__ == "__main__":
    in_one_line(main)
