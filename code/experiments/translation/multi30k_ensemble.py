"""Two small models that write together, and look words up in their text.

    python code/experiments/run.py multi30k_ensemble

English to German, on two cores, in 75 minutes.  Each core trains one model
with one thread.  They have the sizes of the long runs of multi30k_two_cores.py
and are alike but for the seed.  Then they read the training text once more and
keep what they stood at before each word: a `Datastore`.  They write alone;
together, with the mean of their probabilities; and with the datastore.  A
model with the mean of their weights writes, too, and the loss is followed from
one model's weights to the other's.  All settings were chosen on validation
sentences and frozen before the test set was read.  Then another pair does
the same with other seeds.  What was stopped goes on where it was.  Nothing
else should run beside it.
"""

import copy
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import torch

from attnbook.data import datasets
from attnbook.decoding.bootstrap import paired_bootstrap
from attnbook.decoding.datastore import Datastore, collect_entries, make_keys
from attnbook.decoding.ensemble import Ensemble
from attnbook.decoding.translator import Translator, load_translator
from attnbook.training import checkpoint
from attnbook.training.loop import validation_loss
from lab.experiment import Experiment
from lab.needs import need_multi30k
from lab.progress import track
from translation.looking_up import looked_up, valid_losses
from translation.multi30k_two_cores import (
    BEAM,
    FOLDER,
    PENALTY,
    SETTINGS,
    SMALL,
    about_run,
    command,
    run,
)
from translation.scoring import moses, scores, translated

DIRECTION = "en-de"
LANGUAGE = "de"
PAIRS = ((9, 10), (11, 12))  # a seed for each core; 0 to 8 served others
TEMPERATURE = 0.025  # of the datastore; frozen before the test, too
SHARE = 0.25
WAY = [n / 10 for n in range(11)]  # from one model's weights to another's
EARLIER = ("1000", "4000")  # steps of the first model, to its last
SHARES = (0.25, 0.5)  # of which greedy translations are compared
SCORED = ("valid_beam", "test_beam")
PARTS = (16, 8, 4, 2, 1)  # the datastore's size is divided by
OPTIONS = SETTINGS["75"] | {  # frozen before the test
    "dropout": 0.1,
    "steps": 5200,
    "warmup": 260,
}


def folder_of(seed, small):
    """Return the folder of a model; a try has one of its own."""
    return FOLDER / ("small" if small else "") / f"ensemble-{seed}"


def measured(trained, valid, test):
    """Return a translator's scores, and its test translations by beam."""
    by_part = {}
    for name, pairs, width in (
        ("valid_beam", valid, BEAM),
        ("test_greedy", test, 1),
        ("test_beam", test, BEAM),
    ):
        written, seconds = translated(trained, pairs, width, PENALTY)
        by_part[name] = scores(written, pairs, LANGUAGE)
        by_part[name]["seconds"] = seconds
    return by_part, written


def member(seed, folder, seconds, pairs):
    """Return a trained model's translator, its row, and its translations.

    Args:
        seed: of the run.
        folder: of the run.
        seconds: that its command took.
        pairs: validation pairs and test pairs.
    """
    trained, config = load_translator(folder)
    found, written = measured(trained, *pairs)
    about = about_run(folder, seconds, seed, trained, config)
    return trained, about | found, written


def with_model(model, translator):
    """Return a translator with another model and the same vocabularies."""
    return Translator(model, translator.source, translator.target)


def between(first, second, share):
    """Return a model part of the way from one's weights to another's.

    Args:
        first: a model.
        second: another of the same sizes.
        share: of the second, from 0 to 1.
    """
    model, end = copy.deepcopy(first), second.state_dict()
    state = {
        name: start.lerp(end[name], share)
        for name, start in first.state_dict().items()
    }
    model.load_state_dict(state)
    return model


def losses_between(first, second, pairs):
    """Return [share of the second, validation loss] on the way to it.

    Arguments as in `between`; encoded validation pairs.
    """
    models = [(share, between(first, second, share)) for share in WAY]
    return [[s, round(validation_loss(m, pairs), 4)] for s, m in models]


