"""One run against the clock: how soon is the goal reached on this computer?

    make speedrun                         the record's way
    make speedrun ARGS="--minutes 10 --target 37.5"
    make speedrun ARGS="--way 'common loop'"
    make speedrun ARGS=--small            a try, a minute or two

Multi30k, German to English.  The clock starts with the command and stops when
a checkpoint is saved whose translations of the validation sentences, by beam
search, score at least the target.  Learning the byte pairs and validating
count.  Then the test set is translated, once.  The rules and the history are
in book/speedrun.md; speedrun.py makes all runs of the history.
"""

import argparse
import json
import math
import subprocess
import sys
import time
from datetime import UTC, datetime

from attnbook import results
from attnbook.data import datasets
from attnbook.data.files import write_json
from attnbook.decoding.translator import Translator
from attnbook.training import repro
from attnbook.training.checkpoint import save_weights
from lab import START
from lab.catalogue import ROOT, RUN
from lab.needs import need_multi30k
from lab.store import git
from speed.bench.contenders import Size
from speed.bench.ways import RECORD, WAYS, Runner
from translation.multi30k_two_cores import BEAM, PENALTY
from translation.scoring import scores, translated
from translation.trial import factor

TARGET = 37.5  # on validation sentences; fixed before any test
MERGES = 8000
FOLDER = ROOT / "runs/speedrun"  # git ignores it
NOTE_EVERY = 10  # seconds between two points of a curve


class Attempt:
    """One run against the clock.

    Args:
        way: a `ways.Way`.
        minutes: after which the rate is 0, or the run is given up.
        target: the validation score to reach.
        start: of the clock, as `time.perf_counter` gives it.
        seed: of first weights, order of batches and dropout.
        small: whether to try it with a small model and few sentences.
    """

    def __init__(self, way, minutes, target, start, seed=0, small=False):
        self.way, self.target, self.start = way, target, start
        self.seed = seed
        self.limit = 60 * minutes
        self.data = need_multi30k("de", "en")
        self.keep = slice(0, 20 if small else None)
        merges = 600 if small else MERGES
        self.vocab, _ = self.data.learn_vocabularies(merges)
        repro.seed_everything(seed)
        size = Size("S", 1, 32, 4, 32, 512) if small else None
        self.runner = Runner(way, len(self.vocab), size)
        self.curve, self.tries = [], []
        self.updates = self.labels = 0

    def seconds(self):
        """Return what the clock shows."""
        return time.perf_counter() - self.start

    def translate(self, pairs):
        """Return translations of the sources, and all their measures."""
        pairs = pairs[self.keep]
        model = self.runner.translating_model()
        trained = Translator(model, self.vocab, self.vocab)
        written, _ = translated(trained, pairs, BEAM, PENALTY)
        self.runner.model.train()
        return written, scores(written, pairs, "en")

    def is_over(self):
        """Save, validate, and say whether the run ends here."""
        save_weights(FOLDER / "model.safetensors", self.runner.model)
        _, measures = self.translate(self.data.valid)
        found = measures["lowercased_moses_bleu"]
        self.tries.append([round(self.seconds(), 1), found["score"]])
        print(f"{self.seconds():.0f} s: {found['score']} on validation")
        return found["score"] >= self.target or self.seconds() >= self.limit

    def step(self, batch):
        """Make one step, and note the loss now and then."""
        part = 1.0
        if self.way.falls:
            part = factor(min(1.0, self.seconds() / self.limit))
        loss = self.runner.step(batch, part)
        self.updates, self.labels = (
            self.updates + 1,
            self.labels + batch.tokens,
        )
        due = NOTE_EVERY * (len(self.curve) + 1)
        if self.seconds() >= due:
            self.curve.append(
                [round(self.seconds(), 1), round(loss.item(), 3)]
            )
            print(
                f"{self.seconds():.0f} s: loss {loss.item():.2f}", flush=True
            )

    def run(self):
        """Train until the goal is met or the time is over.

        A rate that falls is 0 when the time is over, so the goal is tried
        then; else it is tried after every epoch.
        """
        pairs = datasets.encode_pairs(self.data.train, self.vocab, self.vocab)
        epoch = 0
        for now, batch in self.runner.stream(pairs, self.seed):
            late = self.seconds() >= self.limit
            ended = now > epoch and not self.way.falls
            if (late or ended) and self.is_over():
                break
            epoch = now
            self.step(batch)

    def record(self):
        """Translate the test set, once; return what the run was."""
        seconds, score = self.tries[-1]
        written, measures = self.translate(self.data.test)
        return {
            "about": self.way.about,
            "seed": self.seed,
            "seconds": seconds,
            "target": self.target,
            "reached": score >= self.target,
            "validation": score,
            "test": measures,
            "beam": BEAM,
            "length_penalty": PENALTY,
            "precision": self.runner.contender.precision,
            "parameters": repro.parameter_count(self.runner.model),
            "updates": self.updates,
            "labels": self.labels,
            "tries": self.tries,
            "curve": self.curve,
            "translations": written,  # of the test set
        }


