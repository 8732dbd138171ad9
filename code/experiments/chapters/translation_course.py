"""How does a translator become good, and what must its checkpoint hold?

    python code/experiments/run.py translation_course

English to French in the storybook's language, two seeds, one thread:

short    500 steps on batches of 1,024 tokens, chapter 13's live run: exact
         match, two sentences and BLEU in five ways on the way
averaged the weights of three of its checkpoints, instead of the last one
resumed  the short run, cut after 400 steps and resumed without one part of
         its checkpoint

About ten minutes on one core.
"""

import statistics
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import sacrebleu
import torch

from attnbook.config import TransformerConfig
from attnbook.data import datasets, storybook
from attnbook.data.batches import batch_stream, pad
from attnbook.data.vocabulary import BOS, EOS
from attnbook.decoding import metrics
from attnbook.decoding.translator import Translator
from attnbook.training import checkpoint
from attnbook.training.config import TrainConfig
from attnbook.training.loop import Run, train, validation_loss
from attnbook.training.progress import Progress
from attnbook.training.repro import seed_everything
from attnbook.transformer import Transformer
from lab.experiment import Experiment
from lab.fingerprints import first_losses, hash_of_pairs

SEEDS = (0, 1)
SHORT = {"steps": 500, "max_tokens": 1024, "learning_rate": 4e-3}
KEEP = {"save_every": 50, "average": 99}  # every checkpoint stays
COUNT = 300  # test sentences that are translated
CUT = 400  # step after which a run is killed
PARTS = {  # what a resumed run gets, and what it lacks
    "all parts": "",
    "no random state": "random",
    "no place in the data": "place",
    "no step": "step",
    "no moments": "moments",
}

DATA = datasets.load("storybook", "en", "fr")
SOURCE, TARGET = DATA.learn_vocabularies(0)
PAIRS = datasets.encode_pairs(DATA.train, SOURCE, TARGET)
VALID = datasets.encode_pairs(DATA.valid, SOURCE, TARGET)
TEST = DATA.test[:COUNT]
WANTED = [target for _, target in TEST]
READINGS = [" ".join(pair.source) for pair in storybook.both_readings("fr")]


def new_model(seed):
    """Return the model with its first weights."""
    seed_everything(seed)
    sizes = {"source_vocab": len(SOURCE), "target_vocab": len(TARGET)}
    return Transformer(TransformerConfig(**DATA.model, **sizes))


def settings(fields, seed):
    """Return the `TrainConfig` of a run; fp32, as in the notebook."""
    return TrainConfig(**fields, **KEEP, seed=seed, precision="fp32")


def loaded(path, seed):
    """Return the model of a checkpoint."""
    model = new_model(seed)
    checkpoint.load_weights(path / "model.safetensors", model)
    return model.eval()


def quality(model):
    """Return validation loss and exact match."""
    written = Translator(model, SOURCE, TARGET).translate([s for s, _ in TEST])
    return {
        "valid": round(validation_loss(model, VALID), 4),
        "exact_match": round(metrics.exact_match(written, WANTED), 4),
    }


def on_the_way(folder, steps, seed):
    """Return quality and the two sentences at some checkpoints."""
    rows = []
    for step, path in checkpoint.steps(folder):
        if step in steps:
            model = loaded(path, seed)
            both = Translator(model, SOURCE, TARGET).translate(READINGS)
            row = {"step": step, "both": both, "bleu": five_bleus(model)}
            rows.append(row | quality(model))
    return rows


def forced(model):
    """Return the argmax words, each after the *right* words before it."""
    texts = []
    for source, target in datasets.encode_pairs(TEST, SOURCE, TARGET):
        given = pad([[BOS, *target]])  # (1, T)
        with torch.no_grad():
            words = model(pad([[*source, EOS]]), given).argmax(-1)[0]
        texts.append(TARGET.decode([i for i in words.tolist() if i > EOS]))
    return texts