def ways_between(models, folder, pairs):
    """Return the losses between two runs, and between two times of one.

    Args:
        models: the trained ones.
        folder: of the first.
        pairs: encoded validation pairs.
    """
    lines = {"two runs": losses_between(*models, pairs)}
    for path in track(sorted(folder.glob("weights-*.safetensors")), "times"):
        earlier = copy.deepcopy(models[0])
        checkpoint.load_weights(path, earlier)
        step = str(int(path.stem.split("-")[1]))
        if step in EARLIER:
            lines[step] = losses_between(earlier, models[0], pairs)
    return lines


def main_score(row, part):
    """Return the main score of a part, such as "valid_beam"."""
    return row[part]["lowercased_moses_bleu"]["score"]


def datastore_of(keys, words, vocabulary):
    """Return a `Datastore` with the settings of the experiment."""
    return Datastore(keys, words, vocabulary, TEMPERATURE, SHARE)


def train_all(options, seeds, folders):
    """Train all models side by side; return the seconds of each command."""
    os.environ["OMP_NUM_THREADS"] = "1"  # of the commands

    def train(seed, folder):
        return run(command(DIRECTION, options, seed, folder), folder)

    with ThreadPoolExecutor(len(seeds)) as pool:
        seconds = list(pool.map(train, seeds, folders))
    print(f"trained in {max(seconds) / 60:.1f} minutes", flush=True)
    return seconds


def read_all(models, pairs):
    """Return keys of each model, next words, places, and the seconds.

    Args:
        models: the trained ones.
        pairs: encoded training pairs.
    """
    start = time.perf_counter()
    found = [
        collect_entries([model], pairs) for model in track(models, "stores")
    ]
    seconds = round(time.perf_counter() - start, 1)
    keys = [one for one, _, _ in found]
    _, words, places = found[0]
    print(f"{len(words):,} entries in {seconds} seconds", flush=True)
    return keys, words, places, seconds


@dataclass
class Written:
    """What two trained models have kept and written.

    Args:
        writers: translators: both together, and with the datastore.
        texts: their translations of the test set, two lists.
        encoded: training pairs and validation pairs, by their vocabularies.
        keys: of the datastore, those of each model.
        words: of the datastore.
        places: see `collect_entries`.
    """

    writers: list
    texts: list
    encoded: list
    keys: list
    words: torch.Tensor
    places: torch.Tensor


def of_pair(options, seeds, small, texts):
    """Train two models and let them write; return a row and a `Written`.

    Args:
        options: of the command.
        seeds: of the models.
        small: whether it is a try.
        texts: training, validation and test pairs.
    """
    train, valid, test = texts
    folders = [folder_of(seed, small) for seed in seeds]
    about = zip(
        seeds, folders, train_all(options, seeds, folders), strict=True
    )
    found = [
        member(*one, (valid, test)) for one in track(list(about), "models")
    ]
    trained, rows, alone = zip(*found, strict=True)
    first, models = trained[0], [one.model for one in trained]
    encoded = [
        datasets.encode_pairs(pairs, first.source, first.target)
        for pairs in (train, valid)
    ]
    keys, words, places, seconds = read_all(models, encoded[0])
    size = first.model.config.target_vocab
    look = datastore_of(make_keys(keys), words, size)
    writers = [
        with_model(Ensemble(models, known), first) for known in (None, look)
    ]
    (both, mixed), (both_look, looked) = (
        measured(writer, valid, test)
        for writer in track(writers, "ways to write")
    )
    for row in (*rows, both, both_look):
        print(*(main_score(row, part) for part in SCORED), flush=True)
    wanted = [target for _, target in test]
    row = {
        "training_seconds": max(row["training_seconds"] for row in rows),
        "reading_seconds": seconds,
        "members": rows,
        "ensemble": both,
        "looking_up": both_look,
        "gains": {
            "of each, by the other": [
                paired_bootstrap(one, mixed, wanted) for one in alone
            ],
            "of both, by the datastore": paired_bootstrap(
                mixed, looked, wanted
            ),
        },
    }
    return row, Written(writers, [mixed, looked], encoded, keys, words, places)