def attempt(name, minutes, target, start, seed=0, small=False):
    """Run one way; return its record.

    Args:
        name: a key of `WAYS`.
        minutes: see `Attempt`; None for those of the way.
        target: see `Attempt`.
        start: see `Attempt`.
        seed: see `Attempt`.
        small: see `Attempt`.
    """
    way = WAYS[name]
    minutes = way.minutes if minutes is None else minutes
    run = Attempt(way, minutes, target, start, seed, small)
    run.run()
    return run.record()


def alone(*words):
    """Return the record of an attempt in a process of its own.

    Args:
        words: its options; a try has an empty record.
    """
    command = [sys.executable, "-W", "ignore", RUN, "attempt", *words]
    before = set(FOLDER.glob("record-*.json"))
    subprocess.run(command, check=True)
    made = set(FOLDER.glob("record-*.json")) - before  # none after a try
    return next((json.loads(p.read_text(encoding="utf-8")) for p in made), {})


def write_record(name, found):
    """Write a record into a file of its own; return its path."""
    about = {
        "way": name,
        **found,
        "machine": repro.describe_machine(),
        "commit": git("rev-parse", "HEAD"),
        "changed": git("status", "--porcelain", "--", "code").splitlines(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
    }
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    path = FOLDER / f"record-{stamp}.json"
    write_json(path, about)
    return path


def advice(name, found):
    """Return what to try after a run that missed the goal, a str.

    Args:
        name: a key of `WAYS`.
        found: what `attempt` returned.
    """
    stored = results.load("speedrun")["values"]["ways"].get(name, [])
    enough = [r["labels"] for r in stored if r["target"] >= found["target"]]
    needed = max(enough, default=0)
    made = found["labels"]
    if not 0 < made < needed:
        return "try more --minutes"
    minutes = math.ceil(found["seconds"] / 60 * needed / made)
    return (
        f"{made:,} labels were computed, the runs of the book needed up to "
        f"{needed:,}: try --minutes {minutes}"
    )


def main(words):
    """Run one way, and write its record."""
    parser = argparse.ArgumentParser("run.py attempt")
    add = parser.add_argument
    add("--way", choices=list(WAYS), default=RECORD)
    add("--minutes", type=float)
    add("--target", type=float, default=TARGET)
    add("--seed", type=int, default=0)
    add("--small", action="store_true", help="a try, writes nothing")
    options = parser.parse_args(words)
    FOLDER.mkdir(parents=True, exist_ok=True)
    small, minutes = options.small, options.minutes
    if minutes is None and small:
        minutes = 0.3
    found = attempt(
        options.way, minutes, options.target, START, options.seed, small
    )
    said = "reached"
    if not found["reached"]:
        said = "NOT reached"
        if not small:
            said += f": {advice(options.way, found)}"
    bleu = found["test"]["lowercased_moses_bleu"]
    print(
        f"{found['seconds']:.0f} s, validation {found['validation']}, goal "
        f"{options.target} {said}\ntest {bleu['score']}, {bleu['signature']}"
    )
    if small:
        print("nothing is written")
        return
    print(f"the record is in {write_record(options.way, found)}")
