"""A GPU beside two cores: are its translations better?

    python code/experiments/run.py multi30k_gpu_gain
    python code/experiments/run.py multi30k_gpu_gain --rows FILE FILE

The translations into German of multi30k_quality and multi30k_gpu_goals are
compared, by a paired bootstrap over the test sentences, with what the models
of multi30k_ensemble.py write: each alone, each pair together, and each pair
with its datastore.  They come from the FILEs, in which those scripts keep
them; without any from this script's own stored result, so that the comparison
can be made again without a GPU.
"""

import itertools
import json
from pathlib import Path

from attnbook import results
from attnbook.data import datasets
from attnbook.decoding.bootstrap import paired_bootstrap
from attnbook.decoding.datastore import make_keys
from attnbook.decoding.ensemble import Ensemble
from attnbook.decoding.translator import load_translator
from lab.experiment import Experiment
from lab.needs import Missing, need_multi30k
from lab.progress import track
from translation.multi30k_ensemble import (
    PAIRS,
    datastore_of,
    folder_of,
    read_all,
    with_model,
)
from translation.multi30k_two_cores import BEAM, PENALTY
from translation.scoring import scores, translated

KEYS = {str(seed): f"en-de {seed}" for seed in range(4)}  # of the kept runs


def writers(train):
    """Yield name and translator: the models of two cores, and each pair.

    Args:
        train: training pairs.

    Yields:
        First each model alone, then both together, then with the datastore.

    Raises:
        Missing: they have not been trained here.
    """
    for seeds in PAIRS:
        folders = [folder_of(seed, small=False) for seed in seeds]
        try:
            alone = [load_translator(folder)[0] for folder in folders]
        except ValueError as error:
            raise Missing(
                f"multi30k_ensemble.py makes them: {error}"
            ) from error
        yield from zip(map(str, seeds), alone, strict=True)
        first, models = alone[0], [one.model for one in alone]
        name = " + ".join(map(str, seeds))
        yield name, with_model(Ensemble(models), first)
        pairs = datasets.encode_pairs(train, first.source, first.target)
        keys, words, _, _ = read_all(models, pairs)
        size = first.model.config.target_vocab
        look = datastore_of(make_keys(keys), words, size)
        yield f"{name}, looking up", with_model(Ensemble(models, look), first)


def translations(paths):
    """Return the GPU's runs: seed -> commit and translations.

    Args:
        paths: of the kept rows; none for the stored result.

    Raises:
        Missing: a run is in none of them.
    """
    if not paths:
        return results.load("multi30k_gpu_gain")["values"]["runs"]
    kept = {}
    for path in paths:
        if path.is_file():
            kept |= json.loads(path.read_text(encoding="utf-8"))
    if lacking := {*KEYS.values()} - {*kept}:
        raise Missing(f"expected rows of {sorted(lacking)}, got {[*kept]}")
    return {
        seed: {
            "commit": kept[key]["commit"],
            "translations": kept[key]["row"]["test"][str(BEAM)],
        }
        for seed, key in KEYS.items()
    }


def measure(run):
    """Compare; a try with what two writers wrote."""
    runs = translations(run.options.rows)
    data = need_multi30k("en", "de")
    wanted = [target for _, target in data.test]

    against = {}
    made = itertools.islice(writers(data.train), 2 if run.small else None)
    for name, writer in track(made, "writers", 8):
        written, _ = translated(writer, data.test, BEAM, PENALTY)
        against[name] = scores(written, data.test, "de") | {
            "gains": {
                seed: paired_bootstrap(written, found["translations"], wanted)
                for seed, found in runs.items()
            }
        }
        print(name, against[name], flush=True)
    return {
        "gpu": {
            seed: scores(found["translations"], data.test, "de")
            for seed, found in runs.items()
        },
        "against": against,
        "runs": runs,
    }


EXPERIMENT = Experiment(
    "multi30k_gpu_gain",
    needs="multi30k_quality, multi30k_gpu_goals, multi30k_ensemble",
    about="Multi30k, English to German: runs on a GPU beside the pairs of two "
    "cores, paired bootstrap over the test sentences",
    seeds=[*map(int, KEYS), *(seed for seeds in PAIRS for seed in seeds)],
    data="Multi30k task 1, test 2016",
    measure=measure,
    revision=2,
    options=lambda parser: parser.add_argument(
        "--rows", type=Path, nargs="+", default=[]
    ),
)
