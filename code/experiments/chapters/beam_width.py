"""What does a wider beam buy, and what does it cost?

    python code/experiments/run.py beam_width

Translates unseen sentences of the storybook with the trained models of the
package and with weak ones, trained here for 150 and for 300 steps, at several
beam widths, with and without a length penalty.  Measures BLEU, exact match,
the length and the log-probability of what is written, and seconds.  About
eight minutes on one core.
"""

import itertools
import statistics
import time

import torch

from attnbook.config import TransformerConfig
from attnbook.data import datasets
from attnbook.data.batches import make_batch
from attnbook.data.vocabulary import PAD
from attnbook.decoding import metrics, pretrained
from attnbook.decoding.translator import Translator
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train
from attnbook.training.loss import sequence_loss
from attnbook.training.repro import seed_everything
from attnbook.transformer import Transformer
from lab.experiment import Experiment
from lab.fingerprints import first_losses, hash_of, hash_of_pairs
from lab.progress import track

KINDS = {  # steps of training: sentences, widths
    "trained": (500, (1, 2, 3, 5, 10, 20)),
    "300 steps": (200, (1, 2, 5, 10, 20, 50)),
    "150 steps": (200, (1, 2, 5, 10, 20, 50)),
}
ALPHAS, SEEDS, ROUNDS, TIMED = (0.0, 0.6), (0, 1, 2), 5, 100
STORYBOOK = datasets.DATASETS["storybook"]


def weak(steps, seed):
    """Return a translator to French after few steps of training."""
    data = datasets.load("storybook", "en", "fr")
    sides = data.learn_vocabularies(None)
    seed_everything(seed)
    fields = data.model | {
        "source_vocab": len(sides[0]),
        "target_vocab": len(sides[1]),
    }
    model = Transformer(TransformerConfig(**fields))
    config = TrainConfig(
        steps=steps,
        warmup=50,
        seed=seed,
        precision="fp32",
        save_every=steps,
    )
    train(model, datasets.encode_pairs(data.train, *sides), config)
    return Translator(model, *sides)


@torch.no_grad()
def log_probabilities(trained, pairs):
    """Return the log-probability of each target with its <eos>.

    Args:
        trained: a `Translator`.
        pairs: (source, target) texts.
    """
    sums = []
    for source, target in pairs:
        ids = trained.source.encode(source), trained.target.encode(target)
        batch = make_batch([ids])
        logits = trained.model(batch.source, batch.target)
        loss = sequence_loss(logits, batch.labels, PAD, reduction="sum")
        sums.append(-loss.item())
    return sums


def shown(text, language):
    """Return a sentence as a reader sees it; an empty one stays empty."""
    return STORYBOOK.write_text(text, language) if text else ""


def measure(trained, pairs, language, width, alpha):
    """Return what one width and penalty give on the pairs."""
    sources, wanted = zip(*pairs, strict=True)
    written = trained.translate(sources, width, alpha)
    own = log_probabilities(trained, list(zip(sources, written, strict=True)))
    theirs = log_probabilities(trained, pairs)
    lost = sum(a < b - 1e-3 for a, b in zip(own, theirs, strict=True))
    sides = [
        [shown(text, language) for text in side] for side in (written, wanted)
    ]
    words = [len(text.split()) for text in written]
    return {
        "bleu": round(metrics.bleu(*sides)[0], 2),
        "exact": round(metrics.exact_match(written, wanted), 4),
        "log_p": round(statistics.mean(own), 4),
        "words": round(statistics.mean(words), 3),
        "empty": sum(n == 0 for n in words),
        "less_probable_than_reference": lost,
    }


def seconds(trained, sources):
    """Return the seconds of each round, by width, the widths in turn."""
    widths = KINDS["trained"][1]
    rows = {width: [] for width in widths}
    plan = itertools.product(range(ROUNDS), widths)
    for _, width in track(plan, "timings"):
        start = time.perf_counter()
        trained.translate(sources, width)
        rows[width].append(round(time.perf_counter() - start, 4))
    return rows


def rows_of(language, kind, seed):
    """Return the rows of one model, all widths and penalties."""
    if kind == "trained":
        trained = pretrained.load(language)
    else:
        trained = weak(int(kind.removesuffix(" steps")), seed)
    count, widths = KINDS[kind]
    pairs = datasets.load("storybook", "en", language).test[:count]
    rows = []
    for width, alpha in itertools.product(widths, ALPHAS):
        if width == 1 and alpha:
            continue  # greedy knows no penalty
        found = measure(trained, pairs, language, width, alpha)
        run = {"language": language, "kind": kind, "seed": seed}
        run |= {"width": width, "alpha": alpha, "sentences": count}
        rows.append(run | found)
    return rows


def fingerprint():
    """Return what shows whether the stored result is stale."""
    files = [
        pretrained.find_model(language) / "model.safetensors"
        for language in pretrained.LANGUAGES
    ]
    data = [
        hash_of_pairs(datasets.load("storybook", "en", language))
        for language in pretrained.LANGUAGES
    ]
    return {
        "data": data,
        "models": hash_of(*[path.read_bytes() for path in files]),
        "losses": first_losses(weak, 300, SEEDS[0]),
    }


def measure_all(run):
    """Measure every model at every width; a try some weak ones."""
    test = datasets.load("storybook", "en", "fr").test
    timed = seconds(pretrained.load("fr"), [s for s, _ in test[:TIMED]])
    plan = [(language, "trained", 0) for language in pretrained.LANGUAGES]
    plan += itertools.product(["fr"], ["300 steps", "150 steps"], SEEDS)
    plan = plan[-1 if run.small else 0 :]
    rows = run.each(plan, rows_of, key="{}, {}, seed {}")
    return {"runs": sum(rows, []), "timed": TIMED, "seconds": timed}


EXPERIMENT = Experiment(
    "beam_width",
    needs="the storybook, storybook_runs",
    about="BLEU, exact match, log-probability and seconds by beam width, of "
    "trained storybook models and of ones trained for 150 and 300 steps",
    seeds=SEEDS,
    data="storybook, 500 unseen sentences for the trained models and 200 for "
    f"the others; seconds of {TIMED} sentences by the trained French "
    "model, one thread",
    measure=measure_all,
    fingerprint=fingerprint,
    threads=1,
    items="models",
)