def five_bleus(model):
    """Return BLEU of what a model writes alone, and what flatters it.

    The letters of words at equal places are chapter 13's broken score.
    """

    def readable(texts):
        return [storybook.sentence(tuple(t.split()), "fr") for t in texts]

    translator = Translator(model, SOURCE, TARGET)
    alone = readable(translator.translate([s for s, _ in TEST]))
    given, wanted = readable(forced(model)), readable(WANTED)
    pairs = list(zip(given, wanted, strict=True))
    single = [sacrebleu.sentence_bleu(h, [r]).score for h, r in pairs]
    return {
        "alone": round(metrics.bleu(alone, wanted)[0], 2),
        "forced": round(metrics.bleu(given, wanted)[0], 2),
        "forced, mean of sentences": round(statistics.mean(single), 2),
        "forced, letters": round(metrics.letter_bleu(given, wanted), 2),
        "alone, letters": round(metrics.letter_bleu(alone, wanted), 2),
    }


def averaged(folder, seed):
    """Return quality of the last of three checkpoints, and of their mean."""
    found = dict(checkpoint.steps(folder))
    rows = []
    for name, steps in (
        ("100, 150, 200", (100, 150, 200)),
        ("250, 300, 350", (250, 300, 350)),
        ("400, 450, 500", (400, 450, 500)),
    ):
        paths = [found[step] for step in steps]
        mean = new_model(seed).eval()
        checkpoint.average_weights(paths, mean)
        last = quality(loaded(paths[-1], seed))
        rows.append({"steps": name, "last": last, "mean": quality(mean)})
    return rows


def resume(folder, lacks, seed):
    """Go on from the cut without a part; return model and losses."""
    model, config = new_model(seed), settings(SHORT, seed)
    run = Run(model, config, folder)
    if "random" in lacks:
        torch.manual_seed(1000 + seed)
    if "moments" in lacks:
        run.optimizer.state.clear()
    if "place" in lacks:
        run.state["at"] = [0, 0]
    first = 0 if "step" in lacks else CUT
    stream = batch_stream(
        PAIRS, config.max_tokens, seed, tuple(run.state["at"])
    )
    model.train()
    for step in range(first + 1, first + 1 + SHORT["steps"] - CUT):
        run.step(step, stream)
        if step == first + 10:
            soon = validation_loss(model, VALID)
    return model.eval(), soon


def resumed(folder, seed):
    """Return how each resumed run differs from the whole one."""
    found = dict(checkpoint.steps(folder))
    for step, path in found.items():
        if step > CUT:
            path.rename(Path(folder) / f"later-{step}")
    whole = loaded(Path(folder) / f"later-{SHORT['steps']}", seed)
    want = dict(whole.named_parameters())
    rows = []
    for name, lacks in PARTS.items():
        model, soon = resume(folder, lacks.split(), seed)
        apart = max(
            (p - want[n]).abs().max().item()
            for n, p in model.named_parameters()
        )
        row = {"part": name, "apart": apart, "after 10": round(soon, 4)}
        rows.append(row | quality(model))
        print(rows[-1], flush=True)
    return rows


def one_seed(seed):
    """Return all measurements of one seed."""
    found = {"seed": seed}
    with TemporaryDirectory() as folder:
        config = settings(SHORT, seed)
        progress = Progress(config.steps, stream=sys.stderr)
        found["short"] = {
            "history": train(
                new_model(seed), PAIRS, config, folder, VALID, progress
            ),
            "way": on_the_way(folder, (50, 100, 200, 300, 400, 500), seed),
        }
        found["averaged"] = averaged(folder, seed)
        print(found, flush=True)
        found["resumed"] = resumed(folder, seed)
    return found


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        "data": hash_of_pairs(DATA),
        "losses": first_losses(one_seed, SEEDS[0]),
    }


EXPERIMENT = Experiment(
    "translation_course",
    needs="the storybook",
    about="The storybook translator on its way, and resumed without a part",
    seeds=SEEDS,
    data=f"storybook English to French, {len(DATA.train):,} training pairs, "
    f"{COUNT} unseen test pairs; a seed changes first weights, order of "
    "batches and dropout",
    plan=lambda: [(seed,) for seed in SEEDS],
    row=one_seed,
    key="seed {}",
    fingerprint=fingerprint,
    threads=1,
    items="seeds",
)