def parts_of(pairs):
    """Yield which entries belong to a part of the pairs, drawn by chance.

    Args:
        pairs: the pair of each entry, int64, (N,).
    """
    count = int(pairs.max()) + 1
    generator = torch.Generator().manual_seed(0)
    ranks = torch.randperm(count, generator=generator)[pairs]  # (N,)
    for part in PARTS:
        yield ranks < count // part


def greedy_by_share(writers, pairs):
    """Return [share of the datastore, score] of greedy translations.

    Args:
        writers: translators without and with a datastore.
        pairs: what to translate.
    """
    without, looking = writers
    ways = [(0.0, without)]
    for share in SHARES:
        known = copy.copy(looking.model.datastore)
        known.share = share
        ensemble = Ensemble(looking.model.models, known)
        ways.append((share, with_model(ensemble, looking)))
    found = []
    for share, writer in track(ways, "shares"):
        written, _ = translated(writer, pairs, 1, PENALTY)
        found.append([share, moses(written, pairs, LANGUAGE)])
    return found


def looked_into(written, folder, texts):
    """Return what is measured of one pair alone.

    Args:
        written: a `Written`.
        folder: of its first model.
        texts: validation and test pairs.
    """
    valid, test = texts
    together, looking = written.writers
    models, vocabulary = (
        together.model.models,
        looking.model.datastore.vocabulary,
    )
    train_pairs, valid_pairs = written.encoded
    keys, words = written.keys, written.words
    mean = with_model(between(*models, 0.5), together)
    first = datastore_of(make_keys(keys[:1]), words, vocabulary)
    parts = [
        datastore_of(make_keys(keys)[some], words[some], vocabulary)
        for some in parts_of(written.places[:, 0])
    ]
    return {
        "valid_beam_of_mean_weights": scores(
            translated(mean, valid, BEAM, PENALTY)[0], valid, LANGUAGE
        ),
        "valid_loss_between": ways_between(models, folder, valid_pairs),
        "entries": len(words),
        "valid_loss": {
            "alone": valid_losses(models[:1], [first], valid_pairs),
            "together": valid_losses(models, parts, valid_pairs),
        },
        "valid_greedy_by_share": greedy_by_share(written.writers, valid),
        "looked_up": looked_up(
            looking, test, *written.texts, train_pairs, written.places
        ),
    }


def measure(run):
    """Train all pairs and score them; look into the first."""
    small = run.small
    dataset = need_multi30k(*DIRECTION.split("-"))
    options = OPTIONS | (SMALL if small else {})
    keep = slice(0, 20 if small else None)
    train = dataset.train[: 500 if small else None]
    texts = dataset.valid[keep], dataset.test[keep]
    rows, details = [], {}
    for seeds in track(PAIRS, "pairs"):
        row, written = of_pair(options, seeds, small, (train, *texts))
        rows.append(row)
        details = details or looked_into(
            written, folder_of(seeds[0], small), texts
        )
    return {
        "direction": DIRECTION,
        "command": " ".join(command(DIRECTION, options, "SEED", "FOLDER")),
        "beam": BEAM,
        "length_penalty": PENALTY,
        "temperature": TEMPERATURE,
        "share": SHARE,
        "pairs": rows,
        "first pair": details,
    }


EXPERIMENT = Experiment(
    "multi30k_ensemble",
    needs="Multi30k",
    about="Multi30k, English to German: two small models trained side by side "
    "on two cores within 75 minutes, alone, as an ensemble, and with a "
    "datastore of their training text; two pairs",
    seeds=[seed for seeds in PAIRS for seed in seeds],
    data="Multi30k task 1, 29,000 pairs, joint byte pairs",
    measure=measure,
    revision=3,
)
